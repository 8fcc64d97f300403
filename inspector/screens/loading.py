"""The screen that is there at once, while everything else is still being imported and read."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from inspector.widgets.textual_compat import Steady

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
        """Say how far it is, beside what is being waited for."""
        for line in self.query("#loading").results(Static):
            line.update(Content(f"{self._waiting}: {words}"))

    def compose(self) -> ComposeResult:
        lines = self._lines()
        if lines:
            yield FirstFrame(lines[:-1])
        self._waiting = UNCHANGED if lines else READING
        yield Static(Content(self._waiting), id="loading", classes="-beneath" if lines else "")


# -- what stands in a terminal in which nothing else has room


LEAST = Size(40, 12)
"""Columns and lines that every other screen needs."""


def too_small(size: Size) -> bool:
    """Return whether a terminal of this size is too small."""
    return size.width < LEAST.width or size.height < LEAST.height


def words(size: Size) -> str:
    """Return what to say in a terminal of this size, as far as it has room."""
    now, needed = f"{size.width}x{size.height}", f"{LEAST.width}x{LEAST.height}"
    forms = (
        f"This terminal is too small:\n{now} now, {needed} needed.\nEverything comes back when it grows.",
        f"{now}: too small,\n{needed} needed.",
        f"{now}\n<{needed}",
        needed,
    )
    return next((form for form in forms if _fits(form, size)), "")


def _fits(form: str, size: Size) -> bool:
    lines = form.split("\n")
    return len(lines) <= size.height and max(map(len, lines)) <= size.width


class TooSmall(Steady, Screen[None]):
    """Says how large the terminal is and how large it has to be."""

    CSS = "TooSmall { align: center middle; } TooSmall > Static { width: auto; height: auto; text-align: center; }"

    def compose(self) -> ComposeResult:
        yield Static(Content(""))

    def on_resize(self, event: Resize) -> None:
        self.query_one(Static).update(Content(words(event.size)))
