"""Bootstrap over problems: cases that share a problem are drawn together, because their steps are nearly the same."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from scoring.metrics.draws import Numbers, exactly, times_drawn, weighted_sums
from scoring.metrics.intervals import RESAMPLES
from scoring.step_rewards import Bools, Floats, Ints

BATCH = 1 << 21
"""Numbers drawn at a time, so that memory does not grow with the cases."""
_KEPT = 8


def related(problems: Ints, rows: Bools) -> bool:
    """Whether two of the cases are of one problem, so that whole problems have to be resampled.

    Args:
        problems: (n,) a number (0-based) of each case's problem.
        rows: (n,) which cases are meant.
    """
    return bool((np.bincount(problems[rows]) > 1).any())


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
    names, numbers = np.unique(problems, return_inverse=True)
    sums = np.zeros((RESAMPLES, n_groups, parts.shape[1]))
    if not sums.size or not names.size:
        return sums
    inside = np.flatnonzero(groups >= 0)
    # What a problem adds to a group is one row, however many of its cases are in it.
    pairs, place = np.unique(groups[inside] * names.size + numbers[inside], return_inverse=True)
    by_problem = np.column_stack([np.bincount(place, part, pairs.size) for part in parts[inside].T]).astype(np.float64)
    together, rows = exactly(by_problem, names.size), pairs % names.size
    bounds = np.searchsorted(pairs, names.size * np.arange(n_groups + 1))
    done = 0
    for drawn in _draws(names.size, seed):
        size = drawn.shape[1]
        for group in range(n_groups):
            within = slice(bounds[group], bounds[group + 1])
            sums[done : done + size, group] = weighted_sums(drawn, rows[within], together[within])
        done += size
    return sums


def _draws(n_problems: int, seed: int) -> Iterator[Numbers]:
    """How often each problem is in each resample: batches of shape (n_problems, resamples of the batch)."""
    size = min(RESAMPLES, max(1, BATCH // n_problems))
    for first in range(0, RESAMPLES, size):
        yield _drawn(n_problems, seed, first, min(size, RESAMPLES - first))


@lru_cache(maxsize=_KEPT)
def _drawn(n_problems: int, seed: int, first: int, size: int) -> Numbers:
    """One batch; remembered, because scorers and thresholds are many and problems are the same."""
    times = times_drawn(n_problems, size, np.random.default_rng([seed, first]))
    return np.ascontiguousarray(times.T, dtype=np.float32)
