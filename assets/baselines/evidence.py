"""How a count of good and bad signs becomes a reward."""

PRIOR_GOOD = 1.2
PRIOR_BAD = 0.8
PER_SIGN = 2.0
BAD_COUNTS = 2.0
"""A step is wrong if one thing in it is wrong, so a bad sign weighs twice a good one."""


def reward(good: float, bad: float) -> float:
    """A smoothed share of good signs: 0.6 without any sign, towards 1 with many good ones, below 0.5 with a bad one."""
    plus, minus = PER_SIGN * good, PER_SIGN * BAD_COUNTS * bad
    return (plus + PRIOR_GOOD) / (plus + minus + PRIOR_GOOD + PRIOR_BAD)
