"""The pane of the first cases behind the number under the cursor."""

from functools import partial
from typing import TYPE_CHECKING, Protocol

from textual.worker import get_current_worker

from inspector.case_page.brief_cases import brief_cases, case_preview
from inspector.case_page.open_case import DisplayOptions
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.messages import CasesFound
from inspector.state.case_links import drilled
from inspector.state.screen_state import ScreenState
from inspector.widgets.line_view import Line
from inspector.widgets.step_view import StepView
from scoring.data.errors import InspectError

if TYPE_CHECKING:
    from textual.timer import Timer

REST = 0.04
"""Seconds that the cursor rests on a number before its cases are listed."""
SHARE = 0.35
"""Share of the width of a screen in three columns that the pane takes."""
LEAST = 10
"""Least height of a pane below the sheet in lines, including its frame."""
CASES_ABOVE = 3
"""The list of cases takes this fraction (1/n) of the pane if the first case is shown below it."""
MOST_LISTED, MOST_PREVIEWED = 20, 17
"""Most lines of the list and of the first case, to keep updates fast over slow connections."""
PREVIEW = 18
"""Least height of a pane in lines at which the first case is shown below the list."""


class SheetWithCases(ControlledScreen, Protocol):
    """Interface of the screen that the pane uses."""

    is_blind: bool

    @property
    def link(self) -> CaseLink | None: ...


class CasesBehind(Controller[SheetWithCases]):
    """Lists the first cases behind the number under the cursor once it rests, in a worker thread."""

    def __init__(self, screen: SheetWithCases) -> None:
        super().__init__(screen)
        self._timer: Timer | None = None
        self._listed: object = None
        self._rows: tuple[int, ...] = ()

    @property
    def pane(self) -> StepView:
        """The pane of cases."""
        return self.screen.query_one("#behind-cases", StepView)

    def follow(self) -> None:
        """List the cases behind the number under the cursor once it rests."""
        if self._timer is not None:
            self._timer.stop()
        if self.pane.display:
            self._timer = self.screen.set_timer(REST, self._start)

    def _start(self) -> None:
        pane, link, state = self.pane, self.screen.link, self.screen.state
        wanted = (link, state, pane.viewport)
        if not pane.display or not pane.viewport.width or wanted == self._listed:
            return
        self._listed = wanted
        if link is None or not link.n or self.screen.is_blind:
            self._rows = ()
            pane.caption("Cases")
            words = "Labels are hidden." if self.screen.is_blind else "No cases behind the number under the cursor."
            pane.show([[(words, "dim")]])
            return
        make = partial(self._find, state, link, pane.viewport.width, pane.viewport.height, self.screen.context.glyphs)
        self.screen.run_worker(make, thread=True, exclusive=True, group="cases behind", description="cases behind")

    def _find(self, state: ScreenState, link: CaseLink, width: int, height: int, glyphs: Glyphs) -> None:
        """Find the cases (runs in a worker thread)."""
        worker = get_current_worker()
        try:
            rows, lines = first_cases(state, link, width, height, glyphs)
        except InspectError as error:
            rows, lines = (), [Line([(clean(str(error)), "dim")])]
        if not worker.is_cancelled:
            self.screen.post_message(CasesFound(link, rows, lines))

    def show(self, message: CasesFound) -> None:
        """Show the cases, unless the cursor has moved."""
        link = self.screen.link
        if link is None or message.link != link:
            return
        self._rows = message.rows
        key = self.screen.context.keys.of("drill")
        words = clean(link.words)
        title = f"{words[:1].upper()}{words[1:]}"
        self.pane.caption(title, counted(link.n, "case"), f"{key} opens {'all' if link.n > 1 else 'it'}")
        self.pane.show(message.lines)

    def row_at(self, line: int) -> int | None:
        """Return the row id of the case on a line of the pane, or None."""
        return self._rows[line] if line < len(self._rows) else None


def first_cases(
    state: ScreenState, link: CaseLink, width: int, height: int, glyphs: Glyphs
) -> tuple[tuple[int, ...], list[Line]]:
    """Return the row ids of the first cases behind a number and a line for each, most instructive first.

    A tall pane shows the first case below the list.
    """
    listed = drilled(state, link)
    preview = height >= PREVIEW
    most = height
    if preview:
        room = min(MOST_LISTED, height - PREVIEW)
        most = room if listed.shown.size <= room else max(min(MOST_LISTED, height // 2), height // CASES_ABOVE)
    first = listed.shown[: most if listed.shown.size <= most else most - 1]
    rows = tuple(int(row) for row in first)
    compared = link.others[:2] if len(link.others) == 2 else ()
    lines = [Line(parts) for parts in brief_cases(listed, rows, compared, width, glyphs)]
    if (left := listed.shown.size - len(rows)) > 0:
        lines.append(Line([(f"  … {left:,} more", "dim")]))
    if preview and rows:
        display = DisplayOptions(width, glyphs, height=min(MOST_PREVIEWED, height - len(lines)))
        lines += case_preview(listed, rows[0], display)
    return rows, lines
