"""The case screen prepares: what is shown of a case, and of its neighbours while no key is pressed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.case_view.lines import CaseLines, case_lines
from inspector.case_view.manner import Manner, Stop
from inspector.case_view.opening import line_of, opening
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.screens.reading import ReadingScreen
from inspector.widgets.line_view import Line, Prepared
from inspector.widgets.step_view import StepView

if TYPE_CHECKING:
    from textual.timer import Timer

IDLE = 0.12
"""Seconds without a key after which the neighbours of the case are made ready."""


class Ready(Struct, frozen=True, eq=False):
    """A case made ready: its page, where the cursor stands and what is on top when it is opened, and the lines."""

    page: CaseLines
    stop: Stop | None
    scroll: int
    lines: Prepared


class LookingAhead(ReadingScreen):
    """Keeps the case with row id `row` and its neighbours in the list ready."""

    row: int

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._place = 0
        self._ready: dict[int, Ready] = {}
        self._ready_for: tuple[Inspection, Manner, int] | None = None
        self._idle: Timer | None = None

    def lines_beneath(self, inspection: Inspection, row: int, manner: Manner) -> Iterable[Line]:
        """What stands beneath the page of a case."""
        raise NotImplementedError

    def ready(self, inspection: Inspection, row: int, manner: Manner) -> Ready:
        """A case made ready, perhaps before it was asked for."""
        view = self.query_one("#steps", StepView)
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
        lines = [*page.lines, *self.lines_beneath(inspection, row, manner)]
        view = self.query_one("#steps", StepView)
        painted = view.painted_ahead(lines, pinned=page.pinned, cursor=line_of(page, stop), scroll=scroll)
        return Ready(page, stop, scroll, painted)

    def look_ahead(self) -> None:
        """Make the neighbours ready as soon as no key is pressed for a while."""
        if self._idle is not None:
            self._idle.stop()
        self._idle = self.set_timer(IDLE, self._make_neighbours)

    def _make_neighbours(self) -> None:
        inspection, view = self.inspection, self.query_one("#steps", StepView)
        # While a threshold moves, what is ready now is not what will be shown.
        if inspection is None or self.rail_open or not self.is_current or not view.display:
            return
        rows = self.neighbours(inspection)
        self._ready = {row: found for row, found in self._ready.items() if row in {*rows, self.row}}
        manner = self.manner(view).kept()
        for row in rows:
            self.ready(inspection, row, manner)
        self.look_further(rows)

    def neighbours(self, inspection: Inspection) -> list[int]:
        """The rows of the cases that may come next, the likeliest first."""
        places = (at for at in (self._place + 1, self._place - 1) if 0 <= at < inspection.shown.size)
        return [int(inspection.shown[at]) for at in places]

    def still_ready(self, inspection: Inspection, changed: int) -> None:
        """What is ready stays so under an inspection in which only what is said of the case `changed` is another."""
        if self._ready_for is not None and self._ready_for[0] is self.inspection:
            self._ready_for = (inspection, *self._ready_for[1:])
            self._ready.pop(changed, None)

    def forget_ready(self) -> None:
        """Make everything anew when it is shown next."""
        self._ready = {}

    def look_further(self, rows: Sequence[int]) -> None:
        """Make whatever else is shown of these cases ready."""
