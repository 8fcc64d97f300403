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
