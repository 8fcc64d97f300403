"""The score dialog: which PRM to run."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.text import clean


class ScoreDialog(ModalScreen[str | None]):
    """Asks for a checkpoint; the value is its folder or hub name, None if nothing is to be run."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close")]

    def __init__(self, benchmark: str) -> None:
        super().__init__()
        self._benchmark = benchmark

    def compose(self) -> ComposeResult:
        words = f"Score {self._benchmark} with the PRM in this checkpoint (a folder, or ORG/NAME of the hub)"
        yield Static(Content(clean(words)), id="question")
        yield Input(placeholder="path/to/checkpoint", id="model")
        yield Static(Content("Enter starts it in a process of its own, Esc closes"), id="hint")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip() or None)
