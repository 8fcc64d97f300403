"""A screen of a sheet of numbers, each of which opens exactly its cases."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Size
from textual.widget import Widget
from textual.worker import get_current_worker

from inspector.analyses import Page
from inspector.render.documents.row_documents import Document
from inspector.render.lines import CaseLink, Sheet
from inspector.render.texts.frame_edges import THREE_COLUMNS
from inspector.render.texts.phrases import Phrase, name_forms
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.screens.base import AppScreen
from inspector.screens.cases_behind import LEAST as LEAST_BENEATH
from inspector.screens.cases_behind import SHARE, CasesBehind
from inspector.screens.controller import same_owners
from inspector.screens.export import offer_exports
from inspector.screens.messages import CasesFound, Computed, Export, Go, Inspected
from inspector.screens.screen_context import ScreenContext
from inspector.screens.screen_lines import one_line, state_facts, write_header, write_text
from inspector.state.case_links import drilled, returned
from inspector.state.filtering.filter_words import filter_phrase
from inspector.state.focusing import covering
from inspector.state.screen_state import ScreenState
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.line_scroll import Sized
from inspector.widgets.line_view import LineView
from inspector.widgets.page_tabs import PageTabs
from inspector.widgets.sheet_view import SheetView
from inspector.widgets.step_view import StepView
from scoring.data.errors import InspectError

# -- what is said of the number under the cursor


def opens_words(drill: CaseLink | None, key: str) -> str:
    """Return what a key opens there; "" where there is no number."""
    if drill is None:
        return ""
    if not drill.n:
        return f"no case: {drill.words}"
    return f"{key}: {counted(drill.n, 'case')}: {drill.words}"


if TYPE_CHECKING:
    from textual.timer import Timer

Tables = tuple[tuple[Callable[[str], Document], str], ...]
"""What can be exported: a function from a form of `row_documents.FORMS` to the document, and what it holds in words.

Two at most.
"""
FEW = 5_000
"""Up to so many cases in a workspace the figures of pages in `SOON` are there in some milliseconds."""
REST = 0.12
"""Seconds a threshold must rest before figures that take longer are computed anew."""


class SheetScreen(AppScreen):
    """A sheet about the slice of the screen state: the cases of its benchmark under every condition on the cases.

    A subclass gives `lay_out`, which is called in the thread of the keys and must be quick, and, where there are
    figures that take longer (a bootstrap, say), `behind`: these are computed in a thread and filled in. Both are about
    the screen state that they are given, never about `self.state`. Where there is more than one page, `PAGES` names
    them, and `page` is the name of the open one.
    """

    GUIDE = "compare"
    PAGES: ClassVar[tuple[Page, ...]] = ()
    SOON: ClassVar[frozenset[str]] = frozenset()
    """Pages ("" where there are none) whose figures are computed before they are shown, where there are few cases."""

    is_blind = False
    """Whether gold labels and verdicts are hidden, so that no cases are listed next to the sheet."""

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__(context, state)
        self.cases_behind = CasesBehind(self)
        self._known: dict[str, tuple[Sequence[object], Any]] = {}
        self._wanted: tuple[str, Sequence[object]] | None = None
        self._left: ScreenState | None = None
        self._rest: Timer | None = None
        self._shown: tuple[ScreenState | None, Size] = None, Size()
        self.page = self.PAGES[0].name if self.PAGES else ""

    @property
    def pages(self) -> Sequence[Page]:
        """The pages that the benchmark in focus has something to show on, and the open one."""
        now = self.state
        return [
            page
            for page in self.PAGES
            if page.holds is None or page.name == self.page or page.holds(now.results, now.focus.benchmark)
        ]

    # -- what a subclass gives

    def lay_out(self, state: ScreenState, figures: Any, width: int, height: int) -> Sheet:
        """Return the sheet for a pane of so many cells and lines; `figures` is from `behind`, None until then."""
        raise NotImplementedError

    def behind(self, state: ScreenState) -> tuple[Sequence[object], Callable[[], Any]] | None:
        """Return what takes longer: what it depends on, and a function that computes it in a thread. None: nothing.

        Where the first is the same as when this page was last open, what was computed stays. Evaluations are compared
        by identity, arrays and words by their values. What the function raises as InspectError is told in its place.
        """

    def tables(self, state: ScreenState) -> Tables:
        """Return the documents of what is on screen; none where there is nothing to export."""
        raise NotImplementedError

    def subject(self, state: ScreenState) -> list[Phrase]:
        """Return the parts of the path after the benchmark, except the name of the screen."""
        scorer, others = state.focus.scorer, covering(state)
        return [Phrase((*name_forms(scorer, 30, 14, among=others), ""), rank=3)] if scorer else []

    def facts(self, state: ScreenState) -> list[Phrase]:
        """Return the facts on the right of the header."""
        size = int(state.slice.sum())
        cases = Phrase((counted(size, "case"), f"{size:,}", ""), rank=3)
        of_data = replace(state, filter=state.data_filter)
        facts = [cases]
        if of_data.filter.conditions:
            facts = [cases, replace(filter_phrase(of_data), rank=2)]
        if of_data.filter != state.filter:
            left_out = "without conditions on outcomes"
            facts.append(Phrase((left_out, "outcomes left out", ""), rank=3))
        return facts + (state_facts(state, self.context.glyphs) if self.about_scorers else [])

    # -- showing

    def compose(self) -> ComposeResult:
        yield one_line("title")
        pages = PageTabs(id="pages", classes="one-line")
        pages.display = bool(self.PAGES)
        yield pages
        with Container(id="sheet-body"):
            yield SheetView(id="sheet")
            cases = StepView(id="behind-cases", classes="pane")
            cases.can_focus = False
            cases.display = False
            yield cases
        yield one_line("behind")
        yield from self.compose_rail()

    @property
    def first_pane(self) -> Widget:
        """What has the keys when the screen opens."""
        return self.query_one(SheetView)

    def on_mount(self) -> None:
        self.first_pane.focus()
        self.call_after_refresh(self._show_first)

    def _show_first(self) -> None:
        """Show what there is, unless just that stands there: a screen that opens is told its size several times."""
        state, room = self.state, self.query_one(SheetView).viewport
        if self._shown[0] is None:
            self._open_page_that_holds(state)
        if not (self._shown[0] is state and self._shown[1] == room):
            self.show_state(state)

    def _open_page_that_holds(self, state: ScreenState) -> None:
        """Open the first page with something to show, where the first of all has nothing."""
        held = [
            page.name for page in self.PAGES if page.holds is None or page.holds(state.results, state.focus.benchmark)
        ]
        if held and self.page == self.PAGES[0].name:
            self.page = held[0]

    def on_sized_resized(self, event: Sized.Resized) -> None:
        if isinstance(event.view, SheetView):
            self._show_first()
        elif isinstance(event.view, StepView):
            self._follow_cursor()

    def watch_state(self, state: ScreenState) -> None:
        if self._left is not None and self.is_mounted:
            # The list of a number's cases was open above: its filter is its own.
            before, self._left = self._left, None
            self.put(returned(state, before))
            return
        super().watch_state(state)

    def show_state(self, state: ScreenState) -> None:
        self.show_title(state)
        self.compute(state)
        self.show_sheet(state)

    def show_title(self, state: ScreenState) -> None:
        """Show what is looked at, and under which filter."""
        path = [Phrase((*name_forms(state.focus.benchmark, 14), ""), rank=4), *self.subject(state)]
        title = next((command.title for command in COMMANDS if command.id == self.NAME), self.NAME)
        write_header(self, [*path, Phrase((title.lower(),), rank=4)], self.facts(state))

    @property
    def about_scorers(self) -> bool:
        """Whether what is shown depends on any scorer, and on its threshold."""
        return True

    def show_sheet(self, state: ScreenState, *, again: bool = False) -> None:
        """Lay out the sheet anew."""
        view = self.query_one(SheetView)
        if self.PAGES:
            names = [page.name for page in self.pages]
            tabs = self.query_one("#pages", PageTabs)
            tabs.tell([page.title for page in self.pages], names.index(self.page) if self.page in names else 0)
        _, figures = self._known.get(self.page, ((), None))
        trouble = clean(str(figures)) if isinstance(figures, InspectError) else ""
        width, height = view.viewport
        if width:
            self._shown = state, view.viewport
            sheet = self.lay_out(state, None if trouble else figures, width, height)
            view.show_sheet(replace(sheet, busy=trouble) if trouble else sheet)
            self._arrange(sheet)
            self.tell_behind(view)
            self._follow_cursor()
            if not again:
                self.call_after_refresh(self._fit, width)

    def _arrange(self, sheet: Sheet) -> None:
        """Place the pane of cases: on the right of a wide screen, else below a sheet that leaves enough lines."""
        panes = self.query("#behind-cases")
        if not panes:
            return
        pane, body = panes.first(StepView), self.query_one("#sheet-body")
        beside = self.size.width >= THREE_COLUMNS
        lines = 0 if beside else self._lines_beneath(sheet, body.size.height)
        body.set_class(beside, "-beside")
        if beside:
            pane.styles.width, pane.styles.height = round(self.size.width * SHARE), "1fr"
        elif lines:
            pane.styles.width, pane.styles.height = "1fr", lines
        pane.display = bool(any(sheet.drills())) and (beside or bool(lines))

    def _follow_cursor(self) -> None:
        """List the cases behind the number under the cursor, if the screen has a pane for them."""
        if self.query("#behind-cases"):
            self.cases_behind.follow()

    def _lines_beneath(self, sheet: Sheet, room: int) -> int:
        """Return the height of the pane below the sheet; 0 if too few lines are left or the threshold rail is open."""
        left = room - sheet.used
        return 0 if self.rail_open or left < LEAST_BENEATH else left

    def _fit(self, width: int) -> None:
        """Lay out anew where a scrollbar that came or went changed the room; once, so that nothing goes to and fro."""
        if self.is_current and self.query_one(SheetView).viewport.width != width:
            self.show_sheet(self.state, again=True)

    @property
    def link(self) -> CaseLink | None:
        """The cases behind the number under the cursor, or None."""
        return self.query_one(SheetView).drill

    def tell_behind(self, view: SheetView) -> None:
        """Say what the number under the cursor opens, and what is still being computed."""
        words = opens_words(view.drill, self.context.keys.of("drill"))
        if view.sheet.busy:
            words = f"{view.sheet.busy} {words}"
        write_text(self, "behind", words, "dim")

    def on_sheet_view_moved(self, message: SheetView.Moved) -> None:
        self.tell_behind(message.view)
        self._follow_cursor()

    def on_cases_found(self, message: CasesFound) -> None:
        """Show the first cases behind the number under the cursor."""
        self.cases_behind.show(message)

    def on_line_view_clicked(self, message: LineView.Clicked) -> None:
        """Open the clicked case."""
        row = self.cases_behind.row_at(message.line) if message.view.id == "behind-cases" else None
        if row is not None and self.link is not None:
            self.drill(self.link, row)

    def on_page_tabs_chosen(self, message: PageTabs.Chosen) -> None:
        """Turn to the page of the clicked tab."""
        self.close_rail()
        self.turn_to(self.pages[message.page].name)

    # -- what takes longer

    def compute(self, state: ScreenState) -> None:
        """Have computed what the open page lacks."""
        task = self.behind(state)
        owners, make = task or ((), lambda: None)
        if self.page in self._known and (task is None or not same_owners(self._known[self.page][0], owners)):
            del self._known[self.page]
        if task is None:
            self._wanted = None
        if task is None or self.page in self._known:
            return
        if self._wanted is not None and self._wanted[0] == self.page and same_owners(self._wanted[1], owners):
            return
        if self.page in self.SOON and state.results.evaluated.height <= FEW:
            self._known[self.page] = owners, _made(make)
            return
        first, self._wanted = self._wanted is None, (self.page, owners)
        if self._rest is not None:
            self._rest.stop()
        start = partial(self._start, owners, make)
        if first or not self.rail_open:
            # What can be seen at once comes first: the thread would take turns with it.
            self.call_after_refresh(start)
        else:
            self._rest = self.set_timer(REST, start)

    def _start(self, owners: Sequence[object], make: Callable[[], Any]) -> None:
        self.run_worker(
            partial(self._make, owners, make), thread=True, exclusive=True, group="figures", description="figures"
        )

    def _make(self, owners: Sequence[object], make: Callable[[], Any]) -> None:
        """In a thread."""
        worker = get_current_worker()
        made = _made(make)
        if not worker.is_cancelled:
            self.post_message(Computed(owners, made))

    def on_computed(self, message: Computed) -> None:
        """Fill in figures that were computed, unless others are wanted by now."""
        if self._wanted is None or self._wanted[1] is not message.owners:
            return
        page, self._wanted = self._wanted[0], None
        self._known[page] = message.owners, message.made
        if page == self.page:
            self.show_sheet(self.state)

    # -- keys

    def action_export(self) -> None:
        self.close_rail()
        tables = self.tables(self.state)
        if not tables:
            self.say("There is nothing to export here yet.")
            return
        choices = tuple((Export(self.NAME, "", make=make), words) for make, words in tables)
        offer_exports(self, choices)

    def on_sheet_view_opened(self, message: SheetView.Opened) -> None:
        self.drill(message.drill)

    def action_page(self, by: int) -> None:
        """Turn to the next page, or the one before; round and round."""
        names = [page.name for page in self.pages]
        if names:
            self.turn_to(names[(names.index(self.page) + by) % len(names)])

    def turn_to(self, page: str) -> None:
        """Open a page."""
        self.page = page
        view = self.query_one(SheetView)
        self.show_state(self.state)
        view.action_edge(0)
        # The first number may stand beneath a chart, which is looked at first.
        view.scroll_to(y=0, force=True)

    def action_drill(self) -> None:
        """Open the cases behind the number under the cursor."""
        drill = self.query_one(SheetView).drill
        if drill is None:
            self.say("There is no number here that has cases.")
        else:
            self.drill(drill)

    def drill(self, drill: CaseLink, row: int | None = None) -> None:
        """Open a list of exactly these cases; with `row`, the case of this row id, whose keys go through the list.

        A case that a rewriting is shown beside is opened itself where it is the only one.
        """
        self.close_rail()
        if not drill.n:
            self.say(f"There is no such case: {clean(drill.words)}.")
            return
        try:
            listed = drilled(self.state, drill)
        except InspectError as error:
            self.say(str(error))
            return
        if drill.rewriting and listed.shown.size == 1:
            row = int(listed.shown[0])
        self._left = self.state
        # Told to the app alone: this screen stays as it is beneath the list.
        self.post_message(Inspected(listed))
        self.post_message(Go("cases") if row is None else Go("case", row))


def _made(make: Callable[[], Any]) -> Any:
    """What was computed, or the error that says why it cannot be."""
    try:
        return make()
    except InspectError as error:
        return error
