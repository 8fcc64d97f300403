"""The cases screen: facets, the virtual list and the steps of the case under the cursor."""

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from inspector.case_columns import case_columns
from inspector.case_lines import case_lines
from inspector.commands import bindings_of
from inspector.facet_groups import facet_groups, filter_words
from inspector.inspection import Inspection
from inspector.messages import Export, Go
from inspector.paint import Brush
from inspector.phrases import Phrase, name_forms
from inspector.rail_lines import score_words
from inspector.screens.base import WIDE
from inspector.screens.export import ExportMenu
from inspector.screens.reading import ReadingScreen
from inspector.sentences import counted
from inspector.widgets.facet_list import FacetList
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.line_view import LineView
from scoring.filters import Filter

if TYPE_CHECKING:
    from textual.timer import Timer

SORTS = ("instructive", "", "n_steps:desc")
SORT_WORDS = {"instructive": "most instructive first", "": "as in the file", "n_steps:desc": "longest first"}
DIRECTIONS = {"asc": "upwards", "desc": "downwards"}
PANE_DELAY = 0.04
"""Seconds the cursor must rest before the steps are shown: a held arrow key moves the list alone."""
VERY_WIDE = 160
"""Columns from which facets, list and steps fit side by side."""


def order_words(sort: str) -> str:
    """An order in words."""
    column, _, direction = sort.rpartition(":")
    return SORT_WORDS.get(sort) or (f"by {column} {DIRECTIONS[direction]}" if direction in DIRECTIONS else f"by {sort}")


class CasesScreen(ReadingScreen):
    """The list, with facets and steps where there is room."""

    NAME = "cases"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("cases"))
    HELP = "The cases under the present filter. Enter opens one, f chooses what to keep, t moves the threshold."

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._pane_timer: Timer | None = None
        self._pane_wanted: bool | None = None
        self._scorer: str | None = None

    def compose(self) -> ComposeResult:
        yield self.one_line("title")
        yield self.one_line("filter")
        with Horizontal(id="body"):
            facets = FacetList(id="facets")
            facets.display = False
            yield facets
            yield self.table("cases", "No case passes this filter. x shows all again.")
            pane = LineView(id="pane")
            pane.can_focus = False
            yield pane
        yield from self.compose_rail()

    def on_mount(self) -> None:
        self._lay_out()
        self.query_one(FrameTable).focus()
        self.call_after_refresh(self._show_first)

    def on_resize(self) -> None:
        self._lay_out()
        self.call_after_refresh(self._show_rail)
        self._show_pane_soon()

    def _lay_out(self) -> None:
        wanted = self._pane_wanted
        room = self.size.width >= (VERY_WIDE if self.query_one(FacetList).display else WIDE)
        self.query_one("#pane", LineView).display = room if wanted is None else wanted

    # -- showing

    def _show_first(self) -> None:
        # What is there now: it may have changed since the screen was mounted.
        if self.inspection is not None:
            self.show_inspection(self.inspection)

    def show_inspection(self, inspection: Inspection) -> None:
        columns = None
        if self._scorer != inspection.scorer or not self.query_one(FrameTable).row_count:
            columns = case_columns(inspection, self.brush)
            self._scorer = inspection.scorer
        self.query_one(FrameTable).show(inspection.frame, inspection.shown.astype("int32"), columns)
        self._show_titles(inspection)
        facets = self.query_one(FacetList)
        if facets.display:
            facets.show(facet_groups(inspection))
        self._show_pane_soon()

    def _show_titles(self, inspection: Inspection) -> None:
        listed = f"{inspection.shown.size:,} of {counted(int(inspection.benchmark_rows.sum()), 'case')}"
        phrases = [Phrase((*name_forms(inspection.benchmark, 14), ""), rank=4), Phrase((listed,))]
        evaluation, line = inspection.evaluation, inspection.headline
        if evaluation is not None and line is not None:
            phrases += [
                Phrase((*name_forms(evaluation.scorer.name, 20, 14), ""), rank=3),
                Phrase((score_words(line), "")),
                Phrase(self.threshold_forms(evaluation.rule), rank=1),
            ]
        self.tell("title", phrases, "strong")
        order = order_words(inspection.selection.request.sort)
        self.tell("filter", [Phrase((order, ""), rank=1), Phrase((filter_words(inspection), "filtered"))], "dim")

    def show_case(self) -> None:
        self._show_pane()

    def _show_pane_soon(self) -> None:
        if self._pane_timer is not None:
            self._pane_timer.stop()
        self._pane_timer = self.set_timer(PANE_DELAY, self._show_pane)

    def _show_pane(self) -> None:
        pane, row = self.query_one("#pane", LineView), self.query_one(FrameTable).row_id
        if not pane.display or self.inspection is None:
            return
        if row is None:
            pane.show([])
            return
        shown = case_lines(self.inspection, row, self.manner(pane))
        keep = self._pane_row == row
        self._pane_row = row
        pane.show(shown.lines, keep_scroll=keep)

    _pane_row: int | None = None

    # -- keys

    def on_frame_table_highlighted(self) -> None:
        self._show_pane_soon()

    def on_frame_table_opened(self, event: FrameTable.Opened) -> None:
        self.close_rail()
        self.post_message(Go("case", event.row_id))

    def action_open(self) -> None:
        row = self.query_one(FrameTable).row_id
        if row is not None:
            self.close_rail()
            self.post_message(Go("case", row))

    def come_back(self, row: int, inspection: Inspection | None) -> None:
        """Show what became of the list while another screen showed the case with this row id, the cursor on it.

        If it has left the list, the cursor goes to the next case that is still there.
        """
        self._go_to(row)
        self.inspection = inspection
        self._go_to(row)

    def _go_to(self, row: int) -> None:
        if self.inspection is not None:
            self.query_one(FrameTable).go_to(self.inspection.cases["case"][row])

    def action_facets(self) -> None:
        """Open the facets and go there; from there, back to the list and close."""
        facets = self.query_one(FacetList)
        if facets.display and facets.has_focus:
            self._close_facets()
            return
        facets.display = True
        self._lay_out()
        if self.inspection is not None:
            facets.show(facet_groups(self.inspection))
        facets.focus()
        self._show_pane_soon()

    def on_facet_list_toggled(self, event: FacetList.Toggled) -> None:
        self.close_rail()
        if self.inspection is not None:
            self.put(self.inspection.filtered(self.inspection.filter.toggled(event.column, event.value)))

    def action_clear(self) -> None:
        self.close_rail()
        if self.inspection is not None:
            self.put(self.inspection.filtered(Filter()))

    def action_sort(self) -> None:
        self.close_rail()
        if self.inspection is not None:
            now = self.inspection.selection.request.sort
            following = SORTS[(SORTS.index(now) + 1) % len(SORTS)] if now in SORTS else SORTS[0]
            self.put(self.inspection.ordered(following))

    def on_frame_table_header_clicked(self, event: FrameTable.HeaderClicked) -> None:
        """Sort by the column, upwards first; by what is made of several columns nothing can be sorted."""
        if self.inspection is None or isinstance(event.column.source, tuple):
            return
        (by,) = event.column.sources
        if by not in self.inspection.selection.frame().columns:
            return
        self.close_rail()
        now = self.inspection.selection.request.sort
        self.put(self.inspection.ordered(f"{by}:desc" if now == f"{by}:asc" else f"{by}:asc"))

    def action_zoom(self) -> None:
        self._pane_wanted = not self.query_one("#pane", LineView).display
        self._lay_out()
        self._show_pane_soon()

    def action_back(self) -> None:
        """Out of the facets first, then out of the screen."""
        if self.query_one(FacetList).display:
            self._close_facets()
        else:
            super().action_back()

    def _close_facets(self) -> None:
        self.query_one(FacetList).display = False
        self._lay_out()
        self.query_one(FrameTable).focus()
        self._show_pane_soon()

    def action_export(self) -> None:
        self.close_rail()
        if self.inspection is None:
            return
        shown = f"The {counted(self.inspection.shown.size, 'case')} on screen, in this order"
        choices = ((Export("cases", ""), shown), (Export("metrics", ""), "The metrics, by subset"))
        menu = ExportMenu(choices if self.inspection.scorer else choices[:1])
        self.app.push_screen(menu, self.export)
