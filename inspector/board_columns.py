"""The board's columns on screen: how wide they are, and how a value is painted."""

from functools import partial

from msgspec.structs import replace
from rich.cells import cell_len

from inspector.board import state_of
from inspector.board_arrangement import (
    NAMES,
    SMALLEST_FIRST,
    SOURCES,
    UNSORTABLE,
    BoardKind,
    meanings,
    title_of,
)
from inspector.board_cells import BoardCells
from inspector.catalogue import Entry
from inspector.paint import Brush
from inspector.short_names import short_names
from inspector.widgets.columns import Column, Paint
from scoring.metrics.own import own_metrics
from scoring.verdicts import OUTCOMES

NAME_WIDTH, NAME_LEAST = 20, 12
"""Cells of a name at most where there is no room to spare, and at least."""
NAMES_FIRST = 100
"""Their share of the cells to spare."""
SIGNED = 6
"""Cells of a signed number of percentage points."""


def entries(kind: BoardKind) -> tuple[Entry, ...]:
    """Every column as the sort menu and the column menu offer it."""
    return tuple(
        Entry(
            key, title_of(key, kind), meaning, sortable=key not in UNSORTABLE, largest_first=key not in SMALLEST_FIRST
        )
        for key, (_, meaning) in meanings().items()
    )


def board_columns(brush: Brush, kind: BoardKind) -> list[Column]:
    """The board's columns on screen."""
    cells = BoardCells(brush)
    made = [_column(key, kind, cells) for key in kind.keys]
    if not kind.chosen:
        return made
    # Columns that were chosen never leave: names are narrowed, and where that is not enough the rest scrolls.
    return [replace(column, leave=0, least=column.least if column.name in NAMES else 0) for column in made]


def _column(key: str, kind: BoardKind, cells: BoardCells) -> Column:
    title = title_of(key, kind)
    if kind.against and key in {"score", "interval", "on_wrong", "on_right"}:
        return _difference(key, title, max(5, len(title)), cells)
    if key in NAMES:
        return _name(key, title, kind, cells)
    if key == "score":
        source = (key, "kind", "small", "standing")
        return Column(key, title, max(6, len(title) + 1), right=True, paint=cells.score, source=source, start=True)
    if key == "outcomes":
        return Column(key, title, 10, paint=cells.bar, source=OUTCOMES, flex=4, least=8, leave=3)
    if key == "threshold":
        # Room for "0.550 optimistic" and "labels as given"; where there is less, for the number.
        paint, most = cells.cut, max(16, kind.source_width)
        return Column(key, title, 16, paint=paint, source=SOURCES[key], flex=2, most=most, least=len(title), leave=4)
    return _number(key, title, kind, cells)


def _number(key: str, title: str, kind: BoardKind, cells: BoardCells) -> Column:
    """A column of numbers, at the right of its width."""
    numbers: dict[str, tuple[Paint, int, int]] = {
        "interval": (cells.interval, 7, 1),
        "coverage": (cells.coverage, kind.scored_width, 5),
        "on_wrong": (cells.percent, 5, 2),
        "on_right": (cells.percent, 5, 2),
        "bias": (cells.points, SIGNED, 6),
        **dict.fromkeys(("fp", "fn", "sd"), (cells.percent, 5, 0)),
        **{
            made.name: (cells.own_share, 6, 0) if made.kind == "share" else (cells.own_number, 10, 0)
            for made in own_metrics()
        },
    }
    paint, width, leave = numbers.get(key, (cells.count, 5, 0))
    own = {made.name: (made.name, "kind", state_of(made.name)) for made in own_metrics()}
    source = own.get(key) or SOURCES.get(key, (key, "kind"))
    return Column(key, title, max(width, len(title)), right=True, paint=paint, source=source, leave=leave)


def _name(key: str, title: str, kind: BoardKind, cells: BoardCells) -> Column:
    """A column that says what rows are of."""
    there = {"scorer": kind.scorers, "benchmark": kind.benchmarks, "subset": kind.parts, "metric": kind.metrics}
    names = there[key] if key != "subset" else ("all", *there[key])
    paint, source = (cells.group, (key, "kind", "repeated")) if kind.group == key else (cells.name, (key, "kind"))
    whole = max(map(cell_len, (title, *names)))
    # Room for all but what names share; for all of them before pictures are wider.
    width = max(map(cell_len, (title, *short_names(names, NAME_WIDTH).values())))
    least, painted = min(width, NAME_LEAST), partial(paint, among=names)
    return Column(key, title, width, paint=painted, source=source, flex=NAMES_FIRST, most=whole, least=least)


def _difference(key: str, title: str, wide: int, cells: BoardCells) -> Column:
    """A column of differences to the reference."""
    if key == "score":
        width = max(6, len(title) + 1)
        source = ("d_score", "d_standing")
        return Column(key, title, width, right=True, paint=cells.difference, source=source, start=True)
    if key == "interval":
        return Column(key, title, 12, right=True, paint=cells.span, source=("d_low", "d_high"), leave=1)
    return Column(key, title, wide, right=True, paint=cells.points, source=(f"d_{key}", "kind"), leave=2)
