"""How the list is arranged: its order and its columns."""

from typing import TYPE_CHECKING

from inspector.case_columns import case_columns, chosen_keys, usual_keys
from inspector.catalogue import catalogue, entry_of
from inspector.inspection import Inspection
from inspector.ordering import DIRECTIONS
from inspector.screens.column_menu import ColumnMenu
from inspector.screens.controller import Controller
from inspector.screens.sort_menu import SortMenu, sort_of
from inspector.widgets.columns import Column

if TYPE_CHECKING:
    from inspector.screens.cases import CasesScreen


class Arranging(Controller):
    """Chooses the order and the columns of the list."""

    screen: "CasesScreen"

    _arranged: tuple[object, ...] = ()
    """What the columns on screen were made for."""

    def columns_now(self, inspection: Inspection, *, blind: bool) -> list[Column] | None:
        """The columns of the list where they are others than before; else None, so that the list keeps its own.

        See `case_columns`.
        """
        keys, searching = chosen_keys(inspection) or usual_keys(inspection), inspection.selection.found is not None
        made_for = (inspection.scorer, inspection.benchmark, inspection.span, keys, searching, blind)
        if made_for == self._arranged:
            return None
        self._arranged = made_for
        return case_columns(inspection, self.screen.brush, blind=blind)

    def sort_mark(self, inspection: Inspection) -> tuple[str, str]:
        """The name of the column that the list is sorted by, and its mark."""
        key, _, direction = inspection.selection.request.sort.rpartition(":")
        if direction not in DIRECTIONS:
            key, direction = inspection.selection.request.sort, "asc"
        up, down = "^v" if self.screen.brush.ascii_only else "↑↓"
        return key, up if direction == "asc" else down

    # -- the order

    def action_sort(self) -> None:
        """Choose a column to sort by."""
        self.screen.close_rail()
        if self.inspection is not None:
            now = self.inspection.selection.request.sort
            self.screen.app.push_screen(SortMenu(catalogue(self.inspection), now), self._sort)

    def _sort(self, sort: str | None) -> None:
        if sort is not None and self.inspection is not None:
            self.screen.put(self.inspection.ordered(sort))
            # What comes first is what an order is chosen for.
            self.screen.table.action_first()

    def sort_by(self, column: Column) -> None:
        """Sort by the column, then the other way; by a picture or a list nothing can be sorted."""
        if self.inspection is None:
            return
        entry = entry_of(column.name)
        known = {one.key: one for one in catalogue(self.inspection)}
        if not known.get(entry.key, entry).sortable:
            self.screen.notify(f"{entry.title[0].upper()}{entry.title[1:]} has no order to sort by.", markup=False)
            return
        self.screen.close_rail()
        self._sort(sort_of(entry, self.inspection.selection.request.sort))

    # -- the columns

    def action_columns(self) -> None:
        """Choose the columns of the list."""
        self.screen.close_rail()
        if self.inspection is not None:
            usual = usual_keys(self.inspection)
            shown = chosen_keys(self.inspection) or usual
            self.screen.app.push_screen(ColumnMenu(catalogue(self.inspection), shown, usual), self._arrange)

    def _arrange(self, columns: tuple[str, ...] | None) -> None:
        if columns is not None and self.inspection is not None:
            self.screen.remembered.keep(columns=columns)
            self.screen.put(self.inspection.arranged(columns))
