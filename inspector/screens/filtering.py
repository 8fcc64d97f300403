"""What a person does to the filter of the list: facets, and the value under the cell cursor."""

from inspector.filtering.cell_values import with_cell
from inspector.filtering.completion import completion, vocabulary
from inspector.filtering.facet_groups import CONDITIONS, GIVEN, Folds, facet_groups
from inspector.filtering.judging import fault_of, left_by
from inspector.inspection import Inspection
from inspector.screens.base import InspectionScreen
from inspector.screens.condition import ConditionScreen
from inspector.text import clean
from inspector.widgets.facet_list import FacetList
from inspector.widgets.frame_table import FrameTable
from scoring.errors import FilterError, UsageError
from scoring.filters import Filter

LISTS = ("tags",)
"""Columns of lists that are facets."""


class Filtering(InspectionScreen):
    """A screen with a list, and facets beside it."""

    _folds = Folds()

    def rearrange(self) -> None:
        """Called when the facets have come or gone: others may have more room or less."""
        raise NotImplementedError

    # -- facets

    def show_facets(self, inspection: Inspection) -> None:
        """Count the facets anew where they are on screen."""
        facets = self.query_one(FacetList)
        if facets.display:
            facets.show(facet_groups(inspection, self._folds))

    def action_facets(self) -> None:
        """Open the facets and go there; from there, back to the list and close."""
        facets = self.query_one(FacetList)
        if facets.display and facets.has_focus:
            self.close_facets()
            return
        facets.display = True
        self.rearrange()
        if self.inspection is not None:
            self.show_facets(self.inspection)
        facets.focus()

    def close_facets(self) -> None:
        """Back to the list, which gets their room."""
        self.query_one(FacetList).display = False
        self.query_one(FrameTable).focus()
        self.rearrange()

    def on_facet_list_toggled(self, event: FacetList.Toggled) -> None:
        if self.inspection is None:
            return
        now, column = self.inspection, event.column
        if column == GIVEN:
            self.say("This was given when prm-inspect was started, and holds until it is left.")
        elif column == CONDITIONS:
            self._put_filter(now.filter.less(event.value))
        elif column == "benchmark":
            self._look_at(event.value, keep=event.keep)
        else:
            listed = column in LISTS
            self._put_filter(now.filter.toggled(column, event.value, keep=event.keep, listed=listed))

    def on_facet_list_folded(self, event: FacetList.Folded) -> None:
        self._fold(self._folds.turned(event.group, now_open=event.now_open))

    def on_facet_list_listed(self, event: FacetList.Listed) -> None:
        self._fold(self._folds.listing(event.group))

    def _fold(self, folds: Folds) -> None:
        self._folds = folds
        if self.inspection is not None:
            self.show_facets(self.inspection)

    def _look_at(self, benchmark: str, *, keep: bool) -> None:
        """Another benchmark in focus."""
        if self.inspection is None:
            return
        if not keep:
            self.say("Metrics differ from benchmark to benchmark: one is looked at, and keeping another chooses that.")
            return
        before = self.inspection.filter
        self.close_rail()
        self.put(self.inspection.on_benchmark(benchmark))
        gone = len(before.facets) - len(self.inspection.filter.facets)
        if gone:
            self.say(f"{gone} of the filter's conditions had no case in {benchmark} and were left out.")

    def _put_filter(self, chosen: Filter) -> None:
        self.close_rail()
        if self.inspection is not None:
            self.put(self.inspection.filtered(chosen))

    def action_clear(self) -> None:
        self.close_rail()
        if self.inspection is None:
            return
        before = self.inspection.shown.size
        self.put(self.inspection.unfiltered())
        if self.inspection.shown.size == before:
            given = self.inspection.base
            self.say("Only what was asked for at the start filters these cases." if given else "Nothing is filtered.")

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
            self.remembered.left.conditions,
        )
        self.app.push_screen(line, self._add_condition)

    def _add_condition(self, condition: str | None) -> None:
        if condition is None or self.inspection is None:
            return
        self.remembered.add("conditions", condition)
        try:
            self._put_filter(self.inspection.filter.plus(condition))
        except FilterError as error:
            # What can be evaluated on no case may still fail on some.
            self.notify(clean(str(error)), severity="warning", markup=False)

    # -- the value under the cell cursor

    def action_keep_value(self) -> None:
        self._with_cell(keep=True)

    def action_hide_value(self) -> None:
        self._with_cell(keep=False)

    def _with_cell(self, *, keep: bool) -> None:
        table = self.query_one(FrameTable)
        if self.inspection is None or table.row_id is None:
            self.say("There is no row here to take a value from.")
            return
        if table.cell is None:
            table.action_cell(0)
            keys = f"{self.keys.of('keep')} keeps its value, {self.keys.of('hide')} hides it"
            self.say(f"The cell in brackets can be another one beside it; then {keys}.")
            return
        try:
            chosen = with_cell(self.inspection, *table.cell, keep=keep)
        except UsageError as error:
            self.say(f"{error.sentence[0].upper()}{error.sentence[1:]} {error.next_step}")
            return
        self._put_filter(chosen)
