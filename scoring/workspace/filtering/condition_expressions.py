"""An SQL condition as a polars expression that speaks of columns and of nothing else.

polars knows subqueries, and in them functions that read a file or an address: it opens them while it reads the SQL.
A condition may come from a file of saved slices or from somebody's message, so that such a one is refused unread.
"""

import re
from functools import lru_cache

import polars as pl

from scoring.data.errors import FilterError
from scoring.workspace.filtering.condition_limits import ConditionCost, check_condition
from scoring.workspace.filtering.sql_words import Word, words_of

_QUERIES = frozenset({"SELECT", "VALUES"})
# Anywhere at all, in quotes or not: the engine may see quotes elsewhere.
_FILES = re.compile(r"\bread_(?:csv|ipc|json|ndjson|parquet)\b", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)


def expression_of(condition: str) -> pl.Expr:
    """Parse the condition into what polars understands.

    Raises:
        FilterError: it asks another table or a file, has anything that `check_condition` refuses, or holds a byte that
            is not UTF-8.
        polars.exceptions.PolarsError: it cannot be read.
    """
    _cost_of(condition)
    try:
        return pl.sql_expr(condition)
    except UnicodeEncodeError:
        raise FilterError(f"{condition!r} holds a byte that is not UTF-8.", "Write it in UTF-8.") from None


@lru_cache(maxsize=512)
def _cost_of(condition: str) -> ConditionCost:
    """What a condition costs. Raises FilterError as `expression_of` does."""
    words = list(words_of(condition))
    if query := _query(condition, words):
        fault = "a condition speaks of the columns of a case: it cannot ask another table or read a file."
        raise FilterError(f"in {condition!r}: {fault}", place=query, fault=fault)
    return check_condition(condition, words)


@lru_cache(maxsize=512)
def columns_read(condition: str) -> frozenset[str]:
    """Return the names of the columns that a condition reads; none where it cannot be read."""
    try:
        return frozenset(expression_of(condition).meta.root_names())
    except (FilterError, pl.exceptions.PolarsError):
        return frozenset()


def _query(condition: str, words: list[Word]) -> tuple[int, int] | None:
    """Where a condition asks anything but columns, as a place in it; None where it does not."""
    queries = (word for word in words if word.kind == "name" and word.text.upper() in _QUERIES)
    if word := next(queries, None):
        return word.start, word.end
    file = _FILES.search(condition)
    return file.span() if file and _FROM.search(condition) else None
