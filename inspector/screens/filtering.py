"""What a person does to the filter of the list: facets, and the value under the cell cursor."""

from typing import TYPE_CHECKING

from inspector.filtering.cell_values import with_cell
from inspector.filtering.completion import completion, vocabulary
from inspector.filtering.facet_groups import CONDITIONS, GIVEN, Folds, facet_groups
from inspector.filtering.judging import fault_of, left_by
from inspector.inspection import Inspection
from inspector.screens.condition import ConditionScreen
from inspector.screens.controller import Controller
from inspector.text import clean
from inspector.widgets.facet_list import FacetList
from scoring.errors import FilterError, UsageError
from scoring.filters import Choice, Filter

if TYPE_CHECKING:
    from inspector.screens.cases import CasesScreen

LISTS = ("tags",)
"""Columns of lists that are facets."""


class Filtering(Controller):
    """Changes the filter of the list; the facets beside it tell the filter."""

    screen: "CasesScreen"
    _folds = Folds()

    # -- facets

    def show(self, inspection: Inspection) -> None:
        """Count the facets anew where they are on screen."""
        facets = self.screen.facets
        if facets.display:
            facets.show(facet_groups(inspection, self._folds))

    def action_facets(self) -> None:
        """Open the facets and go there; from there, back to the list and close."""
        facets = self.screen.facets
        if facets.display and facets.has_focus:
            self.close()
            return
        facets.display = True
        self.screen.rearrange()
        if self.inspection is not None:
            self.show(self.inspection)
        facets.focus()

    def close(self) -> None:
        """Back to the list, which gets their room."""
        self.screen.facets.display = False
        self.screen.table.focus()
        self.screen.rearrange()

    def toggle(self, event: FacetList.Toggled) -> None:
        if self.inspection is None:
            return
        now, column = self.inspection, event.column
        if column == GIVEN:
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
        if self.inspection is not None:
            self.show(self.inspection)

    def _look_at(self, benchmark: str, *, keep: bool) -> None:
        """Another benchmark in focus."""
        if self.inspection is None:
            return
        if not keep:
            self.screen.say(
                "Metrics differ from benchmark to benchmark: one is looked at, and keeping another chooses that."
            )
            return
        before = self.inspection.filter
        self.screen.close_rail()
        self.screen.put(self.inspection.on_benchmark(benchmark))
        gone = len(before.facets) - len(self.inspection.filter.facets)
        if gone:
            self.screen.say(f"{gone} of the filter's conditions had no case in {benchmark} and were left out.")

    def _put_filter(self, chosen: Filter) -> None:
        self.screen.close_rail()
        if self.inspection is not None:
            self.screen.put(self.inspection.filtered(chosen))

    def clear(self) -> None:
        """Take away what was filtered here."""
        self.screen.close_rail()
        if self.inspection is None:
            return
        before = self.inspection.shown.size
        self.screen.put(self.inspection.unfiltered())
        if self.inspection.shown.size == before:
            given = self.inspection.base
            self.screen.say(
                "Only what was asked for at the start filters these cases." if given else "Nothing is filtered."
            )

    # -- conditions

    def action_condition(self) -> None:
        """Ask for an SQL condition, and add it to the filter."""
        now = self.inspection
        if now is None:
            return
        known = vocabulary(now.selection, now.scorer)
        line = ConditionScreen(
            lambda text, at: completion(text, at, known),
            lambda text: fault_of(now.selection, text),
            lambda text: left_by(now, text),
            self.screen.remembered.left.conditions,
        )
        self.screen.app.push_screen(line, self._add_condition)

    def _add_condition(self, condition: str | None) -> None:
        if condition is None or self.inspection is None:
            return
        self.screen.remembered.add("conditions", condition)
        try:
            self._put_filter(self.inspection.filter.plus(condition))
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
        if self.inspection is None or table.row_id is None:
            self.screen.say("There is no row here to take a value from.")
            return
        if table.cell is None:
            table.action_cell(0)
            keys = f"{self.screen.keys.of('keep')} keeps its value, {self.screen.keys.of('hide')} hides it"
            self.screen.say(f"The cell in brackets can be another one beside it; then {keys}.")
            return
        try:
            chosen = with_cell(self.inspection, *table.cell, keep=keep)
        except UsageError as error:
            self.screen.say(f"{error.sentence[0].upper()}{error.sentence[1:]} {error.next_step}")
            return
        self._put_filter(chosen)


def _alone(chosen: Filter, column: str, value: Choice) -> Filter:
    """The filter with one value of a column kept and no other; without it where it was so before."""
    only, without = chosen.only(column, value, listed=column in LISTS), chosen.without(column)
    before = [facet for facet in chosen.facets if facet.column == column]
    return without if before == [only.facet(column)] else only
