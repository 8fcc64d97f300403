"""A list of texts, a line each, with what is said of them at the right edge; one of several panes beside each other."""

from dataclasses import dataclass

from rich.cells import cell_len
from textual.message import Message

from inspector.text import cell, clean
from inspector.widgets.pick_list import Pick, PickList
from inspector.widgets.sized import Sized

_GAP = "  "
_SHARE = 2
"""What is said of a text takes no more than one part of so many of the line."""


class TextList(Sized, PickList, inherit_bindings=False):
    """Texts that keep their beginning where there is no room; the cursor is pale while another pane has the focus.

    The screen moves the cursor: its keys are those of all panes.
    """

    @dataclass
    class Moved(Message):
        """The cursor stands on another line."""

        texts: "TextList"

        @property
        def control(self) -> "TextList":
            return self.texts

    @property
    def cursor_style(self) -> str:
        return "cursor" if self.has_focus else "cursor-blurred"

    def texts_of(self, pick: Pick, room: int) -> tuple[str, str]:
        note = min(self._note_width(), max(0, self.viewport.width // _SHARE - len(_GAP)))
        label = cell(pick.label, max(1, room - (note + len(_GAP) if note else 0)))
        return label, f"{_GAP}{cell(pick.note, note, right=True)}" if note else ""

    def _note_width(self) -> int:
        return max((cell_len(clean(one.note)) for one in self._picks), default=0)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if old != new:
            self.post_message(self.Moved(self))

    def on_focus(self) -> None:
        self.repaint_lines(self.cursor)

    def on_blur(self) -> None:
        self.repaint_lines(self.cursor)
