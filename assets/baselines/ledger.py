"""A ledger of quantities: given or found, and then used once."""

from collections.abc import Sequence
from fractions import Fraction

from baselines import evidence
from baselines.equations import Equation, equations
from baselines.numbers_traced import named
from baselines.tokens import NUMBER, tokens

NAME = "ledger"
ABOUT = (
    "Keeps a ledger of quantities that were given or found and not used yet. A number that a step computes with is a "
    "good sign if it is open, half a bad one if it was used before and a bad one if it is unknown; so is the number "
    "of a step without equation, which should be a result that nothing has used. Smoothed by their count."
)
USED = 0.5


def rewards(problem: str, steps: Sequence[str]) -> list[float]:
    """One number in [0, 1] a step, from the problem and the steps up to it."""
    book = _Ledger(set(named(tokens(problem))))
    found = []
    for step in steps:
        read = tokens(step)
        stated = equations(read)
        numbers = [token.value for token in read if token.kind == NUMBER]
        found.append(book.computes(stated) if stated else book.states(numbers))
        book.known.update(numbers)
    return found


class _Ledger:
    """What is known, what of it is still open, and which of that are results."""

    def __init__(self, given: set[Fraction]) -> None:
        self.known = set(given)
        self.open = set(given)
        self.results: set[Fraction] = set()

    def computes(self, stated: Sequence[Equation]) -> float:
        """Rate a step with equations: every operand should be open. Its results open after it."""
        good = bad = 0.0
        for equation in stated:
            for value in equation.operands:
                if value in self.open:
                    good += 1
                else:
                    bad += USED if value in self.known else 1
            self.open -= set(equation.operands)
            self.open.add(equation.right)
            self.results.add(equation.right)
            self.known.add(equation.right)
        return evidence.reward(good / 2, bad / 2)

    def states(self, numbers: Sequence[Fraction]) -> float:
        """Rate a step without equations: its numbers should be given ones, or open results once there are any."""
        good = bad = 0.0
        for value in set(numbers):
            if value in self.open:
                good += 1
            else:
                bad += USED if value in self.known else 1
        return evidence.reward(good / 2, bad / 2)
