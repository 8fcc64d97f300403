"""The note dialog: one line of a person's own words on a case."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.screens.typed_ahead import TypedAhead
from inspector.text import clean
from inspector.widgets.typing_line import TypingLine


class NoteDialog(TypedAhead[str | None]):
    """Asks for the note, "" takes it away; None if it is to stay as it is."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close")]

    def __init__(self, title: str, note: str, others: str = "") -> None:
        """`note` is what the person wrote before, `others` what other people did."""
        super().__init__()
        self._title = title
        self._note = note
        self._others = others

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(clean(self._title)), classes="strong")
            if self._others:
                yield Static(Content(clean(self._others)))
            yield TypingLine(clean(self._note), placeholder="what is to be known of this case", select_on_focus=False)
            yield Static(Content("Enter keeps it, an empty one is taken away, Esc closes"), classes="dim")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        self.dismiss(None if text == clean(self._note).strip() else text)
