"""The cases screen: facets, the virtual list and the steps of the case under the cursor."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from inspector.case_page.case_lines import case_lines
from inspector.case_page.opening import opening
from inspector.render.texts.frame_edges import THREE_COLUMNS
from inspector.render.texts.phrases import Phrase, joined
from inspector.render.texts.sentences import counted
from inspector.screens.base import SHORT
from inspector.screens.export import offer_exports
from inspector.screens.exporting import case_facts, cases_of, report_of
from inspector.screens.filtering import Filtering
from inspector.screens.list_arranging import ListArranging
from inspector.screens.messages import Copy, Export, Go
from inspector.screens.reading import ReadingScreen
from inspector.screens.screen_context import ScreenContext
from inspector.screens.screen_lines import (
    WIDE,
    make_table,
    one_line,
    place_in_app,
    state_facts,
    write_header,
)
from inspector.screens.searching import Searching
from inspector.screens.slices import Slicing
from inspector.screens.tagging import Tagging
from inspector.state.case_list.catalogue import order_words
from inspector.state.case_list.listed import is_of_failures, is_unfiltered
from inspector.state.filtering.filter_words import apart_phrases, filter_phrase
from inspector.state.screen_state import ScreenState
from inspector.widgets.facet_list import FacetList
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_table import bindings_of
from inspector.widgets.line_scroll import Sized
from inspector.widgets.search_bar import SearchBar
from inspector.widgets.step_view import StepView
from scoring.data.schema import Bools, Ints
from scoring.selection.ordering import INSTRUCTIVE
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.text_query import SCOPES

if TYPE_CHECKING:
    import polars as pl
    from textual.timer import Timer

PANE_DELAY = 0.04
"""Seconds the cursor must rest before the steps are shown: a held arrow key moves the list alone."""

LETTERS = {"threshold", "search", "condition", "sort", "tag", "note"}
"""Actions whose keys are priority bindings."""
NO_CASE = "No cases yet. In a shell: prm-inspect import PATH"


class CasesScreen(ReadingScreen):
    """The list, with facets and steps where there is room."""

    NAME = "cases"
    NAMED = False
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("cases"))
    ABOUT = (
        "The cases that pass the filter. Enter opens one; facets, conditions and a search choose which are listed, and "
        "what is listed follows the threshold when it moves."
    )

    arranging: ListArranging

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__(context, state)
        self.searching = Searching(self)
        self.filtering = Filtering(self)
        self.arranging = ListArranging(self)
        self.slicing = Slicing(self)
        self.control(self.searching, self.filtering, self.arranging, self.slicing, Tagging(self))
        self._pane_timer: Timer | None = None
        self._pane_wanted: bool | None = None
        self._blind = False
        self._marks_of: tuple[frozenset[str], pl.DataFrame, Bools] | None = None

    def compose(self) -> ComposeResult:
        yield one_line("title")
        with Horizontal(id="body"):
            facets = FacetList(id="facets")
            facets.add_class("pane")
            facets.display = False
            yield facets
            table = make_table(self.context.glyphs, "cases", self._no_match)
            table.add_class("pane")
            yield table
            pane = StepView(id="pane", classes="pane")
            pane.can_focus = False
            yield pane
        yield SearchBar(SCOPES, id="search")
        yield from self.compose_rail()

    @property
    def table(self) -> FrameTable:
        """The list."""
        return self.query_one(FrameTable)

    @property
    def facets(self) -> FacetList:
        """The facets beside it."""
        return self.query_one(FacetList)

    def on_mount(self) -> None:
        self._lay_out()
        table = self.table
        table.focus()
        self.watch(table, "cell_name", self._tell_column, init=False)
        self.call_after_refresh(self._show_first)

    def on_resize(self) -> None:
        self._lay_out()
        # What a title says of the threshold depends on the room there is.
        self._show_titles(self.state)
        self._show_pane_soon()

    def on_screen_resume(self) -> None:
        """Follow what another screen changed in how cases are shown, and a search that ended beneath it."""
        self.searching.resume()
        self._follow_blind()
        self._show_pane_soon()

    def on_sized_resized(self, event: Sized.Resized) -> None:
        """Wrap the lines for the room there is now."""
        if isinstance(event.view, StepView):
            self._show_pane_soon()
        else:
            self._caption_list(self.state)

    @property
    def _no_match(self) -> str:
        return f"No case passes this filter; {self.context.keys.of('clear')} shows all again."

    def _lay_out(self) -> None:
        wanted = self._pane_wanted
        room = self.size.width >= (THREE_COLUMNS if self.facets.display else WIDE)
        self.query_one("#pane", StepView).display = room if wanted is None else wanted

    # -- showing

    def _show_first(self) -> None:
        # What is there now: it may have changed since the screen was mounted.
        self.show_state(self.state)

    def show_state(self, state: ScreenState) -> None:
        table = self.table
        self._blind = self.reading.blind
        columns = self.arranging.columns_now(state, blind=self._blind)
        table.show(state.rows, state.shown.astype("int32"), columns)
        table.empty = self._no_match if state.cases.height else NO_CASE
        table.sorted_by = self.arranging.sort_mark()
        self._show_titles(state)
        self.filtering.show(state)
        self._show_pane_soon()

    def _tell_column(self) -> None:
        """Describe the column under the cell cursor: in the frame, or in the title without a frame."""
        self._caption_list(self.state)
        if not self._framed:
            self._show_titles(self.state)

    @property
    def _framed(self) -> bool:
        """Whether panes have frames."""
        return self.size.height >= SHORT

    def _show_titles(self, state: ScreenState) -> None:
        listed = f"{state.shown.size:,} of {counted(int(state.benchmark_rows.sum()), 'case')}"
        facts = [Phrase(("BLIND",))] if self._blind else []
        facts += [] if self._framed else self.arranging.column_phrases()
        marked = self._marked_rows.size
        facts += [Phrase((f"{marked:,} marked",))] if marked else []
        only_failures = is_of_failures(state)
        facts += [] if only_failures or self._filter_below else self._filter_phrases(state)
        facts += [Phrase((listed,)), *state_facts(state, self.context.glyphs)]
        if state.evaluation is None and state.cases.height:
            score = self.context.keys.of("score")
            facts.append(Phrase((f"not scored yet, {score} scores them", "not scored"), rank=1))
        write_header(self, [*place_in_app(state), Phrase(("failures" if only_failures else "cases", ""))], facts)
        self._caption_list(state)
        self.facets.caption("Facets", hint=f"{self.context.keys.of('facets')} closes")

    @property
    def _filter_below(self) -> bool:
        """Whether the filter is written below the list, since the title is too narrow."""
        return self._framed and self.size.width < WIDE

    def _filter_phrases(self, state: ScreenState) -> list[Phrase]:
        return [] if is_unfiltered(state) else [replace(filter_phrase(state), rank=3)]

    def _caption_list(self, state: ScreenState) -> None:
        """Write the order above the list, and the column, further facts and the position below it."""
        table, dot = self.table, " | " if self.context.glyphs.ascii_only else " · "
        position = f"{table.cursor + 1:,} of {table.row_count:,}" if table.row_count else ""
        first = self.arranging.column_phrases()
        notes = [] if first else [Phrase((*phrase.forms, ""), rank=4) for phrase in apart_phrases(state)]
        if self._filter_below and not is_of_failures(state):
            notes = [*self._filter_phrases(state), *notes]
        hint = joined([*first, *notes, Phrase((position,))], table.outer_size.width - 6, dot)
        table.caption("Cases", self._order_words(state), hint)

    def _order_words(self, state: ScreenState) -> str:
        sort, evaluation = state.results.query.sort, state.evaluation
        # Without a threshold no mistake is nearer than another: right and wrong ones are all that is told apart.
        graded = evaluation is None or evaluation.rule.by_threshold
        if sort == INSTRUCTIVE:
            return "sorted by most instructive" if graded else "wrong ones first"
        words = order_words(sort)
        return f"sorted {words}" if words.startswith("by ") else words

    def show_case(self) -> None:
        self._follow_blind()
        self._show_pane()

    def _follow_blind(self) -> None:
        """Hide in the list what is hidden beside it. What a filter or an order tells of the cases stays: both are asked
        for.
        """
        if self.reading.blind != self._blind:
            self.show_state(self.state)

    def _show_pane_soon(self) -> None:
        if self._pane_timer is not None:
            self._pane_timer.stop()
        self._pane_timer = self.set_timer(PANE_DELAY, self._show_pane)

    def _show_pane(self) -> None:
        pane, row = self.query_one("#pane", StepView), self.table.row_id
        self._caption_list(self.state)
        if not pane.display:
            return
        if row is None:
            pane.show([])
            pane.caption("Steps")
            return
        display = self.display_options(pane)
        page = case_lines(self.state, row, display)
        scroll = None if self._pane_row == row else opening(page, display.height)[1]
        self._pane_row = row
        pane.show(page.lines, keep_scroll=True, pinned=page.pinned, scroll=scroll)
        pane.caption(self.state.cases["id"][row], hint=f"{self.context.keys.of('open-case')} opens")
        if scroll is not None:
            self.show_first_hit(pane)

    _pane_row: int | None = None

    # -- what stands beside the list and beneath it

    @property
    def held(self) -> bool:
        return super().held or self.searching.on

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key works: while a search is typed, those that come before any widget's own are letters."""
        if action in LETTERS and self.is_mounted and self.searching.typing:
            return False
        return super().check_action(action, parameters)

    def put(self, state: ScreenState) -> None:
        self.searching.end()
        super().put(state)

    def show_found(self, state: ScreenState) -> None:
        """Show what a search found; it may go on."""
        super().put(state)

    def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        self.searching.changed(event)

    def on_search_bar_kept(self, event: SearchBar.Kept) -> None:
        self.searching.kept(event)

    def on_search_bar_given_back(self, event: SearchBar.GivenBack) -> None:
        self.searching.given_back(event)

    def on_facet_list_toggled(self, event: FacetList.Toggled) -> None:
        self.filtering.toggle(event)

    def on_facet_list_folded(self, event: FacetList.Folded) -> None:
        self.filtering.fold(event)

    def on_facet_list_listed(self, event: FacetList.Listed) -> None:
        self.filtering.list_all(event)

    # -- keys

    @property
    def case_row(self) -> int | None:
        """The row id of the case that tags and notes are about; None where there is none."""
        return self.table.row_id

    def on_frame_table_highlighted(self) -> None:
        self._show_pane_soon()

    def on_frame_table_opened(self, event: FrameTable.Opened) -> None:
        self.close_rail()
        self.post_message(Go("case", event.row_id))

    @property
    def marked(self) -> list[str]:
        """The marked cases that are in the list, in its order."""
        names: list[str] = self.state.cases["case"].gather(self._marked_rows).to_list()
        return names

    @property
    def _marked_rows(self) -> Ints:
        """Their row ids. Those of other cases that are marked are asked for once: titles are told at every key."""
        state, marks = self.state, self.table.marked
        if not marks:
            return np.empty(0, dtype=np.int64)
        known = self._marks_of
        if known is None or known[0] is not marks or known[1] is not state.cases:
            known = self._marks_of = marks, state.cases, state.cases["case"].is_in(list(marks)).to_numpy()
        return state.shown[known[2][state.shown]]

    def listed(self, state: ScreenState) -> ScreenState:
        """Return what a queue is made of: the cases that are marked, or else all in the list."""
        rows = self._marked_rows
        return replace(state, results=replace(state.results, shown=rows)) if rows.size else state

    def action_mark(self) -> None:
        """Mark the case under the cursor, or no more, and go to the next one."""
        table = self.table
        if table.key is None:
            self.say(table.empty)
            return
        self._mark(table.marked ^ {table.key})
        table.cursor += 1

    def action_mark_all(self) -> None:
        """Mark every case in the list; where all are marked, none."""
        listed = frozenset(self.state.cases["case"].gather(self.state.shown))
        table = self.table
        if listed:
            self._mark(table.marked - listed if listed <= table.marked else table.marked | listed)
        else:
            self.say(table.empty)

    def _mark(self, cases: frozenset[str]) -> None:
        self.table.marked = cases
        self._show_titles(self.state)

    def action_clear(self) -> None:
        """Take the marks away; where there are none, the filter."""
        if self.table.marked:
            self._mark(frozenset())
        else:
            self.filtering.clear()

    def action_open(self) -> None:
        row = self.table.row_id
        if row is not None:
            self.close_rail()
            self.post_message(Go("case", row))
        else:
            self.say(self.table.empty)

    def come_back(self, row: int, state: ScreenState) -> None:
        """Show what became of the list while another screen showed the case with this row id, the cursor on it.

        If it has left the list, the cursor goes to the next case that is still there.
        """
        self._go_to(row)
        self.state = state
        self._go_to(row)

    def _go_to(self, row: int) -> None:
        self.table.go_to(self.state.cases["case"][row])

    def rearrange(self) -> None:
        """Follow facets that have come or gone: others have more room or less."""
        self._lay_out()
        self._show_pane_soon()

    def action_yank_row(self) -> None:
        """Copy the facts of the case under the cursor, or of those that are marked, a line each."""
        row, state = self.table.row_id, self.state
        if row is None:
            self.say("There is no row to copy.")
            return
        marked = self._marked_rows.tolist()
        facts = "\n".join(case_facts(state, at, blind=self.reading.blind) for at in marked or [row])
        of = counted(len(marked), "case") if marked else state.cases["id"][row]
        self.post_message(Copy(facts, f"the facts of {of}"))

    def action_zoom(self) -> None:
        self._pane_wanted = not self.query_one("#pane", StepView).display
        self._lay_out()
        self._show_pane_soon()

    def action_back(self) -> None:
        """Leave a search under way first, then the facets, then the screen."""
        if self.searching.give_back():
            return
        if self.facets.display:
            self.filtering.close()
        else:
            self.app_commands.action_back()

    def action_export(self) -> None:

        self.close_rail()
        state = self.state
        rows = Export("cases", ""), f"The {counted(state.shown.size, 'case')} on screen, in this order"
        if 0 < (marked := self._marked_rows).size < state.shown.size:
            these = _among(state, "case", state.cases["case"].gather(marked).to_list())
            words = f"The {counted(marked.size, 'marked case')}, in this order"
            rows = Export("cases", "", make=partial(cases_of, these)), words
        choices = (rows, (Export("metrics", ""), "The metrics, by subset"))
        of_benchmark = state
        if len(state.results.benchmarks) > 1:
            # The list is of one benchmark, and so is what is reported of it.
            of_benchmark = _among(state, "benchmark", [state.focus.benchmark])
        report = Export("report", "html", make=partial(report_of, of_benchmark))
        if state.focus.scorer:
            offer_exports(self, choices, report)
        else:
            offer_exports(self, choices[:1])


def _among(state: ScreenState, column: str, values: Sequence[str]) -> ScreenState:
    """The same with one more condition: a column has one of these values."""
    chosen = state.filter
    return state.selected(chosen=replace(chosen, where=(*chosen.where, Facet(column, tuple(values)).sql)))
