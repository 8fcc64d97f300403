"""The decision of an evaluation on one case."""

from scoring.data.reward_transforms import REWARDS
from scoring.evaluation.evaluation import Evaluation


def judged_wrong(evaluation: Evaluation, row: int) -> list[bool | None] | None:
    """Return whether each step of a case is judged wrong, None if not judged; None if no step is judged."""
    return evaluation.alone(row).judged_steps.of(0, int(evaluation.gold.n_steps[row]))


def verdict_of(evaluation: Evaluation, row: int) -> int | None:
    """Return the verdict of one case, or None."""
    return int(evaluation.alone(row).verdicts[0]) if evaluation.coverage.answered[row] else None


def reward_threshold(evaluation: Evaluation, row: int) -> float | None:
    """Return the threshold for the rewards of one case; None if it does not apply to rewards."""
    rule = evaluation.rule
    if not rule.by_threshold or rule.on != REWARDS:
        return None
    return rule.threshold_of(row)
