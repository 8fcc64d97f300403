"""First-error metrics over a grid of thresholds, with bands from one set of resamples that all thresholds share.

So a curve's band moves as its curve does, and curves of scorers on the same cases can be held against each other. At
one threshold the band is a bootstrap interval like any other, from other draws than that of
`scoring.metrics.first_error` where no two cases are of one problem.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from scoring.evaluation import Evaluation
from scoring.metrics.first_error import Unparsed
from scoring.metrics.intervals import RESAMPLES, percentile_intervals
from scoring.metrics.paired import METRICS, subset_means
from scoring.metrics.problem_bootstrap import resampled_sums
from scoring.metrics.shares import members
from scoring.step_rewards import Bools, Floats, Ints
from scoring.verdicts import RIGHT, Rule

DRAWN = 1 << 18
"""Cases drawn at a time: they stay in the processor's cache."""


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
    order = np.argsort(thresholds, kind="stable")
    first, last = right_between(evaluation, taken, thresholds[order])
    totals = np.bincount(cells, minlength=2 * numbers.size).reshape(shape)
    values = subset_means(
        _hits(first, last, cells, totals.size, thresholds.size).reshape(*shape, thresholds.size), totals
    )
    problems = gold.problems[taken]
    draw = _problems_drawn if np.unique(problems).size < problems.size else _cases_drawn
    drawn, sizes = draw(first, last, cells, totals.size, thresholds.size, problems, seed)
    draws = subset_means(
        drawn.reshape(RESAMPLES, *shape, thresholds.size), sizes.reshape(RESAMPLES, *shape), both_zero=0.0
    )
    # Back in the order that was asked for.
    back = np.argsort(order, kind="stable")
    values, draws = values[:, back], draws[..., back]
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


def right_between(evaluation: Evaluation, rows: Ints, thresholds: Floats) -> tuple[Ints, Ints]:
    """Between which thresholds each of some cases (row ids, shape (m,)) is right: from one place to before another.

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
    moving = evaluation.given.by_threshold[rows]
    still = np.where(np.isin(evaluation.codes[rows], RIGHT), end, 0)
    first = np.where(moving & erroneous, at, 0)
    last = np.where(moving, np.where(erroneous, before, lowest), still)
    return first, last


def _hits(first: Ints, last: Ints, cells: Ints, n_cells: int, size: int) -> Ints:
    """How many cases of each cell are right at each of the thresholds in ascending order, shape (n_cells, size)."""
    begun, ended = (
        np.bincount(cells * (size + 1) + place, minlength=n_cells * (size + 1)).reshape(n_cells, size + 1)
        for place in (first, last)
    )
    hits: Ints = np.cumsum(begun - ended, axis=1)[:, :size]
    return hits


def _cases_drawn(
    first: Ints, last: Ints, cells: Ints, n_cells: int, size: int, _problems: Ints, seed: int
) -> tuple[Floats, Floats]:
    """The same in resamples of the cases of each cell by itself, shape (RESAMPLES, n_cells, size), and their sizes.

    The draws are those of `scoring.metrics.resampling`, made in fewer operations: what is counted of a case is where it
    begins to be right and where it ends.
    """
    rng = np.random.default_rng(seed)
    sizes = np.bincount(cells, minlength=n_cells)
    hits = np.zeros((RESAMPLES, n_cells, size))
    for cell in np.flatnonzero(sizes):
        begins, ends = first[cells == cell], last[cells == cell]
        batch = max(1, DRAWN // int(sizes[cell]))
        for start in range(0, RESAMPLES, batch):
            count = min(batch, RESAMPLES - start)
            chosen = rng.integers(0, sizes[cell], size=(count, sizes[cell]))
            resample = np.repeat(np.arange(count), sizes[cell])
            drawn = _hits(begins[chosen].ravel(), ends[chosen].ravel(), resample, count, size)
            hits[start : start + count, cell] = drawn
    return hits, np.broadcast_to(sizes.astype(np.float64), (RESAMPLES, n_cells))


def _problems_drawn(
    first: Ints, last: Ints, cells: Ints, n_cells: int, size: int, problems: Ints, seed: int
) -> tuple[Floats, Floats]:
    """The same in resamples of whole problems."""
    places = np.arange(size)
    right = (places >= first[:, None]) & (places < last[:, None])
    parts = np.column_stack([right, np.ones(cells.size)]).astype(np.float64)
    sums = resampled_sums(parts, cells, n_cells, problems, seed)
    return sums[..., :-1], sums[..., -1]


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
