"""The text search of a query: how it is read, and what it found, in words and as a mask."""

from collections.abc import Iterable, Iterator
from typing import TypedDict

import numpy as np

from scoring.data.schema import Bools
from scoring.selection.query import Query
from scoring.workspace.filtering.text_query import SCOPES, TextQuery
from scoring.workspace.filtering.text_search import SearchMatches


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


def matching(result: SearchMatches | None, n: int) -> Bools:
    """Return the mask (n,) of the cases that a search finds; all cases without a search."""
    return np.ones(n, dtype=np.bool_) if result is None else result.mask
