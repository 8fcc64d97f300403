"""A question before something large is done."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from inspector.screens.dialog import Dialog


class SureDialog(Dialog[bool]):
    """y or Enter does it, anything that closes does not."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y,enter", "dismiss(True)", "Do it"),
        ("n,escape,q", "dismiss(False)", "Leave it"),
    ]

    def compose_panel(self) -> ComposeResult:
        """The question is its title."""
        yield from ()
