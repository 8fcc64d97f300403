"""The case screen: one case on the whole terminal."""

from typing import ClassVar

import numpy as np
import polars as pl
from textual.app import ComposeResult
from textual.binding import BindingType

from inspector.answer_lines import FOLDED, REASONING, answer_lines, has_reasoning
from inspector.case_lines import case_lines
from inspector.commands import bindings_of
from inspector.inspection import Inspection
from inspector.kept_answers import kept_answers
from inspector.messages import Back, Export
from inspector.paint import Brush
from inspector.phrases import Phrase, name_forms
from inspector.rail_lines import score_words
from inspector.screens.export import ExportMenu
from inspector.screens.reading import ReadingScreen
from inspector.widgets.line_view import LineView
from scoring.schema import VOTES


class CaseScreen(ReadingScreen):
    """Problem, steps with reward bars, marks and gold labels. `row` is the row id of the case."""

    NAME = "case"
    NAMED = False
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("case"))
    HELP = "One case. n and p go through the list, t moves the threshold, r hides the gold reason, v shows answers."

    def __init__(self, brush: Brush, row: int) -> None:
        super().__init__(brush)
        self.row = row
        self._place = 0
        self._starts: tuple[int, ...] = ()
        self._unfolded = FOLDED
        self._answers_at = 0

    def compose(self) -> ComposeResult:
        yield self.one_line("title")
        yield LineView(id="steps")
        yield from self.compose_rail()

    def on_mount(self) -> None:
        self.query_one("#steps", LineView).focus()
        if self.inspection is not None:
            self.call_after_refresh(self._show, keep_scroll=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show, keep_scroll=True)
        self.call_after_refresh(self._show_rail)

    def show_inspection(self, inspection: Inspection) -> None:  # noqa: ARG002  # it is self.inspection already
        self._show(keep_scroll=True)

    def _show(self, *, keep_scroll: bool) -> None:
        inspection = self.inspection
        if inspection is None:
            return
        found = np.flatnonzero(inspection.shown == self.row)
        self._place = int(found[0]) if found.size else min(self._place, max(0, inspection.shown.size - 1))
        view = self.query_one("#steps", LineView)
        manner = self.manner(view)
        shown = case_lines(inspection, self.row, manner)
        self._starts, self._answers_at = shown.starts, len(shown.lines)
        view.show([*shown.lines, *answer_lines(self._answers(), self._unfolded, manner)], keep_scroll=keep_scroll)
        self._show_title(inspection, listed=bool(found.size))

    def _show_title(self, inspection: Inspection, *, listed: bool) -> None:
        place = f"{self._place + 1:,} of {inspection.shown.size:,}" if listed else "no longer in the list"
        name, short = inspection.cases["case"][self.row], inspection.cases["id"][self.row]
        phrases = [Phrase((name, *name_forms(short, 32, 24, 16)), rank=4), Phrase((place, ""))]
        evaluation = inspection.evaluation
        if evaluation is not None:
            phrases += [
                Phrase((*name_forms(evaluation.scorer.name, 20, 14), ""), rank=3),
                Phrase(self.threshold_forms(evaluation.rule), rank=1),
                Phrase((score_words(inspection.headline), ""), rank=2),
            ]
        self.tell("title", phrases, "strong")

    def _answers(self) -> pl.DataFrame:
        """What the scorer in focus answered to this case."""
        inspection = self.inspection
        if inspection is None or inspection.scorer is None:
            return pl.DataFrame(schema=VOTES)
        return kept_answers(inspection.selection, inspection.scorer, self.row)

    # -- keys

    def action_answers(self) -> None:
        """Unfold a critic's answers: first their texts, then the reasoning before them; then fold them again."""
        answers = self._answers()
        if not answers.height:
            self.notify("This scorer gives no answers in words.", markup=False)
            return
        self._unfolded = (self._unfolded + 1) % (REASONING + 1 if has_reasoning(answers) else REASONING)
        self.show_case()
        # What was unfolded may lie beneath what is on screen.
        self.query_one("#steps", LineView).scroll_to_line(self._answers_at + 1, top=self._unfolded != FOLDED)

    def action_turn(self, by: int) -> None:
        """The next or previous case of the list; at its ends, stay."""
        shown = self.inspection.shown if self.inspection else np.empty(0, dtype=np.int64)
        if not shown.size:
            return
        # A case that has left the list under a new threshold: its place is now the next one's.
        gone = shown[min(self._place, shown.size - 1)] != self.row
        target = self._place + by + (-1 if gone and by > 0 else 0)
        self._place = int(min(max(target, 0), shown.size - 1))
        self.row = int(shown[self._place])
        self._show(keep_scroll=False)

    def action_step(self, by: int) -> None:
        """Scroll so that the next or previous step is on top; where all is on screen, nothing moves.

        Never past lines that were not on screen yet: a step longer than the screen takes several presses.
        """
        view = self.query_one("#steps", LineView)
        top, page = view.scroll_offset.y, max(1, view.viewport.height - 1)
        starts = [0, *self._starts]
        if by > 0:
            target = min([start for start in starts if start > top], default=top + page)
            view.scroll_to_line(min(target, top + page), top=True)
        else:
            target = max([start for start in starts if start < top], default=0)
            view.scroll_to_line(max(target, top - page), top=True)

    def show_case(self) -> None:
        self._show(keep_scroll=True)

    def action_back(self) -> None:
        self.post_message(Back(self.row))

    def action_export(self) -> None:
        self.close_rail()
        if self.inspection is not None:
            menu = ExportMenu(((Export("case", "", row=self.row), "This case, a row a step"),))
            self.app.push_screen(menu, self.export)
