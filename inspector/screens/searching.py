"""The cases screen's search: a line at the bottom, live while it is typed, run beside the keys."""

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.worker import get_current_worker

from inspector.case_rows import CaseRows
from inspector.filtering.search_run import FoundBefore, SoFar, run_search
from inspector.inspection import Inspection
from inspector.messages import Searched, SearchFailed
from inspector.paint import Brush
from inspector.phrases import Phrase
from inspector.render.cells import share
from inspector.screens.reading import ReadingScreen
from inspector.sentences import counted
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.search_bar import SearchBar
from scoring.errors import InspectError
from scoring.text_query import SCOPES, TextQuery

if TYPE_CHECKING:
    from textual.timer import Timer

LETTERS = {"threshold", "search", "condition", "sort", "tag", "note"}
"""Actions whose keys are priority bindings."""
TYPING_PAUSE = 0.04
"""Seconds after a key until the search begins: keys that come faster are one search."""
SHOWN_EVERY = 0.1
"""Seconds between two values of a search under way that reach the screen."""


class Searching(ReadingScreen):
    """A list of cases that can be searched.

    The line opens with what is searched for now. What is typed is searched for in a thread; a number a request tells
    late answers from the present one's. The list fills while the texts are read; metric and counts follow when all of
    them were, so that none is about half a search.
    """

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._search_timer: Timer | None = None
        self._search_number = 0
        self._search_running = False
        self._before_search: Inspection | None = None
        self._found_before = FoundBefore()
        self._late: SoFar | None = None
        self._part_shown = False
        self._cursor_before: str | None = None

    def compose_search(self) -> ComposeResult:
        """The line, hidden."""
        yield SearchBar(SCOPES, id="search")

    @property
    def _bar(self) -> SearchBar:
        return self.query_one(SearchBar)

    @property
    def held(self) -> bool:
        return super().held or self._before_search is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a search is typed the keys that come before any widget's own are letters."""
        if action in LETTERS and self.is_mounted and self._bar.typing:
            return False
        return super().check_action(action, parameters)

    # -- the line

    def action_search(self) -> None:
        """Open the line, with what is searched for now to be edited."""
        if self.inspection is None:
            return
        self.close_rail()
        if self._before_search is None:
            self._before_search = self.inspection
            self._cursor_before = self.query_one(FrameTable).key
        found = self.inspection.selection.found
        asked = self.inspection.selection.request
        self._bar.open(asked.search, asked.within)
        self._bar.tell("" if found is None else self._counted(self.inspection))
        self.refresh_bindings()

    def _counted(self, inspection: Inspection) -> str:
        return f"{inspection.shown.size:,} of {counted(int(inspection.benchmark_rows.sum()), 'case')}"

    def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        event.stop()
        self._stop_search()
        try:
            query = TextQuery.parse(event.text, event.scopes)
        except InspectError as error:
            self._show_whole()
            self._bar.tell(error.sentence, wrong=True)
            return
        self._search_timer = self.set_timer(TYPING_PAUSE, partial(self._start_search, query))

    def on_search_bar_kept(self, event: SearchBar.Kept) -> None:
        """Back to the list. A search that has not ended goes on, and the line stays until it has."""
        event.stop()
        if self._search_timer is not None:
            self._search_running = True
        if not self._search_running:
            self._end_search()
        self.set_focus(self.query_one(FrameTable))
        self.refresh_bindings()

    def on_search_bar_given_back(self, event: SearchBar.GivenBack) -> None:
        event.stop()
        self.give_back_search()

    def give_back_search(self) -> bool:
        """Undo a search that was not kept; False where there is none."""
        before = self._before_search
        if before is None:
            return False
        self._stop_search()
        self._end_search()
        table = self.query_one(FrameTable)
        self.set_focus(table)
        super().put(before)
        self._show_whole()
        table.go_to(self._cursor_before)
        return True

    def put(self, inspection: Inspection) -> None:
        """Whatever else is changed is changed on what is shown: a search under way is over."""
        self._stop_search()
        if self._before_search is not None:
            self._end_search()
            self.set_focus(self.query_one(FrameTable))
        self._part_shown = False
        super().put(inspection)

    def _end_search(self) -> None:
        self._before_search = None
        self._bar.close()
        self.refresh_bindings()

    # -- the search

    def _stop_search(self) -> None:
        """Whatever is under way is dropped."""
        self._search_number += 1
        self._search_running = False
        self._late = None
        if self._search_timer is not None:
            self._search_timer.stop()
            self._search_timer = None
        self.workers.cancel_group(self, "search")

    def _start_search(self, query: TextQuery) -> None:
        self._search_timer = None
        if self.inspection is None:
            return
        self._search_running = True
        search = partial(self._search, self._search_number, self.inspection, query)
        self.run_worker(search, thread=True, exclusive=True, group="search", description="search", exit_on_error=True)

    def _search(self, number: int, inspection: Inspection, query: TextQuery) -> None:
        """In a thread: search, and post what was found."""
        worker = get_current_worker()
        try:
            for so_far in run_search(inspection, query, self._found_before, lambda: worker.is_cancelled, SHOWN_EVERY):
                self.post_message(Searched(number, so_far, inspection))
        except InspectError as error:
            self.post_message(SearchFailed(number, str(error)))

    def on_search_failed(self, message: SearchFailed) -> None:
        if message.number == self._search_number:
            self._search_running = False
            self._show_whole()
            self._bar.tell(message.sentence, wrong=True)

    def on_searched(self, message: Searched) -> None:
        """Show what was found so far, or all of it."""
        if message.number != self._search_number or self.inspection is None:
            return
        so_far = message.so_far
        if so_far.inspection is None:
            self._show_part(so_far)
            return
        self._search_running = False
        if not self.is_current:
            self._late = so_far
            return
        self._finish(so_far, message.asked_of)

    def _finish(self, so_far: SoFar, asked_of: Inspection | None) -> None:
        assert self.inspection is not None  # noqa: S101  # it was searched
        same = so_far.inspection is not None and asked_of is self.inspection
        found = so_far.found if so_far.found.query else None
        inspection = so_far.inspection if same else self.inspection.searched(found)
        assert inspection is not None  # noqa: S101  # one or the other
        self._part_shown = False
        super().put(inspection)
        milliseconds = f"{1000 * so_far.seconds:,.0f} ms"
        between = " | " if self.brush.ascii_only else " · "
        self._bar.tell(f"{self._counted(inspection)}{between}{milliseconds}" if found else "")
        if not self._bar.typing:
            self._end_search()

    def _show_part(self, so_far: SoFar) -> None:
        """The rows so far. Neither title nor facets are told: they would be about the part that was read."""
        if self.inspection is None or not self.is_current:
            return
        self._part_shown = True
        rows = CaseRows(replace(self.inspection.selection, found=so_far.found), self.inspection.scorer)
        self.query_one(FrameTable).show(rows, so_far.rows.astype("int32"))
        told = f"{counted(so_far.rows.size, 'case')} so far, {share(so_far.share, 0)}% of the texts read"
        self._bar.tell(told)
        self.tell("title", [Phrase((self.inspection.benchmark, "")), Phrase((told,))], "strong")

    def _show_whole(self) -> None:
        """The value on screen instead of the part of a search that will not end."""
        if self._part_shown and self.inspection is not None:
            self._part_shown = False
            self.show_inspection(self.inspection)

    def on_screen_resume(self) -> None:
        """A search that ended while another screen was on top."""
        late, self._late = self._late, None
        if late is not None and self.inspection is not None:
            self._finish(late, None)
