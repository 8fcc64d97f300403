"""Kappa and alpha as they are defined, in exact fractions and without any speed."""

from collections import Counter
from fractions import Fraction
from itertools import permutations


def slow_kappa(pairs):
    """None where it is undefined."""
    n = len(pairs)
    if not n:
        return None
    observed = Fraction(sum(one == other for one, other in pairs), n)
    one, other = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    expected = sum(Fraction(one[value], n) * Fraction(other[value], n) for value in one)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def coincidences(units):
    """Krippendorff's coincidence matrix: of every two values how often they are said of one unit.

    A unit of which m people say something has m (m - 1) ordered pairs, each worth 1 / (m - 1).
    """
    matrix = Counter()
    for said in units:
        for pair in permutations(said, 2):
            matrix[pair] += Fraction(1, len(said) - 1)
    return matrix


def slow_alpha(units, *, ordinal):
    """By the matrix; None where it is undefined; `units` are lists of what is said of each."""
    matrix = coincidences(units)
    count = Counter()
    for (one, _), pairs in matrix.items():
        count[one] += pairs

    def distance(one, other):
        if not ordinal:
            return Fraction(one != other)
        low, high = min(one, other), max(one, other)
        return (sum(count[value] for value in range(low, high + 1)) - Fraction(count[low] + count[high], 2)) ** 2

    observed = sum(pairs * distance(*pair) for pair, pairs in matrix.items())
    expected = sum(count[one] * count[other] * distance(one, other) for one in count for other in count)
    return None if expected == 0 else 1 - (sum(count.values()) - 1) * observed / expected
