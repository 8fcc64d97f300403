"""Texts of a case as lines in which what was searched for stands out.

The query is about the raw text and the screen shows a readable one: hits are marked where the readable text still holds
them, and where only the raw one does the reader is told so. The text itself is never changed.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from inspector.commands.key_words import KeyWords
from inspector.text import Part
from inspector.wrap import wrap
from scoring.text_query import Span, TextQuery, occurs, spans

FOUND = "found"
"""The style of a hit."""


def in_raw(keys: KeyWords) -> str:
    """The hint where only the raw text holds what was searched for."""
    return f"found in the raw text; {keys.of('raw')} shows it"


class FoundText(Struct, frozen=True):
    """Wrapped lines, each as parts; `only_raw` where the query occurs in the raw text and not in these lines."""

    lines: tuple[tuple[Part, ...], ...]
    only_raw: bool = False


def found_text(raw: str, shown: str, width: int, style: str, query: TextQuery | None) -> FoundText:
    """A text wrapped to `width` cells, with the hits of a query (None = no search) marked.

    `raw` is the text as it was imported, `shown` the same ready for the screen.
    """
    lines = wrap(shown, width)
    if not query:
        return FoundText(tuple(((line, style),) for line in lines))
    places = spans(query, shown)
    if not places:
        return FoundText(tuple(((line, style),) for line in lines), only_raw=occurs(query, raw))
    return FoundText(tuple(tuple(line) for line in marked(lines, shown, places, style)))


def marked(lines: Sequence[str], text: str, places: Sequence[Span], style: str) -> Iterator[list[Part]]:
    """The lines into which a text was wrapped, in order, with the characters of these places in another style.

    A line is looked for in the text behind the line before; between them lie only blanks and line breaks.
    """
    at = 0
    for line in lines:
        start = text.find(line, at)
        if start < 0:
            yield [(line, style)]
            continue
        at = start + len(line)
        yield _line(line, [(low - start, high - start) for low, high in places if low < at and high > start], style)


def _line(line: str, places: Sequence[Span], style: str) -> list[Part]:
    parts: list[Part] = []
    done = 0
    for first, stop in places:
        low, high = max(first, done), min(stop, len(line))
        parts += [(line[done:low], style), (line[low:high], f"{style} {FOUND}".strip())]
        done = high
    parts.append((line[done:], style))
    return [part for part in parts if part[0]] or [("", style)]
