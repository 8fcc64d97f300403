"""Curves in characters: dots of braille, or letters and points where only ASCII is to be used."""

from msgspec import Struct, field

from inspector.text import Part

# Dot (column, row) of a braille cell -> its bit.
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800
ACROSS, DOWN = 2, 4
"""Dots of a braille cell."""


class Canvas(Struct):
    """`width` x `height` cells on which curves, lines and signs are put; places are shares in [0, 1] from below.

    What is put later lies above.
    """

    width: int
    height: int
    ascii_only: bool
    _dots: dict[tuple[int, int], int] = field(default_factory=dict)
    _signs: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    _styles: dict[tuple[int, int], str] = field(default_factory=dict)

    def row(self, share: float) -> int:
        """The row, from above, of a share."""
        return round((1 - min(1.0, max(0.0, share))) * (self.height - 1))

    def level(self, share: float, style: str, sign: str) -> None:
        """A line from edge to edge."""
        for column in range(self.width):
            self._signs[column, self.row(share)] = (sign, style)

    def column(self, at: int, style: str, sign: str) -> None:
        """A line from bottom to top."""
        for row in range(self.height):
            self._signs[at, row] = (sign, style)

    def line(self, start: tuple[int, float], end: tuple[int, float], style: str) -> None:
        """A line between two points, each a column of cells and a share."""
        across, down = (1, 1) if self.ascii_only else (ACROSS, DOWN)
        (x0, y0), (x1, y1) = ((at * across, self._dot_row(share, down)) for at, share in (start, end))
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for step in range(steps + 1):
            x, y = x0 + round((x1 - x0) * step / steps), y0 + round((y1 - y0) * step / steps)
            cell = (x // across, y // down)
            if self.ascii_only:
                self._signs[cell] = (".", style)
                continue
            self._signs.pop(cell, None)
            self._dots[cell] = self._dots.get(cell, 0) | _BITS[x % ACROSS][y % DOWN]
            self._styles[cell] = style

    def _dot_row(self, share: float, down: int) -> int:
        # Dots lie around the middle of the row of cells in which signs of the same share are put.
        return min(self.height * down - 1, self.row(share) * down + (down - 1) // 2)

    def sign(self, at: int, share: float, text: str, style: str) -> None:
        """One character at a point."""
        self._signs[at, self.row(share)] = (text, style)

    def parts(self, row: int) -> list[Part]:
        """One row of cells as parts."""
        found: list[Part] = []
        for column in range(self.width):
            cell = (column, row)
            if cell in self._signs:
                found.append(self._signs[cell])
            elif cell in self._dots:
                found.append((chr(_BRAILLE + self._dots[cell]), self._styles[cell]))
            else:
                found.append((" ", ""))
        return found
