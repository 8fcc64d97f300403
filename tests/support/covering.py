"""How often intervals of the mean F1 over subsets hold the true value, on made solutions of known rates."""

import numpy as np
from msgspec.structs import replace

from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.first_error_draws import Marks
from scoring.metrics.resampling import percentile_interval


def solutions(sizes, rates, rng, each=1, alike=0.0):
    """Subsets of (erroneous, clean) problems with `each` solutions, decided right at the rates of their side.

    With the chance `alike` a solution comes out as the first one of its problem.
    """
    side = np.concatenate([np.repeat([1, 0], size) for size in sizes])
    groups = np.repeat(np.arange(len(sizes)), [sum(size) for size in sizes])
    luck = rng.random((side.size, each))
    luck = np.where(rng.random(luck.shape) < alike, luck[:, :1], luck)
    right = luck < np.array(rates)[groups, 1 - side][:, None]
    marks = right.reshape(-1, 1)
    problems = np.repeat(np.arange(side.size), each)
    erroneous, groups = np.repeat(side == 1, each), np.repeat(groups, each)
    return Marks(marks, np.ones_like(marks), erroneous, problems, groups, len(sizes))


def covered(sizes, rates, simulations, each=1, alike=0.0, ignored=False):
    """How often the interval of the mean F1 over subsets holds the true value."""
    p, q = np.array(rates).T
    truth = (2 * p * q / (p + q)).mean()
    rng = np.random.default_rng(7)
    hits = 0
    for seed in range(simulations):
        marks = solutions(sizes, rates, rng, each, alike)
        if ignored:
            marks = replace(marks, problems=np.arange(marks.problems.size))
        low, high = percentile_interval(marks.tally(seed).drawn_mean(F1_SCORE)[:, 0])
        hits += low <= truth <= high
    return hits / simulations


PROCESSBENCH = (
    [(207, 193), (594, 406), (661, 339), (759, 241)],
    [(0.6, 0.9), (0.5, 0.8), (0.3, 0.7), (0.3, 0.6)],
)
TWO = ([(30, 10), (25, 15)], [(0.4, 0.8), (0.3, 0.6)])
