"""The case screen's body of tokens: asked of a scoring process in a worker, so that no key waits for it."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.message import Message

from inspector.case_view.manner import Manner
from inspector.case_view.token_lines import MODE
from inspector.paint import Brush
from inspector.screens.diffing import Diffing
from inspector.widgets.line_view import LineView
from inspector.xray import Question, Xray

if TYPE_CHECKING:
    from textual.timer import Timer

PATIENCE = 0.2
"""Seconds for which a case must stay on screen before its tokens are asked for: keys that are held ask for nothing."""
KEPT = 32
"""Answers that are kept."""


class Tokens(Diffing):
    """The tokens of the case with row id `row` for the scorer in focus, until they are asked for again."""

    @dataclass
    class Told(Message):
        """What the scoring process said."""

        question: Question
        found: Xray

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._question: Question | None = None
        self._asking: Timer | None = None
        self._known: dict[tuple[str, str], Xray] = {}
        self._found: Xray | None = None

    def manner(self, view: LineView) -> Manner:
        manner = super().manner(view)
        return replace(manner, xray=self._found) if self.body == MODE else manner

    def action_tokens(self) -> None:
        """Show the tokens of the case, or the steps as ever."""
        if self.inspection is None:
            return
        if self.inspection.evaluation is None:
            self.notify("There is no scorer whose tokens could be shown.", markup=False)
            return
        self.show_body("" if self.body == MODE else MODE)

    def show_tokens(self) -> None:
        """Whenever a case is shown: see that its tokens are there or on their way, where they are wanted."""
        inspection = self.inspection
        if self.body != MODE or inspection is None or inspection.evaluation is None:
            self._call_off()
            return
        wanted = (inspection.cases["case"][self.row], inspection.evaluation.scorer.name)
        found = self._found
        if found is not None and (found.case, found.scorer) == wanted:
            return
        if self._question is not None and (self._question.case, self._question.scorer.name) == wanted:
            return
        self._call_off()
        known = self._known.get(wanted)
        if known is not None:
            self.call_later(self._put, known)
        else:
            self._asking = self.set_timer(PATIENCE, self._ask)

    def _ask(self) -> None:
        inspection = self.inspection
        if inspection is None or inspection.evaluation is None:
            return
        self._question = question = Question(inspection.selection, self.row, inspection.evaluation.scorer)
        self.run_worker(partial(self._wait, question), thread=True, group="tokens", description="tokens")

    def _wait(self, question: Question) -> None:
        self.post_message(self.Told(question, question.answer()))

    def on_tokens_told(self, message: Told) -> None:
        """Keep what was said; show it if it is still wanted."""
        if message.question is not self._question:
            return
        self._question = None
        found = message.found
        if found.answer is not None:
            self._known[found.case, found.scorer] = found
            while len(self._known) > KEPT:
                self._known.pop(next(iter(self._known)))
        self._put(found)

    def _put(self, found: Xray) -> None:
        self._found = found
        if self.body == MODE:
            self.show_case()

    def _call_off(self) -> None:
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        if self._question is not None:
            self._question.call_off()
            self._question = None

    def on_unmount(self) -> None:
        """Nobody is left to be told."""
        self._call_off()
