"""How a screen's table is arranged: its order and its columns."""

from collections.abc import Sequence
from typing import ClassVar

from inspector.screens.column_menu import ColumnMenu
from inspector.screens.controller import AnyScreen_co, Controller
from inspector.screens.sort_menu import SortMenu, sort_of
from inspector.state.case_list.catalogue import Entry, entry_of
from inspector.widgets.columns import TableColumn
from inspector.widgets.frame_table import FrameTable
from scoring.selection.ordering import DIRECTIONS


class Arranging(Controller[AnyScreen_co]):
    """Chooses the order and the columns of a table; subclasses know which there are, and where the choice is kept."""

    OF: ClassVar[str]
    """Whose columns they are."""

    @property
    def table(self) -> FrameTable:
        """The table that is arranged."""
        raise NotImplementedError

    @property
    def order(self) -> str:
        """The sort key now."""
        raise NotImplementedError

    def entries(self) -> Sequence[Entry]:
        """Return every column that there is, in the order of menus."""
        raise NotImplementedError

    def columns_here(self) -> list[tuple[str, str]]:
        """Return the names of the columns on screen, and what stands in them."""
        raise NotImplementedError

    def columns(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the keys of the columns now, of the usual columns, and of those hidden as empty."""
        raise NotImplementedError

    def sort(self, sort: str) -> None:
        """Show the rows in an order."""
        raise NotImplementedError

    def arrange(self, columns: tuple[str, ...]) -> None:
        """Show other columns, () for the usual ones, and keep them with their widths for the next time."""
        raise NotImplementedError

    def keep_widths(self) -> None:
        """Keep the widths that a person gave."""
        raise NotImplementedError

    # -- the order

    def sort_mark(self) -> tuple[str, str]:
        """Return the name of the column that rows are sorted by, and its mark."""
        key, _, direction = self.order.rpartition(":")
        if direction not in DIRECTIONS:
            key, direction = self.order, DIRECTIONS[0]
        up, down = "^v" if self.context.glyphs.ascii_only else "↑↓"
        return key, up if direction == DIRECTIONS[0] else down

    def action_sort(self) -> None:
        """Choose a column to sort by."""
        self.screen.close_rail()
        self.screen.app.push_screen(SortMenu(self.entries(), self.order), self._sort)

    def sort_by(self, column: TableColumn) -> None:
        """Sort by the column, then the other way; by a picture or a list nothing can be sorted."""
        known = {entry.key: entry for entry in self.entries()}
        entry = known.get(column.name) or entry_of(column.name)
        if not entry.sortable:
            self.screen.notify(f"{entry.title[0].upper()}{entry.title[1:]} has no order to sort by.", markup=False)
            return
        self.screen.close_rail()
        self._sort(sort_of(entry, self.order))

    def _sort(self, sort: str | None) -> None:
        if sort is not None:
            self.sort(sort)
            # What comes first is what an order is chosen for.
            self.table.action_first()

    # -- the columns

    def columns_offered(self) -> list[Entry]:
        """Return every column that the table can show."""
        return [entry for entry in self.entries() if entry.listable]

    def to_column(self, key: str) -> None:
        """Put the cell cursor on a column, which is shown if it was not."""
        self.screen.close_rail()
        table = self.table
        if key not in {column.name for column in table.columns_shown}:
            now, _, _ = self.columns()
            self.arrange((*(name for name in now if name != key), key))
        table.focus()
        table.cell_name = key

    def action_columns(self) -> None:
        """Choose the columns."""
        self.screen.close_rail()
        menu = ColumnMenu(self.table, self.entries(), *self.columns(), self.OF)
        self.screen.app.push_screen(menu, self._arrange)

    def _arrange(self, columns: tuple[str, ...] | None) -> None:
        if columns is not None:
            self.arrange(columns)
