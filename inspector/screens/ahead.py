"""The case screen prepares: what is shown of a case, and of its neighbours while no key is pressed."""

from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.case_view.lines import CaseLines, case_lines
from inspector.case_view.manner import Manner, Stop
from inspector.case_view.opening import line_of, opening
from inspector.inspection import Inspection
from inspector.screens.controller import Controller
from inspector.widgets.line_view import Prepared

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.screens.case import CaseScreen

IDLE = 0.12
"""Seconds without a key after which the neighbours of the case are made ready."""


class Ready(Struct, frozen=True, eq=False):
    """A case made ready: its page, where the cursor stands and what is on top when it is opened, and the lines."""

    page: CaseLines
    stop: Stop | None
    scroll: int
    lines: Prepared


class ReadyCases(Controller):
    """Keeps the case on screen and its neighbours in the list ready, by row id."""

    screen: "CaseScreen"

    def __init__(self, screen: "CaseScreen") -> None:
        super().__init__(screen)
        self._ready: dict[int, Ready] = {}
        self._ready_for: tuple[Inspection, Manner, int] | None = None
        self._idle: Timer | None = None

    def get(self, inspection: Inspection, row: int, manner: Manner) -> Ready:
        """A case made ready, perhaps before it was asked for."""
        view = self.screen.steps
        now = (inspection, manner.kept(), view.palette)
        if self._ready_for is None or self._ready_for[0] is not inspection or self._ready_for[1:] != now[1:]:
            self._ready_for, self._ready = now, {}
        if manner != manner.kept():
            return self._make(inspection, row, manner)
        if row not in self._ready:
            self._ready[row] = self._make(inspection, row, manner)
        return self._ready[row]

    def _make(self, inspection: Inspection, row: int, manner: Manner) -> Ready:
        page = case_lines(inspection, row, manner)
        stop, scroll = opening(page, manner.height)
        lines = [*page.lines, *self.screen.lines_beneath(inspection, row, manner)]
        view = self.screen.steps
        painted = view.painted_ahead(lines, pinned=page.pinned, cursor=line_of(page, stop), scroll=scroll)
        return Ready(page, stop, scroll, painted)

    def look_ahead(self) -> None:
        """Make the neighbours ready as soon as no key is pressed for a while."""
        if self._idle is not None:
            self._idle.stop()
        self._idle = self.screen.set_timer(IDLE, self._make_neighbours)

    def _make_neighbours(self) -> None:
        inspection, view = self.inspection, self.screen.steps
        # While a threshold moves, what is ready now is not what will be shown.
        if inspection is None or self.screen.rail_open or not self.screen.is_current or not view.display:
            return
        rows = self.screen.neighbours(inspection)
        self._ready = {row: found for row, found in self._ready.items() if row in {*rows, self.screen.row}}
        manner = self.screen.manner(view).kept()
        for row in rows:
            self.get(inspection, row, manner)
        self.screen.critique.prepare(rows)

    def keep(self, inspection: Inspection, changed: int) -> None:
        """What is ready stays so under an inspection in which only what is said of the case `changed` is another."""
        if self._ready_for is not None and self._ready_for[0] is self.inspection:
            self._ready_for = (inspection, *self._ready_for[1:])
            self._ready.pop(changed, None)

    def forget(self) -> None:
        """Make everything anew when it is shown next."""
        self._ready = {}
