"""A pane of lines with spots that can be chosen, beneath lines that stay in place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from inspector.widgets.key_table.command import DOWN, FIRST, HALF_DOWN, HALF_UP, LAST, UP
from inspector.widgets.line_view import Line, LineView

SpotPlaces = Sequence[tuple[int, int, int]]
"""(line beneath the fixed ones, first cell, cell behind the last) of a spot."""


class CritiquePane(LineView):
    """Lines and the spots in them. Which spot is chosen is told from outside, with the lines."""

    ALLOW_SELECT: ClassVar = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--link", "line--chosen", "line--stranger"}

    DEFAULT_CSS = """
    CritiquePane {
        & > .line--link { text-style: underline; color: $text-accent; }
        & > .line--chosen { text-style: reverse bold; }
        & > .line--stranger { text-style: strike; color: $text-warning; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(DOWN, "scroll_down", "Down", show=False, id="critique.down"),
        Binding(UP, "scroll_up", "Up", show=False, id="critique.up"),
        Binding(HALF_DOWN, "half(1)", "Half a page down", show=False, id="critique.half-down"),
        Binding(HALF_UP, "half(-1)", "Half a page up", show=False, id="critique.half-up"),
        Binding(FIRST, "scroll_home", "Begin", show=False, id="critique.first"),
        Binding(LAST, "scroll_end", "End", show=False, id="critique.last"),
    ]

    @dataclass
    class Pressed(Message):
        """A spot (its place, 0-based) was clicked."""

        pane: "CritiquePane"
        spot: int

        @property
        def control(self) -> "CritiquePane":
            return self.pane

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own parameter
        super().__init__(name=name, id=id, classes=classes)
        self._spots: list[SpotPlaces] = []

    def present(
        self, head: Sequence[Line], lines: Iterable[Line], spots: Iterable[SpotPlaces], *, keep_scroll: bool
    ) -> None:
        """Show `lines` beneath `head`, which stays in place where it leaves at least as much room to them."""
        self.fixed_lines = len(head) if self.viewport.height >= 2 * len(head) else 0
        self._head = len(head)
        self._spots = list(spots)
        self.show([*head, *lines], keep_scroll=keep_scroll)

    _head: int = 0

    def action_half(self, by: int) -> None:
        """Scroll half a page down, or up."""
        self.scroll_relative(y=by * max(1, self.viewport.height // 2), animate=False)

    def bring(self, line: int) -> None:
        """Bring a line beneath the head (0-based) into view."""
        at, first = line + self._head, self.scroll_offset.y + self.fixed_lines
        height = max(1, self.viewport.height - self.fixed_lines)
        if at < first:
            self.scroll_to(y=max(0, at - self.fixed_lines), force=True)
        elif at >= first + height:
            self.scroll_to(y=at - self.fixed_lines - height + 1, force=True)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or self.text_selection is not None:
            return
        down = offset.y if offset.y < self.fixed_lines else offset.y + self.scroll_offset.y
        line, cell = down - self._head, offset.x + self.scroll_offset.x
        for number, places in enumerate(self._spots):
            if any(at == line and first <= cell < end for at, first, end in places):
                event.stop()
                self.post_message(self.Pressed(self, number))
                return
