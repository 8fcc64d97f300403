"""A list of facets: headings that fold and, under each, values with counts that can be kept or hidden."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from msgspec import Struct
from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import NO_VALUE, TextPart, cell
from inspector.widgets.key_table.command import (
    DOWN,
    FIRST,
    HALF_DOWN,
    HALF_UP,
    HIDE,
    KEEP,
    LAST,
    LEFT,
    MARK,
    OPEN,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    UP,
)
from inspector.widgets.line_scroll import LineScroll

FacetMark = Literal["", "keep", "hide", "fixed"]
_BOXES: dict[FacetMark, str] = {"": "[ ]", "keep": "[x]", "hide": "[-]", "fixed": "[=]"}
_RADIO: dict[FacetMark, str] = {"": "( )", "keep": "(o)"}
_BEHIND = "- "
"""What a title stands behind."""


class FacetValue(Struct, frozen=True):
    """One value of a facet: None is a missing value, `label` how it is written, `mark` whether it is kept or hidden.

    A `count` of None is not shown. Of a facet with `radio` exactly one value is kept.
    """

    column: str
    value: Any
    label: str
    count: int | None
    mark: FacetMark = ""
    radio: bool = False


class FacetGroup(Struct, frozen=True):
    """A facet's heading and those of its values that are listed; `more` are not. `whole` says that all were asked for.

    `note` stands behind the title of a folded group. `short` takes the place of the title, as those of all other groups
    do, where one of them has no room.
    """

    key: str
    title: str
    values: tuple[FacetValue, ...] = ()
    folded: bool = False
    more: int = 0
    whole: bool = False
    note: str = ""
    short: str = ""


class Rest(Struct, frozen=True):
    """The line under a group's values that lists the others, or only the first ones again (`more` is 0)."""

    group: str
    more: int


FacetLine = FacetGroup | FacetValue | Rest


class FacetList(LineScroll, can_focus=True):
    """Facets with live counts. State is given by `show` and never changed here: keys and clicks are told as messages.

    The cursor stands on any line: on a value, Space keeps it too, Enter or `@` no other one, and `#` hides it; on a
    heading they fold it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(DOWN, "move(1)", "Next value", show=False, id="facets.down"),
        Binding(UP, "move(-1)", "Previous value", show=False, id="facets.up"),
        Binding(PAGE_DOWN, "page(1)", "Next page", show=False, id="facets.page-down"),
        Binding(PAGE_UP, "page(-1)", "Previous page", show=False, id="facets.page-up"),
        Binding(HALF_DOWN, "page(0.5)", "Half a page down", show=False, id="facets.half-down"),
        Binding(HALF_UP, "page(-0.5)", "Half a page up", show=False, id="facets.half-up"),
        Binding(FIRST, "move(-100000)", "First line", show=False, id="facets.first"),
        Binding(LAST, "move(100000)", "Last line", show=False, id="facets.last"),
        Binding(MARK, "choose(True)", "Keep", id="facets.toggle", tooltip="Keep this value too, or no more"),
        Binding(
            f"{OPEN},{KEEP}",
            "choose(True, True)",
            "Only this",
            id="facets.only",
            tooltip="Keep this value and no other of its facet; again takes that away",
        ),
        Binding(HIDE, "choose(False)", "Hide", id="facets.hide", tooltip="Hide this value, or no more"),
        Binding(LEFT, "fold(False)", "Fold", show=False, id="facets.fold"),
        Binding(RIGHT, "fold(True)", "Unfold", show=False, id="facets.unfold"),
    ]

    cursor: reactive[int] = reactive(0, repaint=False)
    """The line under the cursor, 0-based."""

    @dataclass
    class Toggled(Message):
        """A value is to be kept or not any more; with `keep` false, to be hidden or not; `alone` says no other one."""

        facets: "FacetList"
        column: str
        value: Any
        keep: bool = True
        alone: bool = False

        @property
        def control(self) -> "FacetList":
            return self.facets

    @dataclass
    class Folded(Message):
        """A group is to be opened or folded."""

        facets: "FacetList"
        group: str
        now_open: bool

        @property
        def control(self) -> "FacetList":
            return self.facets

    @dataclass
    class Listed(Message):
        """All values of a group are to be listed, or the first ones again."""

        facets: "FacetList"
        group: str

        @property
        def control(self) -> "FacetList":
            return self.facets

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own parameter
        super().__init__(id=id)
        self._lines: list[FacetLine] = []
        self._titles: tuple[str, ...] = ()
        self._labels: dict[str, tuple[str, ...]] = {}

    def show(self, groups: Sequence[FacetGroup]) -> None:
        """Replace the facets; the cursor stays on its line if that is still there, and in sight."""
        old = _identity(self.line) if self.line else None
        first = not self._lines
        self._lines = [line for group in groups for line in _lines(group)]
        self._titles = tuple(group.title for group in groups)
        self._labels = {
            column: tuple(value.label or NO_VALUE for value in group.values)
            for group in groups
            for column in {value.column for value in group.values}
        }
        same = [place for place, line in enumerate(self._lines) if _identity(line) == old]
        at = same[0] if same else min(self.cursor, max(0, len(self._lines) - 1))
        if first:
            values = (
                place for place, line in enumerate(self._lines) if isinstance(line, FacetValue) and not line.radio
            )
            at = next(values, 0)
        self.set_reactive(FacetList.cursor, at)
        self.set_extent(self.viewport.width, len(self._lines))
        self._reveal()
        self.repaint_changed()

    @property
    def line(self) -> FacetLine | None:
        """What stands under the cursor."""
        return self._lines[self.cursor] if self._lines else None

    # -- painting

    def line_strip(self, line: int) -> Strip:
        if line >= len(self._lines):
            return Strip.blank(self.viewport.width, self.rich_style)
        entry, width, under = self._lines[line], self.viewport.width, line == self.cursor
        row = ("cursor" if self.has_focus else "cursor-blurred") if under else ""
        margin: TextPart = (">" if under else " ", "strong")
        if isinstance(entry, FacetValue):
            return self.strip([margin, _value_part(entry, width - 1, self._labels[entry.column])], row)
        if isinstance(entry, Rest):
            words = f"... {entry.more:,} more" if entry.more else "... fewer"
            return self.strip([margin, (cell(f"    {words}", max(1, width - 1)), "dim")], row)
        heading = _heading(entry, width - 1, self._titles, short=self._is_narrow)
        return self.strip([margin, (heading, "strong")], row or "header")

    @property
    def _is_narrow(self) -> bool:
        """Whether a title that has a short form has no room."""
        groups = (line for line in self._lines if isinstance(line, FacetGroup) and line.short)
        return any(cell_len(group.title) + len(_BEHIND) > self.viewport.width - 1 for group in groups)

    # -- moving

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self._lines) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        if self._lines:
            self._reveal()
            self.repaint_lines(old, new)

    def _reveal(self) -> None:
        """Scroll if the cursor is out of sight, and then to the middle."""
        top, height = self.scroll_offset.y, self.viewport.height
        if height and not top <= self.cursor < top + height:
            self.scroll_to(y=self.cursor - height // 2, force=True)

    def action_move(self, by: int) -> None:
        self.cursor += by

    def action_page(self, by: float) -> None:
        self.cursor += int(by * (self.viewport.height - 1)) or (1 if by > 0 else -1)

    def action_choose(self, keep: bool, alone: bool = False) -> None:
        """Keep or hide a value, with `alone` no other one; fold or open a heading; list the rest."""
        line = self.line
        if isinstance(line, FacetValue):
            self.post_message(self.Toggled(self, line.column, line.value, keep, alone))
        elif isinstance(line, FacetGroup):
            self.post_message(self.Folded(self, line.key, line.folded))
        elif line is not None:
            self.post_message(self.Listed(self, line.group))

    def action_fold(self, now_open: bool) -> None:
        """Fold the group that the cursor is in and go to its heading, or open it."""
        place = self.cursor
        while place > 0 and not isinstance(self._lines[place], FacetGroup):
            place -= 1
        group = self._lines[place] if self._lines else None
        if isinstance(group, FacetGroup) and group.folded == now_open:
            self.cursor = place
            self.post_message(self.Folded(self, group.key, now_open))

    def on_click(self, event: Click) -> None:
        """Keep a value with the left button, hide it with the right one (or with Ctrl)."""
        offset = event.get_content_offset(self)
        line = len(self._lines) if offset is None else offset.y + self.scroll_offset.y
        if line < len(self._lines):
            self.cursor = line
            self.action_choose(event.button == 1 and not event.ctrl)

    def on_focus(self) -> None:
        self.repaint_changed()

    def on_blur(self) -> None:
        self.repaint_changed()

    def on_resize(self) -> None:
        self.set_extent(self.viewport.width, len(self._lines))
        if self.cursor < self.viewport.height:
            # A pane that was small has left behind what is above the cursor: its heading, at least.
            self.scroll_to(y=0, force=True)
        self._reveal()
        self.repaint_changed()


def _lines(group: FacetGroup) -> list[FacetLine]:
    """A group's lines: its heading, its values, and what lists the rest."""
    if group.folded:
        return [group]
    return [group, *group.values, *([Rest(group.key, group.more)] if group.more or group.whole else [])]


def _identity(line: FacetLine) -> tuple[Any, ...]:
    if isinstance(line, FacetValue):
        return line.column, line.value
    return (type(line), line.key if isinstance(line, FacetGroup) else line.group)


def _heading(group: FacetGroup, width: int, titles: Sequence[str], *, short: bool) -> str:
    """`- subset` where it is open, `+ subset: 2 kept` where it is folded; long `titles` are shortened."""
    note = f": {group.note}" if group.note else ""
    title = group.short if short and group.short else group.title
    title = short_name(title, max(1, width - len(_BEHIND) - len(note)), titles)
    return cell(f"{'+' if group.folded else '-'} {title}{note}", max(1, width))


def _value_part(value: FacetValue, width: int, labels: Sequence[str]) -> TextPart:
    count = "" if value.count is None else f" {value.count:,}"
    room = max(1, width - len(count) - 4)
    name = cell(short_name(value.label or NO_VALUE, room, labels), room)
    style = "strong" if value.mark in {"keep", "hide"} else "dim" if not value.count else ""
    box = (_RADIO if value.radio else _BOXES).get(value.mark, "[ ]")
    return f"{box} {name}{count}", style
