"""List of cases to the left of a case: its position among them."""

from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import replace
from textual.app import ComposeResult

from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.texts.sentences import GLYPHS
from inspector.render.texts.text import TextPart
from inspector.screens.case_columns import case_columns
from inspector.screens.controller import ControlledScreen, Controller, same_owners
from inspector.screens.screen_lines import make_table
from inspector.state.case_list.catalogue import REWARDS, order_words
from inspector.state.screen_state import ScreenState
from inspector.widgets.columns import TableColumn
from inspector.widgets.frame_table import FrameTable

if TYPE_CHECKING:
    from textual.timer import Timer


REST, REST_MOVING = 0.05, 0.4
"""Seconds without a key press until the list follows; the second is for threshold moves, which change many rows."""


class ListedScreen(ControlledScreen, Protocol):
    """Interface of the case screen that the list uses."""

    row: int

    @property
    def blind(self) -> bool: ...
    @property
    def rail_open(self) -> bool: ...
    def place_words(self, state: ScreenState) -> str: ...


class NearCases(Controller[ListedScreen]):
    """Shows the list, with its cursor on the case on screen."""

    _timer: "Timer | None" = None
    _shown_of: tuple[object, ...] = ()
    _columns_for: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """Compose the list, which takes no keys."""
        table = make_table(self.context.glyphs, "near", "")
        table.add_class("pane")
        table.can_focus = False
        table.display = False
        yield table

    @property
    def table(self) -> FrameTable:
        """The list."""
        return self.screen.query_one("#near", FrameTable)

    def show_soon(self) -> None:
        """Show the list once no key has been pressed for a moment."""
        if self._timer is not None:
            self._timer.stop()
        if self.table.display:
            self._timer = self.screen.set_timer(REST_MOVING if self.screen.rail_open else REST, self._show)

    def _show(self) -> None:
        table, state, blind = self.table, self.state, self.screen.blind
        if not table.display:
            return
        if not same_owners((state, blind), self._shown_of):
            self._shown_of, columns = (state, blind), None
            if (state.focus, blind) != self._columns_for:
                self._columns_for, columns = (state.focus, blind), near_columns(state, self.screen, blind=blind)
            table.show(state.rows, state.shown.astype("int32"), columns)
        table.go_to(state.cases["case"][self.screen.row])
        order = order_words(state.results.query.sort)
        table.caption("Cases", order, self.screen.place_words(state))


def near_columns(state: ScreenState, screen: ControlledScreen, *, blind: bool) -> list[TableColumn]:
    """Return the columns: outcome glyph, case, gold step, predicted step and rewards."""
    keys = ("outcome", "id", "earliest_error", "verdict", REWARDS) if state.focus.scorer else ("id", "earliest_error")
    columns = case_columns(state, screen.context.glyphs, keys, blind=blind)
    glyph = {"title": "", "width": 1, "least": 0, "leave": 0, "paint": outcome_glyph}
    return [replace(column, **glyph) if column.name == "outcome" else replace(column, leave=0) for column in columns]


def outcome_glyph(value: Any, _width: int) -> list[TextPart]:
    """Return the glyph of an outcome."""
    return [(GLYPHS[value], OUTCOME_STYLES.get(value, "dim"))] if value else [("", "")]
