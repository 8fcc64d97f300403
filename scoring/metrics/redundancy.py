"""Steps judged by redundancy: in some classes a benchmark asks whether a step is needed, not whether it is valid.

PRMBench (arXiv 2501.03124; `mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench): in the classes redundency
and circular the scorer's redundancy labels, where it has them, take the place of its validity labels. Where it has
numbers instead, a step is redundant iff its number is above the scorer's threshold for them.
"""

from dataclasses import dataclass

import numpy as np

from scoring.evaluation import Evaluation
from scoring.judged_steps import JudgedSteps
from scoring.step_rewards import Bools, StepLabels


@dataclass(frozen=True, eq=False)
class RedundancyRows:
    """Which of n cases redundancy decides: those with `labels` that the scorer gave, and those with `numbers` alone."""

    labels: Bools
    numbers: Bools


def redundancy_rows(evaluation: Evaluation, asked: Bools, threshold: float | None) -> RedundancyRows:
    """The cases of `asked` (n) that redundancy decides at a threshold; None decides nothing that has no labels."""
    judged, rewards = evaluation.judged_steps.rows, evaluation.rewards
    labels = asked & judged & rewards.redundant.given
    numbers = asked & judged & rewards.redundancy.given & ~labels
    return RedundancyRows(labels, np.zeros_like(numbers) if threshold is None else numbers)


def by_redundancy(evaluation: Evaluation, asked: Bools) -> JudgedSteps:
    """The steps judged one by one, with "redundant" in the place of "wrong" on the cases of `asked` (n).

    A case for which the scorer does not tell redundant steps keeps its validity.
    """
    judged, cut = evaluation.judged_steps, evaluation.scorer.redundancy_threshold
    rows = redundancy_rows(evaluation, asked, cut)
    if rows.labels.any():
        judged = judged.with_labels(rows.labels, evaluation.rewards.redundant)
    if cut is not None and rows.numbers.any():
        numbers = evaluation.rewards.redundancy
        above = StepLabels(numbers.values > cut, numbers.offsets, numbers.given)
        judged = judged.with_labels(rows.numbers, above)
    return judged


def redundancy_untold(evaluation: Evaluation, asked: Bools) -> int:
    """On how many of the cases of `asked` (n) there are redundancy numbers that no threshold is known for."""
    if evaluation.scorer.redundancy_threshold is not None:
        return 0
    return int(redundancy_rows(evaluation, asked, 0.0).numbers.sum())
