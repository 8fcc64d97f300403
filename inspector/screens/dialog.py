"""What every dialog is: a panel over a screen that stays readable beside it."""

from typing import TypeVar

from textual.screen import ModalScreen

from inspector.screens.steady import Steady

Answer = TypeVar("Answer")


class Dialog(Steady, ModalScreen[Answer]):
    """Ends with an answer; None where it was only closed."""

    DEFAULT_CSS = """
    Dialog { align: center middle; background: transparent; }
    """
