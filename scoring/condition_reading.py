"""An SQL condition becomes a polars expression that speaks of columns and of nothing else.

polars knows subqueries, and in them functions that read a file or an address: it opens them while it reads the SQL. A
condition may come from a file of saved slices or from somebody's message, so that such a one is refused unread.
"""

import re
from functools import lru_cache

import polars as pl

from scoring.errors import FilterError
from scoring.sql_words import Word, words_of

LONGEST = 1_000
"""Names and signs of a condition; values in a list are not counted. With three times as many the engine takes minutes,
with twenty times as many it takes the process with it."""
_QUERIES = frozenset({"SELECT", "VALUES"})
# Anywhere at all, in quotes or not: the engine may see quotes elsewhere.
_FILES = re.compile(r"\bread_(?:csv|ipc|json|ndjson|parquet)\b", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)
_UNCOUNTED = frozenset("(),")


def expression_of(condition: str) -> pl.Expr:
    """The condition as polars understands it.

    Raises:
        FilterError: it asks another table or a file, is too long, or holds a byte that is not UTF-8.
        polars.exceptions.PolarsError: it cannot be read.
    """
    words = list(words_of(condition))
    if query := _query(condition, words):
        fault = "a condition speaks of the columns of a case: it cannot ask another table or read a file."
        raise FilterError(f"in {condition!r}: {fault}", place=query, fault=fault)
    if sum(map(_counted, words)) > LONGEST:
        fault = f"more than {LONGEST:,} names and signs are too many: put values into a list, as in case IN ('a', 'b')."
        raise FilterError(f"the condition {condition[:40]!r}... is too long: {fault}", fault=fault)
    try:
        return pl.sql_expr(condition)
    except UnicodeEncodeError:
        raise FilterError(f"{condition!r} holds a byte that is not UTF-8.", "Write it in UTF-8.") from None


@lru_cache(maxsize=512)
def columns_read(condition: str) -> frozenset[str]:
    """The names of the columns that a condition reads; none where it cannot be read."""
    try:
        return frozenset(expression_of(condition).meta.root_names())
    except (FilterError, pl.exceptions.PolarsError):
        return frozenset()


def _query(condition: str, words: list[Word]) -> tuple[int, int] | None:
    """Where a condition asks anything but columns, as a place in it; None where it does not."""
    asked = (word for word in words if word.kind == "name" and word.text.upper() in _QUERIES)
    if word := next(asked, None):
        return word.start, word.end
    file = _FILES.search(condition)
    return file.span() if file and _FROM.search(condition) else None


def _counted(word: Word) -> bool:
    return word.kind in {"name", "quoted"} or (word.kind == "sign" and word.text not in _UNCOUNTED)
