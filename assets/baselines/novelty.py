"""Does the step say anything that was not said before?"""

from collections.abc import Sequence

from baselines.tokens import NUMBER, STOP, WORD, Token, tokens

NAME = "novelty"
ABOUT = (
    "One minus how much of a step was said before: the largest share of its sequences of three tokens that one "
    "earlier step has too, taken from its formulas if it has any, else from where its numbers stand; lowered for a "
    "very long step."
)

WINDOW = 3
LATEST = 40
"""So many earlier steps are compared."""
LONG = 120
"""Tokens from which a step counts as long."""
PRIOR = 1.0
"""So many sequences count as new in every step, so that a short one is not rated on a single match."""


def rewards(problem: str, steps: Sequence[str]) -> list[float]:  # noqa: ARG001 - every baseline is given the problem
    """One number in [0, 1] a step, from the steps up to it."""
    before: list[set[tuple[str, ...]]] = []
    found = []
    for step in steps:
        read = [token for token in tokens(step) if token.kind != STOP]
        grams = _grams(read)
        shared = max((len(grams & earlier) for earlier in before[-LATEST:]), default=0)
        novelty = 1.0 - shared / (len(grams) + PRIOR)
        found.append(novelty * min(1.0, LONG / max(1, len(read))))
        before.append(grams)
    return found


def _grams(read: Sequence[Token]) -> set[tuple[str, ...]]:
    """The sequences of three tokens: those of formulas if there are any, else those with a number, else all."""
    every = [read[i : i + WINDOW] for i in range(max(1, len(read) - WINDOW + 1))]
    numbered = [gram for gram in every if any(token.kind == NUMBER for token in gram)]
    formulas = [gram for gram in numbered if all(token.kind != WORD for token in gram)]
    return {tuple(token.text for token in gram) for gram in formulas or numbered or every if gram}
