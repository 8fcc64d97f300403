"""Layout of the case screen: the panes around the steps, by screen size."""

from msgspec import Struct

from inspector.render.texts.frame_edges import THREE_COLUMNS
from inspector.screens.base import SHORT
from inspector.screens.screen_lines import WIDE

LOW = 30
"""Height in lines below which the reason for the gold label follows the steps, in their pane."""
TALL = 45
"""Least height in lines at which the reason stays visible while the threshold moves."""
LEAST_WHY = 100
"""Least width in columns at which the reason has a pane."""
PROBLEM_ROWS = ((45, 4), (LOW, 3), (0, 2))
"""Visible lines of the problem, by least height of the screen."""
UNFOLDED = 3
"""An unfolded problem takes at most 1/UNFOLDED of the screen."""


class CaseLayout(Struct, frozen=True):
    """The panes of a case screen.

    Attributes:
        cases: Whether the list of cases has a pane on the left.
        verdicts: Whether the verdicts have a pane on the right.
        why: Whether the reason for the gold label has a pane at the bottom.
        framed: Whether panes have frames.
        problem: Visible lines of the problem.
        most: Greatest number of lines of an unfolded problem.
        why_height: Height of the pane of the reason in lines, including its frame.
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
        """The parts of the page that have their own panes."""
        parts = {"problem": True, "head": self.framed, "verdicts": self.verdicts, "why": self.why}
        return frozenset(part for part, there in parts.items() if there)


def layout_for(width: int, height: int, *, wide_body: bool) -> CaseLayout:
    """Return the panes for a screen of `width` columns and `height` lines.

    With `wide_body`, the body that replaces the steps (answers, tokens, or two solutions) takes the space of the side
    panes.
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
