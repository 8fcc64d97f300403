"""Do the step's equations hold?"""

from collections.abc import Sequence

from baselines import evidence
from baselines.equations import Equation, equations
from baselines.tokens import tokens

NAME = "equations-hold"
ABOUT = (
    "The share of a step's equations in plain numbers that hold when they are evaluated exactly, smoothed by their "
    "count and the length of their numbers; 0.6 for a step without one."
)

USUAL_DIGITS = 5
MOST_DIGITS = 20


def rewards(problem: str, steps: Sequence[str]) -> list[float]:  # noqa: ARG001 - every baseline is given the problem
    """One number in [0, 1] a step, from the step alone."""
    return [_step(equations(tokens(step))) for step in steps]


def _step(stated: Sequence[Equation]) -> float:
    good = sum(_weight(each) for each in stated if each.holds)
    bad = sum(_weight(each) for each in stated if not each.holds)
    return evidence.reward(good, bad)


def _weight(equation: Equation) -> float:
    """How much an equation tells: more the longer its numbers, as long ones seldom agree by chance."""
    digits = sum(len(str(abs(value.numerator))) for value in (*equation.operands, equation.right))
    return min(digits, MOST_DIGITS) / USUAL_DIGITS
