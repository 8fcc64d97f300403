"""A screen state on reloaded results: which conditions, order and search still apply."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from inspector.state.screen_state import ScreenState
from scoring.data.errors import UsageError
from scoring.selection.ordering import sort_key
from scoring.selection.result_set import ResultSet, found_in, triaged
from scoring.selection.searching import search_fields
from scoring.workspace.filtering.condition_expressions import columns_read
from scoring.workspace.filtering.filters import Filter
from scoring.workspace.filtering.text_search import SearchMatches


def renewed(state: ScreenState, results: ResultSet) -> ScreenState:
    """Return the same view of a result set that was loaded anew; through the first scorer where this one has gone.

    Conditions and an order that speak of columns which have gone, go with them.
    """
    benchmark, old = state.focus.benchmark, state.results.query
    names = [name for name in results.chosen if results.evaluation(name).coverage.covers(benchmark)]
    focus = replace(state.focus, scorer=state.focus.scorer if state.focus.scorer in names else next(iter(names), None))
    search, base_search = (
        carried(old_search, state.results, results) for old_search in (state.results.matches, state.base_search)
    )
    query = replace(results.query, sort=old.sort, columns=old.columns, subsets=(), **search_fields(search))
    again = triaged(replace(results, query=query, matches=search), state.results.labels.journal)
    bare = replace(again, chosen=(focus.scorer,) if focus.scorer else ())
    kept = held_filter(state.filter, bare, state.focus.outcome_column, focus.outcome_column)
    now = ScreenState(again, focus, kept, held_conditions(state.base, bare), base_search, state.titles)
    return now.selected(sort=held_order(old.sort, bare))


def held_filter(chosen: Filter, results: ResultSet, old: str, new: str) -> Filter:
    """Return the filter less conditions on columns that are not there; facets on `old` become those on `new`.

    A condition that reads nothing known is left as it is.
    """
    moved = (replace(facet, column=new) if facet.column == old else facet for facet in chosen.facets)
    facets = tuple(facet for facet in moved if facet.column in results.evaluated.schema)
    return Filter(facets, held_conditions(chosen.where, results))


def held_conditions(where: Sequence[str], results: ResultSet) -> tuple[str, ...]:
    """Return the conditions less those on columns that are not there."""
    return tuple(text for text in where if all(name in results.evaluated.schema for name in columns_read(text)))


def held_order(sort: str, results: ResultSet) -> str:
    """Return the sort key, or "" where it names nothing there is."""
    if not sort:
        return ""
    try:
        sort_key(results.evaluated, results.chosen_evaluations, sort)
    except UsageError:
        return ""
    return sort


def carried(result: SearchMatches | None, old: ResultSet, new: ResultSet) -> SearchMatches | None:
    """Carry what was found over to a result set that was loaded later: searched again only where that is needed.

    Raises:
        DamagedWorkspace: as for `found_in`.
    """
    if result is None or (new.matches is not None and new.matches.query == result.query):
        return None if result is None else new.matches
    unchanged = new.cases["key"].equals(old.cases["key"]) and _files(new) == _files(old)
    if "answers" not in result.query.scopes and unchanged:
        return result
    query = replace(new.query, **search_fields(result))
    return found_in(replace(new, query=query, matches=None), np.ones(new.cases.height, dtype=np.bool_))


def _files(results: ResultSet) -> list[Path | None]:
    """Files of the texts; None for texts that ship with the program."""
    return [source if isinstance(source, Path) else None for source in results.loaded.texts.sources]
