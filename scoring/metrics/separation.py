"""Separation of gold classes by their rewards: histograms of each class, and the area under the ROC curve."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.aligned_conditions import EVERY, OF_SIDE
from scoring.metrics.closed_forms import Z
from scoring.metrics.first_error import SIDES
from scoring.metrics.resampling import SMALL, Figure
from scoring.metrics.reward_bins import RewardBins, has_rewards, reward_bins, why_none, with_rewards
from scoring.workspace.filtering.sql_words import named


def auroc(high: Floats, low: Floats) -> float | None:
    """Return how often a number of `high` is above one of `low`, of all pairs, a tie counting half; None without a
    pair.

    Mann and Whitney, Annals of Mathematical Statistics 18 (1947). Exact: pairs are counted in whole numbers. Shapes
    (m,) and (k,); neither holds NaN.
    """
    if not high.size or not low.size:
        return None
    return int(_twice_below(high, low).sum()) / (2 * high.size * low.size)


def separation(high: Floats, low: Floats, metric: str, reason: str) -> Figure:
    """Return the AUROC with DeLong's 95% interval (Biometrics 44, 1988), within [0, 1]; the numbers are taken as
    independent.

    Args:
        high: (m,) numbers of what should be above.
        low: (k,) of what should be below.
        metric: what the figure is called.
        reason: why there is none where one of the two is empty.
    """
    value, n = auroc(high, low), high.size + low.size
    if value is None:
        return Figure(metric, None, None, None, n, reason)
    small = f"small n: fewer than {SMALL} on a side" if min(high.size, low.size) < SMALL else None
    if min(high.size, low.size) < 2:
        return Figure(metric, value, None, None, n, None, "no interval: a single one on a side")
    above = _twice_below(high, low) / (2 * low.size)
    below = _twice_below(-low, -high) / (2 * high.size)
    half = Z * math.sqrt(above.var(ddof=1) / high.size + below.var(ddof=1) / low.size)
    return Figure(metric, value, max(0.0, value - half), min(1.0, value + half), n, None, small)


def _twice_below(high: Floats, low: Floats) -> Ints:
    """For each of `high`, ascending, twice how many of `low` are below it and once how many equal it. Shape (m,)."""
    ordered, sought = np.sort(low), np.sort(high)
    # Asked in order, places are found many times faster.
    counts: Ints = np.searchsorted(ordered, sought, "left") + np.searchsorted(ordered, sought, "right")
    return counts


HistogramRow = dict[str, Any]
STEP_CLASSES = ("clean", "before", "at", "after")
"""Where a step stands: in a clean case, or before, at or after the earliest error."""
SEPARATIONS = (
    "auroc of cases: how often the lowest reward of a clean case is above that of an erroneous one; of steps: how "
    "often a step of a clean case or before the earliest error is above one at an earliest error; ties count half; "
    "the interval is DeLong's and takes cases as independent, and steps have none since those of a case are not"
)


def lowest_rewards(evaluation: Evaluation, rows: Bools) -> tuple[Ints, Floats]:
    """Return the cases (row ids) of `rows` (n) with gold labels and rewards, and the lowest reward of each."""
    there = np.flatnonzero(with_rewards(evaluation, rows))
    return there, evaluation.column("lowest_reward").to_numpy()[there].astype(np.float64)


def classed_steps(evaluation: Evaluation, rows: Bools) -> tuple[Floats, Ints]:
    """Return every step reward of the same cases, and the place of its class in STEP_CLASSES."""
    there, gold, rewards = with_rewards(evaluation, rows), evaluation.gold, evaluation.rewards
    lengths = np.diff(rewards.offsets)
    taken = np.repeat(there, lengths)
    case = np.repeat(np.arange(lengths.size), lengths)[taken]
    step = (np.arange(rewards.values.size) - np.repeat(rewards.offsets[:-1], lengths))[taken]
    earliest = gold.earliest[case]
    places = np.where(earliest < 0, 0, 2 + np.sign(step - earliest))
    return rewards.values[taken], places


def case_histogram(evaluation: Evaluation, rows: Bools, bins: RewardBins | None = None) -> Iterator[HistogramRow]:
    """Yield counts of cases by the bin of their lowest reward, erroneous and clean apart, then their separation.

    Yields dictionaries with `unit` (case), `side`, `reward_from, reward_to` (the bin, closed on the left, the last one
    on both sides), `metric` (count), `value`, `low, high, n, small, reason, where`: `n` is the number of cases of the
    side, and `where` selects the cases of a bin. The last row has metric `auroc` and no bin,
    and its condition selects the `n` cases of both sides.
    """
    bins = bins or reward_bins(evaluation)
    there, lowest = lowest_rewards(evaluation, rows)
    column, name = named(f"{evaluation.scorer.name}.lowest_reward"), has_rewards(evaluation)
    erroneous = evaluation.gold.earliest[there] >= 0
    nothing = None if there.size else why_none(evaluation, rows)
    for side, members in zip(SIDES, (erroneous, ~erroneous), strict=True):
        n = int(members.sum())
        for number, count in enumerate(bins.counts(lowest[members]).tolist()):
            where = f"{OF_SIDE[side]} AND {bins.sql(number, column)} AND {name}"
            yield _bar("case", side, bins, number, count, n, nothing or f"no {side} case has rewards", where)
    one_sided = nothing or f"no {'erroneous' if not erroneous.any() else 'clean'} case has rewards"
    both = f"{OF_SIDE[EVERY]} AND {name}"
    yield _separated("case", separation(lowest[~erroneous], lowest[erroneous], "auroc", one_sided), both)


def step_histogram(evaluation: Evaluation, rows: Bools, bins: RewardBins | None = None) -> Iterator[HistogramRow]:
    """Yield counts of steps by the bin of their reward and by STEP_CLASSES, then their separation; `where` is null.

    Rows otherwise as those of `case_histogram`, with `unit` step.
    """
    bins = bins or reward_bins(evaluation)
    values, places = classed_steps(evaluation, rows)
    nothing = None if values.size else why_none(evaluation, rows)
    for place, side in enumerate(STEP_CLASSES):
        own = values[places == place]
        for number, count in enumerate(bins.counts(own).tolist()):
            yield _bar("step", side, bins, number, count, int(own.size), nothing or f"no step is of class {side}", None)
    right, wrong = values[places <= 1], values[places == 2]
    value = auroc(right, wrong)
    missing = "no step at an earliest error has a reward" if not wrong.size else "no right step has a reward"
    reason = None if value is not None else nothing or missing
    yield _separated("step", Figure("auroc", value, None, None, int(right.size + wrong.size), reason), None)


def _bar(
    unit: str, side: str, bins: RewardBins, number: int, count: int, n: int, empty: str, where: str | None
) -> HistogramRow:
    low, high = bins.ends()[number]
    place = {"unit": unit, "side": side, "reward_from": low, "reward_to": high}
    figures = {
        "metric": "count",
        "value": float(count) if n else None,
        "low": None,
        "high": None,
        "n": n,
        "small": False,
    }
    return {**place, **figures, "reason": None if n else empty, "where": where}


def _separated(unit: str, figure: Figure, where: str | None) -> HistogramRow:
    place = {"unit": unit, "side": None, "reward_from": None, "reward_to": None}
    small = bool(figure.note) or (figure.value is not None and figure.n < SMALL)
    ends = {"value": figure.value, "low": figure.low, "high": figure.high}
    return {**place, "metric": "auroc", **ends, "n": figure.n, "small": small, "reason": figure.reason, "where": where}
