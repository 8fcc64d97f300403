"""Dialogs that ask one thing: a line of words, yes or no, a note."""

from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input, Static

from inspector.render.texts.text import clean
from inspector.screens.dialog import Dialog, TypedAhead
from inspector.widgets.text_editor import TextEditor, TypingLine


class WordsDialog(TypedAhead[str | None]):
    """The line as it was typed, without blanks around it, "" where nothing was; None if it was only closed."""

    ENTER = "Take it"
    HINT = "Enter takes it   Esc closes"
    WIDEST = 72
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close")]

    def __init__(self, title: str, words: str, placeholder: str) -> None:
        """`words` stand there already."""
        super().__init__(title)
        self._words, self._placeholder = words, placeholder

    def compose_panel(self) -> ComposeResult:
        yield TypingLine(clean(self._words), placeholder=self._placeholder, select_on_focus=False, compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class SureDialog(Dialog[bool]):
    """y or Enter does it, anything that closes does not."""

    HINT = "Enter does it   Esc leaves it"
    WIDEST = 72
    BINDINGS: ClassVar[list[BindingType]] = [
        ("y,enter", "dismiss(True)", "Do it"),
        ("n,escape,q", "dismiss(False)", "Leave it"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__("Are you sure?")
        self._question = question

    @property
    def content_width(self) -> int:
        return cell_len(clean(self._question))

    def compose_panel(self) -> ComposeResult:
        yield Static(Content(clean(self._question)))


class NoteDialog(TypedAhead[str | None]):
    """Asks for the note, "" takes it away; None if it is to stay as it is."""

    HINT = "Enter keeps it   Ctrl+J new line   Esc leaves it"
    WIDEST = 84

    def __init__(self, title: str, note: str, others: str = "") -> None:
        """`note` is what the person wrote before, `others` what other people did."""
        super().__init__(title)
        self._note, self._others = note, others

    def compose_panel(self) -> ComposeResult:
        if self._others:
            yield Static(Content(clean(self._others, lines=True)))
        yield TextEditor(id="note-text")
        if self._note:
            yield Static(Content("An empty note is taken away."), classes="dim")

    def on_mount(self) -> None:
        self.query_one(TextEditor).begin(self._note)

    def on_text_editor_left(self) -> None:
        self.dismiss(None)

    def on_text_editor_kept(self, event: TextEditor.Kept) -> None:
        text = event.text.strip()
        self.dismiss(None if text == clean(self._note, lines=True).strip() else text)
