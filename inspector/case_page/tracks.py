"""What one scorer gave to one case, ready to be drawn a step at a time."""

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

from inspector.render.charts.glyphs import reward_levels
from inspector.render.texts.text import apart_from
from scoring.data.reward_transforms import DIFFERENCES, REWARDS
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.single_case import judged_wrong, verdict_of
from scoring.evaluation.verdicts import OUTCOMES

LETTERS = "ABCDEFGH"
"""One a scorer, as many as are shown beside each other."""
LARGE = 0.2
"""Share of a scorer's range by which a reward falls that is worth an arrow."""


class Track(Struct, frozen=True, eq=False, dict=True):
    """One scorer on one case.

    `letter` is "" where it is the only one. `rewards` are Float64, one a step; of a truncated case those of its first
    steps, and `truncated` says so. `wrong` says of each step whether it is judged wrong (None = it is not judged),
    `verdict` is the predicted earliest error (0-based, -1 none, -2 no such step; None = no verdict). `redundancy` is a
    second number a step, `redundant` a label in its place.
    """

    evaluation: Evaluation
    row: int
    letter: str
    rewards: Sequence[float]
    truncated: bool
    wrong: Sequence[bool | None]
    verdict: int | None
    outcome: str
    redundancy: Sequence[float]
    redundant: Sequence[bool]

    @property
    def name(self) -> str:
        """The scorer's name."""
        return self.evaluation.scorer.name

    @property
    def style(self) -> str:
        """Style of this scorer's name and letter: its brightness among several scorers."""
        return f"scorer-{self.letter.lower()}" if self.letter else ""

    def reward_style(self, step: int) -> str:
        """Return the style of a step's reward by its distance from the threshold; "dim" without a threshold."""
        scorer, threshold = self.evaluation.scorer, self.threshold(step)
        if threshold is None:
            return "dim"
        return f"reward-{reward_levels((self.rewards[step],), threshold, scorer.high - scorer.low)}"

    @cached_property
    def kind(self) -> Literal["bars", "ticks", "marks"]:
        """How its steps are drawn: rewards as bars, labels as ticks, verdicts alone as marks."""
        if self.rewards:
            return "bars"
        if self.evaluation.rewards.labels.has_labels.any():
            return "ticks"
        return "bars" if self.evaluation.rule.is_movable else "marks"

    def share(self, reward: float) -> float:
        """Return where a reward lies in the scorer's own range, 0 to 1."""
        scorer = self.evaluation.scorer
        return (reward - scorer.low) / ((scorer.high - scorer.low) or 1.0)

    def threshold(self, step: int) -> float | None:
        """Return the threshold for one step's reward; None where none decides, or it is on something else.

        A threshold on differences lies that far from the reward of the step before.
        """
        rule, threshold = self.evaluation.rule, self.evaluation.rule.threshold_of(self.row)
        if threshold is None or not rule.by_threshold or rule.on == REWARDS:
            return threshold
        if rule.on != DIFFERENCES:
            return None
        return threshold + self.rewards[step - 1] if step else threshold

    def written(self, step: int) -> str:
        """Write the reward of a step with two decimals, or with as many as tell it from the threshold."""
        return apart_from(self.rewards[step], self.threshold(step))

    def drop(self, step: int) -> float:
        """Return how far the reward is below that of the step before; 0 if not much, and for the first step."""
        if not 0 < step < len(self.rewards):
            return 0.0
        fall = self.rewards[step - 1] - self.rewards[step]
        scorer = self.evaluation.scorer
        return fall if fall >= LARGE * (scorer.high - scorer.low) > 0 else 0.0


def track(evaluation: Evaluation, row: int, letter: str) -> Track:
    """Return what this scorer gave to the case with this row id."""
    rewards = evaluation.rewards
    first = rewards.first_of(row)
    return Track(
        evaluation,
        row,
        letter,
        rewards=first or rewards.of(row) or [],
        truncated=first is not None,
        wrong=judged_wrong(evaluation, row) or [],
        verdict=verdict_of(evaluation, row),
        outcome=OUTCOMES[evaluation.codes[row]],
        redundancy=rewards.redundancies_of(row) or [],
        redundant=rewards.redundant.of(row) or [],
    )
