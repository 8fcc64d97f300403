"""Which panes the case screen has around the steps, by the room there is."""

from msgspec import Struct

from inspector.screens.base import SHORT
from inspector.screens.screen_lines import WIDE

THREE_COLUMNS = 160
"""Columns from which the list of cases, the case and its verdicts are next to each other."""
LOW = 30
"""Lines below which the reason of the gold label follows the steps, in their pane."""
TALL = 45
"""Lines from which it stays in sight while the threshold is moved."""
LEAST_WHY = 100
"""Columns from which it has a pane."""
PROBLEM_ROWS = ((45, 4), (LOW, 3), (0, 2))
"""Lines of the problem that are always in sight, by the height of the screen."""
UNFOLDED = 3
"""An unfolded problem takes at most one of so many parts of the screen."""


class CaseLayout(Struct, frozen=True):
    """The panes that there are.

    Attributes:
        cases: Whether the list of cases is at the left.
        verdicts: Whether the verdicts have a pane at the right.
        why: Whether the reason of the gold label has a pane beneath.
        framed: Whether panes have frames.
        problem: Lines of the problem.
        most: Lines of the problem at most, where it is unfolded.
        why_height: Lines of the pane of the reason, with its frame.
    """

    cases: bool
    verdicts: bool
    why: bool
    framed: bool
    problem: int
    most: int
    why_height: int

    @property
    def apart(self) -> frozenset[str]:
        """The parts of the page that have panes of their own."""
        parts = {"problem": True, "head": self.framed, "verdicts": self.verdicts, "why": self.why}
        return frozenset(part for part, there in parts.items() if there)


def layout_for(width: int, height: int, *, wide_body: bool) -> CaseLayout:
    """Return the panes for a screen of so many columns and lines.

    With `wide_body` the panes at the sides give their room to what is in the place of the steps: answers, tokens, or
    two solutions.
    """
    framed = height >= SHORT
    return CaseLayout(
        cases=width >= THREE_COLUMNS and framed and not wide_body,
        verdicts=width >= WIDE and framed and not wide_body,
        why=width >= LEAST_WHY and height >= LOW,
        framed=framed,
        problem=next(rows for least, rows in PROBLEM_ROWS if height >= least),
        most=max(4, height // UNFOLDED),
        why_height=max(7, height // 4 - 1),
    )
