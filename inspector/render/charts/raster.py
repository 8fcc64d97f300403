"""A field of characters for curves: dots of braille, in ASCII one sign a cell, with shades beneath and signs above."""

from itertools import groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from inspector.render.lines import Piece, PieceRow

ACROSS, DOWN = 2, 4
"""Dots of a braille cell."""
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800
AxisCell = tuple[str, str]
"""A character and the name of its style."""
_BLANK: AxisCell = (" ", "")


class Raster:
    """`width` x `height` cells. Dots are counted from the left and from above; in ASCII a cell is one dot.

    What is drawn later lies above, shades beneath every dot, and signs above all.
    """

    def __init__(self, width: int, height: int, *, ascii_only: bool) -> None:
        self.width, self.height, self.ascii_only = width, height, ascii_only
        self.across, self.down = (1, 1) if ascii_only else (ACROSS, DOWN)
        self._bits = [[0] * width for _ in range(height)]
        self._styles = [[""] * width for _ in range(height)]
        self._letters = [["*"] * width for _ in range(height)]
        self._beneath: list[list[AxisCell]] = [[_BLANK] * width for _ in range(height)]
        self._signs: list[dict[int, AxisCell]] = [{} for _ in range(height)]

    @property
    def dots_across(self) -> int:
        """Dots from edge to edge."""
        return self.width * self.across

    @property
    def dots_down(self) -> int:
        """Dots from top to bottom."""
        return self.height * self.down

    def dot_of(self, share: float) -> int:
        """Return the dot, from above, of a share in [0, 1] from below."""
        return round((1 - min(1.0, max(0.0, share))) * (self.dots_down - 1))

    def dots_of(self, shares: npt.NDArray[np.float64]) -> list[int]:
        """Return the dots of many shares, none of them NaN."""
        dots = np.round((1 - np.clip(shares, 0.0, 1.0)) * (self.dots_down - 1)).astype(np.int64)
        rounded: list[int] = dots.tolist()
        return rounded

    def stroke(self, across: int, first: int, last: int, style: str, letter: str = "*") -> None:
        """Draw dots of one column from one to another, both included; `letter` is what they are in ASCII."""
        x, bit_column = divmod(across, self.across)
        bits = _BITS[bit_column]
        if last < first:
            first, last = last, first
        for down in range(first, last + 1):
            y = down // self.down
            self._bits[y][x] |= bits[down % self.down]
            self._styles[y][x] = style
            self._letters[y][x] = letter

    def shade(self, column: int, first: int, last: int, cell: AxisCell) -> None:
        """Draw a shade over the cells of a column from one dot to another, whichever is above."""
        top, bottom = (first, last) if first < last else (last, first)
        for row in range(top // self.down, bottom // self.down + 1):
            self._beneath[row][column] = cell

    def upright(self, column: int, text: str, style: str) -> None:
        """Draw a line from top to bottom, beneath dots and above shades."""
        for row in self._beneath:
            row[column] = (text, style)

    def sign(self, column: int, share: float, text: str, style: str) -> None:
        """Draw one character at a share."""
        self._signs[self.dot_of(share) // self.down][column] = (text, style)

    def row(self, number: int) -> PieceRow:
        """Return the pieces of a line, neighbours of one style joined."""
        cells = list(self._beneath[number])
        styles, letters = self._styles[number], self._letters[number]
        for column, bits in enumerate(self._bits[number]):
            if bits:
                cells[column] = (letters[column] if self.ascii_only else chr(_BRAILLE + bits), styles[column])
        for column, cell in self._signs[number].items():
            cells[column] = cell
        return tuple(Piece("".join(text for text, _ in run), style) for style, run in groupby(cells, key=itemgetter(1)))
