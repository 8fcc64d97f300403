"""The case screen's other body: the case against its original."""

from msgspec.structs import replace

from inspector.case_view.manner import Manner
from inspector.case_view.original_lines import MODE
from inspector.original_track import original_of
from inspector.paint import Brush
from inspector.screens.stepping import Stepping
from inspector.widgets.line_view import LineView


class Diffing(Stepping):
    """The original and the modified solution of the case with row id `row`, until they are asked for again.

    `body` is the mode of what stands in the place of the steps; it stays for the next case, and not for other screens.
    """

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self.body = ""

    def manner(self, view: LineView) -> Manner:
        return replace(super().manner(view), mode=self.body)

    def action_original(self) -> None:
        """Show what was changed in the original, or the steps as ever."""
        if self.inspection is None:
            return
        shown = self.body == MODE
        case = None if shown else self.case_at_hand(self.row, self.steps)
        if not shown and case is None:
            return
        if case is not None and original_of(case.texts) is None:
            self.notify("This case has no original: its benchmark gives the one solution only.", markup=False)
            return
        if not shown and self.blind:
            self.say(f"The original would tell where the error is: {self.keys.of('blind')} shows everything again.")
            return
        self.show_body("" if shown else MODE)

    def show_body(self, mode: str) -> None:
        """Show another body, with the cursor on the same step."""
        self.body = mode
        self.reading = self.reading.kept()
        self.show_case()
        if (line := self.line) is not None:
            self.steps.scroll_to_line(line)
            self.steps.put_cursor(line)
