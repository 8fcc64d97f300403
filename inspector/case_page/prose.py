"""Texts from data as lines: formulas readable unless raw, nothing left that could act, what was searched for marked."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from inspector.case_page.open_case import DisplayOptions
from inspector.case_page.original import repeated_words
from inspector.render.mathtext import unicode_math
from inspector.render.mathtext.ascii_math import ascii_math
from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap
from inspector.widgets.key_table.key_words import KeyWords
from inspector.widgets.line_view import Line
from scoring.workspace.filtering.text_query import TextQuery
from scoring.workspace.filtering.text_spans import MatchSpan, occurs, spans

#
# The query is about the raw text and the screen shows a readable one: hits are marked where the readable text still
# holds them, and where only the raw one does the reader is told so. The text itself is never changed.


FOUND = "found"
"""The style of a hit."""


def in_raw(keys: KeyWords) -> str:
    """Return the hint where only the raw text holds what was searched for."""
    return f"found in the raw text; {keys.of('raw')} shows it"


def is_hit(parts: Iterable[TextPart]) -> bool:
    """Return whether any of the parts of a line is a hit."""
    return any(FOUND in style.split() for _, style in parts)


class FoundText(Struct, frozen=True):
    """Wrapped lines, each as parts; `only_raw` where the query occurs in the raw text and not in these lines."""

    lines: tuple[tuple[TextPart, ...], ...]
    only_raw: bool = False


def found_text(
    raw: str, plain: str, width: int, style: str, text_query: TextQuery | None, repeated: Sequence[MatchSpan] = ()
) -> FoundText:
    """Wrap a text to `width` cells, with the hits of a query (None = no search) marked.

    `raw` is the text as it was imported, `plain` the same ready for the screen. What stands at the places `repeated` of
    it is dim.
    """
    lines = wrap(plain, width)
    places = spans(text_query, plain) if text_query else ()
    styled = tuple(tuple(line) for line in marked(lines, plain, places, style, repeated, f"{style} dim".strip()))
    return FoundText(
        styled, only_raw=text_query is not None and bool(text_query) and not places and occurs(text_query, raw)
    )


def marked(
    lines: Sequence[str],
    text: str,
    hits: Sequence[MatchSpan],
    style: str,
    other: Sequence[MatchSpan] = (),
    other_style: str = "",
) -> Iterator[list[TextPart]]:
    """Yield the lines into which a text was wrapped: `hits` stand out, and `other` places are in another style.

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
        parts: list[TextPart] = []
        for low, high in pairwise(sorted(edges)):
            name = other_style if _within(low, other) else style
            parts.append((line[low - start : high - start], f"{name} {FOUND}".strip() if _within(low, hits) else name))
        yield parts or [("", style)]


def _within(place: int, places: Sequence[MatchSpan]) -> bool:
    return any(low <= place < high for low, high in places)


NARROWEST = 10
"""Cells a text has at least, however little room there is."""
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


def body(
    text: str, width: int, display: DisplayOptions, style: str = "", scope: str = "", before: str = ""
) -> FoundText:
    """Wrap a text from data; what was searched for in this scope stands out, what `before` says is dim."""
    how = display.raw, display.glyphs.ascii_only
    return _laid_out(text, max(NARROWEST, width), how, style, display.searched(scope), before)


def readable(text: str, display: DisplayOptions) -> str:
    """Return a text from data before it is wrapped."""
    return _readable(text, (display.raw, display.glyphs.ascii_only))


_Manner = tuple[bool, bool]
"""Whether to leave formulas as written, and whether to use only ASCII."""


@lru_cache(maxsize=1024)
def _readable(text: str, how: _Manner) -> str:
    raw, ascii_only = how
    if raw:
        return clean(text, lines=True)
    written = ascii_math(text) if ascii_only else unicode_math(text)
    # Blank lines at the ends would take the room of other steps.
    return clean(_BLANK_LINES.sub("\n\n", written), lines=True).strip("\n").rstrip()


@lru_cache(maxsize=1024)
def _laid_out(text: str, width: int, how: _Manner, style: str, text_query: TextQuery | None, before: str) -> FoundText:
    # The same texts are asked for again whenever the threshold moves or something is folded.
    plain = _readable(text, how)
    repeated = repeated_words(_readable(before, how), plain) if before else ()
    return found_text(text, plain, width, style, text_query, repeated)


def paragraph(
    label: str, label_style: str, text: str, display: DisplayOptions, style: str = "", scope: str = ""
) -> Iterator[Line]:
    """Yield a text from data, wrapped beside its label; what was searched for in this scope stands out."""
    wrapped = body(text, display.width - len(label), display, style, scope)
    for index, line in enumerate(wrapped.lines):
        yield Line([(label if index == 0 else " " * len(label), label_style), *line])
    if wrapped.only_raw:
        yield Line([(" " * len(label), ""), (in_raw(display.keys), f"dim {FOUND}")])
