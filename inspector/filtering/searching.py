"""The text search of a selection: read from its request, run on its texts, and what it found kept beside it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from msgspec.structs import replace

from inspector.request import Request
from scoring.cache import VoteParts
from scoring.filtering.text_query import SCOPES, TextQuery
from scoring.filtering.text_search import Found, Searchable, search_all
from scoring.schema import Bools

if TYPE_CHECKING:
    from inspector.selection import Selection


class SearchFields(TypedDict):
    """The fields of a request that speak of a search."""

    search: str
    within: tuple[str, ...]


def query_of(request: Request) -> TextQuery:
    """Return the query that a request asks for; a falsy one where it asks for none.

    Raises:
        SearchError: an unknown scope, a regular expression that cannot be read.
    """
    return TextQuery.parse(request.search, request.within)


def search_fields(result: Found | None) -> SearchFields:
    """Return what a request says where this was found: its `search` and `within`."""
    if result is None or not result.query:
        return {"search": "", "within": ()}
    scopes = result.query.scopes
    return {"search": result.query.text, "within": () if scopes == SCOPES else scopes}


def search_words(result: Found | None) -> tuple[str, ...]:
    """Write what is searched for as one condition among others, or none."""
    return (f"search {result.query.words}",) if result is not None and result.query else ()


def found_places(result: Found | None, rows: Iterable[int]) -> list[str | None]:
    """Write where these cases hold what was searched for: `step 3, problem`; None where they do not."""
    if result is None:
        return [None for _ in rows]
    return [", ".join(_places(result, row)) or None for row in rows]


def _places(result: Found, row: int) -> Iterator[str]:
    """The first step that has it, as far as it was looked for, then the other scopes that do."""
    scopes, step = result.where(row), result.first_step[row]
    if "steps" in scopes:
        yield f"step {step}" if step >= 0 else "steps"
    yield from (scope for scope in scopes if scope != "steps")


def searchable(selection: "Selection") -> Searchable:
    """Return the texts of a selection's cases, and where answers lie: those of critics, and of PRMs that generate."""
    # Imported only for who searches: commands start sooner.
    from inspector.critique.blocks import is_talk

    there = [(evaluation.scorer, selection.folders.get(evaluation.scorer.name)) for evaluation in selection.evaluations]
    answering = [(is_talk(scorer), folder) for scorer, folder in there if folder and VoteParts(folder).parts()]
    answers, talks = (tuple(folder for talks, folder in answering if talks is kind) for kind in (False, True))
    cases = selection.cases
    trajectories = "step_messages" in cases.columns and cases["step_messages"].count() > 0
    own_keys = {folder: selection.keyed(scorer.name)["key"] for scorer, folder in there if folder and scorer.reads}
    notes = selection.beside("note")
    return Searchable(selection.texts, cases["key"], answers, notes, talks, cases["case"], trajectories, own_keys)


def found_in(selection: "Selection", rows: Bools) -> Found | None:
    """Search as the request asks, among these cases at least; None where it asks for no search.

    Only cases that were not searched before are read.

    Raises:
        SearchError: as for `query_of`.
        DamagedWorkspace: a file of texts cannot be read.
    """
    query = query_of(selection.request)
    if not query:
        return None
    before = selection.found if selection.found is not None and selection.found.query == query else None
    if before is not None and before.covers(rows):
        return before.with_notes(selection.beside("note"))
    return search_all(query, searchable(selection), rows, before)


def carried(result: Found | None, old: "Selection", new: "Selection") -> Found | None:
    """Carry what was found over to a selection that was loaded later: searched again only where that is needed.

    Raises:
        DamagedWorkspace: as for `found_in`.
    """
    if result is None or (new.found is not None and new.found.query == result.query):
        return None if result is None else new.found
    unchanged = new.cases["key"].equals(old.cases["key"]) and _files(new) == _files(old)
    if "answers" not in result.query.scopes and unchanged:
        return result
    request = replace(new.request, **search_fields(result))
    return found_in(replace(new, request=request, found=None), np.ones(new.height, dtype=np.bool_))


def _files(selection: "Selection") -> list[Path | None]:
    """Where the texts are read from; None for those that come with the program."""
    return [source if isinstance(source, Path) else None for source in selection.texts.sources]


def matching(result: Found | None, n: int) -> Bools:
    """Return the cases that a search leaves of n; all where there is none."""
    return np.ones(n, dtype=np.bool_) if result is None else result.mask
