"""The pane beneath the board: what stands out about the scorer under the cursor."""

from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from inspector.analyses import load
from inspector.render.lines import Piece, Sheet
from inspector.render.terminal import Terminal
from inspector.screens.board_opening import BoardOpening
from inspector.subject import subject
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.sheet_view import SheetView
from scoring.errors import InspectError

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.inspection import Inspection
    from inspector.render.view import View

ROOM = 24
"""Lines beside those of the rows from which there is room for the pane: no row goes out of sight for it."""
MANY = 200_000
"""Cases from which it is computed where it is asked for alone: it would take turns with the keys."""
REST = 0.15
"""Seconds without a key after which it follows the cursor."""


class Highlighted(Message):
    """What stands out was computed, of this inspection."""

    def __init__(self, inspection: "Inspection", view: "View | None") -> None:
        super().__init__()
        self.inspection, self.view = inspection, view


class BoardHighlights(BoardOpening):
    """A board with a pane, which has the keys while it has the focus."""

    _rests: "Timer | None" = None
    _highlights_of: "tuple[object, ...]" = ()
    """The evaluation and the benchmark that stand in the pane."""

    @property
    def _pane(self) -> SheetView:
        return self.query_one("#highlights", SheetView)

    def highlight(self, inspection: "Inspection") -> None:
        """Have the pane follow the scorer in focus as soon as the keys rest."""
        few = inspection.selection.height < MANY
        room = self.size.height - self.query_one(FrameTable).row_count >= ROOM
        self._pane.display = room and few and inspection.evaluation is not None
        if not self._pane.display:
            self._highlights_of = ()
            return
        if self._rests is not None:
            self._rests.stop()
        if self._highlights_of != _of(inspection):
            self._rests = self.set_timer(REST, partial(self._compute, inspection))

    def _compute(self, inspection: "Inspection") -> None:
        self.run_worker(partial(self._work, inspection), thread=True, exclusive=True, group="highlights")

    def _work(self, inspection: "Inspection") -> None:
        """In a thread."""
        assert inspection.scorer is not None  # noqa: S101  # there is an evaluation
        try:
            results = subject(inspection.cleared(), (inspection.scorer,))
            view = load("highlights").view(results).laid_out()
        except InspectError:
            # The screen of the analysis says why.
            view = None
        self.post_message(Highlighted(inspection, view))

    def on_highlighted(self, message: Highlighted) -> None:
        """Show it, unless another scorer is in focus by now."""
        if self.inspection is None or _of(message.inspection) != _of(self.inspection) or message.view is None:
            return
        self._highlights_of = _of(message.inspection)
        pane = self._pane
        title = f"What stands out about {message.inspection.scorer} on {message.inspection.benchmark}"
        terminal = Terminal(max(40, self.size.width - 2), self.brush, ROOM)
        lines = [line for line in terminal.sections(message.view.sections, title=False) if line]
        pane.styles.height = len(lines) + 2
        pane.show_sheet(Sheet(((Piece(title, "strong"),), *lines)))

    def on_sheet_view_opened(self, message: SheetView.Opened) -> None:
        self.open_link(message.drill)

    def action_pane(self) -> None:
        """Go to the pane, and back."""
        if self._pane.display and not self._pane.has_focus:
            self._pane.focus()
        elif self._pane.has_focus:
            self.query_one(FrameTable).focus()
        else:
            self.say(f"There is no room for it here: {self.keys.of('highlights')} opens it.")


def _of(inspection: "Inspection") -> "tuple[object, ...]":
    return inspection.evaluation, inspection.benchmark, inspection.base
