"""Views as pages for people: the lines of their sections, in the colours of a terminal without themes."""

import sys
from collections.abc import Iterator

from rich.text import Text

from inspector.cli.actions.paging import print_page, width_of
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import PieceRow
from inspector.render.terminal import UNBOUNDED, Terminal
from inspector.render.texts.text import clean
from inspector.render.view import View

STYLES = {
    "strong": "bold",
    "dim": "dim",
    "good": "green",
    "bad": "red",
    "exact": "green",
    "clean": "green",
    "early": "yellow",
    "late": "magenta",
    "missed": "red",
    "false-alarm": "red",
    "gold": "yellow",
    "scorer-a": "cyan",
    "scorer-b": "magenta",
}
"""Styles of pieces as a terminal without themes has them."""


def print_view(view: View, *, ascii_only: bool, pager: bool = False) -> None:
    """Print what people see of a view; on a terminal as wide as that is, with charts, and through a pager if asked."""
    terminal = sys.stdout.isatty()
    width = width_of(UNBOUNDED) if terminal else UNBOUNDED
    lines = Terminal(width, Glyphs(ascii_only), split=terminal, charts=terminal, raw=view.raw).sections(view.sections)
    print_page(painted(lines), width, pager=pager)


def painted(rows: Iterator[PieceRow]) -> Iterator[Text]:
    """Return lines of pieces as texts with the styles of a terminal."""
    for row in rows:
        line = Text()
        for piece in row:
            style = " ".join(STYLES[name] for name in piece.style.split() if name in STYLES)
            line.append(clean(piece.text), style or None)
        line.rstrip()
        yield line
