"""First-error metrics over a grid of thresholds, with bands from one set of resamples that all thresholds share.

So a curve's band moves as its curve does, and curves of scorers on the same cases can be held against each other. At
one threshold the band is a bootstrap interval like any other, from other draws than that of
`scoring.metrics.first_error` where no two cases are of one problem.
"""

from dataclasses import dataclass

import numpy as np

from scoring.evaluation import Evaluation
from scoring.metrics.first_error import Unparsed
from scoring.metrics.intervals import RESAMPLES, percentile_intervals
from scoring.metrics.paired import METRICS, subset_means
from scoring.metrics.resampling import resampled_counts
from scoring.metrics.shares import members
from scoring.step_rewards import Bools, Floats, Ints
from scoring.verdicts import RIGHT, Rule, under


@dataclass(frozen=True, eq=False)
class Bands:
    """k figures at t thresholds: `values`, `low` and `high` (k, t), NaN where undefined; 95%, percentile bootstrap.

    `metrics` (k) are their names, `sizes` (k) what is in their denominators: cases, or steps for PRMScore. `reasons`
    (k, t) say why a value is undefined, None where it is not.
    """

    metrics: tuple[str, ...]
    thresholds: Floats
    values: Floats
    low: Floats
    high: Floats
    sizes: tuple[int, ...]
    reasons: tuple[tuple[str | None, ...], ...]


def first_error_bands(
    evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed = "wrong", seed: int = 0
) -> Bands | None:
    """METRICS of `scoring.metrics.paired` as means over subsets, at each of the thresholds; None where none decides.

    Args:
        evaluation: gives rewards, gold and the comparison; its threshold does not matter.
        rows: (n,) which cases take part; unscored ones and those without gold never do.
        thresholds: (t,), finite.
        unparsed: whether refused and unparsed cases count as wrong (`wrong`) or not at all (`drop`).
        seed: of the resamples, which are of whole problems where two cases are of one.
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    taken = np.flatnonzero(rows & members(evaluation, unparsed))
    gold = evaluation.gold
    numbers, subset = np.unique(gold.subsets[1][taken], return_inverse=True)
    erroneous = gold.earliest[taken] >= 0
    cells, shape = 2 * subset + ~erroneous, (numbers.size, 2)
    right = right_at(evaluation, taken, thresholds)
    totals = np.bincount(cells, minlength=2 * numbers.size).reshape(shape)
    hits: Ints = np.zeros((*shape, thresholds.size), dtype=np.int64)
    for cell in range(totals.size):
        hits[divmod(cell, 2)] = right[cells == cell].sum(axis=0)
    values = subset_means(hits, totals)
    drawn, sizes = resampled_counts(right, cells, totals.size, gold.problems[taken], seed)
    draws = subset_means(
        drawn.reshape(RESAMPLES, *shape, thresholds.size), sizes.reshape(RESAMPLES, *shape), both_zero=0.0
    )
    ends = [percentile_intervals(draw) for draw in draws]
    low, high = (np.where(np.isnan(values), np.nan, np.stack(side)) for side in zip(*ends, strict=True))
    counts = totals.sum(axis=0)
    return Bands(
        METRICS,
        thresholds,
        values,
        low,
        high,
        (int(counts.sum()), int(counts[0]), int(counts[1])),
        tuple(tuple(_reasons(metric, line, totals)) for metric, line in zip(METRICS, values, strict=True)),
    )


def right_at(evaluation: Evaluation, rows: Ints, thresholds: Floats) -> Bools:
    """Whether each of some cases (row ids, shape (m,)) is right at each threshold, shape (m, t).

    What no threshold decides is as it is.
    """
    floats, rule = evaluation.floats, evaluation.rule
    assert isinstance(rule, Rule)  # noqa: S101  # whoever asks has seen to it
    before, at, lowest = (
        under(side[rows, None], thresholds, rule.comparison) for side in (floats.before, floats.at, floats.all)
    )
    erroneous = (evaluation.gold.earliest[rows] >= 0)[:, None]
    moving = evaluation.given.by_threshold[rows, None]
    still = np.isin(evaluation.codes[rows], RIGHT)[:, None]
    right: Bools = np.where(moving, np.where(erroneous, at & ~before, ~lowest), still)
    return right


def _reasons(metric: str, values: Floats, totals: Ints) -> list[str | None]:
    """Why a metric is undefined at each threshold."""
    if not totals.size:
        return ["no case was scored"] * values.size
    side = {"error_acc": (0,), "correct_acc": (1,)}.get(metric, (0, 1))
    lacking = [place for place in side if (totals[:, place] == 0).any()]
    if lacking:
        empty = int((totals[:, lacking[0]] == 0).sum())
        where = "" if empty == totals.shape[0] else f" in {empty} of {totals.shape[0]} subsets"
        return [f"no {('erroneous', 'clean')[lacking[0]]} case was scored{where}"] * values.size
    return ["both accuracies are 0" if np.isnan(value) else None for value in values]
