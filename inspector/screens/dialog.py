"""What every dialog is: a panel over a screen that stays readable beside it."""

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from inspector.screens.steady import Steady

QUIT_AT_ONCE = "Quit at once; asks first while a run is on"
Answer = TypeVar("Answer")


class Dialog(Steady, ModalScreen[Answer]):
    """Ends with an answer; None where it was only closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # No key of the app's own comes through to it from a modal screen.
        Binding("ctrl+c", "app.quit", QUIT_AT_ONCE, show=False, system=True, id="quit-at-once"),
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; background: transparent; }
    """
    SHARE: ClassVar[float] = 0.8
    """How wide its panel is, of the width of the screen."""
    WIDEST: ClassVar[int] = 100
    """Cells that it is wide at most."""

    @property
    def line_width(self) -> int:
        """Cells of a line of a pane in its panel, as they will be: what is drawn before it is laid out is drawn right.

        Border, padding and the pane's scrollbar take five.
        """
        return max(1, min(self.WIDEST, int(self.app.size.width * self.SHARE)) - 5)
