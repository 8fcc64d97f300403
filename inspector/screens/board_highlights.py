"""The pane beneath the board: what stands out about the scorer under the cursor."""

from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from inspector.analyses import load
from inspector.render.lines import Piece, Sheet
from inspector.render.terminal import Terminal
from inspector.subject import subject
from inspector.widgets.sheet_view import SheetView
from scoring.errors import InspectError

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.inspection import Inspection
    from inspector.paint import Brush
    from inspector.render.view import View

ROOM = 17
"""Lines beside those of the rows from which there is room for the pane: no row goes out of sight for it."""
MANY = 200_000
"""Cases from which it is computed where it is asked for alone: it would take turns with the keys."""
REST = 0.15
"""Seconds without a key after which it follows the cursor."""


class HighlightsPane(SheetView):
    """A sheet of the highlights of one scorer on one benchmark; its numbers open their cases as in any sheet."""

    class Computed(Message):
        """The highlights of this inspection are there; None where the screen of the analysis says why not."""

        def __init__(self, inspection: "Inspection", view: "View | None") -> None:
            super().__init__()
            self.inspection, self.view = inspection, view

    def __init__(self, brush: "Brush") -> None:
        super().__init__(id="highlights")
        self._brush = brush
        self._rests: Timer | None = None
        self._wanted: Inspection | None = None
        self._shown: tuple[object, ...] = ()
        self.display = False

    def follow(self, inspection: "Inspection", room: int) -> None:
        """Show what stands out about the scorer in focus as soon as the keys rest, if `room` (in lines) allows it."""
        few = inspection.selection.height < MANY
        self.display = room >= ROOM and few and inspection.evaluation is not None
        self._wanted = inspection if self.display else None
        if self._rests is not None:
            self._rests.stop()
        if self.display and self._shown != _subject(inspection):
            self._rests = self.set_timer(REST, self._begin)

    def _begin(self) -> None:
        if self._wanted is not None:
            self.run_worker(partial(self._compute, self._wanted), thread=True, exclusive=True, group="highlights")

    def _compute(self, inspection: "Inspection") -> None:
        """In a thread."""
        assert inspection.scorer is not None  # noqa: S101  # there is an evaluation
        try:
            view = load("highlights").view(subject(inspection.cleared(), (inspection.scorer,))).laid_out()
        except InspectError:
            view = None
        self.post_message(self.Computed(inspection, view))

    def on_highlights_pane_computed(self, message: Computed) -> None:
        """Show it, unless another scorer is in focus by now."""
        message.stop()
        wanted, inspection = self._wanted, message.inspection
        if wanted is None or message.view is None or _subject(wanted) != _subject(inspection):
            return
        self._shown = _subject(inspection)
        title = Piece(f"What stands out about {inspection.scorer} on {inspection.benchmark}", "strong")
        terminal = Terminal(max(40, self.app.size.width - 2), self._brush, ROOM)
        lines = [line for line in terminal.sections(message.view.sections, title=False) if line]
        # The border and the title are lines too.
        self.styles.height = len(lines) + 2
        self.show_sheet(Sheet(((title,), *lines)))


def _subject(inspection: "Inspection") -> tuple[object, ...]:
    """What the highlights are of: while these are the same, so are they."""
    return inspection.evaluation, inspection.benchmark, inspection.base
