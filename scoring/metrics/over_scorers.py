"""What a figure says over scorers: how far they lie apart, and whether another figure puts them in the same order."""

import numpy as np

from scoring.step_rewards import Floats

SAME = 1e-12
"""Figures that differ by no more are the same: rounding puts them apart, and different shares of cases lie further."""
FEWEST = 3
"""Scorers that an association is of at least: two are in the same order or in the other, whatever their figures."""


def population_sd(values: Floats) -> float:
    """The population standard deviation: divided by their number, as in PRMBench (arXiv 2501.03124), Table 6.

    0 where all values are the same within SAME.
    """
    return float(np.std(values)) if np.ptp(values) > SAME else 0.0


def somers_d(x: Floats, y: Floats) -> float | None:
    """Somers' D of y given x: concordant minus discordant pairs over the pairs that differ in x. In [-1, 1].

    Somers, American Sociological Review 27 (1962). PRMBench has PRMScore for x and a Best-of-N accuracy for y. Values
    that differ by at most SAME are tied. None where no two differ in x.

    Args:
        x: (n,) one value a scorer.
        y: (n,) another.
    """
    by_x, by_y = (_order(np.subtract.outer(side, side)) for side in (x, y))
    pairs = np.count_nonzero(by_x)
    return float((by_x * by_y).sum() / pairs) if pairs else None


def _order(differences: Floats) -> Floats:
    """1 where above, -1 where below, 0 where the same."""
    return np.where(np.abs(differences) > SAME, np.sign(differences), 0.0)
