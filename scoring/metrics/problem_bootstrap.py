"""Bootstrap over problems: cases that share a problem are drawn together, because their steps are nearly the same."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from scoring.metrics.intervals import RESAMPLES
from scoring.step_rewards import Floats, Ints

BATCH = 1 << 20
"""Numbers drawn at a time, so that memory does not grow with the cases."""
_KEPT = 4


def resampled_sums(parts: Floats, groups: Ints, n_groups: int, problems: Ints, seed: int) -> Floats:
    """Sums over cases by group in bootstrap resamples of whole problems, shape (resamples, n_groups, k).

    Every resample draws as many problems as there are, with replacement, from all groups together: a problem's cases
    come or stay away in all of them. Equal seed and problems give equal draws, so that scorers are compared on the same
    resamples.

    Args:
        parts: (n, k) what is summed of each case.
        groups: (n,) numbers of groups, 0-based; a negative one is in none.
        n_groups: how many groups there are.
        problems: (n,) a number of each case's problem, any whole numbers.
        seed: of the draws.
    """
    numbers = np.unique(problems, return_inverse=True)[1]
    order = np.argsort(groups, kind="stable")
    numbers, parts = numbers[order], parts[order]
    bounds = np.searchsorted(groups[order], np.arange(n_groups + 1))
    sums = np.zeros((RESAMPLES, n_groups, parts.shape[1]))
    if not numbers.size:
        return sums
    done = 0
    for drawn in _draws(int(numbers.max()) + 1, seed):
        for group in range(n_groups):
            within = slice(bounds[group], bounds[group + 1])
            times = drawn.take(numbers[within], axis=1)
            np.matmul(times, parts[within], out=sums[done : done + len(drawn), group])
        done += len(drawn)
    return sums


def _draws(n_problems: int, seed: int) -> Iterator[Floats]:
    """How often each problem is in each resample: batches of shape (resamples of the batch, n_problems)."""
    size = min(RESAMPLES, max(1, BATCH // n_problems))
    for first in range(0, RESAMPLES, size):
        yield _drawn(n_problems, seed, first, min(size, RESAMPLES - first))


@lru_cache(maxsize=_KEPT)
def _drawn(n_problems: int, seed: int, first: int, size: int) -> Floats:
    """One batch. Multinomial counts, got by counting draws, which is several times faster than drawing the counts."""
    rng = np.random.default_rng([seed, first])
    hits = rng.integers(0, n_problems, size=(size, n_problems), dtype=np.int64)
    hits += n_problems * np.arange(size)[:, None]
    counts = np.bincount(hits.ravel(), minlength=size * n_problems).reshape(size, n_problems)
    return counts.astype(np.float64)
