"""Intervals and tests that need no draws: of shares and their differences, and exact tests of counts.

A score interval stays within [0, 1] and holds for few cases and for shares of 0 and 1. Cases are taken as independent.
"""

import math
from statistics import NormalDist

import numpy as np

from scoring.data.schema import Floats, Ints
from scoring.metrics.resampling import LEVEL

Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


def wilson_interval(hits: Ints, totals: Ints) -> tuple[Floats, Floats]:
    """Return low and high end of the 95% interval of hits / totals, elementwise; NaN where the total is 0.

    Wilson, Journal of the American Statistical Association 22 (1927). What is counted is taken as independent.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / totals
        middle = (share + Z**2 / (2 * totals)) / (1 + Z**2 / totals)
        half = Z / (1 + Z**2 / totals) * np.sqrt(share * (1 - share) / totals + Z**2 / (4 * totals**2))
    # At a share of 0 or 1 that end is the share itself, which rounding must not step over.
    return np.minimum(np.maximum(middle - half, 0), share), np.maximum(np.minimum(middle + half, 1), share)


def difference_interval(hits: Ints, totals: Ints, other_hits: Ints, other_totals: Ints) -> tuple[Floats, Floats]:
    """Return the 95% interval of the difference of two independent shares, elementwise, made of their Wilson intervals.

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
    """Return the 95% interval of the difference of two shares of the same cases, elementwise; NaN where there is no
    case.

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


def _joined(distance: Floats, other: Floats, alike: Floats) -> Floats:
    """The length of the third side of what two correlated distances span."""
    third: Floats = np.sqrt(np.maximum(distance**2 - 2 * alike * distance * other + other**2, 0))
    return third


# -- tests


def mcnemar(only_left: Ints, only_right: Ints) -> Floats:
    """Return the exact two-sided p of as uneven a split of the discordant pairs, or a more uneven one, by chance.

    McNemar, Psychometrika 12 (1947), with the binomial in place of its approximation: twice the smaller tail, at most
    1; without discordant pairs 1. Arrays of one shape.
    """
    fewer, all_of_them = np.minimum(only_left, only_right), np.add(only_left, only_right)
    tails = [_half_tail(int(k), int(n)) for k, n in zip(fewer.ravel(), all_of_them.ravel(), strict=True)]
    p: Floats = np.minimum(1.0, 2 * np.array(tails)).reshape(np.shape(fewer))
    return p


def sign_test(more: int, fewer: int) -> float:
    """Return the exact one-sided p: of at least `more` heads in more + fewer throws of a coin; without throws 1."""
    return _half_tail(fewer, more + fewer)


def _half_tail(k: int, n: int) -> float:
    """The probability of at most k heads in n throws of a coin."""
    if n <= 1000:
        ways = chosen = 1
        for heads in range(k):
            chosen = chosen * (n - heads) // (heads + 1)
            ways += chosen
        return float(ways / 2**n)
    if 2 * k > n:
        # Of the other tail the likeliest term is the last one, too, and the terms before it fall.
        return 1 - _half_tail(n - k - 1, n) if k < n else 1.0
    # Whole numbers of so many digits would take long.
    steps = np.arange(k, 0, -1)
    # The likeliest term, and how each one before it compares: no small numbers are subtracted.
    compared = 1 + np.cumprod(steps / (n - steps + 1)).sum()
    likeliest = math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))
    return likeliest * float(compared)


def fisher_exact(hits: int, total: int, other_hits: int, other_total: int) -> float:
    """Return Fisher's exact two-sided p of two independent shares: the tables that are no likelier than this one."""
    all_hits = hits + other_hits
    first = np.arange(max(0, all_hits - other_total), min(total, all_hits) + 1)
    chances = _log_choose(total, first) + _log_choose(other_total, all_hits - first)
    likely = np.exp(chances - chances.max())
    # Equal chances that rounding puts apart are equal.
    p = likely[likely <= likely[hits - first[0]] * (1 + 1e-7)].sum() / likely.sum()
    return min(1.0, float(p))


def _log_choose(n: int, k: Ints) -> Floats:
    return _log_factorials(np.array(n)) - _log_factorials(k) - _log_factorials(n - k)


def _log_factorials(n: Ints) -> Floats:
    """By Stirling's series, which at 16 and above is exact to the last digit."""
    large = np.maximum(n, 16).astype(np.float64)
    series = 1 / (12 * large) - 1 / (360 * large**3) + 1 / (1260 * large**5) - 1 / (1680 * large**7)
    stirling = (large + 0.5) * np.log(large) - large + 0.5 * math.log(2 * math.pi) + series
    logarithms: Floats = np.where(n < 16, _SMALL_FACTORIALS[np.minimum(n, 15)], stirling)
    return logarithms


_SMALL_FACTORIALS = np.array([math.lgamma(n + 1) for n in range(16)])


def holm(p: Floats) -> Floats:
    """Adjust p-values step down over the family of all that are no NaN; NaN stays. Shape (m,).

    Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    adjusted = np.full(p.shape, np.nan)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]
    stepped = p[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return adjusted
