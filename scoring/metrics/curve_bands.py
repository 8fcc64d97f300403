"""Curves of figures on a grid of thresholds, with their intervals."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.evaluation.verdicts import RIGHT, Rule
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.first_error import BOTH_ZERO, NOTHING, sides_of
from scoring.metrics.first_error_draws import first_error_sums, with_draws
from scoring.metrics.kernel import Decided, Metric, NumberArray, Tally, Unparsed
from scoring.metrics.own import OwnFigure, OwnMetric
from scoring.metrics.own_sweep import own_sweep
from scoring.metrics.resampling import RESAMPLES, percentile_intervals, resample_problems
from scoring.metrics.shared_draws import OF_CASES
from scoring.metrics.step_contributions import COUNTS, OF_STEPS, asked_by_redundancy, step_contributions
from scoring.metrics.step_metrics import PRMSCORE
from scoring.metrics.threshold_curves import moved_by_rule


class Bands(Struct, frozen=True, eq=False):
    """Figures at some thresholds, with the interval that each figure has on these cases wherever it is shown.

    Equal seeds draw alike at all thresholds, so that a curve's band moves as its curve does.

    Attributes:
        metrics: The figures.
        thresholds: (t,), in any order.
        tally: Counts in g groups, over which figures are averaged, and t columns, with draws.
    """

    metrics: tuple[Metric, ...]
    thresholds: Floats
    tally: Tally

    def values(self, metric: Metric) -> Floats:
        """Return a figure at each threshold, shape (t,); NaN where undefined."""
        return self.tally.mean(metric)

    def interval(self, metric: Metric) -> tuple[Floats, Floats]:
        """Return low and high end (95%) at each threshold, each (t,); NaN where there is none."""
        if self.tally.draws is None:
            nothing = np.full(self.thresholds.shape, np.nan)
            return nothing, nothing
        ends = percentile_intervals(self.tally.drawn_mean(metric))
        low, high = (np.where(np.isnan(self.values(metric)), np.nan, end) for end in ends)
        return low, high

    def sizes(self, metric: Metric) -> tuple[int, ...]:
        """Count what is in the denominators of a figure: cases of each of its sides, or steps."""
        if metric not in OF_CASES:
            return (int(metric.size(self.tally.sums)[0].max(initial=0)),)
        return tuple(int(self.tally.sums[side].sum()) for side in sides_of(metric))

    def reasons(self, metric: Metric) -> Iterator[str | None]:
        """Yield for each threshold why a figure is undefined; None where it is not."""
        values, sums = self.values(metric), self.tally.sums
        if metric not in OF_CASES:
            for place, value in enumerate(values):
                at = {name: counted[0, place] for name, counted in sums.items()}
                yield metric.why(at) if np.isnan(value) else None
            return
        groups = sums["erroneous"].shape[0]
        why = None if groups else NOTHING
        for side in sides_of(metric) if groups else ():
            if empty := int((sums[side] == 0).sum()):
                where = "" if empty == groups else f" in {empty} of {groups} subsets"
                why = f"no {side} case was scored{where}"
                break
        yield from (why or (BOTH_ZERO if np.isnan(value) else None) for value in values)


def case_bands(
    evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed = "wrong", seed: int | None = 0
) -> Bands | None:
    """Return F1 and both accuracies as means over subsets at each of the thresholds; None where none decides.

    Whole problems are resampled where two cases are of one; else the cases of each side of a subset.
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    taken = np.flatnonzero(rows & Decided(evaluation, unparsed).members)
    gold, order = evaluation.gold, np.argsort(thresholds, kind="stable")
    subsets, subset = np.unique(gold.subset_ranks[gold.subsets[1][taken]], return_inverse=True)
    cells, n_cells = 2 * subset + ~(gold.earliest[taken] >= 0), 2 * subsets.size
    spans = right_between(evaluation, taken, thresholds[order])
    # Back in the order that was asked for.
    back = np.argsort(order, kind="stable")
    totals = np.bincount(cells, minlength=n_cells)[:, None]

    def by_side(counted: NumberArray) -> NumberArray:
        return counted.reshape(*counted.shape[:-2], subsets.size, 2, counted.shape[-1])

    sums = first_error_sums(by_side(_hits(*spans, cells, n_cells, thresholds.size)[:, back]), by_side(totals))
    problems = gold.problems[taken]
    if seed is None:
        return Bands(OF_CASES, thresholds, Tally(sums))
    if np.unique(problems).size == problems.size:
        return Bands(OF_CASES, thresholds, with_draws(Tally(sums), seed))
    right = _right_at(*spans, thresholds.size)
    parts = np.column_stack([right, np.ones(cells.size)]).astype(np.float64)
    resampled = resample_problems(parts, cells, n_cells, problems, seed)
    drawn, sizes = resampled[..., :-1], resampled[..., -1:]
    return Bands(OF_CASES, thresholds, Tally(sums, first_error_sums(by_side(drawn[..., back]), by_side(sizes))))


def own_bands(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed, seed: int | None = 0
) -> Bands | None:
    """Return a benchmark's own figure of all cases together at each of the thresholds; None where none decides."""
    rows = rows & made.members(Decided(evaluation, unparsed))
    sweep = own_sweep(made, evaluation, rows, unparsed)
    if sweep is None or sweep.trouble:
        return None
    parts = sweep.at(thresholds)
    sums = dict(zip(made.counts, parts.sum(axis=0).T[:, None], strict=True))
    if seed is None:
        return Bands((OwnFigure(made),), thresholds, Tally(sums))
    together = np.zeros(len(parts), dtype=np.int64)
    flat = parts.reshape(len(parts), thresholds.size * len(made.counts))
    drawn = resample_problems(flat, together, 1, evaluation.gold.problems[rows], seed)
    by_count = np.moveaxis(drawn.reshape(RESAMPLES, 1, *parts.shape[1:]), -1, 0)
    return Bands((OwnFigure(made),), thresholds, Tally(sums, dict(zip(made.counts, by_count, strict=True))))


def right_between(evaluation: Evaluation, rows: Ints, thresholds: Floats) -> tuple[Ints, Ints]:
    """Find between which thresholds some cases (row ids, shape (m,)) are right: from one place to before another.

    Places are those of the thresholds, which ascend; shapes (m,). A case is right at thresholds without a gap: an
    error from where it is found to where an earlier step is named, a clean case as long as no step is. What no
    threshold decides is as it is at all of them.
    """
    floats, rule, end = evaluation.floats, evaluation.rule, thresholds.size
    assert isinstance(rule, Rule)  # noqa: S101  # whoever asks has seen to it
    side: Literal["left", "right"] = "right" if rule.comparison == "<" else "left"
    # From this place on a number is under the threshold.
    before, at, lowest = (
        np.searchsorted(thresholds, numbers[rows], side) for numbers in (floats.before, floats.at, floats.all)
    )
    erroneous = evaluation.gold.earliest[rows] >= 0
    moving = evaluation.fixed_verdicts.by_threshold[rows]
    still = np.where(np.isin(evaluation.codes[rows], RIGHT), end, 0)
    first = np.where(moving & erroneous, at, 0)
    last = np.where(moving, np.where(erroneous, before, lowest), still)
    return first, last


def _right_at(first: Ints, last: Ints, size: int) -> Bools:
    places = np.arange(size)
    right: Bools = (places >= first[:, None]) & (places < last[:, None])
    return right


def _hits(first: Ints, last: Ints, cells: Ints, n_cells: int, size: int) -> Ints:
    """How many cases of each cell are right at each of the thresholds in ascending order, shape (n_cells, size)."""
    begun, ended = (
        np.bincount(cells * (size + 1) + place, minlength=n_cells * (size + 1)).reshape(n_cells, size + 1)
        for place in (first, last)
    )
    hits: Ints = np.cumsum(begun - ended, axis=1)[:, :size]
    return hits


def step_bands(
    evaluation: Evaluation, rows: Bools, thresholds: Floats, facts: StepLabelled, seed: int | None = 0
) -> Bands | None:
    """Return PRMScore of all steps pooled at each of the thresholds; None where no one threshold decides.

    The draws are those of `scoring.metrics.step_labels`: at a threshold the band of one run is the interval told there.
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    judged = step_contributions(evaluation, facts)[:, COUNTS.index("judged")] > 0
    taken = np.flatnonzero(rows & judged)
    counts = counts_at(evaluation, taken, thresholds, facts)
    sums = dict(zip(OF_STEPS, counts.sum(axis=0)[:, None], strict=True))
    if seed is None:
        return Bands((PRMSCORE,), thresholds, Tally(sums))
    # How many steps are right or wrong does not depend on the threshold: what is drawn is which are judged wrong.
    right, wrong = (counts[:, first : first + 2, :1].sum(axis=(1, 2)) for first in (0, 2))
    parts = np.column_stack([counts[:, 1], counts[:, 3], right, wrong]).astype(np.float64)
    everything = np.zeros(taken.size, dtype=np.int64)
    drawn = resample_problems(parts, everything, 1, evaluation.gold.problems[taken], seed)
    size = thresholds.size
    fn, tn, rights, wrongs = np.split(drawn, [size, 2 * size, 2 * size + 1], axis=-1)
    draws = {"tp": rights - fn, "fn": fn, "fp": wrongs - tn, "tn": tn}
    return Bands((PRMSCORE,), thresholds, Tally(sums, draws))


def counts_at(evaluation: Evaluation, rows: Ints, thresholds: Floats, facts: StepLabelled) -> Ints:
    """Count OF_STEPS of each of some cases (row ids, shape (m,)) at each threshold, shape (m, 4, t)."""
    moved = moved_by_rule(evaluation, asked_by_redundancy(evaluation, facts))
    as_decided = step_contributions(evaluation, facts)[rows, : len(OF_STEPS), None].astype(np.int64)
    counts = np.repeat(as_decided, thresholds.size, axis=2)
    order = np.argsort(thresholds, kind="stable")
    here = np.flatnonzero(moved[rows])
    place = np.full(moved.size, -1)
    place[rows[here]] = here
    moved_counts = _moved_counts(evaluation, place, thresholds[order])[here]
    counts[here[:, None, None], np.arange(len(OF_STEPS))[:, None], order] = moved_counts
    return counts


def _moved_counts(evaluation: Evaluation, place: Ints, thresholds: Floats) -> Ints:
    """The counts of the cases that a threshold decides, by `place` (n,), -1 for others; thresholds ascend."""
    compared, rule = evaluation.compared_values, evaluation.rule
    assert isinstance(rule, Rule)  # noqa: S101  # whoever asks has seen to it
    lengths = np.diff(compared.offsets)
    row = np.repeat(place, lengths)
    labels = evaluation.gold.step_labels[np.repeat(lengths == evaluation.gold.n_steps, evaluation.gold.n_steps)]
    kept = (row >= 0) & (labels != UNKNOWN_STEP)
    row, wrong = row[kept], (labels == WRONG_STEP)[kept]
    # A step is judged wrong at every threshold from this one on.
    first = np.searchsorted(thresholds, compared.values[kept], side="right" if rule.comparison == "<" else "left")
    size, n = thresholds.size, int(place.max(initial=-1)) + 1
    counts = np.zeros((n, len(OF_STEPS), size), dtype=np.int64)
    for gold in (False, True):
        own = wrong == gold
        flat = (row * (size + 1) + first)[own]
        judged_wrong = np.bincount(flat, minlength=n * (size + 1)).reshape(n, size + 1)[:, :size].cumsum(axis=1)
        total = np.bincount(row[own], minlength=n)[:, None]
        counts[:, 2 * gold], counts[:, 2 * gold + 1] = total - judged_wrong, judged_wrong
    return counts
