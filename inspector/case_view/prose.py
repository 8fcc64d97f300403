"""Texts from data as lines: formulas readable unless raw, nothing left that could act, what was searched for marked."""

import re
from collections.abc import Iterator
from functools import lru_cache

from inspector.case_view.found_text import FOUND, FoundText, found_text, in_raw
from inspector.case_view.manner import Manner
from inspector.case_view.original import repeated_words
from inspector.mathtext import unicode_math
from inspector.text import clean
from inspector.widgets.line_view import Line
from scoring.text_query import TextQuery

NARROWEST = 10
"""Cells a text has at least, however little room there is."""
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


def body(text: str, width: int, manner: Manner, style: str = "", scope: str = "", before: str = "") -> FoundText:
    """A text from data, wrapped; what was searched for in texts of this scope stands out, what `before` says is dim."""
    return _laid_out(text, max(NARROWEST, width), manner.raw, style, manner.searched(scope), before)


def readable(text: str, manner: Manner) -> str:
    """A text from data before it is wrapped."""
    return _readable(text, manner.raw)


@lru_cache(maxsize=1024)
def _readable(text: str, raw: bool) -> str:
    if raw:
        return clean(text, lines=True)
    # Blank lines at the ends would take the room of other steps.
    return clean(_BLANK_LINES.sub("\n\n", unicode_math(text)), lines=True).strip("\n").rstrip()


@lru_cache(maxsize=1024)
def _laid_out(text: str, width: int, raw: bool, style: str, query: TextQuery | None, before: str) -> FoundText:
    # The same texts are asked for again whenever the threshold moves or something is folded.
    shown = _readable(text, raw)
    repeated = repeated_words(_readable(before, raw), shown) if before else ()
    return found_text(text, shown, width, style, query, repeated)


def paragraph(
    label: str, label_style: str, text: str, manner: Manner, style: str = "", scope: str = ""
) -> Iterator[Line]:
    """A text from data, wrapped beside its label; what was searched for in this scope stands out."""
    found = body(text, manner.width - len(label), manner, style, scope)
    for index, line in enumerate(found.lines):
        yield Line([(label if index == 0 else " " * len(label), label_style), *line])
    if found.only_raw:
        yield Line([(" " * len(label), ""), (in_raw(manner.keys), f"dim {FOUND}")])
