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
        if self.state.focus.rewriting:
            self.mode = REWRITING

    def action_original(self) -> None:
        """Show what was changed in the original, or by the rewriting that is looked at, or the steps as ever."""
        if self.state.focus.rewriting:
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
            self._show_beginning()

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
            self._show_beginning()

    def _show_beginning(self) -> None:
        """Scroll to the top while the cursor is on the first step, since the lines before it may not fit."""
        cursor = self.screen.cursor
        if cursor.part == "steps" and cursor.page.stops and cursor.stop == cursor.page.stops[0][0]:
            self.screen.steps.scroll_to(y=0, force=True)

    def call_off(self) -> None:
        """Stop asking: nobody is there to be told."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        if self._question is not None:
            self._question.call_off()
            self._question = None
