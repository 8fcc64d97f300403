"""The exact threshold for PRMScore: figures of single steps at every distinct decision, not on a grid."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from scoring.benchmarks.registry import StepLabelled
from scoring.evaluation import Evaluation
from scoring.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.metrics.redundancy import by_redundancy, redundancy_rows
from scoring.metrics.step_counts import asked_by_redundancy, prmscores
from scoring.metrics.surplus import surplus
from scoring.step_rewards import Bools, Floats, Ints
from scoring.verdicts import Rule


@dataclass(frozen=True, eq=False)
class StepSweep:
    """Counts of steps at k thresholds, all cases pooled.

    `thresholds` (k,) ascend and hold one value for every distinct decision; `counts` (k, 4) are TP, FN, FP, TN, where
    positive is a step that is right.
    """

    thresholds: Floats
    counts: Ints
    metric: ClassVar[str] = "PRMScore"

    @cached_property
    def prmscore(self) -> Floats:
        """PRMScore of all steps pooled at each threshold, shape (k,); NaN where undefined."""
        return prmscores(self.counts.T)

    @property
    def score(self) -> Floats:
        """What is tuned for: PRMScore, shape (k,)."""
        return self.prmscore

    def best(self) -> tuple[float, float] | None:
        """The threshold with the highest PRMScore and that score; the lowest one wins a tie. None if undefined."""
        return self._best

    @cached_property
    def _best(self) -> tuple[float, float] | None:
        scores = self.prmscore
        if not scores.size or np.isnan(scores).all():
            return None
        at = int(np.nanargmax(scores))
        return float(self.thresholds[at]), float(scores[at])


def step_sweep(evaluation: Evaluation, rows: Bools, facts: StepLabelled) -> StepSweep | None:
    """Every distinct decision on the steps of the chosen rows; None where no one threshold decides.

    Args:
        evaluation: gives rewards, gold and the comparison; its threshold does not matter.
        rows: (n,) which cases take part. Steps that labels decide, or redundancy, are as they are at every threshold.
        facts: in which classes redundancy decides.
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    asked = asked_by_redundancy(evaluation, facts)
    decided = redundancy_rows(evaluation, asked, evaluation.scorer.redundancy_threshold)
    moving = rows & evaluation.given.by_threshold & ~decided.labels & ~decided.numbers
    compared = evaluation.compared_values
    values, wrong = _with_gold(evaluation, moving, compared.values, compared.offsets)
    strict = evaluation.rule.comparison == "<"
    thresholds = _distinct(values, above=strict)
    side: Literal["left", "right"] = "left" if strict else "right"
    under = [np.searchsorted(np.sort(values[wrong == gold]), thresholds, side=side) for gold in (False, True)]
    return _sweep(evaluation, rows & ~moving, asked, thresholds, under, wrong)


def redundancy_sweep(evaluation: Evaluation, rows: Bools, facts: StepLabelled) -> StepSweep | None:
    """The same for the threshold on redundancy numbers, above which a step is redundant, validity being as decided.

    None where the scorer gives no such numbers for these cases, or labels beside all of them.
    """
    asked = asked_by_redundancy(evaluation, facts)
    moving = rows & redundancy_rows(evaluation, asked, 0.0).numbers
    if not moving.any():
        return None
    values, wrong = _with_gold(
        evaluation, moving, evaluation.rewards.redundancy.values, evaluation.rewards.redundancy.offsets
    )
    thresholds = _distinct(values, above=False)
    above = []
    for gold in (False, True):
        own = np.sort(values[wrong == gold])
        above.append(own.size - np.searchsorted(own, thresholds, side="right"))
    return _sweep(evaluation, rows & ~moving, asked, thresholds, above, wrong)


def _distinct(values: Floats, *, above: bool) -> Floats:
    """Every distinct value, ascending, and one above the highest or else below the lowest."""
    values = np.unique(values)
    if not values.size:
        return values
    return (
        np.append(values, np.nextafter(values[-1], np.inf))
        if above
        else np.insert(values, 0, np.nextafter(values[0], -np.inf))
    )


def _with_gold(evaluation: Evaluation, rows: Bools, steps: Floats, offsets: Ints) -> tuple[Floats, Bools]:
    """The numbers of the rows' steps, one each, that have a gold label, and whether they are wrong."""
    labels = evaluation.gold.step_labels[np.repeat(rows, evaluation.gold.n_steps)]
    known = labels != UNKNOWN_STEP
    return steps[np.repeat(rows, np.diff(offsets))][known], labels[known] == WRONG_STEP


def _sweep(
    evaluation: Evaluation, fixed: Bools, asked: Bools, thresholds: Floats, judged_wrong: list[Ints], wrong: Bools
) -> StepSweep:
    """Counts of the steps that move, `judged_wrong` of the right and of the `wrong` ones, and of those that do not."""
    judged, labels = by_redundancy(evaluation, asked), evaluation.gold
    counts = surplus(judged, labels).counts[fixed].sum(axis=0)
    if fixed.any():
        still = fixed[judged.cases]
        said_wrong, gold = judged.wrong[still], judged.gold(labels)[still]
        known = gold != UNKNOWN_STEP
        # TP, FN, FP, TN are 0 to 3: twice "the step is wrong" and once "it is judged wrong".
        counts = counts + np.bincount((2 * (gold == WRONG_STEP) + said_wrong)[known], minlength=4)
    right_wrong, wrong_wrong = judged_wrong
    n_wrong = int(wrong.sum())
    moved = np.stack([wrong.size - n_wrong - right_wrong, right_wrong, n_wrong - wrong_wrong, wrong_wrong])
    return StepSweep(thresholds, (moved + counts[:, None]).T)
