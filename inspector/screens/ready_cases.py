"""The case screen prepares: what is shown of a case, and of its neighbours while no key is pressed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from inspector.case_page.case_lines import CaseLines, case_lines
from inspector.case_page.open_case import DisplayOptions, Stop
from inspector.case_page.opening import line_of, opening
from inspector.screens.controller import Controller
from inspector.screens.critique import Critique
from inspector.screens.stepping import CasePage
from inspector.state.screen_state import ScreenState
from inspector.widgets.line_view import Line, PreparedLines

if TYPE_CHECKING:
    from textual.timer import Timer


IDLE = 0.12
"""Seconds without a key after which the neighbours of the case are made ready."""


class ReadyCase(Struct, frozen=True, eq=False):
    """A case made ready: its page, where the cursor stands and what is on top when it is opened, and the lines."""

    page: CaseLines
    stop: Stop | None
    scroll: int
    lines: PreparedLines


class PreparingScreen(CasePage, Protocol):
    """What making cases ready uses of the case screen."""

    critique: Critique

    @property
    def rail_open(self) -> bool: ...
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
        page = case_lines(state, row, display)
        stop, scroll = opening(page, display.height)
        lines = [*page.lines, *self.screen.lines_beneath(state, row, display)]
        view = self.screen.steps
        painted = view.painted_ahead(lines, pinned=page.pinned, cursor=line_of(page, stop), scroll=scroll)
        return ReadyCase(page, stop, scroll, painted)

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
