"""How the list of cases is arranged."""

import re

from msgspec.structs import replace

from inspector.render.texts.phrases import Phrase
from inspector.screens.arranging import Arranging
from inspector.screens.case_columns import case_columns, chosen_keys, empty_keys, usual_keys
from inspector.screens.controller import TableScreen
from inspector.state.case_list.catalogue import OF_FILE, Entry, catalogue, entry_of
from inspector.state.case_list.listed import arranged
from inspector.state.screen_state import ScreenState
from inspector.state.thresholds.threshold_span import threshold_span
from inspector.widgets.columns import TableColumn
from inspector.widgets.frame_table import FrameTable


class ListArranging(Arranging[TableScreen]):
    """Arranges the list of cases; its order and columns are of the query."""

    OF = "the list"

    _arranged: tuple[object, ...] = ()
    """What the columns on screen were made for."""
    _empty: tuple[str, ...] = ()
    """Columns that are not shown because no row listed has a value there."""
    _empty_of: tuple[object, ...] = ()
    """What these are of."""

    def columns_now(self, state: ScreenState, *, blind: bool) -> list[TableColumn] | None:
        """Return the columns of the list where they are others than before; else None, so that the list keeps its own.

        See `case_columns`.
        """
        self._look_for_empty(state)
        keys, searching = chosen_keys(state) or self._filled(state), state.results.matches is not None
        made_for = (state.focus.scorer, state.focus.benchmark, threshold_span(state.evaluation), keys, searching, blind)
        if made_for == self._arranged:
            return None
        if not self._arranged:
            self.table.widths = self.context.remembered.left.widths
        self._arranged = made_for
        return case_columns(state, self.context.glyphs, keys, blind=blind)

    def _look_for_empty(self, state: ScreenState) -> None:
        """Find the columns without any value among all rows listed, unless there is a value to go back to.

        While the threshold moves or a search is typed, nothing jumps.
        """
        rows, evaluation = state.shown, state.evaluation
        looked = self._empty_of
        if self.screen.held or (looked and looked[0] is rows and looked[1] is evaluation):
            return
        self._empty, self._empty_of = empty_keys(state), (rows, evaluation)

    def _filled(self, state: ScreenState) -> tuple[str, ...]:
        """The usual columns but the empty ones."""
        return tuple(key for key in usual_keys(state) if key not in self._empty)

    @property
    def table(self) -> FrameTable:
        return self.screen.table

    @property
    def order(self) -> str:
        return self.state.results.query.sort

    def entries(self) -> tuple[Entry, ...]:
        return catalogue(self.state)

    def sort(self, sort: str) -> None:
        self.screen.put(self.state.selected(sort=sort))

    def columns_here(self) -> list[tuple[str, str]]:
        on_screen = [self._entry(column.name) for column in self.table.columns_shown]
        return [(entry.name, entry.meaning) for entry in on_screen]

    def column_phrases(self) -> list[Phrase]:
        """Return what the column is in which the cell cursor stands; nothing before it is seen."""
        name = self.table.cell_name
        if not name:
            return []
        entry = self._entry(name)
        whole, short = f"{entry.name}: {entry.meaning}", re.split("[;,]", entry.meaning)[0]
        return [Phrase((whole, f"{entry.title}: {short}", short), rank=2)]

    def _entry(self, name: str) -> Entry:
        entry = entry_of(name)
        return replace(entry, meaning=OF_FILE) if self.state.results.evaluated.is_metadata(name) else entry

    def columns(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        usual, chosen = self._filled(self.state), chosen_keys(self.state)
        return chosen or usual, usual, () if chosen else self._empty

    def arrange(self, columns: tuple[str, ...]) -> None:
        self.context.remembered.keep(columns=columns, widths=dict(self.table.widths))
        self.screen.put(arranged(self.state, columns))

    def keep_widths(self) -> None:
        self.context.remembered.keep(widths=dict(self.table.widths))
