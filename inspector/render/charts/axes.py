"""What charts share: numbers and letters at their edges, marks, names, and the field that curves are drawn on."""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import isfinite
from operator import itemgetter
from typing import Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from rich.cells import cell_len, get_character_cell_size

from inspector.render.blocks import Tick
from inspector.render.lines import CaseLink, Piece, PieceRow
from inspector.render.texts.text import clean, number
from scoring.metrics.resampling import SMALL

# -- one number of a chart, and how it is written


Form = Literal["percent", "difference", "number", "count"]
"""How numbers are written: shares in percent, signed differences of shares in points, numbers as they are, or whole."""

LONGEST = 7
"""Cells of a figure at most."""


class ChartMark(Struct, frozen=True):
    """A value with its interval, of `n` cases or steps; None or NaN = undefined. `drill` opens the cases behind it.

    `flag` is a sign behind the figure that the caller explains; `few` marks it as one of few cases though `n` is not.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    drill: CaseLink | None = None
    flag: str = ""
    few: bool = False

    @property
    def known(self) -> float | None:
        """The value where there is one; never NaN or infinite."""
        return finite(self.value)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends where there are two."""
        low, high = finite(self.low), finite(self.high)
        return None if low is None or high is None else (low, high)

    @property
    def small(self) -> bool:
        """Whether so few say it that it is marked."""
        return self.few or (self.n is not None and self.n < SMALL)


def finite(value: float | None) -> float | None:
    """Return the number, or None where it is none."""
    return float(value) if value is not None and isfinite(value) else None


def figure(value: float, form: Form) -> str:
    """Write a value: `62.1`, `+3.4` or `0.621`."""
    if form == "count":
        whole = f"{value:,.0f}"
        return whole if len(whole) <= LONGEST else number(value, 0, LONGEST)
    if form == "number":
        return number(value, 3, LONGEST)
    text = number(100 * value, 1, LONGEST, "+" if form == "difference" else "")
    # No sign before nothing.
    return "0.0" if text in {"+0.0", "-0.0"} else text


def interval_text(ends: tuple[float, float], form: Form, *, short: bool = False) -> str:
    """Write an interval: `[51.0, 72.3]`, in short `[51-72]`."""
    if not short:
        return f"[{figure(ends[0], form)}, {figure(ends[1], form)}]"
    decimals, factor = (2, 1) if form == "number" else (0, 100)
    first, last = (
        number(factor * end, decimals, LONGEST, "+" if form == "difference" and abs(factor * end) >= 0.5 else "")
        for end in ends
    )
    first, last = ("0" if end == "-0" else end for end in (first, last))
    return f"[{first}-{last}]" if form == "percent" else f"[{first}, {last}]"


def count_text(mark: ChartMark) -> str:
    """Write `n=45`, with `~` where these are few; "" where it is not known."""
    return "" if mark.n is None else f"n={mark.n:,}{'~' if mark.small else ''}"


def unit_words(form: Form) -> str:
    """Describe in words what the figures are."""
    return {"percent": "in percent", "difference": "difference in points", "number": "as it is", "count": "cases"}[form]


# -- names and legends that break over lines: nothing of them is lost, whatever the width


_CHUNK = re.compile(r"[^\s_/-]*[\s_/-]?")
"""A word with the one sign behind it at which a name may break."""
APART = 3
"""Cells between two entries of a legend."""


def name_lines(name: str, width: int) -> list[str]:
    """Break a name into lines of at most `width` cells (at least 2), behind words, and inside one that is longer."""
    width, lines, line = max(2, width), [], ""
    for chunk in _CHUNK.findall(clean(name)):
        if cell_len((line + chunk).rstrip()) <= width:
            line += chunk
            continue
        if line.strip():
            lines.append(line.rstrip())
        *whole, line = _cut(chunk.lstrip(), width)
        lines += whole
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def whole_width(name: str) -> int:
    """Count the cells of a name on one line."""
    return cell_len(clean(name))


def longest_word(name: str) -> int:
    """Count the cells of the longest piece of a name that is not broken if there is room."""
    return max((cell_len(chunk.rstrip()) for chunk in _CHUNK.findall(clean(name))), default=0)


def _cut(text: str, width: int) -> list[str]:
    """A text in as few pieces of at most `width` cells as it needs; one at least."""
    pieces, piece, used = [], "", 0
    for character in text:
        size = get_character_cell_size(character)
        if used + size > width and piece:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + character, used + size
    return [*pieces, piece]


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Pad the text to `width` cells, if it has fewer."""
    blank = " " * max(0, width - cell_len(text))
    return blank + text if right else text + blank


def row_of(pieces: Iterable[Piece]) -> PieceRow:
    """Join pieces into a line: neighbours alike are one, those that open cases stay, and blanks at its end go."""
    joined: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        last = joined[-1] if joined else None
        if last is not None and last.drill is None and piece.drill is None and last.style == piece.style:
            joined[-1] = Piece(last.text + piece.text, last.style)
        else:
            joined.append(piece)
    while joined and joined[-1].drill is None and not joined[-1].style and not joined[-1].text.strip():
        joined.pop()
    return tuple(joined)


def legend(entries: Sequence[tuple[Piece, str]], width: int, style: str = "dim") -> list[PieceRow]:
    """Lay out signs with their words, as many beside each other as have room; words that are too long break."""
    lines: list[PieceRow] = []
    pieces: list[Piece] = []
    used = 0
    for sign, words in entries:
        head = cell_len(sign.text) + (1 if sign.text else 0)
        first, *others = name_lines(words, max(2, width - head))
        size = head + cell_len(first)
        if pieces and (used + APART + size > width or others):
            lines.append(row_of(pieces))
            pieces, used = [], 0
        if pieces:
            pieces.append(Piece(" " * APART))
            used += APART
        pieces += [sign, Piece(" " if sign.text else ""), Piece(first, style)]
        used += size
        if others:
            lines.append(row_of(pieces))
            lines += [row_of((Piece(" " * head), Piece(line, style))) for line in others]
            pieces, used = [], 0
    return [*lines, row_of(pieces)] if pieces else lines


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
    values = _round_values(low, high, parts)
    labels = {}
    for value in values if len(values) > 1 else (low, high):
        text = figure(value, form)
        short = text.removesuffix(".0") if form != "number" else number(value, 2, MARGIN - 1)
        labels[round((high - value) / ((high - low) or 1.0) * (height - 1))] = short[: MARGIN - 1]
    return labels


def _round_values(low: float, high: float, parts: int) -> list[float]:
    """The multiples of 1, 2, 2.5 or 5 times a power of ten between two ends, at most one more than `parts`."""
    if not 0 < high - low < math.inf:
        return []
    tenth = 10.0 ** math.floor(math.log10((high - low) / parts))
    for step in (tenth * factor for factor in (1, 2, 2.5, 5, 10, 20)):
        # An end that is a multiple itself may lie a hair outside.
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first <= parts:
            return [place * step for place in range(first, last + 1)]
    return []


# -- a field of characters for curves: dots of braille, in ASCII one sign a cell, with shades beneath and signs above


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
