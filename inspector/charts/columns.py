"""Upright columns side by side: how many of each, from left to right."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len

from inspector.charts.names import legend, padded, row_of
from inspector.paint import Brush
from inspector.render.lines import CaseLink, Piece, Row

_PARTS = {False: " ▁▂▃▄▅▆▇█", True: " ..oo####"}


class Column(Struct, frozen=True):
    """A named count, the style that it is drawn in, and what it opens."""

    name: str
    count: int
    style: str = ""
    drill: CaseLink | None = None

    @property
    def size(self) -> int:
        """Cells that its name and its count need, with the one before them."""
        return max(cell_len(self.name), len(f"{self.count:,}")) + 1


def columns(entries: Sequence[Column], width: int, height: int, brush: Brush) -> list[Row]:
    """The columns, all as wide as the widest, in `height` rows above their names and counts.

    As many as have room stand beside each other; what has none goes on in a further block beneath, on the same scale.
    Something is drawn for every count above 0.
    """
    if not entries:
        return legend([(Piece(""), "There is nothing to count.")], width)
    size = min(max(one.size for one in entries), max(2, width))
    size = min(max(size, width // len(entries)), max(size, 9))
    block = max(1, width // size)
    top = max(1, *(one.count for one in entries))
    lines: list[Row] = []
    for start in range(0, len(entries), block):
        lines += [()] if start else []
        lines += _block(entries[start : start + block], size, height, top, brush)
    return lines


def _block(entries: Sequence[Column], size: int, height: int, top: int, brush: Brush) -> Iterator[Row]:
    eighths = [max(1, round(one.count / top * height * 8)) if one.count else 0 for one in entries]
    for row in range(height):
        pieces = []
        for one, filled in zip(entries, eighths, strict=True):
            here = min(8, max(0, filled - 8 * (height - 1 - row)))
            pieces += [Piece(" "), Piece(_PARTS[brush.ascii_only][here] * (size - 1), one.style if here else "")]
        yield row_of(pieces)
    yield row_of(Piece(padded(one.name, size, right=True), one.style) for one in entries)
    counts: list[Piece] = []
    for one in entries:
        text = f"{one.count:,}"
        counts += [
            Piece(" " * (size - len(text))),
            Piece(text, "" if one.count else "dim", one.drill if one.count else None),
        ]
    yield row_of(counts)
