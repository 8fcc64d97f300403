"""The list as a file holds what the list shows."""

import polars as pl
import pytest
from msgspec.structs import replace

import example
from inspector.analyses.cases import CASE_COLUMNS
from scoring.selection.loading import load
from scoring.workspace.triage.actions import NOTE, RATE, RULE, SORT
from views import breakdown_view, cases_view


@pytest.fixture
def query(tmp_path):
    return example.write(tmp_path / "w")


def test_tags_and_notes_stand_in_it_where_there_are_some(query):
    before = cases_view(load(query)).rows
    assert not {"tags", "note"} & set(before.columns)
    results = load(query)
    results.labels.journal.tag(["bench/late-one"], ["odd"])
    after = cases_view(load(query)).rows
    assert after.columns[len(CASE_COLUMNS)] == "tags"
    assert "note" not in after.columns
    assert dict(after.select("case", "tags").iter_rows())["bench/late-one"] == ["odd"]
    assert after.drop("tags").equals(before)


def test_rulings_categories_and_what_became_of_labels_stand_in_it_too(query):
    results = load(query)
    results.labels.journal.do([(RULE, ["bench/late-one"], "gold wrong"), (RATE, ["bench/late-one"], "1 -1")])
    results.labels.journal.do([(NOTE, ["bench/late-one"], "off by one"), (SORT, ["bench/late-one"], "counting")])
    beyond = len(CASE_COLUMNS)
    original = cases_view(load(query)).rows
    assert original.columns[beyond : beyond + 3] == ["ruling", "category", "note"]
    found = cases_view(load(replace(query, labels="adjudicated"))).rows
    row = found.row(by_predicate=pl.col("case") == "bench/late-one", named=True)
    assert (row["ruling"], row["category"], row["adjudication"]) == ("gold wrong", ["counting"], "changed")
    assert row["earliest_error"] == 1


def test_a_search_says_where_it_found_something(query):
    found = cases_view(load(replace(query, search="late", within=("problem",)))).rows
    assert found.select("case", "found_in").rows() == [("bench/late-one", "problem")]
    chosen = cases_view(load(replace(query, search="late", columns=("case",)))).rows
    assert chosen.columns == ["case"]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("n_steps > 99", "No case is shown."),
        ("'x' = 'y'", "No case is shown."),
        ("subset = 'nowhere' AND n_steps > 1", "No case is shown."),
        ("id = 'x'", "No case is shown: id is never 'x'"),
        ("\"alpha.outcome\" = 'false alarm'", "is never 'false alarm', but one of "),
    ],
)
def test_where_no_case_is_shown_the_document_says_so_and_what_the_column_holds(query, where, words):
    results = load(replace(query, where=(where,)))
    for view in (cases_view(results), breakdown_view(results)):
        assert words in view.empty
    assert cases_view(load(query)).empty == ""
