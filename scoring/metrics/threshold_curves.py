"""The official figure at every threshold: exact at each distinct decision, or on a grid with intervals.

A threshold that rises judges more steps wrong. What that changes in the counts of a figure is known case by case, or
step by step, as the values at which a count gains or loses one; sorted, these give the counts at every threshold. What
a threshold is tuned for is the figure that the benchmark reports: F1 as the mean over subsets, PRMScore of all steps
pooled, or the leading one of its own of all cases together.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.data.scorer import Comparison
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.kernel import Decided, Metric, Tally, Unparsed, WholeRow
from scoring.metrics.metric_family import MetricFamily
from scoring.metrics.step_contributions import (
    OF_STEPS,
)
from scoring.metrics.step_metrics import PRMSCORE

_AT_A_TIME = 1 << 20
"""Thresholds at which a figure is made at a time, where they are very many."""


class ThresholdCurve(Struct, frozen=True, eq=False, dict=True):
    """A figure at every distinct decision.

    Attributes:
        metric: The figure.
        thresholds: (t,), ascending: one value for every distinct decision.
        tally: The counts in g groups, over which the figure is averaged, and t columns.
    """

    metric: Metric
    thresholds: Floats
    tally: Tally

    @cached_property
    def score(self) -> Floats:
        """The figure at each threshold, shape (t,); NaN where undefined."""
        columns = (np.arange(first, min(first + _AT_A_TIME, self.thresholds.size)) for first in self._starts)
        return np.concatenate([self.tally.only(some).mean(self.metric) for some in columns])

    @property
    def _starts(self) -> range:
        return range(0, max(1, self.thresholds.size), _AT_A_TIME)

    @cached_property
    def best(self) -> tuple[float, float] | None:
        """The threshold with the highest figure and that figure; the lowest one wins a tie. None = undefined."""
        score = self.score
        if not score.size or np.isnan(score).all():
            return None
        place = int(np.nanargmax(score))
        return float(self.thresholds[place]), float(score[place])

    def places(self, thresholds: Floats | float, comparison: Comparison) -> Ints:
        """Find where (0-based) the thresholds stand that decide as these do; beyond the ends, the ends.

        Under "<" everything above one threshold of the curve decides as the next one, under "<=" as that one itself.
        """
        last = max(0, self.thresholds.size - 1)
        if comparison == "<":
            return np.minimum(np.searchsorted(self.thresholds, thresholds, side="left"), last)
        return np.maximum(np.searchsorted(self.thresholds, thresholds, side="right") - 1, 0)


def metric_curve(
    family: MetricFamily, evaluation: Evaluation, rows: Bools, unparsed: Unparsed = "wrong", whole: WholeRow = "average"
) -> ThresholdCurve | None:
    """Return the leading metric of a family at every distinct threshold; None where no one threshold decides.

    Args:
        family: the metrics.
        evaluation: as for `BenchmarkMetrics.curve`.
        rows: (n,) which cases take part; those that the metrics are not of never do.
        unparsed: whether refused and unparsed cases stay in the denominators (`wrong`) or leave them (`drop`).
        whole: the plain mean over subsets, or all cases together.
    """
    # The cases (m,) that take part: a dev set is a few of very many.
    taken = np.flatnonzero(rows & family.members(Decided(evaluation, unparsed)))
    moves = family.moves(evaluation, taken, unparsed)
    if moves is None or moves.trouble:
        return None
    averaged = whole == "average"
    groups, n_groups = numbered(evaluation.gold.subsets[1][taken]) if averaged else (np.zeros_like(taken), 1)
    thresholds, sums = moves.swept(groups, n_groups)
    return ThresholdCurve(family.leading, thresholds, Tally(sums))


def numbered(groups: Ints) -> tuple[Ints, int]:
    """Number the groups (m,) that have a case from 0 on, in their order; and how many these are."""
    present = np.bincount(groups) > 0
    return (np.cumsum(present) - 1)[groups], int(present.sum())


class Tuned(NamedTuple):
    """The best threshold; None where there is none, and `reason` says why."""

    threshold: float | None
    reason: str | None


def tuned(curve: ThresholdCurve | None) -> Tuned:
    """Find where a curve is highest; the lowest of equally good thresholds."""
    where = "the cases it would be tuned on"
    if curve is None or not curve.thresholds.size:
        what = "a labelled step" if curve is not None and curve.metric is PRMSCORE else "any"
        return Tuned(None, f"no threshold decides {what} of {where}")
    if curve.best is None:
        return Tuned(None, f"{curve.metric.title} is undefined on {where}{_why_undefined(curve)}")
    return Tuned(curve.best[0], None)


def _why_undefined(curve: ThresholdCurve) -> str:
    if curve.metric is not PRMSCORE:
        return ""
    tp, fn, fp, tn = (int(curve.tally.sums[name][0, 0]) for name in OF_STEPS)
    return ", which hold no right step" if tp + fn == 0 else ", which hold no wrong step" if fp + tn == 0 else ""
