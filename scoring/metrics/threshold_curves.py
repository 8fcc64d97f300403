"""The official figure at every threshold: exact at each distinct decision, or on a grid with intervals.

A threshold that rises judges more steps wrong. What that changes in the counts of a figure is known case by case, or
step by step, as the values at which a count gains or loses one; sorted, these give the counts at every threshold. What
a threshold is tuned for is the figure that the benchmark reports: F1 as the mean over subsets, PRMScore of all steps
pooled, or the leading one of its own of all cases together (`scoring.metrics.own_sweep`).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.data.scorer import Comparison
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.kernel import Decided, Metric, Tally, Unparsed
from scoring.metrics.own import OwnFigure, OwnMetric
from scoring.metrics.own_sweep import own_sweep
from scoring.metrics.step_contributions import (
    OF_STEPS,
    asked_by_redundancy,
    count_steps,
    judged_by_redundancy,
    labels_past_end,
    redundancy_rows,
)
from scoring.metrics.step_metrics import PRMSCORE

Moving = Literal["validity", "redundancy"]
"""Which threshold moves: the one that rewards are compared with, or the one above which a step is redundant."""
_AT_A_TIME = 1 << 20
"""Thresholds at which a figure is made at a time, where they are very many."""


class CurveGroup(NamedTuple):
    """What a rising threshold changes in one group of cases.

    `fixed` are the counts below every threshold; each of `gains` and `losses`, by the name of a count, holds the values
    at which it goes up, or down, by one.
    """

    fixed: Mapping[str, int]
    gains: Mapping[str, Floats]
    losses: Mapping[str, Floats]


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


def own_curve(made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> ThresholdCurve | None:
    """Return a benchmark's own figure of all cases together at every distinct threshold; None where none decides.

    See `BenchmarkMetrics.curve` for the arguments.
    """
    sweep = own_sweep(made, evaluation, rows, unparsed)
    if sweep is None or sweep.trouble:
        return None
    tally = Tally(dict(zip(made.counts, sweep.sums().T[:, None], strict=True)))
    return ThresholdCurve(OwnFigure(made), sweep.thresholds, tally)


def case_curve(
    evaluation: Evaluation, rows: Bools, groups: Ints, unparsed: Unparsed = "wrong"
) -> ThresholdCurve | None:
    """Return F1 as the plain mean over groups of cases at every distinct threshold; None where no threshold decides.

    Args:
        evaluation: as for `BenchmarkMetrics.curve`.
        rows: (n,) which cases take part; unscored ones and those without gold never do.
        groups: (n,) subset number of each case, 0-based.
        unparsed: whether refused and unparsed cases stay in the denominators (`wrong`) or leave them (`drop`).
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    decided = Decided(evaluation, unparsed)
    # The cases (m,) that take part: a dev set is a few of very many.
    taken = np.flatnonzero(rows & decided.members)
    at, before, lowest = (
        side[taken] for side in (evaluation.floats.at, evaluation.floats.before, evaluation.floats.all)
    )
    moving, wrong, groups = (
        evaluation.fixed_verdicts.by_threshold[taken],
        evaluation.gold.earliest[taken] >= 0,
        groups[taken],
    )
    values = np.concatenate([at[moving & wrong], before[moving & wrong], lowest[moving]])
    counted = {name: decided.count(name, taken) for name in F1_SCORE.counts}
    made = []
    for number in np.unique(groups):
        here = groups == number
        erroneous, clean = moving & wrong & here, moving & ~wrong & here
        # Cases that were decided as given are as they are at every threshold.
        fixed = {name: int((counted[name] & here & ~moving).sum()) for name in ("exact", "clean_right")}
        fixed |= {name: int((counted[name] & here).sum()) for name in ("erroneous", "clean")}
        fixed["clean_right"] += int(clean.sum())
        gains, losses = {"exact": at[erroneous]}, {"exact": before[erroneous], "clean_right": lowest[clean]}
        made.append(CurveGroup(fixed, gains, losses))
    return _swept(F1_SCORE, values, made, above=evaluation.rule.comparison == "<")


def step_curve(
    evaluation: Evaluation, rows: Bools, facts: StepLabelled, moving: Moving = "validity"
) -> ThresholdCurve | None:
    """Return PRMScore of all steps pooled at every distinct threshold; None where no one threshold decides.

    Args:
        evaluation: as for `BenchmarkMetrics.curve`.
        rows: (n,) which cases take part. Steps that the other threshold decides, or labels, are as they are.
        facts: in which classes redundancy decides.
        moving: which threshold; of redundancy None also where the scorer gives no such numbers for these cases, or
            labels beside all of them.
    """
    by_redundancy = asked_by_redundancy(evaluation, facts)
    if moving == "redundancy":
        moved = rows & redundancy_rows(evaluation, by_redundancy, 0.0).numbers
        if not moved.any():
            return None
        numbers, offsets = evaluation.rewards.redundancy.values, evaluation.rewards.redundancy.offsets
        above = False
    else:
        if not isinstance(evaluation.rule, Rule):
            return None
        moved = rows & moved_by_rule(evaluation, by_redundancy)
        compared = evaluation.compared_values
        numbers, offsets = compared.values, compared.offsets
        above = evaluation.rule.comparison == "<"
    labels = evaluation.gold.step_labels[np.repeat(moved, evaluation.gold.n_steps)]
    known = labels != UNKNOWN_STEP
    values, wrong = numbers[np.repeat(moved, np.diff(offsets))][known], labels[known] == WRONG_STEP
    fixed = _fixed_steps(evaluation, rows & ~moved, by_redundancy)
    of_right, of_wrong = values[~wrong], values[wrong]
    sizes = dict(zip(OF_STEPS, (of_right.size, 0, of_wrong.size, 0), strict=True))
    gains, losses = {"fn": of_right, "tn": of_wrong}, {"tp": of_right, "fp": of_wrong}
    if moving == "redundancy":
        # A step is redundant above the threshold: below all of them every one is.
        sizes = dict(zip(OF_STEPS, (0, of_right.size, 0, of_wrong.size), strict=True))
        gains, losses = losses, gains
    group = CurveGroup({name: sizes[name] + fixed[name] for name in OF_STEPS}, gains, losses)
    return _swept(PRMSCORE, values, [group], above=above)


def moved_by_rule(evaluation: Evaluation, by_redundancy: Bools) -> Bools:
    """Return the cases whose steps the threshold on rewards decides. Shape (n,)."""
    redundancy = redundancy_rows(evaluation, by_redundancy, evaluation.scorer.redundancy_threshold)
    moved: Bools = evaluation.fixed_verdicts.by_threshold & ~redundancy.labels & ~redundancy.numbers
    return moved


def _fixed_steps(evaluation: Evaluation, rows: Bools, by_redundancy: Bools) -> dict[str, int]:
    """OF_STEPS of the cases of `rows` (n) as they are decided."""
    judged, gold = judged_by_redundancy(evaluation, by_redundancy), evaluation.gold
    counts = labels_past_end(judged, gold).counts[rows].sum(axis=0)
    if rows.any():
        still = rows[judged.cases]
        labels = judged.gold(gold)[still]
        known = labels != UNKNOWN_STEP
        cases = np.zeros(int(known.sum()), dtype=np.int64)
        counts = counts + count_steps(cases, labels[known] == WRONG_STEP, judged.wrong[still][known], 1)[0]
    return dict(zip(OF_STEPS, counts.tolist(), strict=True))


def _swept(metric: Metric, values: Floats, groups: Sequence[CurveGroup], *, above: bool) -> ThresholdCurve:
    """The curve over the distinct ones of `values`, and one more above the highest or below the lowest.

    With `above` a value changes the counts at thresholds above it, else at its own as well.
    """
    thresholds = np.unique(values[np.isfinite(values)])
    if thresholds.size:
        beyond = np.nextafter(thresholds[-1], np.inf) if above else np.nextafter(thresholds[0], -np.inf)
        thresholds = np.append(thresholds, beyond) if above else np.insert(thresholds, 0, beyond)
    sums: dict[str, npt.NDArray[np.int32]] = {}
    for name in metric.counts:
        # What no threshold moves is written once.
        moves = not groups or any(name in group.gains or name in group.losses for group in groups)
        sums[name] = np.zeros((len(groups), thresholds.size if moves else 1), dtype=np.int32)
        for row, group in enumerate(groups):
            sums[name][row] = group.fixed[name]
            if name in group.gains:
                sums[name][row] += _passed(group.gains[name], thresholds, above=above)
            if name in group.losses:
                sums[name][row] -= _passed(group.losses[name], thresholds, above=above)
    return ThresholdCurve(metric, thresholds, Tally(sums))


def _passed(values: Floats, thresholds: Floats, *, above: bool) -> npt.NDArray[np.int32]:
    """How many of the values each threshold has passed; those that are finite are all among the thresholds."""
    # Asked in order, places are found many times faster.
    ordered = np.sort(values[np.isfinite(values)])
    here = np.bincount(np.searchsorted(thresholds, ordered), minlength=thresholds.size)
    up_to = np.cumsum(here)
    return (up_to - here if above else up_to).astype(np.int32)


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
