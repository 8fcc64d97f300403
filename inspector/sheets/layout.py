"""Pieces laid out: tables with aligned columns, paragraphs that break at the width, headings."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from inspector.sheets.sheet import Piece, Row
from inspector.wrap import wrap

GAP = 2
"""Cells between two columns."""
Cell = Piece | Row
"""What stands in one column of one line."""


def heading(text: str) -> Row:
    """A line that begins a section."""
    return (Piece(text, "strong"),)


def paragraph(text: str, width: int, style: str = "dim") -> Iterator[Row]:
    """A sentence in lines of at most `width` cells."""
    for line in wrap(text, max(20, width)):
        yield (Piece(line, style),)


def table(
    header: Sequence[Cell], rows: Sequence[Sequence[Cell]], right: Sequence[bool] = (), gap: int = GAP
) -> list[Row]:
    """Columns as wide as their widest cell, the header above them.

    Args:
        header: a cell a column; of no cells: there is no header.
        rows: as many cells each; a shorter one leaves its last columns empty.
        right: which columns stand at their right edge; past its end none does.
        gap: cells between columns.
    """
    lines = [[_row(cell) for cell in line] for line in ([header] if header else []) + list(rows)]
    columns = max((len(line) for line in lines), default=0)
    widths = [max((_width(line[at]) for line in lines if at < len(line)), default=0) for at in range(columns)]
    aligned = [*right, *[False] * columns]
    found = []
    for number, line in enumerate(lines):
        pieces: list[Piece] = []
        for at, cell in enumerate(line):
            blank = widths[at] - _width(cell)
            last = at == len(line) - 1
            before, after = (blank, 0) if aligned[at] else (0, 0 if last else blank)
            pieces += [Piece(" " * before)] if before else []
            pieces += [_headed(piece) for piece in cell] if header and not number else cell
            after += 0 if last else gap
            pieces += [Piece(" " * after)] if after else []
        found.append(tuple(pieces))
    return found


def _row(cell: Cell) -> Row:
    return (cell,) if isinstance(cell, Piece) else cell


def _width(row: Row) -> int:
    return sum(cell_len(piece.text) for piece in row)


def _headed(piece: Piece) -> Piece:
    return Piece(piece.text, piece.style or "dim", piece.drill)
