"""Asking for a line of words."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from inspector.screens.typed_ahead import TypedAhead
from inspector.text import clean
from inspector.widgets.typing_line import TypingLine


class WordsDialog(TypedAhead[str | None]):
    """The line as it was typed, without blanks around it, "" where nothing was; None if it was only closed."""

    ENTER = "Take it"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close")]

    def __init__(self, title: str, words: str, placeholder: str) -> None:
        """`words` stand there already."""
        super().__init__(title)
        self._words, self._placeholder = words, placeholder

    def compose_panel(self) -> ComposeResult:
        yield TypingLine(clean(self._words), placeholder=self._placeholder, select_on_focus=False, compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())
