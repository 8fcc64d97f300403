"""What a person does to the filter of the list: facets, and the value under the cell cursor."""

from typing import Protocol

from inspector.render.texts.text import clean
from inspector.screens.cell_conditions import with_cell
from inspector.screens.common_cases import is_common
from inspector.screens.condition_dialog import ConditionScreen
from inspector.screens.controller import Controller, TableScreen
from inspector.screens.facet_groups import CONDITIONS, GIVEN, Folds, facet_groups
from inspector.state.case_list.listed import unfiltered
from inspector.state.filtering.completion import completion, fault_of, left_by, vocabulary
from inspector.state.focusing import on_benchmark
from inspector.state.screen_state import ScreenState
from inspector.widgets.facet_list import FacetList
from scoring.data.errors import FilterError, UsageError
from scoring.workspace.filtering.filters import FacetChoice, Filter

LISTS = ("tags",)
"""Columns of lists that are facets."""


class FilteredScreen(TableScreen, Protocol):
    """What filtering uses of the screen with the list."""

    @property
    def facets(self) -> FacetList: ...
    def rearrange(self) -> None: ...


class Filtering(Controller[FilteredScreen]):
    """Changes the filter of the list; the facets beside it tell the filter."""

    _folds = Folds()

    # -- facets

    def show(self, state: ScreenState) -> None:
        """Count the facets anew where they are on screen."""
        facets = self.screen.facets
        if facets.display:
            facets.show(facet_groups(state, self._folds))

    def action_facets(self) -> None:
        """Open the facets and go there; from there, back to the list and close."""
        facets = self.screen.facets
        if facets.display and facets.has_focus:
            self.close()
            return
        facets.display = True
        self.screen.rearrange()
        self.show(self.state)
        facets.focus()

    def close(self) -> None:
        """Close the facets and go back to the list, which gets their room."""
        self.screen.facets.display = False
        self.screen.table.focus()
        self.screen.rearrange()

    def toggle(self, event: FacetList.Toggled) -> None:
        now, column = self.state, event.column
        if column == GIVEN and is_common(now, str(event.value)):
            key = self.context.keys.of("common-cases")
            self.screen.say(f"This puts all figures on the common cases; {key} on the board takes it away.")
        elif column == GIVEN:
            self.screen.say("This was given when prm-inspect was started, and holds until it is left.")
        elif column == CONDITIONS:
            self._put_filter(now.filter.less(event.value))
        elif column == "benchmark":
            self._look_at(event.value, keep=event.keep)
        elif event.alone:
            self._put_filter(_alone(now.filter, column, event.value))
        else:
            listed = column in LISTS
            self._put_filter(now.filter.toggled(column, event.value, keep=event.keep, listed=listed))

    def fold(self, event: FacetList.Folded) -> None:
        self._fold(self._folds.turned(event.group, now_open=event.now_open))

    def list_all(self, event: FacetList.Listed) -> None:
        self._fold(self._folds.listing(event.group))

    def _fold(self, folds: Folds) -> None:
        self._folds = folds
        self.show(self.state)

    def _look_at(self, benchmark: str, *, keep: bool) -> None:
        """Another benchmark in focus."""
        if not keep:
            self.screen.say(
                "Metrics differ from benchmark to benchmark: one is looked at, and keeping another chooses that."
            )
            return
        before = self.state.filter
        self.screen.close_rail()
        self.screen.put(on_benchmark(self.state, benchmark))
        gone = len(before.facets) - len(self.state.filter.facets)
        if gone:
            self.screen.say(f"{gone} of the filter's conditions had no case in {benchmark} and were left out.")

    def _put_filter(self, chosen: Filter) -> None:
        self.screen.close_rail()
        self.screen.put(self.state.selected(chosen=chosen))

    def clear(self) -> None:
        """Take away what was filtered here."""
        self.screen.close_rail()
        before = self.state.shown.size
        self.screen.put(unfiltered(self.state))
        if self.state.shown.size == before:
            for_all = self.state.base or self.state.base_search is not None
            self.screen.say(
                "Only conditions that hold for the whole app are left." if for_all else "Nothing is filtered."
            )

    # -- conditions

    def action_condition(self) -> None:
        """Ask for an SQL condition, and add it to the filter."""
        now = self.state
        known = vocabulary(now.results, now.focus.scorer)
        line = ConditionScreen(
            lambda text, at: completion(text, at, known),
            lambda text: fault_of(now.results, text),
            lambda text: left_by(now, text),
            self.context.remembered.left.conditions,
        )
        self.screen.app.push_screen(line, self._add_condition)

    def _add_condition(self, condition: str | None) -> None:
        if condition is None:
            return
        self.context.remembered.add("conditions", condition)
        try:
            self._put_filter(self.state.filter.plus(condition))
        except FilterError as error:
            # What can be evaluated on no case may still fail on some.
            self.screen.notify(clean(str(error)), severity="warning", markup=False)

    # -- the value under the cell cursor

    def action_keep_value(self) -> None:
        self._with_cell(keep=True)

    def action_hide_value(self) -> None:
        self._with_cell(keep=False)

    def _with_cell(self, *, keep: bool) -> None:
        table = self.screen.table
        if table.row_id is None:
            self.screen.say("There is no row here to take a value from.")
            return
        if table.cell is None:
            table.action_cell(0)
            keys = f"{self.context.keys.of('keep')} keeps its value, {self.context.keys.of('hide')} hides it"
            self.screen.say(f"The cell in brackets can be another one beside it; then {keys}.")
            return
        try:
            chosen = with_cell(self.state, *table.cell, keep=keep)
        except UsageError as error:
            self.screen.say(f"{error.sentence[0].upper()}{error.sentence[1:]} {error.next_step}")
            return
        self._put_filter(chosen)


def _alone(chosen: Filter, column: str, value: FacetChoice) -> Filter:
    """The filter with one value of a column kept and no other; without it where it was so before."""
    only, without = chosen.only(column, value, listed=column in LISTS), chosen.without(column)
    before = [facet for facet in chosen.facets if facet.column == column]
    return without if before == [only.facet(column)] else only
