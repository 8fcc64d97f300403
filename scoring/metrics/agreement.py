"""Who is right where others are wrong: quadrants of two scorers, unanimity and lone voices of several."""

from dataclasses import dataclass

import numpy as np

from scoring.metrics.lineup import Lineup
from scoring.step_rewards import Bools, Ints
from scoring.verdicts import NO_VERDICT

NOBODY = -1
"""Stands for no scorer in arrays of places."""


@dataclass(frozen=True)
class Quadrants:
    """Counts of cases that two scorers tried, by who is right."""

    both: int
    only_left: int
    only_right: int
    neither: int

    @property
    def n(self) -> int:
        """All of them."""
        return self.both + self.only_left + self.only_right + self.neither


@dataclass(frozen=True)
class Shares:
    """How many of `n` cases two scorers agree on."""

    hits: int
    n: int

    @property
    def share(self) -> float | None:
        """The share; None where there is no case."""
        return self.hits / self.n if self.n else None


def quadrants(lineup: Lineup, left: int, right: int, rows: Bools) -> Quadrants:
    """The four quadrants of two scorers (places in the lineup) on those of `rows` (n,) that both tried."""
    taken = rows & lineup.common((left, right))
    one, other = lineup.right[taken, left], lineup.right[taken, right]
    return Quadrants(*(int(count.sum()) for count in (one & other, one & ~other, ~one & other, ~one & ~other)))


def agreement_of_outcomes(lineup: Lineup, left: int, right: int) -> Shares:
    """On how many of the cases that both tried both are right or both are wrong."""
    taken = lineup.common((left, right))
    return Shares(int((lineup.right[taken, left] == lineup.right[taken, right]).sum()), int(taken.sum()))


def agreement_of_verdicts(lineup: Lineup, left: int, right: int) -> Shares:
    """On how many of the cases with a verdict of both the two verdicts are equal, right or wrong."""
    one, other = lineup.verdicts[:, left], lineup.verdicts[:, right]
    taken = (one != NO_VERDICT) & (other != NO_VERDICT)
    return Shares(int((one == other)[taken].sum()), int(taken.sum()))


def unanimous_wrong(lineup: Lineup, columns: tuple[int, ...]) -> Bools:
    """The cases that all of these scorers tried and none has right. Shape (n,)."""
    found: Bools = lineup.common(columns) & ~lineup.right[:, columns].any(axis=1)
    return found


def lone_right(lineup: Lineup, columns: tuple[int, ...]) -> Ints:
    """Who alone is right, of the cases that all of these scorers tried: its place in the lineup, else NOBODY. (n,)."""
    right = lineup.right[:, columns]
    alone = lineup.common(columns) & (right.sum(axis=1) == 1)
    return np.where(alone, np.array(columns)[right.argmax(axis=1)], NOBODY)
