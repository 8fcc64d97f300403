"""The list as a file holds what the list shows."""

from dataclasses import replace

import pytest

import example
from inspector.cases_document import CASE_COLUMNS, cases_document
from inspector.loading import load


@pytest.fixture
def request_(tmp_path):
    return example.write(tmp_path / "w")


def test_tags_and_notes_stand_in_it_where_there_are_some(request_):
    before = cases_document(load(request_)).rows
    assert not {"tags", "note"} & set(before.columns)
    selection = load(request_)
    selection.journal.tag(["bench/late-one"], ["odd"])
    after = cases_document(load(request_)).rows
    assert after.columns[len(CASE_COLUMNS)] == "tags"
    assert "note" not in after.columns
    assert dict(after.select("case", "tags").iter_rows())["bench/late-one"] == ["odd"]
    assert after.drop("tags").equals(before)


def test_a_search_says_where_it_found_something(request_):
    found = cases_document(load(replace(request_, search="late", within=("problem",)))).rows
    assert found.select("case", "found_in").rows() == [("bench/late-one", "problem")]
    chosen = cases_document(load(replace(request_, search="late", columns=("case",)))).rows
    assert chosen.columns == ["case"]
