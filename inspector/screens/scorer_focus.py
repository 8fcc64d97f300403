"""The scorer in focus, through which all screens show the cases."""

from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.dialog import Picking
from inspector.state.focusing import covering, next_scorer
from inspector.widgets.pick_list import Pick


class ScorerFocus(Controller[ControlledScreen]):
    """Changes the scorer in focus."""

    def action_scorers(self) -> None:
        """Choose the scorer that the cases are seen through."""
        state = self.state
        names = covering(state)
        if len(names) < 2:
            self.screen.say(
                "There is no other scorer on this benchmark." if names else "There is no scorer to look through."
            )
            return
        self.screen.close_rail()
        of = state.results.evaluation
        picks = [Pick(name, name, of(name).scorer.about, strong=name == state.focus.scorer) for name in names]
        cursor = next((at for at, pick in enumerate(picks) if pick.strong), 0)
        self.screen.app.push_screen(Picking("Look through", picks, cursor), self._look_through)

    def _look_through(self, name: str | None) -> None:
        if name is not None:
            self.screen.put(self.state.focused(name, self.state.focus.benchmark))

    def action_scorer(self, by: int) -> None:
        """Look through the next scorer, or the one before."""
        if self.state.focus.scorer is None:
            self.screen.say("There is no scorer to look through.")
            return
        following = next_scorer(self.state, by)
        if following.focus.scorer == self.state.focus.scorer:
            self.screen.say("There is no other scorer on this benchmark.")
            return
        self.screen.close_rail()
        self.screen.put(following)
