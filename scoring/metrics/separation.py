"""How well one number tells two kinds of things apart, whatever the threshold: the area under the ROC curve."""

import math

import numpy as np

from scoring.metrics.closed_forms import Z
from scoring.metrics.resampling import SMALL, Figure
from scoring.step_rewards import Floats, Ints


def auroc(high: Floats, low: Floats) -> float | None:
    """How often a number of `high` is above one of `low`, of all pairs, a tie counting half; None without a pair.

    Mann and Whitney, Annals of Mathematical Statistics 18 (1947). Exact: pairs are counted in whole numbers. Shapes
    (m,) and (k,); neither holds NaN.
    """
    if not high.size or not low.size:
        return None
    return int(_twice_below(high, low).sum()) / (2 * high.size * low.size)


def separation(high: Floats, low: Floats, metric: str, reason: str) -> Figure:
    """The same with DeLong's 95% interval (Biometrics 44, 1988), within [0, 1]; the numbers are taken as independent.

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
    ordered, asked = np.sort(low), np.sort(high)
    # Asked in order, places are found many times faster.
    counts: Ints = np.searchsorted(ordered, asked, "left") + np.searchsorted(ordered, asked, "right")
    return counts
