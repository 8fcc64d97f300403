"""A question before something large is done."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from inspector.screens.dialog import Dialog
from inspector.text import clean


class SureDialog(Dialog[bool]):
    """y or Enter does it, anything that closes does not."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y,enter", "dismiss(True)", "Do it"),
        ("n,escape,q", "dismiss(False)", "Leave it"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(clean(self._question)), classes="strong")
            yield Static(Content("y does it, Esc leaves everything as it is"), classes="dim")
