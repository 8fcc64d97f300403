"""The score interval of a share: it stays within [0, 1] and holds for few cases and for shares of 0 and 1."""

from statistics import NormalDist

import numpy as np

from scoring.metrics.intervals import LEVEL
from scoring.step_rewards import Floats, Ints

Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


def wilson_interval(hits: Ints, totals: Ints) -> tuple[Floats, Floats]:
    """Low and high end of the 95% interval of hits / totals, elementwise; NaN where the total is 0.

    Wilson, Journal of the American Statistical Association 22 (1927). What is counted is taken as independent.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / totals
        middle = (share + Z**2 / (2 * totals)) / (1 + Z**2 / totals)
        half = Z / (1 + Z**2 / totals) * np.sqrt(share * (1 - share) / totals + Z**2 / (4 * totals**2))
    # At a share of 0 or 1 that end is the share itself, which rounding must not step over.
    return np.minimum(np.maximum(middle - half, 0), share), np.maximum(np.minimum(middle + half, 1), share)


def difference_interval(hits: Ints, totals: Ints, other_hits: Ints, other_totals: Ints) -> tuple[Floats, Floats]:
    """The 95% interval of the difference of two independent shares, elementwise, made of their Wilson intervals.

    Newcombe, Statistics in Medicine 17 (1998), method 10. NaN where a total is 0.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        left, right = hits / totals, other_hits / other_totals
    (low, high), (other_low, other_high) = wilson_interval(hits, totals), wilson_interval(other_hits, other_totals)
    difference = left - right
    return (
        difference - np.hypot(left - low, other_high - right),
        difference + np.hypot(high - left, right - other_low),
    )


def paired_difference_interval(both: Ints, only_left: Ints, only_right: Ints, neither: Ints) -> tuple[Floats, Floats]:
    """The 95% interval of the difference of two shares of the same cases, elementwise; NaN where there is no case.

    Newcombe, Statistics in Medicine 17 (1998), 2635 to 2650, method 10: made of both Wilson intervals and of the
    correlation of the pairs, with a correction for continuity where that is positive. Cases are taken as independent.

    Args:
        both: how many cases count on both sides.
        only_left: on the left side alone.
        only_right: on the right side alone.
        neither: on none.
    """
    n = both + only_left + only_right + neither
    left, right = both + only_left, both + only_right
    (low, high), (other_low, other_high) = wilson_interval(left, n), wilson_interval(right, n)
    product = both.astype(np.float64) * neither - only_left.astype(np.float64) * only_right
    corrected = np.where(product > 0, np.maximum(product - n / 2, 0), product)
    margins = left.astype(np.float64) * (n - left) * right * (n - right)
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.where(margins > 0, corrected / np.sqrt(margins), 0.0)
        share, other = left / n, right / n
        below = _joined(share - low, other_high - other, alike)
        above = _joined(high - share, other - other_low, alike)
    return share - other - below, share - other + above


def _joined(one: Floats, other: Floats, alike: Floats) -> Floats:
    """The length of the third side of what two correlated distances span."""
    found: Floats = np.sqrt(np.maximum(one**2 - 2 * alike * one * other + other**2, 0))
    return found
