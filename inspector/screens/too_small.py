"""What stands in a terminal in which nothing else has room."""

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from inspector.screens.steady import Steady

LEAST = Size(40, 12)
"""Columns and lines that every other screen needs."""


def too_small(size: Size) -> bool:
    """Whether a terminal of this size is."""
    return size.width < LEAST.width or size.height < LEAST.height


def words(size: Size) -> str:
    """What to say in a terminal of this size, as far as it has room."""
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
