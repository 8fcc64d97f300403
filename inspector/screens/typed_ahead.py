"""Keys that arrive before a dialog's line has the focus are typed into it."""

from textual import on
from textual.events import Key
from textual.widgets import Input, TextArea

from inspector.screens.dialog import Answer, Dialog
from inspector.widgets.text_editor import TextEditor


class TypedAhead(Dialog[Answer]):
    """A dialog with one place to type in.

    Textual gives the focus to a line some messages after its screen came up. A key in between would be the screen's,
    that is nobody's, and the first letter of a word would be lost.
    """

    @on(Key)
    async def _typed_ahead(self, event: Key) -> None:
        line = next(iter(self.query("Input, TextArea")), None)
        if line is None or self.focused is line:
            return
        self.set_focus(line)
        if event.is_printable and event.character:
            event.stop()
            if isinstance(line, Input):
                line.insert_text_at_cursor(event.character)
            elif isinstance(line, TextArea):
                line.insert(event.character)
        elif event.key == "enter":
            event.stop()
            if isinstance(line, Input):
                await line.action_submit()
            elif isinstance(line, TextEditor):
                line.action_keep()
