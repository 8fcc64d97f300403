"""Where a text of several lines is written: a step, a note."""

import os
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol, cast

from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input, TextArea

from inspector.render.texts.text import clean

EDITORS = ("VISUAL", "EDITOR")
"""Variables that name a person's own editor."""


class RunsEditor(Protocol):
    """An app that runs editors."""

    def run_editor(self, words: Sequence[str]) -> None:
        """Run a program to its end. Raises OSError."""


class TextEditor(TextArea):
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

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own parameter
        super().__init__(id=id, soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        self.cutting = False
        # Twice a second something would be sent to the terminal although nothing changes.
        self.cursor_blink = False

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
        """Return whether a key works: none writes while a place is chosen, and a browser has no editor of one's own."""
        if (action in {"line", "elsewhere"} and self.cutting) or (action == "elsewhere" and self.app.is_web):
            return False
        return super().check_action(action, parameters)

    def action_keep(self) -> None:
        self.post_message(self.Kept(self.text, self.place if self.cutting else None))

    def action_line(self) -> None:
        self.insert("\n")

    def action_elsewhere(self) -> None:
        """Write the text in the person's own editor."""
        editor = next((os.environ[name] for name in EDITORS if os.environ.get(name)), "")
        if not editor:
            self.notify("No editor is named: set EDITOR before the app is started.", markup=False)
            return
        try:
            with self.app.suspend():
                text = _written_in(editor, self.text, cast("RunsEditor", self.app))
        except SuspendNotSupported:
            self.notify("Another program cannot be opened on this terminal.", markup=False)
        except (OSError, ValueError) as error:
            self.notify(clean(f"{editor} did not run: {error}"), severity="error", markup=False)
        else:
            self.begin(text)

    def action_leave(self) -> None:
        self.post_message(self.Left())


def _written_in(editor: str, text: str, app: RunsEditor) -> str:
    """What a person makes of a text in an editor, which sees it as a file. Raises OSError, ValueError."""
    with tempfile.TemporaryDirectory(prefix="prm-inspect-") as folder:
        path = Path(folder) / "text.txt"
        path.write_text(text, encoding="utf-8")
        app.run_editor([*shlex.split(editor), str(path)])
        edited = path.read_text(encoding="utf-8", errors="replace")
    # Editors end a file with a line break, which is none of the text's.
    return edited[:-1] if edited.endswith("\n") and not text.endswith("\n") else edited


# -- the line in which a person types


class TypingLine(Input):
    """Textual's input, which writes its text to the terminal as it is: so nothing that could act gets into it.

    That holds for what is typed, pasted or completed, and for what another person's workspace put there.
    """

    def validate_value(self, value: str) -> str:
        return clean(value)
