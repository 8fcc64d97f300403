"""Places of responses within their problem, by one score each or by an exact product of numbers.

A place counts from 0, the highest; equal scores share one. A product of many step rewards leaves the range of a float
long before it stops telling responses apart (eighty rewards of 0.0001 are already 0), and its rounding separates
products that are equal. So products are kept as a mantissa with an exponent of its own, and where two of them are
within the error of that, they are compared as whole numbers, which is exact.
"""

import numpy as np

from scoring.data.schema import Bools, Floats, Ints

_EPSILON = 2.0**-52
_HIGHEST, _FLOAT_EXPONENTS = 850, 1900
"""The exponent of 2 that the highest product gets if products leave the range of a float, and how many are below it."""
_LOST_IN_A_SUM, _LEAST_GAP = 50, 16
"""Exponents of 2 between a number and one that a sum of both does not show; and the least that gaps are narrowed to."""


def places(scores: Floats, problems: Ints) -> Ints:
    """Rank the responses by their scores, finite and highest first. Shape (m,).

    Args:
        scores: (m,).
        problems: (m,) the number of each response's problem, 0-based and ascending.
    """
    order = np.lexsort((-scores, problems))
    return _counted(order, problems, scores[order][1:] != scores[order][:-1])


def product_places(factors: Floats, bounds: Ints, problems: Ints) -> Ints:
    """Rank the responses by the product of their factors as real numbers. Shape (m,).

    Args:
        factors: finite, of all responses one after the other.
        bounds: (m + 1,) response i has `factors[bounds[i]:bounds[i + 1]]`, one or more.
        problems: (m,) the number of each response's problem, 0-based and ascending.
    """
    mantissas, exponents = _products(factors, bounds)
    signs = np.sign(mantissas)
    # Of two negative numbers the one with the higher exponent is the lower.
    order = np.lexsort((-mantissas, -signs * exponents, -signs, problems))
    same = (signs[order][1:] == signs[order][:-1]) & (problems[order][1:] == problems[order][:-1])
    shift = exponents[order][1:] - exponents[order][:-1]
    upper, lower = mantissas[order][:-1], np.ldexp(mantissas[order][1:], np.clip(shift, -2, 2).astype(np.int32))
    lengths = np.diff(bounds)
    error = (lengths[order][1:] + lengths[order][:-1]) * _EPSILON
    near = same & (upper != 0) & (np.abs(shift) <= 1) & (np.abs(upper - lower) <= 2 * error)
    placed = _counted(order, problems, ~(same & (upper == 0)))
    for problem in np.unique(problems[order][1:][near]):
        members = slice(*np.searchsorted(problems, [problem, problem + 1]))
        first, last = members.start, members.stop
        placed[members] = _exact([factors[bounds[place] : bounds[place + 1]] for place in range(first, last)])
    return placed


def product_weights(products: Floats, factors: Floats, bounds: Ints, problems: Ints) -> Floats:
    """Rescale products in the problems in which one of them leaves the range of a float. Shape (m,).

    Their order stays the same, and their ratios if a sum of both would show them.

    Args:
        products: (m,) as floats.
        factors: finite, of all responses one after the other.
        bounds: (m + 1,) response i has `factors[bounds[i]:bounds[i + 1]]`, one or more.
        problems: (m,) the number of each response's problem, 0-based and ascending.
    """
    is_doubtful = (np.abs(products) < np.finfo(np.float64).tiny) | ~np.isfinite(products)
    if not is_doubtful.any():
        return products
    mantissas, exponents = _products(factors, bounds)
    weights = products.copy()
    for problem in np.unique(problems[is_doubtful & (mantissas != 0)]):
        members = np.flatnonzero((problems == problem) & (mantissas != 0))
        weights[members] = np.ldexp(mantissas[members], _compressed(exponents[members]).astype(np.int32))
    return weights


def _compressed(exponents: Ints) -> Ints:
    """Exponents of 2 in the same order, with narrower gaps where a product is lost in a sum with the next higher one.

    Dividing all by one power of 2 would not do: a choice of fewer responses compares the lower ones alone, which would
    all be 0.
    """
    order = np.argsort(-exponents, kind="stable")
    widest = min(_LOST_IN_A_SUM, max(_LEAST_GAP, _FLOAT_EXPONENTS // exponents.size))
    gaps = np.minimum(-np.diff(exponents[order]), widest)
    compressed = np.empty_like(exponents)
    compressed[order] = _HIGHEST - np.concatenate([[0], np.cumsum(gaps)])
    return compressed


def _counted(order: Ints, problems: Ints, lower: Bools) -> Ints:
    """Places from an order; `lower` (m - 1) says where a response is lower than the one before it in that order."""
    if not order.size:
        return np.empty(0, dtype=np.int64)
    sorted_problems = problems[order]
    new = sorted_problems[1:] != sorted_problems[:-1]
    steps = np.cumsum(np.concatenate([[0], new | lower]))
    first = np.flatnonzero(np.concatenate([[True], new]))
    counts = np.diff(np.append(first, order.size))
    placed = np.empty(order.size, dtype=np.int64)
    placed[order] = steps - np.repeat(steps[first], counts)
    return placed


def _products(factors: Floats, bounds: Ints) -> tuple[Floats, Ints]:
    """Products as mantissa (0, or its size in [0.5, 1)) and exponent of 2, each rounded once a factor. Shapes (m,)."""
    parts, powers = np.frexp(factors)
    lengths = np.diff(bounds)
    mantissas, exponents = np.ones(lengths.size), np.zeros(lengths.size, dtype=np.int64)
    for step in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > step)
        at = bounds[rows] + step
        mantissas[rows], more = np.frexp(mantissas[rows] * parts[at])
        exponents[rows] += more + powers[at]
    exponents[mantissas == 0] = 0
    return mantissas, exponents


def _exact(responses: list[Floats]) -> list[int]:
    """Places by products in whole numbers: a float is a whole number over a power of 2."""
    numerators, halvings = [], []
    for factors in responses:
        numerator, halved = 1, 0
        for factor in factors.tolist():
            over, under = factor.as_integer_ratio()
            numerator *= over
            halved += under.bit_length() - 1
        numerators.append(numerator)
        halvings.append(halved)
    products = [numerator << (max(halvings) - halved) for numerator, halved in zip(numerators, halvings, strict=True)]
    place = {product: number for number, product in enumerate(sorted(set(products), reverse=True))}
    return [place[product] for product in products]
