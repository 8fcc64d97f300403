"""Columns of scorers to the left of the steps: a bar for the scorer in focus, a narrow cell for each other one."""

from collections.abc import Sequence

from msgspec import Struct

from inspector.case_page.tracks import Track

GUTTER = 9
"""Cells of the word and the number of a step."""
ALONE, LONGEST, SHORT, SHORTEST, TAPE = 10, 10, 5, 3, 5
"""Widths of the bar in cells: for a single scorer, at most, with falls in numbers, at least; width of a fall."""
CELL = 4
"""Width of the number of a scorer that is not in focus, in cells."""
DIGITS, MOST_DIGITS = 5, 8
"""Cells of a reward usually, and at most where more tell it from the threshold."""
NARROWEST = 16
"""Cells that texts keep in the narrowest pane."""
WIDE, ROOMY = 70, 84
"""Widths from which a scorer that stands alone has a long bar, and falls are told in numbers."""


class ScorerColumn(Struct, frozen=True):
    """One scorer's cells in the line of a step.

    Attributes:
        track: The scorer.
        bar: Width of the bar in cells; 0 = one character of that height, or none.
        digits: Width of the number in cells; 0 = none.
        fall: Whether falls are written as numbers.
        beside: Whether this is a narrow cell of a scorer that is not in focus. It marks its own predicted step.
    """

    track: Track
    bar: int
    digits: int
    fall: bool = False
    beside: bool = False

    @property
    def width(self) -> int:
        """Total width in cells, with the gap after it."""
        if self.track.kind == "marks":
            return 3 if self.track.letter else 0
        if self.track.kind == "ticks" or (self.beside and not self.digits):
            return 3
        if self.beside:
            return 1 + self.digits + 1 + 1
        picture = self.bar + 1 if self.bar else 1
        return picture + self.digits + 1 + (TAPE if self.fall else 0) + 1


def columns(tracks: Sequence[Track], width: int) -> tuple[ScorerColumn, ...]:
    """Return a column for each scorer, in the order of their letters, that leave the texts enough of `width`.

    The scorer in focus, the first of `tracks`, has a bar and a number; each other scorer has a cell of six columns.
    Narrow pages first drop the falls, then shorten the bar and drop the other numbers, and then drop the last
    scorers, which the verdicts still name.
    """
    if not tracks:
        return ()
    focus, *others = tracks
    sized = (_sized(focus, others, width) for others in (others[:count] for count in range(len(others), -1, -1)))
    fitting = next((columns for columns in sized if columns), None)
    chosen = fitting or (ScorerColumn(focus, 0, 4),)
    return tuple(sorted(chosen, key=lambda column: column.track.letter))


def _sized(focus: Track, others: Sequence[Track], width: int) -> tuple[ScorerColumn, ...]:
    """Return the columns of the scorer in focus and the others; () if the texts would be too narrow."""
    digits = digits_of(focus)
    longest = LONGEST if others else ALONE if width >= WIDE else SHORT
    cells = tuple(ScorerColumn(track, 0, CELL, beside=True) for track in others)
    narrow = tuple(ScorerColumn(track, 0, 0, beside=True) for track in others)
    falls = (True, False) if width >= ROOMY else (False,)
    for text, fall in ((least_text(width), fall) for fall in falls):
        room = width - GUTTER - sum(cell.width for cell in cells) - text
        bar = room - ScorerColumn(focus, 1, digits, fall).width + 1
        if bar >= (SHORT if fall else SHORTEST):
            return (ScorerColumn(focus, min(bar, longest), digits, fall), *cells)
    for beside in (cells, narrow):
        for first in (ScorerColumn(focus, SHORTEST, digits), ScorerColumn(focus, 0, 4)):
            if width - GUTTER - first.width - sum(cell.width for cell in beside) >= NARROWEST + (beside is cells) * 8:
                return (first, *beside)
    return ()


def least_text(width: int) -> int:
    """Return the width reserved for step texts if a bar fits: three fifths of `width`."""
    return max(30, width * 3 // 5 - 4)


def digits_of(track: Track) -> int:
    """Return the cells for the rewards of a case: up to MOST_DIGITS where more decimals tell one from the threshold."""
    written = [(reward, track.written(step)) for step, reward in enumerate(track.rewards)]
    longer = (len(text) for reward, text in written if text != f"{reward:.2f}" and len(text) <= MOST_DIGITS)
    return max(DIGITS, *longer, DIGITS)
