"""What the two screens that show steps share: how texts are shown, and through which scorer."""

from typing import ClassVar

from inspector.case_lines import Manner
from inspector.paint import Brush
from inspector.screens.base import InspectionScreen
from inspector.widgets.line_view import LineView


class ReadingScreen(InspectionScreen):
    """A screen with the lines of a case in it."""

    NAMED: ClassVar[bool] = True
    """Whether the case's name stands above its lines."""

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        # Readable formulas need more than ASCII.
        self._raw = brush.ascii_only
        self._reason = True

    def manner(self, view: LineView) -> Manner:
        """How a case is shown in this view."""
        width = max(20, view.viewport.width)
        return Manner(width, self.brush, raw=self._raw, reason=self._reason, named=self.NAMED)

    def show_case(self) -> None:
        """Show the lines of the case anew, at the same place."""
        raise NotImplementedError

    def action_raw(self) -> None:
        self._raw = not self._raw
        self.show_case()

    def action_reason(self) -> None:
        self._reason = not self._reason
        self.show_case()

    def action_scorer(self, by: int) -> None:
        if self.inspection is None or self.inspection.scorer is None:
            self.notify("There is no scorer to look through.", markup=False)
            return
        following = self.inspection.next_scorer(by)
        if following.scorer == self.inspection.scorer:
            self.notify("There is no other scorer on this benchmark.", markup=False)
            return
        self.close_rail()
        self.put(self.inspection.next_scorer(by))
