"""Where in a text a query occurs, for highlighting: by the same engine that says whether it does."""

import re
from itertools import chain

import polars as pl

from scoring.workspace.filtering.text_query import TextQuery

MatchSpan = tuple[int, int]
"""First character and one past the last, 0-based, of Python's string (code points)."""

_LONE = re.compile("[\ud800-\udfff]")
_PRIVATE = (*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE))


def spans(query: TextQuery, text: str) -> tuple[MatchSpan, ...]:
    """Find the places where any of the query's patterns occurs, in order and joined where they touch; empty ones left
    out.

    Scopes are not looked at: the text is one of them. A lone surrogate stands for U+FFFD, which is as long.
    """
    if not query or not text:
        return ()
    text = text.encode("utf-8", errors="replace").decode() if _LONE.search(text) else text
    series = pl.Series([text])
    # Most texts hold nothing of it, and a long one is looked at much faster than it is marked.
    patterns = [pattern for pattern in query.patterns if series.str.contains(pattern).item()]
    if not patterns:
        return ()
    begin, end = _absent(text)
    matches = chain.from_iterable(
        _marked(series.str.replace_all(pattern, f"{begin}${{0}}{end}").item(), begin, end) for pattern in patterns
    )
    return _joined(sorted(matches))


def occurs(query: TextQuery, text: str) -> bool:
    """Return whether any of the query's patterns occurs."""
    return bool(spans(query, text))


def _absent(text: str) -> tuple[str, str]:
    """Two characters that the text does not have. There are more private ones than any text uses."""
    used = set(text)
    free = (chr(code) for code in _PRIVATE if chr(code) not in used)
    return next(free), next(free)


def _marked(text: str, begin: str, end: str) -> list[MatchSpan]:
    """The spans between the marks, in the text without them."""
    spans_marked, length = [], 0
    plain, *matches = text.split(begin)
    length = len(plain)
    for piece in matches:
        inside, _, after = piece.partition(end)
        if inside:
            spans_marked.append((length, length + len(inside)))
        length += len(inside) + len(after)
    return spans_marked


def _joined(spans_in_order: list[MatchSpan]) -> tuple[MatchSpan, ...]:
    joined: list[MatchSpan] = []
    for start, stop in spans_in_order:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return tuple(joined)
