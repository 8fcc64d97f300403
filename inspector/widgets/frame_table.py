"""The virtual table: a view of any length over a frame, of which only the rows on screen are ever made."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.cache import FIFOCache
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap
from inspector.widgets.columns import FittedColumns, RowSource, TableColumn, TableRow, with_widths
from inspector.widgets.frame_rows import FrameRows
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
from inspector.widgets.line_scroll import LineScroll, Sized

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
    from textual import events


# -- the cell cursor of a table: the column in which the cursor of its rows stands


class CellCursor(LineScroll):
    """A table whose columns the cursor moves through; it is not seen before the first move."""

    cell_name: reactive[str] = reactive("", repaint=False)
    """The name of the column in which the cell cursor stands; "" is none. It may not be shown now."""

    cursor: reactive[int]
    _columns: FittedColumns
    _rows: "FrameRows | None"

    @property
    def cell(self) -> "tuple[TableColumn, Any] | None":
        """The column and the value under the cell cursor; None where there is no row or no cell is chosen."""
        place = self._cell
        if place is None or not self._rows:
            return None
        return self._columns.shown[place], self._columns.value(self._rows.values(self.cursor), place)

    @property
    def _cell(self) -> int | None:
        names = [column.name for column in self._columns.shown]
        return names.index(self.cell_name) if self.cell_name in names else None

    def action_cell(self, by: int) -> None:
        """Move the cell cursor; the first press shows it where it is."""
        columns, place = self._columns.shown, self._cell
        if columns:
            place = self._first_cell() if place is None else max(0, min(place + by, len(columns) - 1))
            self.cell_name = columns[place].name

    def _first_cell(self) -> int:
        """Where the cell cursor appears: in the column that says so, else in the first."""
        return next((place for place, column in enumerate(self._columns.shown) if column.start), 0)

    def watch_cell_name(self) -> None:
        self._reveal_cell()
        # Only the cells up to the last one that changed are written.
        self.repaint_changed()

    def _reveal_cell(self) -> None:
        """Scroll sideways if the cell is out of sight; of the first cell, to the very left."""
        if (place := self._cell) is None:
            return
        start, end = self._columns.extent(place)
        left, width = self.scroll_offset.x, self.viewport.width
        if start < left or end > left + width:
            self.scroll_to(x=max(0, end - width) if place else 0, force=True)


STRIPS_KEPT = 1024
PLAIN, CURSOR, CURSOR_BLURRED = "", "cursor", "cursor-blurred"


class FrameTable(Sized, CellCursor, can_focus=True):
    """Rows of an immutable frame in the order of a view.

    The frame is any polars DataFrame, or a source that makes only the rows on screen; the view an int32 array of row
    ids, the result of filtering and sorting, which never make a new frame. Nothing but a few passes over the view in
    `show` takes longer with more rows.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(DOWN, "move(1)", "Next row", show=False, id="table.down"),
        Binding(UP, "move(-1)", "Previous row", show=False, id="table.up"),
        Binding(PAGE_DOWN, "turn(1)", "Next page", show=False, id="table.page-down"),
        Binding(PAGE_UP, "turn(-1)", "Previous page", show=False, id="table.page-up"),
        Binding(HALF_DOWN, "turn(0.5)", "Half a page down", show=False, id="table.half-down"),
        Binding(HALF_UP, "turn(-0.5)", "Half a page up", show=False, id="table.half-up"),
        Binding(FIRST, "first", "First row", show=False, id="table.first"),
        Binding(LAST, "last", "Last row", show=False, id="table.last"),
        Binding(LEFT, "cell(-1)", "Cell before", show=False, id="table.cell-before"),
        Binding(RIGHT, "cell(1)", "Next cell", show=False, id="table.cell-next"),
        Binding(OPEN, "open", "Open", id="table.open"),
    ]
    fixed_lines = 1
    fixed_cells = 1

    cursor: reactive[int] = reactive(0, repaint=False)
    """Position in the view, 0-based; 0 in an empty view."""
    marked: reactive[frozenset[Any]] = reactive(frozenset(), repaint=False)
    """The keys of the rows that a person marked."""
    sorted_by: reactive[tuple[str, str]] = reactive(("", ""), repaint=False)
    """The name of the column by which rows are sorted, and the mark (one cell) before its title."""
    widths: "reactive[Mapping[str, int]]" = reactive(dict, repaint=False, init=False)
    """Cells that a person gave columns, by name: those of other tables may be among them."""
    empty: reactive[str] = reactive("", repaint=False)
    """The sentence in the middle of a view without rows."""
    foot: "reactive[tuple[Sequence[TextPart], ...]]" = reactive((), repaint=False)
    """Lines below the last row; at the lower edge if rows are scrolled."""

    @dataclass
    class RowMessage(Message):
        """About the row with this 0-based id in the frame and this value in the key column."""

        table: "FrameTable"
        row_id: int
        key: Any

        @property
        def control(self) -> "FrameTable":
            return self.table

    class Highlighted(RowMessage):
        """The cursor moved, or stands on another key after `show`."""

    class Opened(RowMessage):
        """Enter was pressed, or the row under the cursor was clicked."""

    @dataclass
    class HeaderClicked(Message):
        """The title of a column was clicked."""

        table: "FrameTable"
        column: TableColumn

        @property
        def control(self) -> "FrameTable":
            return self.table

    @dataclass
    class WidthsChanged(Message):
        """A person dragged the edge of a column; `widths` is what they gave columns by now."""

        table: "FrameTable"

        @property
        def control(self) -> "FrameTable":
            return self.table

    def __init__(
        self,
        *,
        empty: str = "",
        mark: str = "▌",
        chosen: tuple[str, str] = ("◇", "◆"),
        null: str = "–",
        name: str | None = None,
        id: str | None = None,  # noqa: A002 - Textual's own parameter
        classes: str | None = None,
    ) -> None:
        """A table that shows nothing yet.

        `mark` (one cell) stands before the row under the cursor, so that it is seen without colour too, `chosen` before
        rows that a person marked, the second where the cursor is; `null` stands for a missing value.
        """
        super().__init__(name=name, id=id, classes=classes)
        self.set_reactive(FrameTable.empty, empty)
        self._mark, self._chosen = mark, chosen
        self._null = null
        self._rows: FrameRows | None = None
        self._given: tuple[TableColumn, ...] = ()
        self._columns = FittedColumns((), (), 0)
        self._edge: tuple[str, int] | None = None
        self._dragged = False
        self._strips: FIFOCache[tuple[int, str, int | None, bool], tuple[TableRow, Strip]] = FIFOCache(STRIPS_KEPT)

    # -- what is shown

    def show(
        self,
        frame: "pl.DataFrame | RowSource",
        view: "NDArray[np.int32]",
        columns: "Sequence[TableColumn] | None" = None,
        *,
        key: str = "case",
    ) -> Self:
        """Replace what is shown; of the lines on screen only those that changed are written.

        The cursor stays on the row with the same value in the column `key`, and that row at the same height of the
        screen. If the row is gone, the cursor goes to the next one after it that is still there, else to the one before
        it. `columns` stay as they are if left out. Raises polars' ColumnNotFoundError for a column the frame lacks.
        """
        if columns is not None:
            self._given = tuple(columns)
        fitted = FittedColumns.of(with_widths(self._given, self.widths), frame, self.viewport.width)
        rows = FrameRows(frame, view, key, fitted.sources)
        before, old_key, height = self._rows, self.key, self.cursor - self.scroll_offset.y
        self.set_reactive(FrameTable.cursor, 0 if before is None else rows.follow(self.cursor, before))
        self._rows = rows
        self._set_columns(fitted)
        self._fit()
        self.scroll_to(y=self.cursor - height, force=True)
        self.repaint_changed()
        if self.key != old_key:
            self._tell(self.Highlighted)
        return self

    @property
    def row_count(self) -> int:
        """How many rows the view has."""
        return 0 if self._rows is None else len(self._rows)

    @property
    def row_id(self) -> int | None:
        """The id in the frame of the row under the cursor; None in an empty view."""
        return self._rows.row_id(self.cursor) if self._rows else None

    @property
    def key(self) -> Any:
        """The value in the key column of the row under the cursor; None in an empty view."""
        return self._rows.key(self.cursor) if self._rows else None

    @property
    def columns_shown(self) -> "tuple[TableColumn, ...]":
        """The columns for which there is room at the present width."""
        return self._columns.shown

    def width_of(self, name: str) -> int:
        """Return the cells of the column called `name`; 0 where there is no room for it."""
        visible = zip(self._columns.shown, self._columns.widths, strict=True)
        return next((width for column, width in visible if column.name == name), 0)

    @property
    def page(self) -> int:
        """How many rows are on screen at once."""
        return max(0, self.viewport.height - self.fixed_lines - len(self.foot))

    def go_to(self, key: Any) -> bool:
        """Put the cursor on the first row with this key; False if the view has none."""
        position = self._rows.find(key) if self._rows else None
        if position is None:
            return False
        self.cursor = position
        return True

    def _set_columns(self, columns: FittedColumns) -> None:
        if columns != self._columns:
            self._columns = columns
            self.forget_strips()

    def _fit_columns(self) -> None:
        available = self.viewport.width
        if available != self._columns.available:
            self._set_columns(replace(self._columns, available=available))

    def _fit(self) -> None:
        """Adapt the columns to the width of the pane, and the scrollbars to both."""
        self._fit_columns()
        self.set_extent(self._columns.width, self.row_count + self.fixed_lines + len(self.foot))

    # -- painting

    def forget_strips(self) -> None:
        self._strips.clear()

    def _visible_strip(self, y: int) -> Strip:
        first = min(self.fixed_lines + self.row_count, self.viewport.height - len(self.foot))
        if self.row_count and 0 <= y - first < len(self.foot):
            width = self.viewport.width
            return self.strip(self.foot[y - first]).crop_extend(0, width, self.line_style(""))
        return super()._visible_strip(y)

    def line_strip(self, line: int) -> Strip:
        # The first paint at a new size comes before the message that says so.
        self._fit_columns()
        if line == 0:
            return self.strip([(self._columns.header(*self.sorted_by), "")], "header")
        if self._rows is None:
            # What there is to show is not known yet: nothing would be a wrong answer.
            return Strip([], 0)
        if not self._rows:
            return self._empty_line(line)
        position = line - 1
        if position >= len(self._rows):
            return Strip([], 0)
        kind = PLAIN if position != self.cursor else CURSOR if self.has_focus else CURSOR_BLURRED
        at = None if kind == PLAIN else self._cell
        chosen = bool(self.marked) and self._rows.key(position) in self.marked
        cached = (self._rows.row_id(position), kind, at, chosen)
        values = self._rows.values(position)
        known = self._strips.get(cached)
        # Equal values look the same, whichever frame they are from.
        if known is not None and known[0] == values:
            return known[1]
        margin = self._chosen[kind != PLAIN] if chosen else " " if kind == PLAIN else self._mark
        strip = self.strip(self._columns.row(values, margin=margin, null=self._null, cell_at=at), kind)
        self._strips[cached] = values, strip
        return strip

    def _empty_line(self, line: int) -> Strip:
        width = self.viewport.width
        sentence = wrap(clean(self.empty), width)
        number = line - self.fixed_lines - (self.page - len(sentence)) // 2
        if not 0 <= number < len(sentence):
            return Strip([], 0)
        text = sentence[number]
        margin = self.scroll_offset.x + (width - cell_len(text)) // 2
        return self.strip([(" " * margin, ""), (text, "dim")])

    def watch_marked(self) -> None:
        self.repaint_changed()

    def watch_widths(self) -> None:
        self._set_columns(replace(self._columns, columns=with_widths(self._given, self.widths)))
        self._fit()
        self.repaint_changed()

    def watch_sorted_by(self) -> None:
        self.repaint_changed()

    def watch_empty(self) -> None:
        self.repaint_changed()

    def watch_foot(self) -> None:
        self._fit()
        self.repaint_changed()

    # -- moving

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, self.row_count - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        self._reveal()
        self.repaint_lines(old + self.fixed_lines, new + self.fixed_lines)
        self._tell(self.Highlighted)

    def _reveal(self) -> None:
        """Scroll if the cursor is out of sight, and then to the middle: half a page of key presses scrolls once.

        Scrolling writes the whole pane, a move of the cursor two lines; over a slow connection that is the difference.
        """
        top, page = self.scroll_offset.y, self.page
        if page and not top <= self.cursor < top + page:
            self.scroll_to(y=self.cursor - page // 2, force=True)

    def action_move(self, rows: int) -> None:
        self.cursor += rows

    def action_first(self) -> None:
        self.cursor = 0

    def action_last(self) -> None:
        self.cursor = self.row_count - 1

    def action_turn(self, pages: float) -> None:
        """Turn so many pages on, or back where it is negative."""
        rows = int(pages * self.page) or (1 if pages > 0 else -1)
        self.scroll_to(y=self.scroll_offset.y + rows, force=True)
        self.cursor += rows

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's own
        """Return whether a key works: with no row to open, whoever holds the table is asked instead, and says why."""
        return action != "open" or self.row_count > 0

    def action_open(self) -> None:
        self._tell(self.Opened)

    def on_resize(self) -> None:
        self._fit()
        self._reveal()
        self.repaint_changed()

    # -- the mouse

    def on_mouse_down(self, event: "events.MouseDown") -> None:
        """Take hold of the edge of a column, in the header."""
        self._dragged = False
        x, place = event.x + self.scroll_offset.x, None
        if event.y == 0:
            place = self._columns.edge_at(x)
        if place is not None:
            self._edge = self._columns.shown[place].name, x - self._columns.widths[place]
            self.capture_mouse()

    def on_mouse_move(self, event: "events.MouseMove") -> None:
        if self._edge is None:
            return
        name, start = self._edge
        width = max(1, event.x + self.scroll_offset.x - start)
        if width != self.width_of(name):
            self._dragged = True
            self.widths = {**self.widths, name: width}

    def on_mouse_up(self) -> None:
        if self._edge is not None:
            self._edge = None
            self.release_mouse()
            if self._dragged:
                self.post_message(self.WidthsChanged(self))

    def on_click(self, event: "events.Click") -> None:
        offset = event.get_content_offset(self)
        # The end of a drag is a click as well.
        if offset is None or self._dragged:
            return
        if offset.y == 0:
            column = self._columns.at(offset.x + self.scroll_offset.x)
            if column is not None:
                self.post_message(self.HeaderClicked(self, column))
            return
        position = offset.y - 1 + self.scroll_offset.y
        column = self._columns.at(offset.x + self.scroll_offset.x)
        if self.cell_name and column is not None and position < self.row_count:
            self.cell_name = column.name
        if position == self.cursor:
            self.action_open()
        elif position < self.row_count:
            self.cursor = position

    def _tell(self, message: "type[FrameTable.RowMessage]") -> None:
        row_id = self.row_id
        if row_id is not None:
            self.post_message(message(self, row_id, self.key))
