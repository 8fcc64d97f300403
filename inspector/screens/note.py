"""The note dialog: a person's own words on a case, in as many lines as they take."""

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from inspector.screens.typed_ahead import TypedAhead
from inspector.text import clean
from inspector.widgets.text_editor import TextEditor


class NoteDialog(TypedAhead[str | None]):
    """Asks for the note, "" takes it away; None if it is to stay as it is."""

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
