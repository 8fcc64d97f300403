"""The cell cursor of a table: the column in which the cursor of its rows stands."""

from typing import TYPE_CHECKING, Any

from textual.reactive import reactive

from inspector.widgets.columns import FittedColumns
from inspector.widgets.line_scroll import LineScroll

if TYPE_CHECKING:
    from inspector.widgets.columns import Column
    from inspector.widgets.frame_rows import FrameRows


class CellCursor(LineScroll):
    """A table whose columns the cursor moves through; it is not seen before the first move."""

    cell_name: reactive[str] = reactive("", repaint=False)
    """The name of the column in which the cell cursor stands; "" is none. It may not be shown now."""

    cursor: reactive[int]
    _columns: FittedColumns
    _rows: "FrameRows | None"

    @property
    def cell(self) -> "tuple[Column, Any] | None":
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
