"""A value or a difference with its bootstrap interval."""

from dataclasses import dataclass

import numpy as np

from scoring.metrics.intervals import UNDEFINED, percentile_interval
from scoring.step_rewards import Floats


@dataclass(frozen=True)
class Figure:
    """A value or a difference, as a fraction, with its 95% interval; `n` cases are in its denominator.

    None where it is undefined, and `reason` says why; `note` says what to keep in mind about the interval.
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None = None
    note: str | None = None

    @property
    def holds_zero(self) -> bool | None:
        """Whether 0 lies in the interval, its ends included; None without an interval."""
        return None if self.low is None or self.high is None else self.low <= 0 <= self.high


def with_interval(metric: str, value: float, draws: Floats, n: int, what: str, few: str | None) -> Figure:
    """A defined value with the central 95% of its draws, shape (r,), NaN where a resample leaves it undefined.

    Args:
        metric: its name.
        value: a fraction.
        draws: the same in r resamples; where more than UNDEFINED of them are undefined there is no interval.
        n: cases in its denominator.
        what: `value` or `difference`, for the note.
        few: a note that the cases are few; None where they are not.
    """
    defined = draws[np.isfinite(draws)]
    lost = draws.size - defined.size
    if lost > UNDEFINED * draws.size:
        note = f"no interval: the {what} is undefined in {lost} of {draws.size} resamples"
        return Figure(metric, value, None, None, n, None, note)
    notes = [f"{lost} of {draws.size} resamples are undefined and left out"] if lost else []
    low, high = percentile_interval(defined)
    return Figure(metric, value, low, high, n, None, "; ".join([*notes, *([few] if few else [])]) or None)
