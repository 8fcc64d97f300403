"""How the list is arranged: its order and its columns."""

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.case_columns import case_columns, chosen_keys, empty_keys, usual_keys
from inspector.catalogue import OF_FILE, Entry, catalogue, entry_of
from inspector.inspection import Inspection
from inspector.ordering import DIRECTIONS
from inspector.phrases import Phrase
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
    _empty: tuple[str, ...] = ()
    """Columns that are not shown because no row listed has a value there."""
    _empty_of: tuple[object, ...] = ()
    """What these are of."""

    def columns_now(self, inspection: Inspection, *, blind: bool) -> list[Column] | None:
        """The columns of the list where they are others than before; else None, so that the list keeps its own.

        See `case_columns`.
        """
        self._look_for_empty(inspection)
        keys, searching = chosen_keys(inspection) or self._filled(inspection), inspection.selection.found is not None
        made_for = (inspection.scorer, inspection.benchmark, inspection.span, keys, searching, blind)
        if made_for == self._arranged:
            return None
        if not self._arranged:
            self.screen.table.widths = self.screen.remembered.left.widths
        self._arranged = made_for
        return case_columns(inspection, self.screen.brush, keys, blind=blind)

    def _look_for_empty(self, inspection: Inspection) -> None:
        """Find the columns without any value among all rows listed, unless there is a value to go back to.

        While the threshold moves or a search is typed, nothing jumps.
        """
        rows, evaluation = inspection.shown, inspection.evaluation
        looked = self._empty_of
        if self.screen.held or (looked and looked[0] is rows and looked[1] is evaluation):
            return
        self._empty, self._empty_of = empty_keys(inspection), (rows, evaluation)

    def _filled(self, inspection: Inspection) -> tuple[str, ...]:
        """The usual columns but the empty ones."""
        return tuple(key for key in usual_keys(inspection) if key not in self._empty)

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

    def columns_here(self) -> list[tuple[str, str]]:
        shown = [self._entry(column.name) for column in self.screen.table.columns_shown]
        return [(entry.name, entry.meaning) for entry in shown]

    def column_phrases(self) -> list[Phrase]:
        """What the column is in which the cell cursor stands; nothing before it is seen."""
        name = self.screen.table.cell_name
        if not name:
            return []
        entry = self._entry(name)
        whole, short = f"{entry.name}: {entry.meaning}", re.split("[;,]", entry.meaning)[0]
        return [Phrase((whole, f"{entry.title}: {short}", short), rank=2)]

    def _entry(self, name: str) -> Entry:
        entry, inspection = entry_of(name), self.inspection
        of_file = inspection is not None and inspection.selection.is_metadata(name)
        return replace(entry, meaning=OF_FILE) if of_file else entry

    def columns_offered(self) -> list[Entry]:
        return [] if self.inspection is None else [entry for entry in catalogue(self.inspection) if entry.listable]

    def to_column(self, key: str) -> None:
        self.screen.close_rail()
        table = self.screen.table
        if self.inspection is not None and key not in {column.name for column in table.columns_shown}:
            now = chosen_keys(self.inspection) or self._filled(self.inspection)
            self._arrange((*(name for name in now if name != key), key))
        table.focus()
        table.cell_name = key

    def action_columns(self) -> None:
        """Choose the columns of the list."""
        self.screen.close_rail()
        if self.inspection is not None:
            usual, chosen = self._filled(self.inspection), chosen_keys(self.inspection)
            empty = () if chosen else self._empty
            table, entries = self.screen.table, catalogue(self.inspection)
            self.screen.app.push_screen(ColumnMenu(table, entries, chosen or usual, usual, empty), self._arrange)

    def _arrange(self, columns: tuple[str, ...] | None) -> None:
        if columns is not None and self.inspection is not None:
            self.screen.remembered.keep(columns=columns, widths=dict(self.screen.table.widths))
            self.screen.put(self.inspection.arranged(columns))

    def keep_widths(self) -> None:
        """Keep the widths that a person gave."""
        self.screen.remembered.keep(widths=dict(self.screen.table.widths))
