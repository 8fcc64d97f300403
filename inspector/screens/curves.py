"""Several scorers on the case screen: which stand beside each other, and their rewards as curves."""

from typing import Protocol

from msgspec.structs import replace
from textual.app import ComposeResult

from inspector.case_page.curve import curve_lines
from inspector.case_page.open_case import OpenCase
from inspector.case_page.tracks import LETTERS
from inspector.render.texts.sentences import decision_words
from inspector.screens.case_layout import CaseLayout
from inspector.screens.controller import Controller
from inspector.screens.critique import Critique
from inspector.screens.scorer_choice import ScorerChoice
from inspector.screens.stepping import CasePage
from inspector.state.focusing import best_first
from inspector.widgets.step_view import StepView


class CurvedScreen(CasePage, Protocol):
    """What the curves use of the case screen."""

    critique: Critique

    case_on_screen: OpenCase | None

    @property
    def panes_now(self) -> CaseLayout: ...
    @property
    def beside(self) -> tuple[str, ...]: ...


def _hidden_pane(name: str) -> StepView:
    pane = StepView(id=name, classes="pane")
    pane.can_focus = False
    pane.display = False
    return pane


class Curves(Controller[CurvedScreen]):
    """Chooses scorers, and draws their curves for the case on screen."""

    def compose(self) -> ComposeResult:
        """Compose the pane of the curves above the steps, hidden until requested."""
        yield _hidden_pane("curve")

    def compose_side(self) -> ComposeResult:
        """Compose the pane of the curves on the right, if it fits."""
        yield _hidden_pane("side-curve")

    @property
    def view(self) -> StepView:
        """The pane that shows the curves, if any."""
        return self.screen.query_one("#side-curve" if self._at_side else "#curve", StepView)

    def show(self) -> None:
        """Draw the curves of the case on screen, where they are asked for."""
        view = self.view
        if not view.display:
            return
        view.caption("Rewards by step")
        width, height = view.viewport
        case = self.screen.case_on_screen
        if case is None:
            # The steps beneath say why.
            view.show([])
            return
        view.show(curve_lines(replace(case, display=self.screen.display_options(view)), width, height))

    def action_curve(self) -> None:
        """Show or hide the rewards as curves against the steps."""
        if self.state.focus.scorer is None:
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
        return self._at_side

    def lay_out(self) -> None:
        """Place the curves, if they are shown, by the room there is."""
        wanted, at_side = self._wanted, self._at_side
        self.screen.query_one("#curve", StepView).display = wanted and not at_side
        self.screen.query_one("#side-curve", StepView).display = wanted and at_side

    @property
    def _at_side(self) -> bool:
        """Whether the curves are above the verdicts."""
        return self.screen.panes_now.cases and self.screen.panes_now.verdicts

    def action_overlay(self) -> None:
        """Choose the scorers that stand beside each other."""
        state = self.state
        if state.focus.scorer is None:
            self.screen.notify("There is no scorer to put beside another.", markup=False)
            return
        there = [
            evaluation for evaluation in state.results.evaluations if evaluation.coverage.covers(state.focus.benchmark)
        ]
        names = best_first(state, [evaluation.scorer.name for evaluation in there])
        if names == [state.focus.scorer]:
            self.screen.notify("There is no other scorer on this benchmark.", markup=False)
            return
        facts = [decision_words(state.rule_of(name)) for name in names]
        self.screen.close_rail()
        choice = ScorerChoice(names, facts, self.screen.beside, state.focus.scorer, len(LETTERS))
        self.screen.app.push_screen(choice, self._overlay)

    def _overlay(self, chosen: tuple[str, ...] | None) -> None:
        if chosen is not None:
            self.context.remembered.keep(overlaid=chosen if len(chosen) > 1 else ())
            self.screen.put(replace(self.state, focus=replace(self.state.focus, beside=())))
