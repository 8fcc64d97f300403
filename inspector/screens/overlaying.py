"""Several scorers on the case screen: which stand beside each other, and their rewards as curves."""

from msgspec.structs import replace
from textual.app import ComposeResult

from inspector.case_view.curve import curve_lines
from inspector.case_view.open_case import open_case
from inspector.case_view.tracks import LETTERS
from inspector.screens.reading import ReadingScreen
from inspector.screens.scorer_choice import ScorerChoice
from inspector.sentences import threshold_name
from inspector.widgets.step_view import StepView
from scoring.errors import InspectError
from scoring.evaluation import Evaluation

BESIDE = 160
"""Columns from which the curves stand beside the steps."""


class Overlaying(ReadingScreen):
    """Chooses scorers and draws curves for the case with row id `row`."""

    row: int

    def compose_curve(self) -> ComposeResult:
        """The pane of the curves, hidden until it is asked for."""
        curve = StepView(id="curve")
        curve.can_focus = False
        curve.display = False
        yield curve

    def show_curve(self) -> None:
        """Draw the curves of the case on screen, where they are asked for."""
        view = self.query_one("#curve", StepView)
        if self.inspection is None or not view.display:
            return
        width, height = view.viewport
        try:
            shown = open_case(self.inspection, self.row, self.manner(view))
        except InspectError:
            # The steps beneath say why.
            view.show([])
            return
        view.show(curve_lines(shown, width, height))

    def action_curve(self) -> None:
        """Show or hide the rewards as curves against the steps."""
        if self.inspection is None or self.inspection.scorer is None:
            self.notify("There is no scorer whose rewards could be drawn.", markup=False)
            return
        self.reading = replace(self.reading, curve=not self.reading.curve)
        self.lay_out_curve()
        # The steps have another width or height then.
        self.call_after_refresh(self.read, self.reading)

    def lay_out_curve(self) -> None:
        """Where the curves stand, by the room there is."""
        self.query_one("#reading").set_class(self.size.width >= BESIDE, "-curve-right")
        self.query_one("#curve", StepView).display = self.reading.curve

    def action_overlay(self) -> None:
        """Choose the scorers that stand beside each other."""
        inspection = self.inspection
        if inspection is None or inspection.scorer is None:
            self.notify("There is no scorer to put beside another.", markup=False)
            return
        there = [one for one in inspection.selection.evaluations if one.covers(inspection.benchmark)]
        names = [one.scorer.name for one in there]
        if names == [inspection.scorer]:
            self.notify("There is no other scorer on this benchmark.", markup=False)
            return
        facts = [_rule(one) for one in there]
        self.close_rail()
        choice = ScorerChoice(names, facts, self.beside, inspection.scorer, len(LETTERS))
        self.app.push_screen(choice, self._overlay)

    def _overlay(self, chosen: tuple[str, ...] | None) -> None:
        if chosen is not None:
            self.remembered.keep(overlaid=chosen if len(chosen) > 1 else ())
            if self.inspection is not None:
                self.put(replace(self.inspection, beside=()))


def _rule(evaluation: Evaluation) -> str:
    """By what a scorer decides, in words."""
    rule = evaluation.rule
    return rule.source if rule.threshold is None else f"{threshold_name(rule)} {rule.threshold:.3g}"
