"""A list of things to pick from, a line each, perhaps with ticks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import cell, clean
from inspector.render.texts.wrap import wrap
from inspector.widgets.line_scroll import LineScroll, Sized

WIDEST, NARROWEST = 40, 28
"""Cells of a label, which is cut for the sake of the notes behind it, but to no less than these."""
_GAP = "  "
BOX = 4
"""Width of a tick, in cells."""


class Pick(Struct, frozen=True):
    """One line: `label`, what is to be said of it, and whether it is ticked (None: there is no tick).

    `strong` marks the present one; a `heading` is no line to pick, and the cursor goes past it.
    """

    key: str
    label: str
    note: str = ""
    ticked: bool | None = None
    strong: bool = False
    heading: bool = False


def natural_width(picks: Sequence[Pick]) -> int:
    """Return the width of these lines uncut, in cells."""
    lines = [pick for pick in picks if not pick.heading]
    label = max((cell_len(clean(pick.label)) for pick in lines), default=0)
    note = max((cell_len(clean(pick.note)) for pick in lines), default=0)
    heading = max((cell_len(clean(pick.label)) for pick in picks if pick.heading), default=0)
    box = BOX if any(pick.ticked is not None for pick in lines) else 0
    return max(heading, 1 + box + label + (len(_GAP) + note if note else 0)) + 1


class PickList(LineScroll, can_focus=True):
    """Lines with a cursor. State is given by `show` and never changed here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="pick.down"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="pick.up"),
        Binding("pagedown", "move(10)", "Next page", show=False, id="pick.page-down"),
        Binding("pageup", "move(-10)", "Previous page", show=False, id="pick.page-up"),
        Binding("home,g", "move(-100000)", "First", show=False, id="pick.first"),
        Binding("end,G", "move(100000)", "Last", show=False, id="pick.last"),
    ]

    cursor: reactive[int] = reactive(0, repaint=False)
    """The line of the cursor, 0-based."""

    @dataclass
    class Clicked(Message):
        """A line was clicked; the cursor is on it."""

        picks: "PickList"
        key: str

        @property
        def control(self) -> "PickList":
            return self.picks

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002  # Textual's own parameter
        super().__init__(id=id, classes=classes)
        self.empty = ""
        """The text of an empty list."""
        self._picks: tuple[Pick, ...] = ()
        self._labels: tuple[str, ...] = ()

    def show(self, picks: Sequence[Pick], cursor: int = 0) -> None:
        """Replace the lines and put the cursor on one of them."""
        self._picks = tuple(picks)
        self._labels = tuple(pick.label for pick in self._picks if not pick.heading)
        self.set_reactive(PickList.cursor, self.validate_cursor(cursor))
        self.set_extent(self.viewport.width, len(self._picks))
        self._reveal()
        self.repaint_changed()

    @property
    def picks(self) -> Sequence[Pick]:
        """The lines."""
        return self._picks

    @property
    def key(self) -> str | None:
        """The key of the line under the cursor; None in an empty list."""
        return self.pick.key if self.pick else None

    @property
    def pick(self) -> Pick | None:
        """The line under the cursor; None in an empty list."""
        return self._picks[self.cursor] if self._picks else None

    def line_strip(self, line: int) -> Strip:
        width = self.viewport.width
        if not self._picks and self.empty:
            words = wrap(self.empty, max(1, width))
            return self.strip([(words[line] if line < len(words) else "", "dim")])
        if line >= len(self._picks):
            return Strip.blank(width, self.rich_style)
        pick = self._picks[line]
        under = line == self.cursor
        if pick.heading:
            return self.strip([(cell(f" {pick.label}", width), "header")])
        box = "" if pick.ticked is None else "[x] " if pick.ticked else "[ ] "
        label, note = self.texts_of(pick, max(1, width - 1 - len(box)))
        parts = [(">" if under else " ", "strong"), (f"{box}{label}", "strong" if pick.strong else ""), (note, "dim")]
        return self.strip(parts, self.cursor_style if under else "")

    @property
    def cursor_style(self) -> str:
        """How the line under the cursor is painted."""
        return "cursor"

    def texts_of(self, pick: Pick, room: int) -> tuple[str, str]:
        """Return the label of a line and what is said of it, as they stand in this many cells together."""
        width = self._label_width(room)
        rest = room - width
        return cell(short_name(pick.label, width, self._labels), width), cell(
            f"{_GAP}{pick.note}", rest
        ) if rest else ""

    def _label_width(self, room: int) -> int:
        """Cells of every label: all that it needs where that leaves what is said of each whole, else a fair share."""
        label = max((cell_len(clean(pick.label)) for pick in self._picks if not pick.heading), default=1)
        note = max(cell_len(clean(pick.note)) for pick in self._picks)
        if not note or label + len(_GAP) + note <= room:
            return min(label, room)
        return max(1, min(label, WIDEST, room * 3 // 5, max(NARROWEST, room - note - len(_GAP))))

    def validate_cursor(self, cursor: int) -> int:
        """Return the line to pick there; past a heading, which has lines beneath it, in the way the cursor goes."""
        at = max(0, min(cursor, len(self._picks) - 1))
        if not self._picks or not self._picks[at].heading:
            return at
        return at - 1 if 0 < at < self.cursor else at + 1

    def watch_cursor(self, old: int, new: int) -> None:
        self._reveal()
        self.repaint_lines(old, new)

    def _reveal(self) -> None:
        """Scroll if the cursor is out of sight, no further than it must."""
        top, height = self.scroll_offset.y, self.viewport.height
        if height and not top <= self.cursor < top + height:
            # What stands above the first line of a group is seen with it, where there is room for both.
            first = self.cursor - (height > 1 and self.cursor > 0 and self._picks[self.cursor - 1].heading)
            self.scroll_to(y=first if self.cursor < top else self.cursor - height + 1, force=True)

    def action_move(self, by: int) -> None:
        self.cursor += by

    def on_click(self, event: Click) -> None:
        offset = event.get_content_offset(self)
        line = -1 if offset is None else offset.y + self.scroll_offset.y
        if 0 <= line < len(self._picks) and not self._picks[line].heading:
            self.cursor = line
            self.post_message(self.Clicked(self, self._picks[line].key))

    def on_resize(self) -> None:
        self.set_extent(self.viewport.width, len(self._picks))
        # From the top as far as the cursor needs, so that a size that comes back brings the same lines.
        self.scroll_to(y=max(0, self.cursor - self.viewport.height + 1), force=True)
        self.repaint_changed()


# -- a list of texts, a line each, with what is said of them at the right edge; one of several panes beside each other


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
        return max((cell_len(clean(pick.note)) for pick in self._picks), default=0)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if old != new:
            self.post_message(self.Moved(self))

    def on_focus(self) -> None:
        self.repaint_lines(self.cursor)

    def on_blur(self) -> None:
        self.repaint_lines(self.cursor)
