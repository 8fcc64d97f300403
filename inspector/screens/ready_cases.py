"""The case screen prepares: what is shown of a case, and of its neighbours while no key is pressed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from inspector.case_page.case_lines import CaseLines, numbered, page_of, unreadable
from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop, open_case
from inspector.case_page.opening import line_of, opening
from inspector.case_page.pane_sections import PROBLEM, problem_page, problem_status, verdict_lines, why_page, why_title
from inspector.screens.controller import Controller
from inspector.screens.critique import Critique
from inspector.screens.stepping import CasePage
from inspector.state.screen_state import ScreenState
from inspector.widgets.line_view import Line, PreparedLines
from inspector.widgets.step_view import StepView
from scoring.data.errors import InspectError

if TYPE_CHECKING:
    from textual.timer import Timer


IDLE = 0.12
"""Seconds without a key after which the neighbours of the case are made ready."""


class ReadyPane(Struct, frozen=True, eq=False):
    """Content of a pane around the steps: its page, lines, title and status."""

    page: CaseLines
    lines: PreparedLines
    title: str
    status: str = ""


class ReadyCase(Struct, frozen=True, eq=False):
    """A prepared case: its page, its lines, and the cursor and scroll position on opening.

    `around` holds the visible panes around the steps, by name. `case` is None if its texts cannot be read.
    """

    page: CaseLines
    stop: Stop | None
    scroll: int
    lines: PreparedLines
    around: Mapping[str, ReadyPane]
    case: OpenCase | None


class PreparingScreen(CasePage, Protocol):
    """What making cases ready uses of the case screen."""

    critique: Critique

    @property
    def rail_open(self) -> bool: ...
    @property
    def problem_rows(self) -> int: ...
    def neighbours(self, state: ScreenState) -> Sequence[int]: ...
    def lines_beneath(self, state: ScreenState, row: int, display: DisplayOptions) -> Iterator[Line]: ...


class ReadyCases(Controller[PreparingScreen]):
    """Keeps the case on screen and its neighbours in the list ready, by row id."""

    def __init__(self, screen: PreparingScreen) -> None:
        super().__init__(screen)
        self._ready: dict[int, ReadyCase] = {}
        self._ready_for: tuple[ScreenState, DisplayOptions, int] | None = None
        self._idle: Timer | None = None

    def get(self, state: ScreenState, row: int, display: DisplayOptions) -> ReadyCase:
        """Return a case made ready, perhaps before it was asked for."""
        view = self.screen.steps
        now = (state, display.kept(), view.palette)
        if self._ready_for is None or self._ready_for[0] is not state or self._ready_for[1:] != now[1:]:
            self._ready_for, self._ready = now, {}
        if display != display.kept():
            return self._make(state, row, display)
        if row not in self._ready:
            self._ready[row] = self._make(state, row, display)
        return self._ready[row]

    def _make(self, state: ScreenState, row: int, display: DisplayOptions) -> ReadyCase:
        case = None
        try:
            case = open_case(state, row, display)
        except InspectError as error:
            page, around = unreadable(state.cases["case"][row], error, display), {}
        else:
            page, around = page_of(case), dict(self._around(case))
        stop, scroll = opening(page, display.height)
        lines = [*page.lines, *self.screen.lines_beneath(state, row, display)]
        view = self.screen.steps
        painted = view.painted_ahead(lines, pinned=page.pinned, cursor=line_of(page, stop), scroll=scroll)
        return ReadyCase(page, stop, scroll, painted, around, case)

    def _around(self, case: OpenCase) -> Iterator[tuple[str, ReadyPane]]:
        """Prepare the visible panes around the steps."""
        for name in ("problem", "verdicts", "why"):
            view = self.screen.query_one(f"#{name}", StepView)
            if not view.display:
                continue
            rows = self.screen.problem_rows if name == "problem" else view.viewport.height
            display = replace(case.display, width=max(20, view.viewport.width), height=max(1, rows))
            pane_case = replace(case, display=display)
            if name == "problem":
                page, title, status = problem_page(pane_case), PROBLEM, problem_status(pane_case)
            elif name == "why":
                page, (title, status) = why_page(pane_case), why_title(pane_case)
            else:
                page, title, status = numbered(verdict_lines(pane_case)), "Verdicts", ""
            yield name, ReadyPane(page, view.painted_ahead(page.lines), title, status)

    def look_ahead(self) -> None:
        """Make the neighbours ready as soon as no key is pressed for a while."""
        if self._idle is not None:
            self._idle.stop()
        self._idle = self.screen.set_timer(IDLE, self._make_neighbours)

    def _make_neighbours(self) -> None:
        state, view = self.state, self.screen.steps
        # While a threshold moves, what is ready now is not what will be shown.
        if self.screen.rail_open or not self.screen.is_current or not view.display:
            return
        rows = self.screen.neighbours(state)
        self._ready = {row: ready for row, ready in self._ready.items() if row in {*rows, self.screen.row}}
        display = self.screen.display_options(view).kept()
        for row in rows:
            self.get(state, row, display)
        self.screen.critique.prepare(rows)

    def keep(self, state: ScreenState, changed: int) -> None:
        """Keep what is ready under a screen state that differs only in what is said of the case `changed`."""
        if self._ready_for is not None and self._ready_for[0] is self.state:
            self._ready_for = (state, *self._ready_for[1:])
            self._ready.pop(changed, None)

    def forget(self) -> None:
        """Make everything anew when it is shown next."""
        self._ready = {}
