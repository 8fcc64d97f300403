"""Texts of a case as lines in which what was searched for stands out.

The query is about the raw text and the screen shows a readable one: hits are marked where the readable text still holds
them, and where only the raw one does the reader is told so. The text itself is never changed.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from inspector.commands.key_words import KeyWords
from inspector.text import Part
from inspector.wrap import wrap
from scoring.text_query import TextQuery
from scoring.text_spans import Span, occurs, spans

FOUND = "found"
"""The style of a hit."""


def in_raw(keys: KeyWords) -> str:
    """The hint where only the raw text holds what was searched for."""
    return f"found in the raw text; {keys.of('raw')} shows it"


class FoundText(Struct, frozen=True):
    """Wrapped lines, each as parts; `only_raw` where the query occurs in the raw text and not in these lines."""

    lines: tuple[tuple[Part, ...], ...]
    only_raw: bool = False


def found_text(
    raw: str, shown: str, width: int, style: str, query: TextQuery | None, repeated: Sequence[Span] = ()
) -> FoundText:
    """A text wrapped to `width` cells, with the hits of a query (None = no search) marked.

    `raw` is the text as it was imported, `shown` the same ready for the screen. What stands at the places `repeated` of
    it is dim.
    """
    lines = wrap(shown, width)
    places = spans(query, shown) if query else ()
    told = tuple(tuple(line) for line in marked(lines, shown, places, style, repeated, f"{style} dim".strip()))
    return FoundText(told, only_raw=query is not None and bool(query) and not places and occurs(query, raw))


def marked(
    lines: Sequence[str], text: str, hits: Sequence[Span], style: str, other: Sequence[Span] = (), other_style: str = ""
) -> Iterator[list[Part]]:
    """The lines into which a text was wrapped, in order: `hits` stand out, and `other` places are in another style.

    A line is looked for in the text behind the line before; between them lie only blanks and line breaks.
    """
    at = 0
    for line in lines:
        start = text.find(line, at)
        if start < 0:
            yield [(line, style)]
            continue
        at = end = start + len(line)
        edges = {start, end, *(edge for span in (*hits, *other) for edge in span if start < edge < end)}
        parts: list[Part] = []
        for low, high in pairwise(sorted(edges)):
            name = other_style if _within(low, other) else style
            parts.append((line[low - start : high - start], f"{name} {FOUND}".strip() if _within(low, hits) else name))
        yield parts or [("", style)]


def _within(place: int, places: Sequence[Span]) -> bool:
    return any(low <= place < high for low, high in places)
