"""The one screen of analyses: a view of what is inspected, page by page."""

from collections.abc import Sequence
from functools import cache, partial
from time import monotonic, sleep
from typing import Any, ClassVar

from msgspec.structs import replace
from rich.text import Text
from textual.worker import Worker, get_current_worker

from inspector.analyses import Analysis, Option, OptionValue, Page, Params, Whose, load
from inspector.case_page.tracks import LETTERS
from inspector.render.blocks import Block, Facts, Note, Panel, links_of
from inspector.render.documents.row_documents import Document
from inspector.render.lines import Sheet
from inspector.render.panels import drawn_by, framed, lay_out, method_of
from inspector.render.terminal import Terminal
from inspector.render.texts.phrases import Phrase, name_forms
from inspector.render.texts.sentences import decision_words
from inspector.render.view import View
from inspector.screens.base import SHORT
from inspector.screens.common_cases import toggle_common_cases
from inspector.screens.controller import same_owners
from inspector.screens.dialog import Picking
from inspector.screens.help_pages import TextPage
from inspector.screens.messages import Computed
from inspector.screens.scorer_choice import ScorerChoice
from inspector.screens.screen_context import ScreenContext
from inspector.screens.screen_help import ScreenHelp
from inspector.screens.screen_lines import state_facts
from inspector.screens.sheet import FEW, REST, SheetScreen, Tables
from inspector.state.comparability import Incomparable, incomparable
from inspector.state.focusing import best_scorer, covering
from inspector.state.screen_state import ScreenState
from inspector.state.subject import subject
from inspector.widgets.key_table import bindings_of
from inspector.widgets.pick_list import Pick
from scoring.data.errors import InspectError
from scoring.selection.result_set import ResultSet

ALONE_OR_BESIDE: Whose = "one or two"
METHOD_WIDTH = 76
"""Width of a line of the method, in cells."""
AROUND = 5
"""Lines of a screen above and beneath its sheet while no threshold is moved."""


class AnalysisScreen(SheetScreen):
    """Shows the pages of one analysis. Values stand there first; their intervals follow when the keys rest.

    While a threshold moves, values are computed in a thread, one after the other, always those of the newest
    threshold: no key waits for them, and what stood there stays until they come.
    """

    ANALYSIS: ClassVar[Analysis]

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__(context, state)
        self._other: str | None = None
        self._told_of: dict[str, dict[str, Any]] = {}
        self._views: dict[str, tuple[Sequence[object], View | InspectError, bool]] = {}
        self._worker: Worker[None] | None = None

    # -- whom it is about

    @property
    def open_page(self) -> Page:
        """The page that is open."""
        pages = self.ANALYSIS.pages or (Page("", "", self.ANALYSIS.whose),)
        return next((page for page in pages if page.name == self.page), pages[0])

    def other(self, state: ScreenState) -> str | None:
        """Return B: the scorer that was chosen, as long as there is one beside the scorer in focus.

        Else the best one, and none where a page is about one scorer unless another was chosen.
        """
        there = covering(state)
        if self._other in there and self._other != state.focus.scorer:
            return self._other
        if self.open_page.whose == ALONE_OR_BESIDE:
            return None
        return best_scorer(state, [name for name in there if name != state.focus.scorer])

    def beside(self, state: ScreenState) -> tuple[str, ...]:
        """Return the scorer in focus, then those that were put beside it."""
        if state.focus.scorer is None:
            return ()
        there = covering(state)
        others = [
            name for name in self.context.remembered.left.overlaid if name in there and name != state.focus.scorer
        ]
        return (state.focus.scorer, *others[: len(LETTERS) - 1])

    def asked_about(self, state: ScreenState) -> tuple[str, ...]:
        """Return the scorers that the open page is about; () where there are too few, or it is about none."""
        whose = self.open_page.whose
        if state.focus.scorer is None or whose == "none":
            return ()
        if self.about_two:
            other = self.other(state)
            return () if other is None else (state.focus.scorer, other)
        if whose == ALONE_OR_BESIDE:
            other = self.other(state)
            return (state.focus.scorer,) if other is None else (state.focus.scorer, other)
        every = covering(state)
        return {"focus": (state.focus.scorer,), "beside": self.beside(state)}.get(whose, every)

    @property
    def about_scorers(self) -> bool:
        """Whether the open page is about any."""
        return self.open_page.whose != "none"

    @property
    def about_two(self) -> bool:
        """Whether the open page holds the scorer in focus against another."""
        return self.open_page.whose == "pair" or any(
            option.with_other and self._told.get(option.name) for option in self.options
        )

    @property
    def options(self) -> tuple[Option, ...]:
        """What the open page can be told here."""
        return tuple(option for option in self.ANALYSIS.options_of(self.page) if option.title)

    @property
    def _told(self) -> dict[str, Any]:
        """What was chosen for the benchmark in focus: another one has other columns and scorers."""
        return self._told_of.get(self.state.focus.benchmark, {})

    def params(self, page: str, form: str = "") -> Params:
        """Return a page with the options that were chosen for it here."""
        names = {option.name for option in self.ANALYSIS.options_of(page)}
        return Params(page, {name: value for name, value in self._told.items() if name in names}, form)

    def lacks_scorers(self, state: ScreenState) -> bool:
        """Return whether there are too few scorers for the open page, if it needs any."""
        needed = self.open_page.whose != "none" and bool(self.ANALYSIS.needs)
        return needed and not self.asked_about(state)

    def facts(self, state: ScreenState) -> list[Phrase]:
        facts = super().facts(state)
        names = self.asked_about(state)
        if not self.about_two or len(names) != 2:
            return facts
        # Headline and threshold are those of the scorer in focus.
        own = len(state_facts(state, self.context.glyphs))
        return [*facts[: len(facts) - own], *self._both_thresholds(state, names)]

    def _both_thresholds(self, state: ScreenState, names: Sequence[str]) -> list[Phrase]:
        thresholds = [state.rule_of(name).threshold for name in names]
        letter = "threshold" if self.context.glyphs.ascii_only else "θ"
        a, b = ("none" if threshold is None else f"{threshold:.3f}" for threshold in thresholds)
        words = f"{letter} {a} each" if a == b else f"{letter} A {a}, B {b}"
        return [] if thresholds == [None, None] else [Phrase((words, ""), rank=1)]

    def subject(self, state: ScreenState) -> list[Phrase]:
        if self.open_page.whose == "none":
            return []
        names = self.asked_about(state)
        if not (self.about_two or self.open_page.whose == ALONE_OR_BESIDE) or len(names) < 2:
            return super().subject(state)
        a, b = (name_forms(name, 24, 12, among=covering(state)) for name in names)
        forms = tuple(f"A {left}, B {right}" for left, right in zip((*a, a[-1]), (*b, b[-1]), strict=False))
        return [Phrase(forms, rank=3)]

    # -- its view

    def lay_out(self, state: ScreenState, figures: Any, width: int, height: int) -> Sheet:  # noqa: ARG002
        if self.lacks_scorers(state):
            title = "Nothing to show yet"
            score, read = self.context.keys.of("score"), self.context.keys.of("import")
            words = (
                f"{self.ANALYSIS.needs.format(benchmark=state.focus.benchmark)} Use {score} to run one, or {read} on "
                "the board or in the list to import results. In a shell: "
                f"prm-inspect score {state.focus.benchmark} --model DIR, or prm-inspect import PATH."
            )
            return self._drawn([Panel(title, (Note(words, "quiet"),))], width, height)
        known = self._views.get(self.page)
        if known is None:
            return Sheet((), "Computing.")
        owners, view, complete = known
        busy = "" if complete and self._is_of(owners, state) else "Computing."
        if isinstance(view, InspectError):
            return self._drawn([Panel(self._page_title, (Note(view.words),))], width, height, busy)
        if view.empty:
            return self._drawn([Panel(self._page_title, (Note(view.empty),))], width, height, busy)
        blocks: list[Block] = [block for section in view.sections for block in section.blocks]
        if len(view.sections) > 1:
            blocks = [Panel(section.title, section.blocks) for section in view.sections]
        terminal = self._terminal(width, height)
        panels = [*framed(blocks, self._page_title, width, terminal.inside), *self._further_pages()]
        return self._drawn(self._with_hints(panels, explained=bool(method_of(blocks))), width, height, busy)

    @property
    def _page_title(self) -> str:
        title = self.open_page.title or self.ANALYSIS.title
        return f"{title[:1].upper()}{title[1:]}"

    def _terminal(self, width: int, height: int) -> Terminal:
        """Return a terminal as high as the pane without the rail, so that charts keep their height."""
        return Terminal(width, self.context.glyphs, max(height, self.size.height - AROUND), split=True)

    def _drawn(self, panels: Sequence[Panel], width: int, height: int, busy: str = "") -> Sheet:
        """Draw panels in frames, or below headings if the screen is too short for frames."""
        terminal = self._terminal(width, height)
        if self.size.height < SHORT:
            return Sheet(tuple(terminal.blocks(panels)), busy)
        ascii_only = self.context.glyphs.ascii_only
        drawn, natural = lay_out(drawn_by(terminal.inside, panels), width, height, ascii_only=ascii_only)
        return Sheet(tuple(drawn), busy, natural)

    def _with_hints(self, panels: Sequence[Panel], *, explained: bool) -> list[Panel]:
        """Add key hints to the lower edges; the hint of the first panel names the key for the method."""
        opens = f"{self.context.keys.of('drill')} lists the cases"
        method = f"{self.context.keys.of('method')} how this is tested"
        return [
            panel
            if panel.hint
            else replace(panel, hint=method)
            if explained and not number
            else replace(panel, hint=opens)
            if any(True for block in panel.blocks for _ in links_of(block))
            else panel
            for number, panel in enumerate(panels)
        ]

    def _further_pages(self) -> list[Panel]:
        """Describe the other pages on the first page."""
        first, *others = self.pages or (self.open_page,)
        pages = tuple((page.title, page.about) for page in others if page.about)
        if self.open_page.name != first.name or not pages:
            return []
        turn = f"{self.context.keys.of('next-page')} next page"
        return [Panel("More", (Facts(pages),), hint=turn)]

    def _owners(self, state: ScreenState) -> Sequence[object]:
        """What the view depends on; what is about no scorer may be about what people said.

        What is about one scorer may be told apart by what others made of the cases.
        """
        names = self.asked_about(state)
        results = state.results
        journal = results.labels.journal if self.open_page.whose == "none" or self.open_page.people else None
        return (
            *(results.evaluations if names else ()),
            None if journal is None else journal.triage,
            names,
            state.slice,
            state.focus.benchmark,
            results.query.seed,
            tuple(sorted(self._told.items())),
        )

    def _is_of(self, owners: Sequence[object], state: ScreenState) -> bool:
        return same_owners(owners, self._owners(state))

    def view_of(self, state: ScreenState, page: str, *, intervals: bool) -> View | InspectError:
        """Compute the view of a page, or say why there is none."""
        try:
            return self.ANALYSIS.view(self._results(state), self.params(page), intervals=intervals).laid_out()
        except InspectError as error:
            return error

    def _results(self, state: ScreenState) -> ResultSet:
        """What the open page is about, as the command that makes it again selects it."""
        return subject(state, () if self.open_page.whose == "ranked" else self.asked_about(state))

    def compute(self, state: ScreenState) -> None:
        known = self._views.get(self.page)
        if self.lacks_scorers(state) or (known and known[2] and self._is_of(known[0], state)):
            return
        few = state.results.evaluated.height <= FEW and not self.ANALYSIS.slow
        if few and not self.rail_open and not (known and self._is_of(known[0], state)):
            view = self.view_of(state, self.page, intervals=False)
            # What cannot be computed has no intervals to come.
            self._views[self.page] = self._owners(state), view, isinstance(view, InspectError)
            if isinstance(view, InspectError):
                return
        if self._worker is None or self._worker.is_finished:
            # What can be seen at once comes first: the thread would take turns with it.
            self.call_after_refresh(self._start_view)

    def _start_view(self) -> None:
        if self.lacks_scorers(self.state):
            return
        if self._worker is not None and not self._worker.is_finished:
            return
        work = partial(self._work, self.state, self.page)
        self._worker = self.run_worker(work, thread=True, group="figures", description="figures")

    def _work(self, state: ScreenState, page: str) -> None:
        """In a thread: the values, and unless another state is inspected before the keys rest, their intervals."""
        worker, owners = get_current_worker(), self._owners(state)
        known = self._views.get(page)
        if known is None or not same_owners(known[0], owners):
            first = self.view_of(state, page, intervals=False)
            self.post_message(Computed((page, owners, isinstance(first, InspectError)), first))
            if isinstance(first, InspectError):
                return
        rests = monotonic() + REST
        while self.rail_open and monotonic() < rests:
            sleep(REST / 8)
            if worker.is_cancelled or self.state is not state:
                return
        if not worker.is_cancelled and self.state is state and self.page == page:
            self.post_message(Computed((page, owners, True), self.view_of(state, page, intervals=True)))

    def on_computed(self, message: Computed) -> None:
        """Keep and show a view that was computed; where it is of an older state, the present one is computed next."""
        key: Any = message.owners
        page, owners, complete = key
        self._views[page] = owners, message.made, complete
        if page == self.page:
            self.show_sheet(self.state)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.worker is self._worker and event.worker.is_finished:
            self.compute(self.state)

    # -- keys

    def action_method(self) -> None:
        """Show how the figures of the page were computed and tested."""
        known = self._views.get(self.page)
        view = known[1] if known else None
        blocks = [block for section in view.sections for block in section.blocks] if isinstance(view, View) else []
        panels = method_of(blocks)
        if not panels:
            ScreenHelp(self).action_method()
            return
        self.close_rail()
        lines = Terminal(METHOD_WIDTH, self.context.glyphs).blocks(panels)
        text = Text("\n").join(Text.assemble(*(piece.text for piece in line)) for line in lines)
        self.app.push_screen(TextPage(text, f"{self._page_title}: method", f"prm-inspect guide {self.GUIDE} says more"))

    def tables(self, state: ScreenState) -> Tables:
        known = self._views.get(self.page)
        if self.lacks_scorers(state) or (known and isinstance(known[1], View) and known[1].empty):
            return ()
        pages = [self.open_page, *(page for page in self.ANALYSIS.pages if page.name == self.open_page.also)]
        return tuple((partial(self._document, state, page.name), page.title or self.ANALYSIS.title) for page in pages)

    def _document(self, state: ScreenState, page: str, form: str) -> Document:
        return self.ANALYSIS.view(self._results(state), self.params(page, form))

    def action_scorers(self) -> None:
        """Choose the other scorer that the page is about, or those beside the one in focus, or that one."""
        if self.open_page.whose in {"pair", ALONE_OR_BESIDE}:
            self._choose_other()
        elif self.open_page.whose == "beside":
            self._choose_beside()
        else:
            self.scorer_focus.action_scorers()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key works: a single page has no next one."""
        return len(self.ANALYSIS.pages) > 1 if action == "page" else super().check_action(action, parameters)

    def action_options(self) -> None:
        """Choose what of a page is to be changed, and then how."""
        if self.lacks_scorers(self.state) or not self.options:
            self.say("This page has nothing to choose.")
        elif len(self.options) == 1:
            self.action_option(self.options[0].name)
        else:
            picks = [Pick(option.name, option.title, self._chosen_words(option)) for option in self.options]
            self.close_rail()
            self.app.push_screen(Picking("Choose", picks), self._then_option)

    def _then_option(self, name: str | None) -> None:
        if name is not None:
            self.action_option(name)

    def action_option(self, name: str) -> None:
        """Choose a value of an option of the page."""
        state = self.state
        option = next((option for option in self.options if option.name == name), None)
        if option is None:
            there = [option for option in self.ANALYSIS.options if option.name == name]
            pages = [page.title for page in self.ANALYSIS.pages if there and page.name in there[0].pages]
            hint = f": it is for {' and '.join(pages)}" if pages else ""
            self.say(f"There is nothing of that kind to choose on this page{hint}.")
        elif self.lacks_scorers(state):
            self.say("There is nothing to choose before a scorer has verdicts.")
        elif option.with_other:
            self._choose_other(option)
        else:
            self._offer(state, option)

    def _chosen_words(self, option: Option) -> str:
        """What is chosen now, as the offers call it."""
        now = self._told.get(option.name)
        if now is None or option.with_other:
            return "" if now is None else "yes"
        return next((offer.title for offer in self._offers(self.state, option) if offer.value == now), str(now))

    def _offers(self, state: ScreenState, option: Option) -> list[OptionValue]:
        if option.offered is not None:
            try:
                return list(option.offered(self._results(state), self.params(self.page)))
            except InspectError:
                # Why there is nothing to answer stands on the screen.
                return []
        if option.switch:
            return [OptionValue(True, "yes"), OptionValue(None, "no")]
        return [OptionValue(value, value) for value in option.choices]

    def _offer(self, state: ScreenState, option: Option) -> None:
        now, offers = self._told.get(option.name), self._offers(state, option)
        if not offers:
            self.say("There is nothing to choose from.")
            return
        picks = [Pick(str(at), offer.title, offer.about, strong=offer.value == now) for at, offer in enumerate(offers)]
        cursor = next((at for at, offer in enumerate(offers) if offer.value == now), 0)

        def chosen(key: str | None) -> None:
            if key is not None:
                self._tell(option.name, offers[int(key)].value)

        self.close_rail()
        self.app.push_screen(Picking(option.title, picks, cursor), chosen)

    def _tell(self, name: str, value: Any) -> None:
        """Tell the page something and show what it says then; None takes it back."""
        kept = {known: other for known, other in self._told.items() if known != name}
        self._told_of[self.state.focus.benchmark] = kept if value is None else {**kept, name: value}
        self.show_state(self.state)

    def _choose_other(self, option: Option | None = None) -> None:
        """Choose B, or nobody where the page may be about one scorer or an option that is a switch says so."""
        state = self.state
        names = [name for name in covering(state) if name != state.focus.scorer]
        if not names:
            self.say("There is no other scorer on this benchmark.")
            return
        self.close_rail()
        now, evaluation = self.other(state), state.results.evaluation
        alone = now is None if option is None else not self._told.get(option.name)
        picks = [Pick(name, name, evaluation(name).scorer.about, strong=not alone and name == now) for name in names]
        if option is not None or self.open_page.whose == ALONE_OR_BESIDE:
            picks.insert(0, Pick("", "nobody", "the scorer in focus alone", strong=alone))

        def chosen(name: str | None) -> None:
            if name is None:
                return
            if option is None:
                self._other = name or None
                self.show_state(self.state)
            else:
                self._other = name or self._other
                self._tell(option.name, True if name else None)

        cursor = next((at for at, pick in enumerate(picks) if pick.strong), 0)
        title = "Compare with" if option is None else f"{state.focus.scorer} minus"
        self.app.push_screen(Picking(title, picks, cursor), chosen)

    def action_swap(self) -> None:
        """Swap A and B."""
        state = self.state
        if not self.about_two:
            self.say("This page is about one scorer: there is nothing to turn round.")
            return
        other = self.other(state)
        if other is None:
            self.say("There is no other scorer on this benchmark.")
            return
        self.close_rail()
        self._other = state.focus.scorer
        try:
            self.put(state.focused(other, state.focus.benchmark))
        except InspectError as error:
            self.say(error.words)

    def action_common(self) -> None:
        """Put the figures on the cases that their scorers have in common, or each on its own again."""
        toggle_common_cases(self, self._reasons)

    def _reasons(self, state: ScreenState) -> list[Incomparable]:
        """Why the figures of the scorers that the open page is about are not comparable."""
        names = self.asked_about(state)
        return incomparable(subject(state, names), names, state.focus.benchmark)

    def _choose_beside(self) -> None:
        state = self.state
        if state.focus.scorer is None:
            self.say("There is no scorer whose curve could be drawn.")
            return
        names = covering(state)
        if set(names) <= {state.focus.scorer}:
            self.say("There is no other scorer on this benchmark.")
            return
        self.close_rail()
        facts = [decision_words(state.rule_of(name)) for name in names]
        choice = ScorerChoice(names, facts, self.beside(state), state.focus.scorer, len(LETTERS))
        self.app.push_screen(choice, self._put_beside)

    def _put_beside(self, chosen: tuple[str, ...] | None) -> None:
        if chosen is not None:
            self.context.remembered.keep(overlaid=chosen if len(chosen) > 1 else ())
            self.show_state(self.state)


@cache
def screen_of(name: str) -> type[AnalysisScreen]:
    """Return the screen of an analysis."""
    of: Analysis = load(name)
    parts = {"NAME": name, "BINDINGS": list(bindings_of(name)), "ABOUT": of.help, "PAGES": of.pages, "ANALYSIS": of}
    return type(f"{name.capitalize()}Screen", (AnalysisScreen,), parts)
