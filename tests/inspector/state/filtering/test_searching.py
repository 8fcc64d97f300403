"""A search as a part of queries and screen states: the same cases, metrics and words in the shell and on screen."""

import polars as pl
import pytest
from msgspec.structs import replace

from inspector.state.case_list.listed import cleared, failures, unfiltered
from inspector.state.filtering.search_run import FoundBefore, run_search
from inspector.state.opening import inspect
from inspector.state.renewing import renewed
from scoring.data.errors import SearchError
from scoring.selection.loading import load
from scoring.selection.searching import found_places
from scoring.workspace.filtering.filters import Filter
from scoring.workspace.filtering.text_query import TextQuery
from views import cases_view


def cases(results):
    return results.cases["case"].gather(results.shown).to_list()


def searched(state, text, scopes=()):
    *_, last = run_search(state, TextQuery.parse(text, scopes), FoundBefore())
    return last.state


def test_a_request_keeps_the_cases_that_hold_it(query):
    found = load(replace(query, search="late", within=("steps",)))
    assert cases(found) == ["bench/late-one"]
    facts = cases_view(found).provenance
    assert "--search late --in steps" in facts["command"]
    assert facts["filter"] == "(search late in steps)"
    assert found_places(found.matches, found.shown.tolist()) == ["step 0"]


def test_only_the_cases_of_the_other_conditions_are_read(query):
    found = load(replace(query, search="one", where=("subset = 'words'",)))
    words = (found.cases["subset"] == "words").to_numpy()
    assert (found.matches.searched == words).all()


def test_what_cannot_be_searched_for_is_a_sentence(query):
    with pytest.raises(SearchError, match="at character 2"):
        load(replace(query, search="/(/"))
    with pytest.raises(SearchError, match="no scope 'titles'"):
        load(replace(query, search="x", within=("titles",)))


def test_the_screen_says_what_the_command_prints(query):
    start = cleared(inspect(load(query)))
    now = searched(start, "-one because")
    again = load(now.results.query)
    assert cases(now.results) == cases(again)
    assert now.summary.headline is not None
    assert now.slice.sum() == now.shown.size
    assert cases(now.selected(chosen=Filter()).results) == cases(again), "another filter keeps the search"
    assert failures(now).results.matches is None
    assert unfiltered(now).shown.size == start.shown.size
    assert searched(now, "").results.matches is None


def test_rewards_that_land_keep_the_search(query):
    now = searched(inspect(load(query)), "late", ("problem",))
    later = renewed(now, load(query))
    assert cases(later.results) == ["bench/late-one"]
    assert later.results.matches.query == now.results.matches.query


def test_a_note_that_is_written_is_found(query):
    now = searched(inspect(load(query)), "needle", ("notes",))
    assert not now.shown.size
    notes = pl.Series("note", [None] * 8 + ["a needle"], dtype=pl.String)
    further = {**now.results.evaluated.further, "note": notes}
    there = replace(
        now, results=replace(now.results, evaluated=replace(now.results.evaluated, further=further))
    ).selected(sort="")
    assert cases(there.results) == ["bench/long-one"]


def test_a_finished_search_is_remembered(query):
    start, remembered = inspect(load(query)), FoundBefore(kept=2)
    for text in ("a", "b", "c"):
        list(run_search(start, TextQuery.parse(text), remembered))
    texts = start.results.loaded.texts
    assert remembered.get(TextQuery.parse("a"), texts) is None
    assert remembered.get(TextQuery.parse("c"), texts) is not None
    assert remembered.get(TextQuery.parse("c"), load(query).loaded.texts) is None


def test_a_search_that_is_stopped_has_no_end(query):
    seen = list(run_search(inspect(load(query)), TextQuery.parse("a"), FoundBefore(), lambda: True))
    assert all(so_far.state is None for so_far in seen)
