"""What a figure says over scorers: how far they lie apart, and whether another figure puts them in the same order."""

import numpy as np

from scoring.step_rewards import Floats


def population_sd(values: Floats) -> float:
    """The population standard deviation: divided by their number, as in PRMBench (arXiv 2501.03124), Table 6."""
    return float(np.std(values))


def somers_d(x: Floats, y: Floats) -> float | None:
    """Somers' D of y given x: concordant minus discordant pairs over the pairs that differ in x. In [-1, 1].

    Somers, American Sociological Review 27 (1962). PRMBench has PRMScore for x and a Best-of-N accuracy for y. None
    where no two differ in x.

    Args:
        x: (n,) one value a scorer.
        y: (n,) another.
    """
    by_x, by_y = (np.sign(np.subtract.outer(side, side)) for side in (x, y))
    pairs = np.count_nonzero(by_x)
    return float((by_x * by_y).sum() / pairs) if pairs else None
