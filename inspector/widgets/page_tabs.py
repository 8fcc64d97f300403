"""A line of tabs: titles of pages, one of them open. A click opens a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.message import Message

from inspector.render.texts.text import clean
from inspector.widgets.line_view import LineView

MORE = "…"
"""Replaces tabs that do not fit; a click turns to the nearest of them."""


class PageTabs(LineView, can_focus=False):
    """Titles side by side, the open one in brackets; narrow lines show the titles around the open one."""

    @dataclass
    class Chosen(Message):
        """A tab was clicked; `page` is its number (0-based)."""

        page: int

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own parameter
        super().__init__(name=name, id=id, classes=classes)
        self._titles: tuple[str, ...] = ()
        self._open = 0

    def tell(self, titles: Sequence[str], page: int) -> None:
        """Show the titles of all pages; `page` is the open one (0-based)."""
        self._titles, self._open = tuple(map(clean, titles)), page
        self._write()

    def on_resize(self) -> None:
        self._write()

    def _write(self) -> None:
        if self._titles:
            self.show([[(text, style) for text, style, _ in self._parts(self.viewport.width)]])

    def _parts(self, width: int) -> list[tuple[str, str, int]]:
        """Return texts with their styles and the page that each opens."""
        first, last = shown_tabs([cell_len(title) + 3 for title in self._titles], self._open, width)
        parts = [(f"{MORE} ", "dim", first - 1)] if first else []
        for number in range(first, last):
            title = self._titles[number]
            here = number == self._open
            parts.append((f"[{title}] " if here else f" {title}  ", "header" if here else "", number))
        return [*parts, (MORE, "dim", last)] if last < len(self._titles) else parts

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        event.stop()
        cell = offset.x
        for text, _, page in self._parts(self.viewport.width):
            if 0 <= cell < cell_len(text):
                if page != self._open:
                    self.post_message(self.Chosen(page))
                return
            cell -= cell_len(text)


def shown_tabs(sizes: Sequence[int], page: int, width: int) -> tuple[int, int]:
    """Return the range of visible tabs, first and one past the last: as many around the open one as fit."""
    if sum(sizes) <= width or width <= 0:
        return 0, len(sizes)
    room = width - sizes[page] - 2 * (len(MORE) + 1)
    first, last = page, page + 1
    while True:
        if last < len(sizes) and sizes[last] <= room:
            room -= sizes[last]
            last += 1
        elif first and sizes[first - 1] <= room:
            first -= 1
            room -= sizes[first]
        else:
            return first, last
