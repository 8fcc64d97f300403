"""Where the text of a step is written."""

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from inspector.text import clean


class StepEditor(TextArea):
    """A text of several lines. What could act on a terminal is taken out of it: Textual writes it as it is.

    With `cutting` nothing can be written: a place in the text is chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the text area's own, for which Enter begins a line.
        Binding("enter", "keep", "Take it", id="step.keep", priority=True),
        Binding("escape", "leave", "Leave as it was", id="step.leave", priority=True),
        Binding("ctrl+j", "line", "New line", id="step.line", priority=True),
        Binding("ctrl+e", "elsewhere", "In $EDITOR", id="step.editor", priority=True),
    ]

    @dataclass
    class Kept(Message):
        """The text is to be kept; with `cut`, to be cut at this character (0-based)."""

        text: str
        cut: int | None

    class Left(Message):
        """Nothing is to change."""

    class Elsewhere(Message):
        """The text is to be written in the person's own editor."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own parameter
        super().__init__(id=id, soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        self.cutting = False

    def begin(self, text: str, *, cutting: bool = False) -> None:
        """Write a text, with the cursor at its end; or choose a place in it."""
        self.cutting = self.read_only = cutting
        self.load_text(clean(text, lines=True))
        self.move_cursor((0, 0) if cutting else self.document.end)
        self.focus()

    @property
    def place(self) -> int:
        """The character (0-based) on which the cursor stands."""
        row, column = self.cursor_location
        return sum(len(line) + 1 for line in self.document.lines[:row]) + column

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is written where a place is chosen."""
        if action in {"line", "elsewhere"} and self.cutting:
            return False
        return super().check_action(action, parameters)

    def action_keep(self) -> None:
        self.post_message(self.Kept(self.text, self.place if self.cutting else None))

    def action_line(self) -> None:
        self.insert("\n")

    def action_elsewhere(self) -> None:
        self.post_message(self.Elsewhere())

    def action_leave(self) -> None:
        self.post_message(self.Left())
