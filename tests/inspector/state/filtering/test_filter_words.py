import pytest

import example
from inspector.state.filtering.filter_words import filter_phrase, filter_words
from inspector.state.screen_state import inspect
from scoring.selection.loading import load


@pytest.fixture
def failures(tmp_path):
    return inspect(load(example.write(tmp_path))).failures()


def test_failures_less_a_few_are_said_so(failures):
    column = failures.outcome_column
    assert filter_words(failures) == "filter outcome = any failure"
    some = failures.filtered(failures.filter.toggled(column, "early"))
    assert filter_words(some) == "filter outcome = any failure but early"
    assert filter_phrase(some).forms[1] == "filter outcome = any failure but early"
    fewer = some.filtered(some.filter.toggled(column, "false_alarm"))
    assert filter_words(fewer) == "filter outcome = any failure but early and false alarm"


def test_a_few_outcomes_are_named(failures):
    column = failures.outcome_column
    late = failures.filtered(failures.filter.only(column, "late"))
    assert filter_words(late) == "filter outcome = late"
    both = late.filtered(late.filter.toggled(column, "exact"))
    assert filter_words(both) == "filter outcome = late or exact"
