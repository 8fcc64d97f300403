"""Drawing n things out of n with replacement, again and again: how often each comes up, and what that makes of sums."""

from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.step_rewards import Floats, Ints

Numbers = npt.NDArray[np.floating[Any]]
"""float32 or float64."""

PRODUCTS = 1 << 18
"""Multiplications made at a time: draws stay in the processor's cache, and a product this small is not shared out to
threads, which takes longer than the product wherever other programs run."""
_RESAMPLES = 256
_EXACT = 1 << 24
"""Whole numbers below this are exact as float32, and so are their sums in whatever order they are added."""


def times_drawn(n: int, resamples: int, rng: np.random.Generator) -> Ints:
    """How often each of n things is drawn in n draws, shape (resamples, n).

    Multinomial counts, got by counting draws, which is several times faster than drawing the counts.
    """
    drawn = rng.integers(0, n, size=(resamples, n))
    drawn += n * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n)


def exactly(parts: Floats, n: int) -> Numbers:
    """The parts as float32 if sums over n draws of their rows are exact so, which is twice as fast, else as they are.

    Args:
        parts: (m, k).
        n: how many rows are drawn in a resample.
    """
    whole = parts.size == 0 or (bool((parts == np.rint(parts)).all()) and n * float(np.abs(parts).max()) < _EXACT)
    return parts.astype(np.float32) if whole else parts


def weighted_sums(drawn: Numbers, rows: Ints, parts: Numbers) -> Numbers:
    """Sums of parts, each as often as it was drawn, shape (resamples, k).

    Args:
        drawn: (n, resamples) how often each thing was drawn.
        rows: (m,) which thing each of the parts belongs to.
        parts: (m, k).
    """
    (m, k), resamples = parts.shape, drawn.shape[1]
    sums = np.zeros((k, resamples), dtype=parts.dtype)
    step = max(1, PRODUCTS // (_RESAMPLES * max(1, k)))
    for first in range(0, resamples, _RESAMPLES):
        columns = slice(first, first + _RESAMPLES)
        for start in range(0, m, step):
            within = slice(start, start + step)
            times: Numbers = drawn[rows[within], columns].astype(parts.dtype, copy=False)
            sums[:, columns] += parts[within].T @ times
    return sums.T
