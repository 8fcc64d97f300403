"""The axes of charts: numbers, ticks and letters at their edges."""

import math
from collections.abc import Iterable, Sequence

from inspector.render.chart_blocks import Tick
from inspector.render.charts.chart_marks import Form, figure, finite
from inspector.render.charts.legends import row_of
from inspector.render.lines import Piece, PieceRow
from inspector.render.texts.text import number

MARGIN = 6
"""Cells at the left of a chart, for numbers."""


def tick_column(tick: Tick, low: float, high: float, width: int) -> int | None:
    """Return the column of a tick, of `width`; None where it is outside."""
    at = finite(tick.at)
    return None if at is None or not low <= at <= high else column_of(at, low, high, width)


def column_of(value: float, low: float, high: float, width: int) -> int:
    """Return the column (0-based) of a value between the ends of an axis."""
    return min(width - 1, max(0, round((value - low) / ((high - low) or 1.0) * (width - 1))))


def letters_row(ticks: Sequence[Tick], low: float, high: float, width: int, margin: int = MARGIN) -> list[PieceRow]:
    """Lay out the letters of ticks under their columns, those of one column side by side; no line if none is inside."""
    cells: dict[int, Piece] = {}
    for tick in ticks:
        at = tick_column(tick, low, high, width)
        if at is None:
            continue
        free = next((column for column in (*range(at, width), *range(at, -1, -1)) if column not in cells), None)
        if free is not None:
            cells[free] = Piece(tick.letter, tick.style)
    if not cells:
        return []
    return [row_of((Piece(" " * margin), *(cells.get(at, Piece(" ")) for at in range(max(cells) + 1))))]


def numbers_row(places: Iterable[tuple[int, str]], width: int, margin: int = MARGIN) -> PieceRow:
    """Lay out texts around their columns, as many as have room; the first and the last of all precede the others."""
    wanted = list(places)
    order = [wanted[0], wanted[-1], *wanted[1:-1]] if len(wanted) > 1 else wanted
    text = [" "] * width
    for column, word in order:
        at = min(width - len(word), max(0, column - len(word) // 2))
        around = text[max(0, at - 1) : at + len(word) + 1]
        if at >= 0 and not "".join(around).strip():
            text[at : at + len(word)] = word
    return row_of((Piece(" " * margin + "".join(text).rstrip(), "dim"),))


def axis_numbers(low: float, high: float, width: int) -> list[tuple[int, str]]:
    """Return five numbers along an axis, with their columns."""
    values = [low + (high - low) * quarter / 4 for quarter in range(5)]
    return [(column_of(value, low, high, width), number(value, 2, 6)) for value in values]


def level_labels(low: float, high: float, height: int, form: Form) -> dict[int, str]:
    """Return the numbers at the left, by row from above: round ones, as many as there is room for.

    Where fewer than two round ones lie between the ends, these are told.
    """
    parts = 4 if height >= 9 else 2 if height >= 5 else 1
    values = round_values(low, high, parts)
    labels = {}
    for value in values if len(values) > 1 else (low, high):
        text = figure(value, form)
        short = text.removesuffix(".0") if form != "number" else number(value, 2, MARGIN - 1)
        labels[round((high - value) / ((high - low) or 1.0) * (height - 1))] = short[: MARGIN - 1]
    return labels


def round_values(low: float, high: float, parts: int) -> list[float]:
    """Return the multiples of 1, 2, 2.5 or 5 times a power of ten between two ends, at most one more than `parts`."""
    if not 0 < high - low < math.inf:
        return []
    tenth = 10.0 ** math.floor(math.log10((high - low) / parts))
    for step in (tenth * factor for factor in (1, 2, 2.5, 5, 10, 20)):
        # An end that is a multiple itself may lie a hair outside.
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first <= parts:
            return [place * step for place in range(first, last + 1)]
    return []
