"""A pane of prepared lines with a cursor that goes from number to number."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message

from inspector.render.lines import CaseLink, Piece, Sheet
from inspector.render.texts.frame_edges import FRAME
from inspector.render.texts.text import TextPart, clean
from inspector.widgets.key_table.command import (
    DOWN,
    FIRST,
    HALF_DOWN,
    HALF_UP,
    LAST,
    LEFT,
    OPEN,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    UP,
)
from inspector.widgets.line_scroll import Sized
from inspector.widgets.line_view import Line, LineView

HERE = "spot"
"""The style of the number under the cursor."""
FRAME_FOCUS = "frame-focus"
_HEAVY = str.maketrans("╭╮╰╯─│+-|", "┏┓┗┛━┃#=#")


class SheetSpot(NamedTuple):
    """A number that opens cases: its line, position on the line, first cell (all 0-based) and width in cells.

    `panel` is the number of its panel, or None.
    """

    line: int
    place: int
    start: int
    width: int
    piece: Piece
    panel: int | None = None


class SheetView(Sized, LineView):
    """A sheet. State is given by `show_sheet`; the cursor stays on its number while lines are made anew."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(DOWN, "line(1)", "Next line", show=False, id="sheet.down"),
        Binding(UP, "line(-1)", "Line before", show=False, id="sheet.up"),
        Binding(RIGHT, "place(1)", "Next number", show=False, id="sheet.next"),
        Binding(LEFT, "place(-1)", "Number before", show=False, id="sheet.before"),
        Binding(PAGE_DOWN, "page(1)", "Next page", show=False, id="sheet.page-down"),
        Binding(PAGE_UP, "page(-1)", "Page before", show=False, id="sheet.page-up"),
        Binding(HALF_DOWN, "page(0.5)", "Half a page down", show=False, id="sheet.half-down"),
        Binding(HALF_UP, "page(-0.5)", "Half a page up", show=False, id="sheet.half-up"),
        Binding(FIRST, "edge(0)", "First number", show=False, id="sheet.first"),
        Binding(LAST, "edge(-1)", "Last number", show=False, id="sheet.last"),
        Binding(OPEN, "open", "Its cases", show=False, id="sheet.open"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"line--{HERE}"}
    DEFAULT_CSS = """
    SheetView {
        & > .line--spot { text-style: bold reverse; }
    }
    """

    @dataclass
    class Moved(Message):
        """The cursor stands on another number, or the number under it has other cases; None: on none."""

        view: "SheetView"
        drill: CaseLink | None

        @property
        def control(self) -> "SheetView":
            return self.view

    @dataclass
    class Opened(Message):
        """The cases behind a number were asked for."""

        view: "SheetView"
        drill: CaseLink

        @property
        def control(self) -> "SheetView":
            return self.view

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own parameter
        super().__init__(name=name, id=id, classes=classes)
        self._sheet = Sheet()
        self._spots: list[SheetSpot] = []
        self._at = 0

    @property
    def sheet(self) -> Sheet:
        """What is shown."""
        return self._sheet

    @property
    def spots(self) -> tuple[SheetSpot, ...]:
        """The numbers that open cases, line by line."""
        return tuple(self._spots)

    @property
    def drill(self) -> CaseLink | None:
        """What the number under the cursor opens; None where there is no number."""
        return self._spots[self._at].piece.drill if self._spots else None

    @property
    def panel(self) -> int | None:
        """The number of the panel with the cursor; the first panel of a sheet without numbers; None without panels."""
        if self._spots:
            return self._spots[self._at].panel
        return next((piece.panel for row in self._sheet.lines for piece in row if piece.panel is not None), None)

    def turn_panel(self, by: int) -> bool:
        """Move the cursor to the first number of the next or previous panel; return False at the end."""
        panels, panel = self.panels, self.panel
        if panel not in panels:
            return False
        at = panels.index(panel) + by
        if not 0 <= at < len(panels):
            return False
        self.enter_panel(panels[at])
        return True

    def enter_panel(self, panel: int | None) -> None:
        """Move the cursor to the first number of a panel, and scroll the top of its frame into view if it fits."""
        first = next((at for at, spot in enumerate(self._spots) if spot.panel == panel), None)
        if first is None:
            return
        self._move(first)
        rows = [number for number, row in enumerate(self._sheet.lines) if any(piece.panel == panel for piece in row)]
        if self._spots[first].line - rows[0] < self.viewport.height:
            self.scroll_to_line(min(rows[-1], rows[0] + self.viewport.height - 1))
            self.scroll_to_line(rows[0])

    @property
    def panels(self) -> list[int]:
        """Numbers of the panels with links to cases, in order."""
        return sorted({spot.panel for spot in self._spots if spot.panel is not None})

    def show_sheet(self, sheet: Sheet) -> None:
        """Replace the lines; the cursor stays where it was, as nearly as there is a number."""
        old, before = self._spots, self._at
        old_drill = self.drill
        self._sheet, self._spots = sheet, list(_spots(sheet))
        if old and self._spots:
            self._at = self._same(old, before)
        self._at = min(self._at, max(0, len(self._spots) - 1))
        self.show(self._marked(), keep_scroll=True)
        if self.drill is not old_drill:
            self.post_message(self.Moved(self, self.drill))

    def go_to(self, line: int, place: int) -> None:
        """Put the cursor on the number at a line and a place on it (both 0-based), or the nearest one."""
        if self._spots:
            self._move(self._nearest(SheetSpot(line, place, 0, 0, Piece(""))))

    def _same(self, old: list[SheetSpot], before: int) -> int:
        """Return the index of the number that was under the cursor: the one with the same cases, else the nearest.

        Several numbers with the same cases keep their order, so that the number is found after a change of width or
        content. The nearest number is measured from the first number of its panel, since panels above may have grown.
        """
        drill = old[before].piece.drill
        earlier = sum(spot.piece.drill == drill for spot in old[:before])
        alike = [at for at, spot in enumerate(self._spots) if spot.piece.drill == drill]
        if alike:
            return alike[min(earlier, len(alike) - 1)]
        spot = old[before]
        began, begins = (_first_line(spots, spot.panel) for spots in (old, self._spots))
        return self._nearest(spot if begins is None else spot._replace(line=spot.line + begins - (began or 0)))

    def _nearest(self, spot: SheetSpot) -> int:
        """Where the same number is: at the same place, else on the same line, else on the next one with a number."""
        here = [at for at, other in enumerate(self._spots) if other.line == spot.line]
        if not here:
            return min(bisect_left(self._spots, spot.line, key=lambda other: other.line), len(self._spots) - 1)
        return min(here, key=lambda at: abs(self._spots[at].place - spot.place))

    def _marked(self) -> list[Line]:
        """Return the lines; with the focus, mark the number under the cursor and draw its panel with a heavy frame."""
        here = self._spots[self._at] if self._spots and self.has_focus else None
        panel = self.panel if self.has_focus else None

        def part(piece: Piece, number: int, place: int) -> TextPart:
            if here is not None and (here.line, here.place) == (number, place):
                return piece.text, f"{piece.style} {HERE}".strip()
            if panel is not None and piece.panel == panel:
                text = piece.text.translate(_HEAVY) if piece.style == FRAME else piece.text
                return text, piece.style.replace(FRAME, FRAME_FOCUS)
            return piece.part

        return [
            Line([part(piece, number, place) for place, piece in enumerate(row)])
            for number, row in enumerate(self._sheet.lines)
        ]

    def _move(self, at: int) -> None:
        if not self._spots:
            return
        changed, self._at = at != self._at, at
        self.show(self._marked(), keep_scroll=True)
        self._reveal()
        if changed:
            self.post_message(self.Moved(self, self.drill))

    def _reveal(self) -> None:
        """Scroll as little as shows the number under the cursor; at the first one, what stands above it as well."""
        spot = self._spots[self._at]
        self.scroll_to_line(0 if self._at == 0 and spot.line < self.viewport.height else spot.line)
        left, width = self.scroll_offset.x, self.viewport.width
        if spot.start < left:
            self.scroll_to(x=0 if spot.start + spot.width <= width else spot.start, force=True)
        elif spot.start + spot.width > left + width:
            self.scroll_to(x=spot.start + spot.width - width, force=True)

    # -- keys

    def action_line(self, by: int) -> None:
        """Go to the nearest number on the next line that has one, or, where that is far, as far as half the pane."""
        height, first = self.viewport.height, self.scroll_offset.y
        target = self._line_from(by)
        seen = range(first - height // 2, first + height + height // 2)
        if target is None or self._spots[target].line not in seen:
            self.scroll_to(y=first + by * max(1, height // 2), force=True)
        else:
            self._move(target)

    def _line_from(self, by: int) -> int | None:
        """Of the next line with numbers (or the one before) the number above or below the cursor; None past the end."""
        if not self._spots:
            return None
        here = self._spots[self._at]
        lines = sorted({spot.line for spot in self._spots})
        at = bisect_right(lines, here.line) if by > 0 else bisect_left(lines, here.line) - 1
        if not 0 <= at < len(lines):
            return None
        return self._beneath(lines[at], here)

    def _beneath(self, line: int, here: SheetSpot) -> int:
        middle = here.start + here.width / 2
        there = [at for at, spot in enumerate(self._spots) if spot.line == line]
        return min(there, key=lambda at: abs(self._spots[at].start + self._spots[at].width / 2 - middle))

    def action_place(self, by: int) -> None:
        """Go to the next number on the line, or the one before; past its end, scroll sideways if there is more."""
        if not self._spots:
            self.scroll_relative(x=by * 8, force=True)
            return
        at = self._at + by
        if 0 <= at < len(self._spots) and self._spots[at].line == self._spots[self._at].line:
            self._move(at)
        else:
            self.scroll_relative(x=by * 8, force=True)

    def action_page(self, by: float) -> None:
        """Turn so many pages on, or back where it is negative, with the cursor on a number that is seen there."""
        height, before = max(1, self.viewport.height - 1), self.scroll_offset.y
        self.scroll_to(y=before + (int(by * height) or (1 if by > 0 else -1)), force=True)
        if not self._spots:
            return
        if self.scroll_offset.y == before:
            self._move(-1 % len(self._spots) if by > 0 else 0)
            return
        first, last = self.scroll_offset.y, self.scroll_offset.y + self.viewport.height - 1
        seen = [at for at, spot in enumerate(self._spots) if first <= spot.line <= last]
        # Half a page leaves it where it was, as far as that is still seen.
        if seen and (abs(by) >= 1 or self._at not in seen):
            line = self._spots[seen[0] if by > 0 else seen[-1]].line
            self._move(self._beneath(line, self._spots[self._at]))
            # The first number brings what stands above it, which would take the page back.
            self.scroll_to(y=first, force=True)

    def action_edge(self, to: int) -> None:
        """Go to the first number, or the last."""
        self.scroll_to(y=0 if to == 0 else self.line_count, force=True)
        if self._spots:
            self._move(to % len(self._spots))
            if to:
                self.scroll_to(y=self.line_count, force=True)

    def action_open(self) -> None:
        """Ask for the cases behind the number under the cursor; where there is none, the key is the screen's."""
        if (drill := self.drill) is None:
            raise SkipAction
        self.post_message(self.Opened(self, drill))

    # -- mouse and focus

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        line, cell = offset.y + self.scroll_offset.y, offset.x + self.scroll_offset.x
        hit = [at for at, spot in enumerate(self._spots) if spot.line == line and 0 <= cell - spot.start < spot.width]
        if hit:
            event.stop()
            self._move(hit[0])
            self.action_open()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.show(self._marked(), keep_scroll=True)


def _spots(sheet: Sheet) -> list[SheetSpot]:
    spots = []
    for number, row in enumerate(sheet.lines):
        cell, panel = 0, None
        for place, piece in enumerate(row):
            width = cell_len(clean(piece.text))
            panel = piece.panel if piece.panel is not None else panel
            if piece.drill is not None:
                spots.append(SheetSpot(number, place, cell, width, piece, panel))
            cell += width
    return spots


def _first_line(spots: list[SheetSpot], panel: int | None) -> int | None:
    return next((spot.line for spot in spots if spot.panel == panel), None)
