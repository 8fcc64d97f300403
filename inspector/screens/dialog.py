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
