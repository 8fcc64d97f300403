"""A list of facets: headings and, under each, values with counts that can be ticked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.text import cell
from inspector.widgets.line_scroll import LineScroll, Part

NOTHING = "(none)"


@dataclass(frozen=True)
class Value:
    """One value of a facet: None is a missing value, `label` how it is written, `ticked` whether it is kept."""

    column: str
    value: str | bool | None
    label: str
    count: int
    ticked: bool


@dataclass(frozen=True)
class Group:
    """A facet's heading and values."""

    title: str
    values: tuple[Value, ...]


class FacetList(LineScroll, can_focus=True):
    """Facets with live counts; space or Enter ticks a value. State is given by `show` and never changed here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next value", show=False, id="facets.down"),
        Binding("up,k", "move(-1)", "Previous value", show=False, id="facets.up"),
        Binding("home,g", "move(-100000)", "First value", show=False, id="facets.first"),
        Binding("end,G", "move(100000)", "Last value", show=False, id="facets.last"),
        Binding("space,enter", "tick", "Keep or not", show=False, id="facets.toggle"),
    ]

    cursor: reactive[int] = reactive(0, repaint=False)
    """Position among the values, headings not counted, 0-based."""

    @dataclass
    class Toggled(Message):
        """A value was ticked or unticked."""

        facets: "FacetList"
        column: str
        value: str | bool | None

        @property
        def control(self) -> "FacetList":
            return self.facets

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own parameter
        super().__init__(id=id)
        self._lines: list[str | Value] = []
        self._places: list[int] = []

    def show(self, groups: Sequence[Group]) -> None:
        """Replace the facets; the cursor stays on its value if that is still there, and in sight."""
        old = self._value()
        self._lines = []
        self._places = []
        for group in groups:
            self._lines.append(group.title)
            for value in group.values:
                self._places.append(len(self._lines))
                self._lines.append(value)
        known = [self._lines[place] for place in self._places]
        same = [
            i
            for i, one in enumerate(known)
            if old and isinstance(one, Value) and (one.column, one.value) == (old.column, old.value)
        ]
        self.set_reactive(FacetList.cursor, same[0] if same else min(self.cursor, max(0, len(self._places) - 1)))
        self.set_extent(self.viewport.width, len(self._lines))
        self._reveal()
        self.repaint_changed()

    def line_strip(self, line: int) -> Strip:
        if line >= len(self._lines):
            return Strip.blank(self.viewport.width, self.rich_style)
        entry, width = self._lines[line], self.viewport.width
        if isinstance(entry, str):
            return self.strip([(cell(entry, width), "header")])
        under = self._places[self.cursor] == line
        row = ("cursor" if self.has_focus else "cursor-blurred") if under else ""
        return self.strip(self._parts(entry, width, under=under), row)

    @staticmethod
    def _parts(entry: Value, width: int, *, under: bool) -> list[Part]:
        count = f"{entry.count:,}"
        name = cell(entry.label or NOTHING, max(1, width - len(count) - 6))
        style = "dim" if not entry.count else "strong" if entry.ticked else ""
        box = "[x]" if entry.ticked else "[ ]"
        return [(">" if under else " ", "strong"), (f"{box} {name} {count}", style)]

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self._places) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        if self._places:
            self._reveal()
            self.repaint_lines(self._places[min(old, len(self._places) - 1)], self._places[new])

    def _reveal(self) -> None:
        """Scroll if the cursor is out of sight, and then to the middle."""
        line, top, height = self._places[self.cursor] if self._places else 0, self.scroll_offset.y, self.viewport.height
        if height and not top <= line < top + height:
            self.scroll_to(y=line - height // 2, force=True)

    def _value(self) -> Value | None:
        entry = self._lines[self._places[self.cursor]] if self._places else None
        return entry if isinstance(entry, Value) else None

    def action_move(self, by: int) -> None:
        self.cursor += by

    def action_tick(self) -> None:
        value = self._value()
        if value is not None:
            self.post_message(self.Toggled(self, value.column, value.value))

    def on_click(self, event: Click) -> None:
        offset = event.get_content_offset(self)
        line = -1 if offset is None else offset.y + self.scroll_offset.y
        if line in self._places:
            self.cursor = self._places.index(line)
            self.action_tick()

    def on_focus(self) -> None:
        self.repaint_changed()

    def on_blur(self) -> None:
        self.repaint_changed()

    def on_resize(self) -> None:
        self.set_extent(self.viewport.width, len(self._lines))
        self.repaint_changed()
