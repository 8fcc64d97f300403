"""A search as a part of requests and inspections: the same cases, metrics and words in the shell and on screen."""

import polars as pl
import pytest
from msgspec.structs import replace

from inspector.filtering.search_run import FoundBefore, run_search
from inspector.filtering.searching import found_places
from inspector.inspection import inspect
from inspector.selection import load
from scoring.errors import SearchError
from scoring.filtering.filters import Filter
from scoring.filtering.text_query import TextQuery
from views import cases_view


def cases(selection):
    return selection.cases["case"].gather(selection.shown).to_list()


def searched(inspection, text, scopes=()):
    *_, last = run_search(inspection, TextQuery.parse(text, scopes), FoundBefore())
    return last.inspection


def test_a_request_keeps_the_cases_that_hold_it(request_):
    found = load(replace(request_, search="late", within=("steps",)))
    assert cases(found) == ["bench/late-one"]
    facts = cases_view(found).provenance
    assert "--search late --in steps" in facts["command"]
    assert facts["filter"] == "(search late in steps)"
    assert found_places(found.found, found.shown.tolist()) == ["step 0"]


def test_only_the_cases_of_the_other_conditions_are_read(request_):
    found = load(replace(request_, search="one", where=("subset = 'words'",)))
    words = (found.cases["subset"] == "words").to_numpy()
    assert (found.found.searched == words).all()


def test_what_cannot_be_searched_for_is_a_sentence(request_):
    with pytest.raises(SearchError, match="at character 2"):
        load(replace(request_, search="/(/"))
    with pytest.raises(SearchError, match="no scope 'titles'"):
        load(replace(request_, search="x", within=("titles",)))


def test_the_screen_says_what_the_command_prints(request_):
    start = inspect(load(request_)).cleared()
    now = searched(start, "-one because")
    again = load(now.selection.request)
    assert cases(now.selection) == cases(again)
    assert now.headline is not None
    assert now.slice.sum() == now.shown.size
    assert cases(now.filtered(Filter()).selection) == cases(again), "another filter keeps the search"
    assert now.failures().selection.found is None
    assert now.unfiltered().shown.size == start.shown.size
    assert searched(now, "").selection.found is None


def test_rewards_that_land_keep_the_search(request_):
    now = searched(inspect(load(request_)), "late", ("problem",))
    renewed = now.renewed(load(request_))
    assert cases(renewed.selection) == ["bench/late-one"]
    assert renewed.selection.found.query == now.selection.found.query


def test_a_note_that_is_written_is_found(request_):
    now = searched(inspect(load(request_)), "needle", ("notes",))
    assert not now.shown.size
    notes = pl.Series("note", [None] * 8 + ["a needle"], dtype=pl.String)
    further = {**now.selection.further, "note": notes}
    there = replace(now, selection=replace(now.selection, further=further)).ordered("")
    assert cases(there.selection) == ["bench/long-one"]


def test_a_finished_search_is_remembered(request_):
    start, remembered = inspect(load(request_)), FoundBefore(kept=2)
    for text in ("a", "b", "c"):
        list(run_search(start, TextQuery.parse(text), remembered))
    texts = start.selection.texts
    assert remembered.get(TextQuery.parse("a"), texts) is None
    assert remembered.get(TextQuery.parse("c"), texts) is not None
    assert remembered.get(TextQuery.parse("c"), load(request_).texts) is None


def test_a_search_that_is_stopped_has_no_end(request_):
    seen = list(run_search(inspect(load(request_)), TextQuery.parse("a"), FoundBefore(), lambda: True))
    assert all(so_far.inspection is None for so_far in seen)
