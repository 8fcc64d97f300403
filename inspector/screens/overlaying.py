"""Several scorers on the case screen: which stand beside each other, and their rewards as curves."""

from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.app import ComposeResult

from inspector.case_view.curve import curve_lines
from inspector.case_view.open_case import open_case
from inspector.case_view.tracks import LETTERS
from inspector.screens.controller import Controller
from inspector.screens.scorer_choice import ScorerChoice
from inspector.sentences import threshold_name
from inspector.widgets.step_view import StepView
from scoring.errors import InspectError
from scoring.evaluation import Evaluation

if TYPE_CHECKING:
    from inspector.screens.case import CaseScreen

BESIDE = 160
"""Columns from which the curves stand beside the steps."""


class Curves(Controller):
    """Chooses scorers, and draws their curves for the case on screen."""

    screen: "CaseScreen"

    def compose(self) -> ComposeResult:
        """The pane of the curves, hidden until it is asked for."""
        curve = StepView(id="curve")
        curve.can_focus = False
        curve.display = False
        yield curve

    def show(self) -> None:
        """Draw the curves of the case on screen, where they are asked for."""
        view = self.screen.query_one("#curve", StepView)
        if self.inspection is None or not view.display:
            return
        width, height = view.viewport
        try:
            shown = open_case(self.inspection, self.screen.row, self.screen.manner(view))
        except InspectError:
            # The steps beneath say why.
            view.show([])
            return
        view.show(curve_lines(shown, width, height))

    def action_curve(self) -> None:
        """Show or hide the rewards as curves against the steps."""
        if self.inspection is None or self.inspection.scorer is None:
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
        screen, evaluation = self.screen, None if self.inspection is None else self.inspection.evaluation
        manner = screen.manner(screen.steps)
        if evaluation is None or not evaluation.movable or manner.unscored or manner.mode:
            # Other bodies than the steps have two sides of their own.
            return False
        return screen.size.width >= BESIDE and not screen.critique.pane.display

    def lay_out(self) -> None:
        """Where the curves stand, if they do, by the room there is."""
        self.screen.query_one("#reading").set_class(self.screen.size.width >= BESIDE, "-curve-right")
        self.screen.query_one("#curve", StepView).display = self._wanted

    def action_overlay(self) -> None:
        """Choose the scorers that stand beside each other."""
        inspection = self.inspection
        if inspection is None or inspection.scorer is None:
            self.screen.notify("There is no scorer to put beside another.", markup=False)
            return
        there = [one for one in inspection.selection.evaluations if one.covers(inspection.benchmark)]
        names = [one.scorer.name for one in there]
        if names == [inspection.scorer]:
            self.screen.notify("There is no other scorer on this benchmark.", markup=False)
            return
        facts = [_rule(one) for one in there]
        self.screen.close_rail()
        choice = ScorerChoice(names, facts, self.screen.beside, inspection.scorer, len(LETTERS))
        self.screen.app.push_screen(choice, self._overlay)

    def _overlay(self, chosen: tuple[str, ...] | None) -> None:
        if chosen is not None:
            self.screen.remembered.keep(overlaid=chosen if len(chosen) > 1 else ())
            if self.inspection is not None:
                self.screen.put(replace(self.inspection, beside=()))


def _rule(evaluation: Evaluation) -> str:
    """By what a scorer decides, in words."""
    rule = evaluation.rule
    return rule.source if rule.threshold is None else f"{threshold_name(rule)} {rule.threshold:.3g}"
