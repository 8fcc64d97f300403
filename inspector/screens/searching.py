"""The cases screen's search: a line at the bottom, live while it is typed, run beside the keys."""

from functools import partial
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace
from textual.worker import Worker, get_current_worker

from inspector.render.cells import share
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import counted
from inspector.screens.controller import Controller, TableScreen
from inspector.screens.screen_lines import place_in_app, write_header
from inspector.state.case_list.case_rows import CaseRows
from inspector.state.case_list.listed import searched
from inspector.state.filtering.search_run import FoundBefore, SearchProgress, run_search
from inspector.state.screen_state import ScreenState
from inspector.widgets.search_bar import SearchBar
from scoring.data.errors import InspectError
from scoring.workspace.filtering.text_query import TextQuery

if TYPE_CHECKING:
    from textual.timer import Timer


TYPING_PAUSE = 0.04
"""Seconds after a key until the search begins: keys that come faster are one search."""
SHOWN_EVERY = 0.1
"""Seconds between two values of a search under way that reach the screen."""


class SearchedScreen(TableScreen, Protocol):
    """What searching uses of the screen with the list."""

    def show_state(self, state: ScreenState) -> None: ...
    def show_found(self, state: ScreenState) -> None: ...


class Searching(Controller[SearchedScreen]):
    """Searches the list of cases.

    The line opens with what is searched for now. What is typed is searched for in a thread; a number a request tells
    late answers from the present one's. The list fills while the texts are read; metric and counts follow when all of
    them were, so that none is about half a search.
    """

    def __init__(self, screen: SearchedScreen) -> None:
        super().__init__(screen)
        self._search_timer: Timer | None = None
        self._search_number = 0
        self._search_running = False
        self._search_worker: Worker[None] | None = None
        self._before_search: ScreenState | None = None
        self._found_before = FoundBefore()
        self._late: SearchProgress | None = None
        self._part_shown = False
        self._cursor_before: str | None = None

    @property
    def on(self) -> bool:
        """Whether a search is being typed, or runs, that has neither been kept nor given back."""
        return self._before_search is not None

    @property
    def typing(self) -> bool:
        """Whether keys are letters of what is searched for."""
        return self._bar.typing

    @property
    def _bar(self) -> SearchBar:
        return self.screen.query_one(SearchBar)

    # -- the line

    def action_search(self) -> None:
        """Open the line, with what is searched for now to be edited."""
        self.screen.close_rail()
        if self._before_search is None:
            self._before_search = self.state
            self._cursor_before = self.screen.table.key
        matches = self.state.results.matches
        query = self.state.results.query
        self._bar.open(query.search, query.within)
        self._bar.tell("" if matches is None else self._counted(self.state))
        self.screen.refresh_bindings()

    def _counted(self, state: ScreenState) -> str:
        return f"{state.shown.size:,} of {counted(int(state.benchmark_rows.sum()), 'case')}"

    def changed(self, event: SearchBar.Changed) -> None:
        event.stop()
        self._stop_search()
        try:
            text_query = TextQuery.parse(event.text, event.scopes)
        except InspectError as error:
            self._show_whole()
            self._bar.tell(error.sentence, wrong=True)
            return
        self._search_timer = self.screen.set_timer(TYPING_PAUSE, partial(self._start_search, text_query))

    def kept(self, event: SearchBar.Kept) -> None:
        """Go back to the list. A search that has not ended goes on, and the line stays until it has."""
        event.stop()
        if self._search_timer is not None:
            self._search_running = True
        if not self._search_running:
            self._end_search()
        self.screen.set_focus(self.screen.table)
        self.screen.refresh_bindings()

    def given_back(self, event: SearchBar.GivenBack) -> None:
        event.stop()
        self.give_back()

    def give_back(self) -> bool:
        """Undo a search that was not kept; return False where there is none."""
        before = self._before_search
        if before is None:
            return False
        self._stop_search()
        self._end_search()
        table = self.screen.table
        self.screen.set_focus(table)
        self.screen.show_found(before)
        self._show_whole()
        table.go_to(self._cursor_before)
        return True

    def end(self) -> None:
        """End a search under way: what is changed otherwise is changed on what is shown."""
        self._stop_search()
        if self._before_search is not None:
            self._end_search()
            self.screen.set_focus(self.screen.table)
        self._part_shown = False

    def _end_search(self) -> None:
        self._before_search = None
        self._bar.close()
        self.screen.refresh_bindings()

    # -- the search

    def _stop_search(self) -> None:
        """Whatever is under way is dropped."""
        self._search_number += 1
        self._search_running = False
        self._late = None
        if self._search_timer is not None:
            self._search_timer.stop()
            self._search_timer = None
        if self._search_worker is not None:
            self._search_worker.cancel()
            self._search_worker = None

    def _start_search(self, text_query: TextQuery) -> None:
        self._search_timer = None
        self._search_running = True
        search = partial(self._search, self._search_number, self.state, text_query)
        self._search_worker = self.screen.run_worker(
            search, thread=True, exclusive=True, group="search", description="search"
        )

    def _search(self, number: int, state: ScreenState, text_query: TextQuery) -> None:
        """In a thread: search, and post what was found."""
        worker = get_current_worker()
        try:
            for so_far in run_search(state, text_query, self._found_before, lambda: worker.is_cancelled, SHOWN_EVERY):
                self.screen.show_if_open(self._searched, number, so_far, state)
        except InspectError as error:
            self.screen.show_if_open(self._failed, number, str(error))

    def _failed(self, number: int, sentence: str) -> None:
        if number == self._search_number:
            self._search_running = False
            self._show_whole()
            self._bar.tell(sentence, wrong=True)

    def _searched(self, number: int, so_far: SearchProgress, asked_of: ScreenState) -> None:
        """Show what was found so far, or all of it, of the search with this number."""
        if number != self._search_number:
            return
        if so_far.state is None:
            self._show_part(so_far)
            return
        self._search_running = False
        if not self.screen.is_current:
            self._late = so_far
            return
        self._finish(so_far, asked_of)

    def _finish(self, so_far: SearchProgress, asked_of: ScreenState | None) -> None:
        finished = so_far.state if asked_of is self.state else None
        matches = so_far.matches if so_far.matches.query else None
        state = finished or searched(self.state, matches)
        self._part_shown = False
        self.screen.show_found(state)
        milliseconds = f"{1000 * so_far.seconds:,.0f} ms"
        between = " | " if self.context.glyphs.ascii_only else " · "
        self._bar.tell(f"{self._counted(state)}{between}{milliseconds}" if matches else "")
        if not self._bar.typing:
            self._end_search()

    def _show_part(self, so_far: SearchProgress) -> None:
        """The rows so far. Neither title nor facets are told: they would be about the part that was read."""
        if not self.screen.is_current:
            return
        self._part_shown = True
        rows = CaseRows(replace(self.state.results, matches=so_far.matches), self.state.focus.scorer)
        self.screen.table.show(rows, so_far.rows.astype("int32"))
        words = f"{counted(so_far.rows.size, 'case')} so far, {share(so_far.share, 0)}% of the texts read"
        self._bar.tell(words)
        write_header(self.screen, place_in_app(self.state), [Phrase((words,))])

    def _show_whole(self) -> None:
        """The value on screen instead of the part of a search that will not end."""
        if self._part_shown:
            self._part_shown = False
            self.screen.show_state(self.state)

    def resume(self) -> None:
        """Show what a search found that ended while another screen was on top."""
        late, self._late = self._late, None
        if late is not None:
            self._finish(late, None)
