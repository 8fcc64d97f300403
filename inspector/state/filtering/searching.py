"""The text search of a result set: read from its query, run on its texts, and what it found kept beside it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from msgspec.structs import replace

from inspector.state.query import Query
from scoring.data.schema import Bools
from scoring.workspace.cache import VoteParts
from scoring.workspace.filtering.text_query import SCOPES, TextQuery
from scoring.workspace.filtering.text_search import Searchable, SearchMatches, search_all

if TYPE_CHECKING:
    from inspector.state.result_set import ResultSet


class SearchFields(TypedDict):
    """The fields of a query that speak of a search."""

    search: str
    within: tuple[str, ...]


def text_query_of(query: Query) -> TextQuery:
    """Return the query that a query asks for; a falsy one where it asks for none.

    Raises:
        SearchError: an unknown scope, a regular expression that cannot be read.
    """
    return TextQuery.parse(query.search, query.within)


def search_fields(result: SearchMatches | None) -> SearchFields:
    """Return what a query says where this was found: its `search` and `within`."""
    if result is None or not result.query:
        return {"search": "", "within": ()}
    scopes = result.query.scopes
    return {"search": result.query.text, "within": () if scopes == SCOPES else scopes}


def search_words(result: SearchMatches | None) -> tuple[str, ...]:
    """Write what is searched for as one condition among others, or none."""
    return (f"search {result.query.words}",) if result is not None and result.query else ()


def found_places(result: SearchMatches | None, rows: Iterable[int]) -> list[str | None]:
    """Write where these cases hold what was searched for: `step 3, problem`; None where they do not."""
    if result is None:
        return [None for _ in rows]
    return [", ".join(_places(result, row)) or None for row in rows]


def _places(result: SearchMatches, row: int) -> Iterator[str]:
    """The first step that has it, as far as it was looked for, then the other scopes that do."""
    scopes, step = result.where(row), result.first_step[row]
    if "steps" in scopes:
        yield f"step {step}" if step >= 0 else "steps"
    yield from (scope for scope in scopes if scope != "steps")


def searchable(results: "ResultSet") -> Searchable:
    """Return the texts of a result set's cases, and where answers lie: those of critics, and of PRMs that generate."""
    # Imported only for who searches: commands start sooner.
    from inspector.state.answer_blocks import is_talk

    there = [(evaluation.scorer, results.folders.get(evaluation.scorer.name)) for evaluation in results.evaluations]
    answering = [(is_talk(scorer), folder) for scorer, folder in there if folder and VoteParts(folder).parts()]
    answers, talks = (tuple(folder for talks, folder in answering if talks is kind) for kind in (False, True))
    cases = results.cases
    trajectories = "step_messages" in cases.columns and cases["step_messages"].count() > 0
    own_keys = {folder: results.keyed(scorer.name)["key"] for scorer, folder in there if folder and scorer.reads}
    notes = results.beside("note")
    return Searchable(results.texts, cases["key"], answers, notes, talks, cases["case"], trajectories, own_keys)


def found_in(results: "ResultSet", rows: Bools) -> SearchMatches | None:
    """Search as the query asks, among these cases at least; None where it asks for no search.

    Only cases that were not searched before are read.

    Raises:
        SearchError: as for `text_query_of`.
        DamagedWorkspace: a file of texts cannot be read.
    """
    text_query = text_query_of(results.query)
    if not text_query:
        return None
    before = results.matches if results.matches is not None and results.matches.query == text_query else None
    if before is not None and before.covers(rows):
        return before.with_notes(results.beside("note"))
    return search_all(text_query, searchable(results), rows, before)


def carried(result: SearchMatches | None, old: "ResultSet", new: "ResultSet") -> SearchMatches | None:
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
    return found_in(replace(new, query=query, matches=None), np.ones(new.height, dtype=np.bool_))


def _files(results: "ResultSet") -> list[Path | None]:
    """Where the texts are read from; None for those that come with the program."""
    return [source if isinstance(source, Path) else None for source in results.texts.sources]


def matching(result: SearchMatches | None, n: int) -> Bools:
    """Return the cases that a search leaves of n; all where there is none."""
    return np.ones(n, dtype=np.bool_) if result is None else result.mask
