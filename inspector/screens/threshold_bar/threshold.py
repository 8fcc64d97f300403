"""Moving the threshold under whatever a screen shows."""

import numpy as np

from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.threshold_bar.rail_lines import rail_lines, why_unmovable
from inspector.state.screen_state import ScreenState
from inspector.state.thresholds.threshold_span import threshold_span
from inspector.widgets.line_view import Rail
from scoring.metrics.deciding import OPTIMISTIC
from scoring.selection.result_set import row_order

ROOM_FOR_FRAME = 30
"""Least height of a screen in lines at which the rail has a frame."""
DIGITS = 3
"""Decimals of a threshold set with the mouse."""


class ThresholdMove(Controller[ControlledScreen]):
    """The threshold while it is moved: it is kept, or what was there before comes back."""

    _before: ScreenState | None = None
    """What was on screen when it was first moved; None while it is not."""

    @property
    def moving(self) -> bool:
        """Whether it is being moved: its keys work then, and the rail is on screen."""
        return self._before is not None

    def action_threshold(self) -> None:
        if self.moving:
            self.action_keep()
        elif self.state.evaluation is not None and self.state.evaluation.rule.is_movable:
            self._set_rail(self.state)
        else:
            self.screen.say(why_unmovable(self.state))

    def _set_rail(self, before: ScreenState | None) -> None:
        self._before = before
        self.screen.query_one(Rail).display = before is not None
        self.screen.refresh_bindings()
        self.screen.call_after_refresh(self.show)

    def show(self) -> None:
        """Show on the rail where the threshold is, and what moving it has changed."""
        if self._before is None:
            return
        rail = self.screen.query_one(Rail)
        rail.set_class(self.screen.size.height < ROOM_FOR_FRAME, "-bare")
        scorer = self.state.focus.scorer
        rail.caption(f"Threshold of {scorer}" if scorer else "Threshold", "", "click or drag the ruler")
        rail.show(rail_lines(self.state, self._before, max(20, rail.viewport.width), self.context.glyphs))

    def _move(self, threshold: float, source: str = "chosen") -> None:
        low, high = threshold_span(self.state.evaluation)
        # One step beyond the range on either side reaches the two trivial policies: always wrong, never wrong.
        margin = (high - low) / 100
        self._put_threshold(min(high + margin, max(low - margin, threshold)), source)

    def _put_threshold(self, threshold: float, source: str = "chosen") -> None:
        """Decide anew; rows stay where they were when the rail was opened until it is closed."""
        if self._before is not None:
            self.screen.put(self.state.moved(threshold, source, order=row_order(self._before.results)))

    def action_nudge(self, share: float) -> None:
        """Move by a share of the range, along multiples of it, so that going there and back ends where it began."""
        evaluation = self.state.evaluation
        now = None if evaluation is None else evaluation.rule.threshold
        if now is None:
            return
        low, high = threshold_span(self.state.evaluation)
        step = abs(share) * (high - low)
        at = (now - low) / step
        whole = round(at)
        on_grid = abs(at - whole) < 1e-6
        target = whole + (1 if share > 0 else -1) if on_grid else int(np.ceil(at) if share > 0 else np.floor(at))
        self._move(float(round(low + target * step, 9)))

    def point(self, place: float) -> None:
        """Move the threshold to a position on the range, from 0 to 1, rounded to the precision of a mouse."""
        if self.moving:
            low, high = threshold_span(self.state.evaluation)
            self._move(round(low + place * (high - low), DIGITS))

    def action_flip(self, direction: int) -> None:
        sweep = self.state.summary.sweep
        rule = None if self.state.evaluation is None else self.state.evaluation.rule.movable
        if sweep is None or rule is None:
            return
        thresholds = sweep.thresholds
        at = int(sweep.places(rule.threshold, rule.comparison)) + direction
        if 0 <= at < thresholds.size:
            self._put_threshold(float(thresholds[at]))
        else:
            self.screen.say("No outcome changes beyond this threshold.")

    def action_to_default(self) -> None:
        if self.state.evaluation is not None:
            self._put_threshold(*self.state.evaluation.default)

    def action_to_best(self) -> None:
        best = None if self.state.summary.sweep is None else self.state.summary.sweep.best
        if best is not None:
            self._put_threshold(best[0], OPTIMISTIC)
        else:
            self.screen.say("No threshold is the best here: the metric is undefined at all of them.")

    def action_keep(self) -> None:
        self._set_rail(None)
        self.screen.put(self.state.selected(sort=self.state.results.query.sort))

    def action_restore(self) -> None:
        before = self._before
        self._set_rail(None)
        if before is not None:
            self.screen.put(before)
