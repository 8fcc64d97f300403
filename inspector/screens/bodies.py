"""What the case screen shows in the place of the steps: the original and the modified solution, or the tokens.

Tokens are asked of a scoring process in a thread, so that no key waits for it.
"""

from functools import partial
from typing import TYPE_CHECKING

from inspector.case_page.original_lines import MODE as ORIGINAL
from inspector.case_page.original_lines import REWRITING
from inspector.case_page.original_track import original_of
from inspector.case_page.token_lines import MODE as TOKENS
from inspector.screens.controller import Controller
from inspector.screens.stepping import CasePage
from inspector.state.processes.xray import XrayAnswer, XrayQuestion

if TYPE_CHECKING:
    from textual.timer import Timer


PATIENCE = 0.2
"""Seconds for which a case must stay on screen before its tokens are asked for: keys that are held ask for nothing."""
KEPT = 32
"""Answers that are kept."""


class Bodies(Controller[CasePage]):
    """The body of the case on screen until another is asked for: it stays for the next case, not for other screens."""

    def __init__(self, screen: CasePage) -> None:
        super().__init__(screen)
        self.mode = ""
        self.found: XrayAnswer | None = None
        self._question: XrayQuestion | None = None
        self._asking: Timer | None = None
        self._known: dict[tuple[str, str], XrayAnswer] = {}

    def begin(self) -> None:
        """Begin with the rewriting that is looked at, if there is one."""
        if self.state.rewriting:
            self.mode = REWRITING

    def action_original(self) -> None:
        """Show what was changed in the original, or by the rewriting that is looked at, or the steps as ever."""
        if self.state.rewriting:
            self.show("" if self.mode == REWRITING else REWRITING)
            return
        visible = self.mode == ORIGINAL
        case = None if visible else self.screen.case_at_hand(self.screen.row, self.screen.steps)
        if not visible and case is None:
            return
        if case is not None and original_of(case.texts) is None:
            self.screen.notify("This case has no original: its benchmark gives the one solution only.", markup=False)
            return
        if not visible and self.screen.blind:
            key = self.context.keys.of("blind")
            self.screen.say(f"The original would tell where the error is: {key} shows everything again.")
            return
        self.show("" if visible else ORIGINAL)

    def show(self, mode: str) -> None:
        """Show another body, with the cursor on the same step."""
        self.mode = mode
        self.screen.reading = self.screen.reading.kept()
        self.screen.show_case()
        if (line := self.screen.cursor.line) is not None:
            self.screen.steps.scroll_to_line(line)
            self.screen.steps.put_cursor(line)

    def action_tokens(self) -> None:
        """Show the tokens of the case, or the steps as ever."""
        if self.state.evaluation is None:
            self.screen.notify("There is no scorer whose tokens could be shown.", markup=False)
            return
        self.show("" if self.mode == TOKENS else TOKENS)

    def follow(self) -> None:
        """See that the tokens of the case on screen are there or on their way, where they are wanted."""
        state = self.state
        if self.mode != TOKENS or state.evaluation is None:
            self.call_off()
            return
        wanted = (state.cases["case"][self.screen.row], state.evaluation.scorer.name)
        xray = self.found
        if xray is not None and (xray.case, xray.scorer) == wanted:
            return
        if self._question is not None and (self._question.case, self._question.scorer.name) == wanted:
            return
        self.call_off()
        known = self._known.get(wanted)
        if known is not None:
            self.screen.call_later(self._put, known)
        else:
            self._asking = self.screen.set_timer(PATIENCE, self._ask)

    def _ask(self) -> None:
        state = self.state
        if state.evaluation is None:
            return
        self._question = question = XrayQuestion(state.results, self.screen.row, state.evaluation.scorer)
        self.screen.run_worker(partial(self._wait, question), thread=True, group="tokens", description="tokens")

    def _wait(self, question: XrayQuestion) -> None:
        """In a thread."""
        self.screen.call_later(self._told, question, question.answer())

    def _told(self, question: XrayQuestion, xray: XrayAnswer) -> None:
        """Keep what was said; show it if it is still wanted."""
        if question is not self._question:
            return
        self._question = None
        if xray.answer is not None:
            self._known[xray.case, xray.scorer] = xray
            while len(self._known) > KEPT:
                self._known.pop(next(iter(self._known)))
        self._put(xray)

    def _put(self, xray: XrayAnswer) -> None:
        self.found = xray
        if self.mode == TOKENS:
            self.screen.show_case()

    def call_off(self) -> None:
        """Stop asking: nobody is there to be told."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        if self._question is not None:
            self._question.call_off()
            self._question = None


# -- several scorers on the case screen: which stand beside each other, and their rewards as curves


BESIDE = 160
"""Columns from which the curves stand beside the steps."""


class CurvedScreen(CasePage, Protocol):
    """What the curves use of the case screen."""

    critique: Critique

    @property
    def beside(self) -> tuple[str, ...]: ...


class Curves(Controller[CurvedScreen]):
    """Chooses scorers, and draws their curves for the case on screen."""

    def compose(self) -> ComposeResult:
        """Compose the pane of the curves, hidden until it is asked for."""
        curve = StepView(id="curve")
        curve.can_focus = False
        curve.display = False
        yield curve

    def show(self) -> None:
        """Draw the curves of the case on screen, where they are asked for."""
        view = self.screen.query_one("#curve", StepView)
        if not view.display:
            return
        width, height = view.viewport
        try:
            case = open_case(self.state, self.screen.row, self.screen.display_options(view))
        except InspectError:
            # The steps beneath say why.
            view.show([])
            return
        view.show(curve_lines(case, width, height))

    def action_curve(self) -> None:
        """Show or hide the rewards as curves against the steps."""
        if self.state.scorer is None:
            self.screen.notify("There is no scorer whose rewards could be drawn.", markup=False)
            return
        self.screen.reading = replace(self.screen.reading, curve=not self._wanted)
        self.lay_out()
        # The steps have another width or height then.
        self.screen.call_after_refresh(self.screen.read, self.screen.reading)

    @property
    def _wanted(self) -> bool:
        """Whether they are to be seen: as a person chose, else where they take no room from the steps."""
        if self.screen.reading.curve is not None:
            return self.screen.reading.curve
        screen, evaluation = self.screen, self.state.evaluation
        display = screen.display_options(screen.steps)
        if evaluation is None or not evaluation.rule.is_movable or display.unscored or display.mode:
            # Other bodies than the steps have two sides of their own.
            return False
        return screen.size.width >= BESIDE and not screen.critique.pane.display

    def lay_out(self) -> None:
        """Place the curves, if they are shown, by the room there is."""
        self.screen.query_one("#reading", Container).set_class(self.screen.size.width >= BESIDE, "-curve-right")
        self.screen.query_one("#curve", StepView).display = self._wanted

    def action_overlay(self) -> None:
        """Choose the scorers that stand beside each other."""
        state = self.state
        if state.scorer is None:
            self.screen.notify("There is no scorer to put beside another.", markup=False)
            return
        there = [evaluation for evaluation in state.results.evaluations if evaluation.coverage.covers(state.benchmark)]
        names = [evaluation.scorer.name for evaluation in there]
        if names == [state.scorer]:
            self.screen.notify("There is no other scorer on this benchmark.", markup=False)
            return
        facts = [decision_words(state.rule_of(name)) for name in names]
        self.screen.close_rail()
        choice = ScorerChoice(names, facts, self.screen.beside, state.scorer, len(LETTERS))
        self.screen.app.push_screen(choice, self._overlay)

    def _overlay(self, chosen: tuple[str, ...] | None) -> None:
        if chosen is not None:
            self.context.remembered.keep(overlaid=chosen if len(chosen) > 1 else ())
            self.screen.put(replace(self.state, beside=()))


# -- the case screen prepares: what is shown of a case, and of its neighbours while no key is pressed


IDLE = 0.12
"""Seconds without a key after which the neighbours of the case are made ready."""


class ReadyCase(Struct, frozen=True, eq=False):
    """A case made ready: its page, where the cursor stands and what is on top when it is opened, and the lines."""

    page: CaseLines
    stop: Stop | None
    scroll: int
    lines: PreparedLines


class PreparingScreen(CasePage, Protocol):
    """What making cases ready uses of the case screen."""

    critique: Critique

    @property
    def rail_open(self) -> bool: ...
    def neighbours(self, state: ScreenState) -> Sequence[int]: ...
    def lines_beneath(self, state: ScreenState, row: int, display: DisplayOptions) -> Iterator[Line]: ...


class ReadyCases(Controller[PreparingScreen]):
    """Keeps the case on screen and its neighbours in the list ready, by row id."""

    def __init__(self, screen: PreparingScreen) -> None:
        super().__init__(screen)
        self._ready: dict[int, ReadyCase] = {}
        self._ready_for: tuple[ScreenState, DisplayOptions, int] | None = None
        self._idle: Timer | None = None

    def get(self, state: ScreenState, row: int, display: DisplayOptions) -> ReadyCase:
        """Return a case made ready, perhaps before it was asked for."""
        view = self.screen.steps
        now = (state, display.kept(), view.palette)
        if self._ready_for is None or self._ready_for[0] is not state or self._ready_for[1:] != now[1:]:
            self._ready_for, self._ready = now, {}
        if display != display.kept():
            return self._make(state, row, display)
        if row not in self._ready:
            self._ready[row] = self._make(state, row, display)
        return self._ready[row]

    def _make(self, state: ScreenState, row: int, display: DisplayOptions) -> ReadyCase:
        page = case_lines(state, row, display)
        stop, scroll = opening(page, display.height)
        lines = [*page.lines, *self.screen.lines_beneath(state, row, display)]
        view = self.screen.steps
        painted = view.painted_ahead(lines, pinned=page.pinned, cursor=line_of(page, stop), scroll=scroll)
        return ReadyCase(page, stop, scroll, painted)

    def look_ahead(self) -> None:
        """Make the neighbours ready as soon as no key is pressed for a while."""
        if self._idle is not None:
            self._idle.stop()
        self._idle = self.screen.set_timer(IDLE, self._make_neighbours)

    def _make_neighbours(self) -> None:
        state, view = self.state, self.screen.steps
        # While a threshold moves, what is ready now is not what will be shown.
        if self.screen.rail_open or not self.screen.is_current or not view.display:
            return
        rows = self.screen.neighbours(state)
        self._ready = {row: ready for row, ready in self._ready.items() if row in {*rows, self.screen.row}}
        display = self.screen.display_options(view).kept()
        for row in rows:
            self.get(state, row, display)
        self.screen.critique.prepare(rows)

    def keep(self, state: ScreenState, changed: int) -> None:
        """Keep what is ready under a screen state that differs only in what is said of the case `changed`."""
        if self._ready_for is not None and self._ready_for[0] is self.state:
            self._ready_for = (state, *self._ready_for[1:])
            self._ready.pop(changed, None)

    def forget(self) -> None:
        """Make everything anew when it is shown next."""
        self._ready = {}
