"""A figure over independent runs: its mean, its sd and the interval of the mean."""

from dataclasses import dataclass

import numpy as np

from scoring.metrics.intervals import SMALL, UNDEFINED, percentile_interval
from scoring.step_rewards import Floats


@dataclass(frozen=True)
class RunMean:
    """A figure as a fraction, null with a reason where undefined.

    `value` is the mean over `runs` runs, `sd` the sample standard deviation of their values (n-1; None for one run).
    `low` and `high` are the 95% interval of the mean under resampling of the cases, with the same draws in all runs: it
    says nothing of how runs differ, which is what `sd` is for. Where the value is there without an interval, `reason`
    says why. `n` is the size of the first run's denominator, `small` says that it holds few cases.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    sd: float | None = None
    runs: int = 1
    small: bool = False
    reason: str | None = None


def run_mean(
    values: Floats, draws: Floats, n: int, fewest: int, reason: str | None, official: float | None = None
) -> RunMean:
    """The mean of one figure over r runs.

    Args:
        values: (r,) the figure in each run.
        draws: (resamples, r) the same in resamples that the runs share, NaN where undefined.
        n: the size of the denominator.
        fewest: how many cases there are on the smaller of the sides that the figure is of.
        reason: why there is no figure; None = there is one.
        official: what an undefined figure is called all the same; None = nothing.
    """
    if reason and official is None:
        return RunMean(None, None, None, n, None, values.size, reason=reason)
    filled = values if official is None else np.where(np.isnan(values), official, values)
    value, sd = float(filled.mean()), float(filled.std(ddof=1)) if filled.size > 1 else None
    if reason:
        return RunMean(value, None, None, n, sd, values.size, small=fewest < SMALL, reason=reason)
    means = draws.mean(axis=1)
    defined = means[~np.isnan(means)]
    lost = means.size - defined.size
    few = lost > UNDEFINED * means.size
    low, high = (None, None) if few else percentile_interval(defined)
    why = f"no interval: undefined in {lost} of {means.size} resamples" if few else None
    return RunMean(value, low, high, n, sd, values.size, fewest < SMALL, why)


def over_runs(reasons: list[str | None]) -> str | None:
    """Why a mean over runs is undefined, of the reasons of each run; None where no run has one."""
    told = [reason for reason in reasons if reason]
    if not told or len({*reasons}) == 1:
        return told[0] if told else None
    return f"undefined in {len(told)} of {len(reasons)} runs"
