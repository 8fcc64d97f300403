"""Four of the others together."""

from collections.abc import Sequence

from baselines import equations_hold, ledger, novelty, numbers_traced

NAME = "blend"
ABOUT = (
    "Half the lowest and half the mean of equations-hold, numbers-traced, ledger and novelty; the form was chosen on "
    "generated cases outside the demo."
)
PARTS = (equations_hold, numbers_traced, ledger, novelty)


def rewards(problem: str, steps: Sequence[str]) -> list[float]:
    """One number in [0, 1] a step, from the problem and the steps up to it."""
    found = zip(*(part.rewards(problem, steps) for part in PARTS), strict=True)
    return [(min(each) + sum(each) / len(each)) / 2 for each in found]
