"""Upright columns side by side: how many of each, from left to right."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len

from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.legends import legend, padded, row_of
from inspector.render.lines import CaseLink, Piece, PieceRow

_PARTS = {False: " ▁▂▃▄▅▆▇█", True: " ..oo####"}


class CountColumn(Struct, frozen=True):
    """A named count, the style that it is drawn in, and what it opens."""

    name: str
    count: int
    style: str = ""
    drill: CaseLink | None = None

    @property
    def size(self) -> int:
        """Cells that its name and its count need, with the one before them."""
        return max(cell_len(self.name), len(f"{self.count:,}")) + 1


def columns(entries: Sequence[CountColumn], width: int, height: int, glyphs: Glyphs) -> list[PieceRow]:
    """Draw the columns, all as wide as the widest, in `height` rows above their names and counts.

    As many as have room stand beside each other; what has none goes on in a further block beneath, on the same scale.
    Something is drawn for every count above 0.
    """
    if not entries:
        return legend([(Piece(""), "There is nothing to count.")], width)
    size = min(max(entry.size for entry in entries), max(2, width))
    size = min(max(size, width // len(entries)), max(size, 9))
    block = max(1, width // size)
    top = max(1, *(entry.count for entry in entries))
    lines: list[PieceRow] = []
    for start in range(0, len(entries), block):
        lines += [()] if start else []
        lines += _block(entries[start : start + block], size, height, top, glyphs)
    return lines


def _block(entries: Sequence[CountColumn], size: int, height: int, top: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    eighths = [max(1, round(entry.count / top * height * 8)) if entry.count else 0 for entry in entries]
    for row in range(height):
        pieces = []
        for entry, filled in zip(entries, eighths, strict=True):
            here = min(8, max(0, filled - 8 * (height - 1 - row)))
            pieces += [Piece(" "), Piece(_PARTS[glyphs.ascii_only][here] * (size - 1), entry.style if here else "")]
        yield row_of(pieces)
    yield row_of(Piece(padded(entry.name, size, right=True), entry.style) for entry in entries)
    counts: list[Piece] = []
    for entry in entries:
        text = f"{entry.count:,}"
        counts += [
            Piece(" " * (size - len(text))),
            Piece(text, "" if entry.count else "dim", entry.drill if entry.count else None),
        ]
    yield row_of(counts)
