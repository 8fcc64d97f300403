"""A 2x2 square: four framed counts with bars."""

from collections.abc import Iterator

from rich.cells import cell_len

from inspector.render.cells import value_text
from inspector.render.chart_blocks import Square
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.legends import padded
from inspector.render.lines import Piece, PieceRow
from inspector.render.table_blocks import Cell
from inspector.render.texts.text import clean

MOST, LEAST = 20, 10
"""Most and least width of a column of the square, in cells."""
INSET = 2
"""Blanks to the left of the square, if they fit."""


def square(chart: Square, width: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    """Draw the square in `width` cells; all bars share one scale."""
    rows, columns = [chart.rows.first, chart.rows.second], [chart.columns.first, chart.columns.second]
    stub = max(cell_len(clean(name)) for name in rows)
    size = min(MOST, max(LEAST, (width - stub - 4) // 2))
    blank = " " * min(INSET, max(0, width - stub - 4 - 2 * size))
    corners = ("+++", "+++", "+++") if glyphs.ascii_only else ("┌┬┐", "├┼┤", "└┴┘")
    line, wall = ("-", "|") if glyphs.ascii_only else ("─", "│")
    most = max([_count(cell) for cell in chart.cells] + [1])
    heads = "".join(f" {padded(f' {clean(name)}', size)}" for name in columns)
    yield (Piece(f"{blank}{' ' * (stub + 1)}{heads.rstrip()}", "dim"),)
    for row, name in enumerate(rows):
        yield _rule(corners[row], f"{blank}{' ' * (stub + 1)}", line * size)
        pieces = [Piece(f"{blank}{padded(clean(name), stub, right=True)} "), Piece(wall, "frame")]
        for cell in chart.cells[2 * row : 2 * row + 2]:
            pieces += [*_cell(cell, size, most, glyphs), Piece(wall, "frame")]
        yield tuple(pieces)
    yield _rule(corners[2], f"{blank}{' ' * (stub + 1)}", line * size)


def _rule(corners: str, before: str, line: str) -> PieceRow:
    return (Piece(f"{before}{corners[0]}{line}{corners[1]}{line}{corners[2]}", "frame"),)


def _cell(cell: Cell, size: int, most: int, glyphs: Glyphs) -> Iterator[Piece]:
    """Draw a bar, with the count at the right edge of the cell."""
    text = value_text(cell)
    room = size - max(4, cell_len(text)) - 4
    bar = _bar(_count(cell) / most, room, glyphs)
    yield Piece(f" {padded(bar, room)} ", "dim" if "strong" not in cell.style else "")
    yield Piece(" " * max(0, size - room - 3 - cell_len(text)))
    yield Piece(text, cell.style, cell.link)
    yield Piece(" ")


def _bar(share: float, width: int, glyphs: Glyphs) -> str:
    if width <= 0 or share <= 0:
        return ""
    return glyphs.bar(max(share, 1 / (8 * width)), width)[0].rstrip(" -")


def _count(cell: Cell) -> int:
    return int(cell.value) if isinstance(cell.value, (int, float)) else 0
