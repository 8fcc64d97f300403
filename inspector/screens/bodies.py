"""What the case screen shows in the place of the steps: the original and the modified solution, or the tokens.

Tokens are asked of a scoring process in a thread, so that no key waits for it.
"""

from functools import partial
from typing import TYPE_CHECKING

from inspector.case_view.original_lines import MODE as ORIGINAL
from inspector.case_view.token_lines import MODE as TOKENS
from inspector.original_track import original_of
from inspector.screens.controller import Controller
from inspector.xray import Question, Xray

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.screens.case import CaseScreen

PATIENCE = 0.2
"""Seconds for which a case must stay on screen before its tokens are asked for: keys that are held ask for nothing."""
KEPT = 32
"""Answers that are kept."""


class Bodies(Controller):
    """The body of the case on screen until another is asked for: it stays for the next case, not for other screens."""

    screen: "CaseScreen"

    def __init__(self, screen: "CaseScreen") -> None:
        super().__init__(screen)
        self.mode = ""
        self.found: Xray | None = None
        self._question: Question | None = None
        self._asking: Timer | None = None
        self._known: dict[tuple[str, str], Xray] = {}

    def action_original(self) -> None:
        """Show what was changed in the original, or the steps as ever."""
        if self.inspection is None:
            return
        shown = self.mode == ORIGINAL
        case = None if shown else self.screen.case_at_hand(self.screen.row, self.screen.steps)
        if not shown and case is None:
            return
        if case is not None and original_of(case.texts) is None:
            self.screen.notify("This case has no original: its benchmark gives the one solution only.", markup=False)
            return
        if not shown and self.screen.blind:
            key = self.screen.keys.of("blind")
            self.screen.say(f"The original would tell where the error is: {key} shows everything again.")
            return
        self.show("" if shown else ORIGINAL)

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
        if self.inspection is None:
            return
        if self.inspection.evaluation is None:
            self.screen.notify("There is no scorer whose tokens could be shown.", markup=False)
            return
        self.show("" if self.mode == TOKENS else TOKENS)

    def follow(self) -> None:
        """Whenever a case is shown: see that its tokens are there or on their way, where they are wanted."""
        inspection = self.inspection
        if self.mode != TOKENS or inspection is None or inspection.evaluation is None:
            self.call_off()
            return
        wanted = (inspection.cases["case"][self.screen.row], inspection.evaluation.scorer.name)
        found = self.found
        if found is not None and (found.case, found.scorer) == wanted:
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
        inspection = self.inspection
        if inspection is None or inspection.evaluation is None:
            return
        self._question = question = Question(inspection.selection, self.screen.row, inspection.evaluation.scorer)
        self.screen.run_worker(partial(self._wait, question), thread=True, group="tokens", description="tokens")

    def _wait(self, question: Question) -> None:
        """In a thread."""
        self.screen.call_later(self._told, question, question.answer())

    def _told(self, question: Question, found: Xray) -> None:
        """Keep what was said; show it if it is still wanted."""
        if question is not self._question:
            return
        self._question = None
        if found.answer is not None:
            self._known[found.case, found.scorer] = found
            while len(self._known) > KEPT:
                self._known.pop(next(iter(self._known)))
        self._put(found)

    def _put(self, found: Xray) -> None:
        self.found = found
        if self.mode == TOKENS:
            self.screen.show_case()

    def call_off(self) -> None:
        """Ask no more: nobody is there to be told."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        if self._question is not None:
            self._question.call_off()
            self._question = None
