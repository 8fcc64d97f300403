"""How much room each scorer has at the left of the steps: bars and numbers where they fit, else one character."""

from collections.abc import Sequence

from msgspec import Struct

from inspector.case_page.tracks import Track

GUTTER = 9
"""Cells of the word and the number of a step."""
LONGEST, SHORTEST, TAPE = 12, 3, 5
"""Cells of a bar at most and at least, and of what a fall is told in."""
DIGITS, MOST_DIGITS = 5, 8
"""Cells of a reward usually, and at most where more tell it from the threshold."""
NARROWEST = 16
"""Cells that texts keep in the narrowest pane."""
WIDE, ROOMY = 76, 100
"""Widths from which a scorer that stands alone has a long bar, and falls are told in numbers."""


class ScorerColumn(Struct, frozen=True):
    """One scorer's cells in the line of a step.

    `bar` cells of bar (0 = one character for the height), `digits` cells of number (0 = none), `fall` whether a fall is
    told in numbers as well; `width` is all of it with the gap behind.
    """

    track: Track
    bar: int
    digits: int
    fall: bool

    @property
    def width(self) -> int:
        """Cells in all."""
        letter = len(self.track.letter)
        # Beside each other, scorers name their predicted step themselves; alone, the gutter does.
        arrow = letter
        if self.track.kind == "marks":
            return 3 * letter
        if self.track.kind == "ticks":
            return 2 + letter + arrow
        if not self.digits:
            return letter + 3
        lead = 1 if self.bar else 0
        return letter + max(self.bar, 1) + lead + self.digits + 1 + arrow + (TAPE if self.fall else 0) + 1


def columns(tracks: Sequence[Track], width: int) -> tuple[ScorerColumn, ...]:
    """Return a column a scorer, all alike, as wide as leaves the texts enough of `width`.

    In a pane too narrow even for one character each, the last scorers have none: the legend tells of them.
    """
    if len(tracks) == 1:
        return (ScorerColumn(tracks[0], 10 if width >= WIDE else 5, digits_of(tracks[0]), fall=width >= ROOMY),)
    bars = sum(track.kind == "bars" for track in tracks)
    others = sum(ScorerColumn(track, 0, 0, fall=False).width for track in tracks if track.kind != "bars")
    room = (width - GUTTER - others - least_text(width)) // max(1, bars)
    sized = [_sized(track, room) for track in tracks]
    while len(sized) > 1 and width - GUTTER - sum(column.width for column in sized) < NARROWEST:
        sized.pop()
    return tuple(sized)


def least_text(width: int) -> int:
    """Return the cells that the texts of steps keep beside several scorers."""
    return max(30, min(80, width * 2 // 5))


def digits_of(track: Track) -> int:
    """Return the cells for the rewards of a case: up to MOST_DIGITS where more decimals tell one from the threshold."""
    written = [(reward, track.written(step)) for step, reward in enumerate(track.rewards)]
    longer = (len(text) for reward, text in written if text != f"{reward:.2f}" and len(text) <= MOST_DIGITS)
    return max(DIGITS, *longer, DIGITS)


def _sized(track: Track, room: int) -> ScorerColumn:
    digits_needed = digits_of(track)
    for digits, fall in ((digits_needed, True), (digits_needed, False), (DIGITS, False), (4, False)):
        fixed = ScorerColumn(track, 1, digits, fall=fall).width - 1
        longest = LONGEST if fall else LONGEST - 2
        if room - fixed >= (SHORTEST + 2 if fall else SHORTEST):
            return ScorerColumn(track, min(longest, room - fixed), digits, fall=fall)
    level = ScorerColumn(track, 0, 4, fall=False)
    return level if level.width <= room else ScorerColumn(track, 0, 0, fall=False)
