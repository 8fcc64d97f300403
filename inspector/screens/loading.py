"""The screen that is there at once, while everything else is still being imported and read."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from inspector.screens.steady import Steady

READING = "prm-inspect: reading the workspace"
UNCHANGED = "As it was before, and no file has changed since; reading the workspace"


class FirstFrame(Widget):
    """The lines that were on screen the last time, less the last one, which says what is being waited for."""

    def __init__(self, lines: Sequence[Strip]) -> None:
        super().__init__()
        self._lines = lines

    def render_line(self, y: int) -> Strip:
        return self._lines[y] if y < len(self._lines) else Strip.blank(self.size.width)


class LoadingScreen(Steady, Screen[None]):
    """A sentence, under what was here the last time where that still holds; nothing of weight is imported for it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.quit", "Quit", show=False)]

    def __init__(self, lines: Callable[[], Sequence[Strip]]) -> None:
        """`lines` gives what was here: none where something has changed."""
        super().__init__()
        self._lines = lines
        self._waiting = READING

    def say(self, words: str) -> None:
        """Say beside what is being waited for how far it is."""
        for line in self.query("#loading").results(Static):
            line.update(Content(f"{self._waiting}: {words}"))

    def compose(self) -> ComposeResult:
        lines = self._lines()
        if lines:
            yield FirstFrame(lines[:-1])
        self._waiting = UNCHANGED if lines else READING
        yield Static(Content(self._waiting), id="loading", classes="-beneath" if lines else "")
