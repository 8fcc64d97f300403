"""Lines of text and tables that screens compose, and the text on the lines."""

from collections.abc import Sequence

from rich.cells import cell_len

from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import threshold_name
from inspector.render.texts.text import cell, clean
from inspector.screens.controller import ControlledScreen
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.line_view import PhraseLine
from scoring.evaluation.verdicts import Decision

WIDE = 110
"""Columns from which there is room for words that can be left out, and for steps beside the list."""
LONGEST_SOURCE = 40
"""Cells of the words on where a threshold is from, beside which the scorer's name has room."""


def one_line(name: str) -> PhraseLine:
    """Make a line of text; `write_text` and `write_phrases` change it."""
    line = PhraseLine(id=name, classes="one-line")
    line.can_focus = False
    return line


def make_table(glyphs: Glyphs, name: str, empty: str) -> FrameTable:
    """Make a table that says `empty` where it has no rows."""
    if glyphs.ascii_only:
        return FrameTable(id=name, empty=empty, mark=">", chosen=("*", "#"), null="-")
    return FrameTable(id=name, empty=empty)


def write_text(screen: ControlledScreen, name: str, text: str, style: str = "") -> None:
    """Write text from anywhere on a line of `one_line`; only cells that change are painted."""
    screen.query_one(f"#{name}", PhraseLine).tell([Phrase((text,))], style=style)


def write_phrases(screen: ControlledScreen, name: str, phrases: Sequence[Phrase], style: str) -> None:
    """Write phrases on a line of `one_line`, in as many words as fit; the title also names adjudicated labels."""
    if name == "title" and screen.state.results.labels.adjudicated is not None:
        behind = screen.state.results.labels.outdated
        late = ("adjudicated labels without the last rulings", "labels without the last rulings", "earlier labels")
        forms = late if behind else ("adjudicated labels", "adjudicated")
        phrases = [*phrases, Phrase(forms, rank=1 if behind else 2)]
    between = " | " if screen.context.glyphs.ascii_only else " · "
    screen.query_one(f"#{name}", PhraseLine).tell(phrases, between, style)


def threshold_forms(rule: Decision, width: int) -> tuple[str, ...]:
    """Return the threshold and its source, the longest form first; in little room only whether it is optimistic.

    `width` is that of the screen.
    """
    if rule.threshold is None:
        return rule.source, ""
    # It is a sentence: its beginning says what it is.
    short = cell(rule.source, min(LONGEST_SOURCE, cell_len(clean(rule.source))))
    source = short if width >= WIDE else "optimistic" if "optimistic" in rule.source else ""
    words = f"{threshold_name(rule)} {rule.threshold:.3f}"
    return (f"{words} ({source})", words, "") if source else (words, "")
