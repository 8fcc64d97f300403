"""How far rewards can be trusted as numbers: their bins, histograms, separation and reliability."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.data.rules import REWARDS, transform
from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.step_rewards import RIGHT_STEP, UNKNOWN_STEP
from scoring.evaluation.verdicts import DEV, ProvidedVerdicts
from scoring.metrics.aligned import EVERY, OF_SIDE
from scoring.metrics.closed_forms import Z, wilson_interval
from scoring.metrics.first_error import SIDES
from scoring.metrics.resampling import SMALL, Figure
from scoring.workspace.filtering.sql_words import literal, named

# -- bins of rewards: closed on the left, the last one on both sides, so that SQL can say of a case which it is in


class RewardBins(Struct, frozen=True, eq=False):
    """k bins between `edges` (k + 1,), which ascend and are finite."""

    edges: Floats

    @property
    def size(self) -> int:
        """How many bins there are: k."""
        return self.edges.size - 1

    def of(self, rewards: Floats) -> Ints:
        """Return the bin (0-based) of each reward, in their shape; each lies between the first and the last edge."""
        bins: Ints = np.searchsorted(self.edges[1:-1], rewards, side="right")
        return bins

    def counts(self, rewards: Floats) -> Ints:
        """Count the rewards in each bin. Shape (k,)."""
        return np.bincount(self.of(rewards), minlength=self.size)

    def ends(self) -> list[tuple[float, float]]:
        """Return the lower and the upper edge of each bin."""
        return list(pairwise(self.edges.tolist()))

    def sql(self, number: int, column: str) -> str:
        """Return the condition that a column (as it stands in SQL) is in a bin."""
        low, high = self.ends()[number]
        upper = "<=" if number == self.size - 1 else "<"
        return f"{column} >= {literal(low)} AND {column} {upper} {literal(high)}"


def even_bins(low: float, high: float, bins: int) -> RewardBins:
    """Equally wide bins between two finite numbers; tenths of [0, 1] begin at 0.1, 0.2, 0.3 as these are written."""
    parts = np.arange(bins + 1) / bins
    edges = low * parts[::-1] + high * parts
    # Rounding must neither leave the range nor turn two edges round.
    return RewardBins(np.maximum.accumulate(np.clip(np.append(edges[:-1], high), low, high)))


def reward_bins(evaluation: Evaluation, bins: int = 20) -> RewardBins:
    """Equally wide bins over the scorer's range, widened to rewards beyond it; one unit in all where that is empty."""
    own = evaluation.scorer.low, evaluation.scorer.high
    there = evaluation.rewards.range or own
    low, high = min(own[0], there[0]), max(own[1], there[1])
    return even_bins(low, high, bins) if low < high else even_bins(low - 0.5, low + 0.5, bins)


def with_rewards(evaluation: Evaluation, rows: Bools) -> Bools:
    """Return which of the cases (n,) have gold labels and a reward for every step, dev cases apart. Shape (n,)."""
    whole = evaluation.rewards.scored & (evaluation.gold.n_steps > 0)
    there: Bools = rows & evaluation.gold.known & whole & (evaluation.coverage.missing != DEV)
    return there


def has_rewards(evaluation: Evaluation) -> str:
    """Return the condition that selects these cases; of gold labels it says nothing."""
    name = evaluation.scorer.name
    return f"{named(f'{name}.lowest_reward')} IS NOT NULL AND {named(f'{name}.outcome')} <> 'dev'"


def why_none(evaluation: Evaluation, rows: Bools) -> str:
    """Return why there is no case with rewards and gold labels among some."""
    if not rows.any():
        return "no case is shown"
    if not (rows & evaluation.rewards.scored).any():
        return evaluation.coverage.nothing or f"{evaluation.scorer.name} gives no step rewards for these cases"
    return "no case has both step rewards and gold labels"


# -- how well one number tells two kinds of things apart, whatever the threshold: the area under the ROC curve


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


# -- rewards by gold class: of cases their lowest reward, of steps their own, and how well these tell classes apart


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


# -- do rewards mean what they say? Of all steps with a reward of about 0.8, are 80% right?
#
# Guo et al., On Calibration of Modern Neural Networks (ICML 2017): in bins of the reward the share of what is right
# against the mean reward; the expected calibration error (ECE) is the mean over bins of how far these two are apart,
# each bin counting by how much it holds.


ReliabilityRow = dict[str, Any]
BINS = 10
ECE = (
    "ece: the mean over bins of |share right - mean reward|, each bin weighed by what it holds "
    f"({BINS} equally wide bins over [0, 1], closed on the left, the last on both sides)"
)


def why_no_reliability(evaluation: Evaluation) -> str | None:
    """Return why the rewards cannot be read as probabilities; None where they can."""
    scorer, there = evaluation.scorer, evaluation.rewards.range
    if there is None:
        return evaluation.coverage.nothing or f"{scorer.name} gives no step rewards"
    if scorer.kind == "critic":
        return f"{scorer.name} is a critic: its ratings are not probabilities"
    if scorer.low < 0 or scorer.high > 1:
        return f"{scorer.name} gives rewards in [{scorer.low:g}, {scorer.high:g}], which are not probabilities"
    if there[0] < 0 or there[1] > 1:
        return f"the rewards of {scorer.name} run from {there[0]:.4g} to {there[1]:.4g}, beyond [0, 1]"
    if not isinstance(evaluation.rule, ProvidedVerdicts) and evaluation.rule.on != REWARDS:
        plural = transform(evaluation.rule.on).plural
        return f"the threshold is compared with {plural} of rewards, which are not probabilities"
    return None


def case_reliability(evaluation: Evaluation, rows: Bools, bins: int = BINS) -> Iterator[ReliabilityRow]:
    """Yield the share of clean cases by the bin of the lowest reward, and their ECE.

    That the lowest reward is the probability of a clean case is a reading of ours: it is that number alone that the
    threshold is held against where it is decided whether there is an error at all.

    Yields dictionaries with `unit` (case), `reward_from, reward_to`, `metric`, `value, low, high, n, small, reason,
    where`: `share_right` (clean cases among the `n` of the bin, with Wilson's 95% interval) and `mean_reward` of each
    bin, then `ece` over all. `where` selects the `n` cases; a bin without any is null, with its reason.
    """
    there, lowest = lowest_rewards(evaluation, rows)
    column, name = named(f"{evaluation.scorer.name}.lowest_reward"), has_rewards(evaluation)
    nothing = why_no_reliability(evaluation) or (None if there.size else why_none(evaluation, rows))
    place = even_bins(0.0, 1.0, bins)
    where = [f"{OF_SIDE[EVERY]} AND {place.sql(number, column)} AND {name}" for number in range(bins)]
    where.append(f"{OF_SIDE[EVERY]} AND {name}")
    yield from _rows("case", place, lowest, evaluation.gold.earliest[there] < 0, nothing, where)


def step_reliability(evaluation: Evaluation, rows: Bools, bins: int = BINS) -> Iterator[ReliabilityRow]:
    """Yield the share of right steps by the bin of the reward, of the steps with a gold label, and their ECE.

    Rows otherwise as those of `case_reliability`, with `unit` step and without conditions. Wilson's interval takes
    steps as independent, which those of a case are not, so that there is none.
    """
    there, rewards = with_rewards(evaluation, rows), evaluation.rewards
    taken = np.repeat(there, np.diff(rewards.offsets))
    lengths = evaluation.gold.n_steps
    labels = evaluation.gold.step_labels[np.repeat(there, lengths)]
    known = labels != UNKNOWN_STEP
    values = rewards.values[taken][known]
    nothing = why_no_reliability(evaluation) or (None if there.any() else why_none(evaluation, rows))
    nothing = nothing or (None if values.size else "no step with a reward is labelled")
    yield from _rows("step", even_bins(0.0, 1.0, bins), values, labels[known] == RIGHT_STEP, nothing, None)


def _rows(
    unit: str, bins: RewardBins, values: Floats, right: Bools, nothing: str | None, where: list[str] | None
) -> Iterator[ReliabilityRow]:
    """The rows of one unit, of m values in [0, 1] and whether each is of something right.

    `where` has a condition a bin and one for all of them.
    """
    if nothing:
        yield _row(unit, None, "ece", None, (None, None), 0, nothing, None)
        return
    place = bins.of(values)
    n = bins.counts(values)
    hits = np.bincount(place, right, minlength=bins.size).astype(np.int64)
    sums = np.bincount(place, values, minlength=bins.size)
    low, high = wilson_interval(hits, n)
    for number, ends in enumerate(bins.ends()):
        count, conditions = int(n[number]), where[number] if where else None
        interval = (float(low[number]), float(high[number])) if count and where else (None, None)
        share, mean = (float(total[number]) / count if count else None for total in (hits, sums))
        none = None if count else f"no {unit} in this bin"
        yield _row(unit, ends, "share_right", share, interval, count, none, conditions)
        yield _row(unit, ends, "mean_reward", mean, (None, None), count, none, conditions)
    ece = float(np.abs(hits - sums).sum() / values.size)
    yield _row(unit, None, "ece", ece, (None, None), int(values.size), None, where[-1] if where else None)


def _row(
    unit: str,
    ends: tuple[float, float] | None,
    metric: str,
    value: float | None,
    interval: tuple[float | None, float | None],
    n: int,
    reason: str | None,
    where: str | None,
) -> ReliabilityRow:
    low, high = ends or (None, None)
    place = {"unit": unit, "reward_from": low, "reward_to": high, "metric": metric, "value": value}
    figures = {"low": interval[0], "high": interval[1], "n": n, "small": 0 < n < SMALL}
    return {**place, **figures, "reason": reason, "where": where}
