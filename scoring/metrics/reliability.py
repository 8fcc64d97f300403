"""Reliability of rewards as probabilities: of all steps with a reward of about 0.8, are 80% right?

Guo et al., On Calibration of Modern Neural Networks (ICML 2017): in bins of the reward the share of what is right
against the mean reward; the expected calibration error (ECE) is the mean over bins of how far these two are apart,
each bin counting by how much it holds.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.data.reward_transforms import REWARDS, transform
from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import RIGHT_STEP, UNKNOWN_STEP
from scoring.metrics.aligned_conditions import EVERY, OF_SIDE
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.resampling import SMALL
from scoring.metrics.reward_bins import RewardBins, even_bins, has_rewards, why_none, with_rewards
from scoring.metrics.separation import lowest_rewards
from scoring.workspace.filtering.sql_words import named

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
    if evaluation.rule.by_threshold and evaluation.rule.on != REWARDS:
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
