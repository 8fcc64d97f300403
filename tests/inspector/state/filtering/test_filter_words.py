import pytest

import example
from inspector.state.case_list.listed import failures
from inspector.state.filtering.filter_words import filter_phrase, filter_words
from inspector.state.opening import inspect
from scoring.selection.loading import load


@pytest.fixture
def failing(tmp_path):
    return failures(inspect(load(example.write(tmp_path))))


def test_failures_less_a_few_are_said_so(failing):
    column = failing.focus.outcome_column
    assert filter_words(failing) == "filter outcome = any failure"
    some = failing.selected(chosen=failing.filter.toggled(column, "early"))
    assert filter_words(some) == "filter outcome = any failure but early"
    assert filter_phrase(some).forms[1] == "filter outcome = any failure but early"
    fewer = some.selected(chosen=some.filter.toggled(column, "false_alarm"))
    assert filter_words(fewer) == "filter outcome = any failure but early and false alarm"


def test_a_few_outcomes_are_named(failing):
    column = failing.focus.outcome_column
    late = failing.selected(chosen=failing.filter.only(column, "late"))
    assert filter_words(late) == "filter outcome = late"
    both = late.selected(chosen=late.filter.toggled(column, "exact"))
    assert filter_words(both) == "filter outcome = late or exact"
