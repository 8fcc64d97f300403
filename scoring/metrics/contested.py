"""Which gold labels do the scorers together contradict, and how strongly?

In the consensus every scorer counts by the log-odds of its accuracy on other problems, and a family has one voice.
Since no case has a say in the weights on itself, its consensus does not depend on the gold label that it is held
against.
"""

from functools import cached_property

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.verdicts import NO_VERDICT, Codes
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.consensus import consensus, have_a_say

LEAST = 2
"""Scorers whose verdict on a case must weigh something: one alone is no consensus."""
NO_SAY, ALONE, NO_WEIGHT, ONE_WEIGHT, TIE = 1, 2, 3, 4, 5
REASONS: tuple[str | None, ...] = (
    None,
    "no scorer has a verdict here that names a step or none",
    "only one scorer has a verdict here that names a step or none",
    "of the scorers with a verdict here none is right more often than wrong on the other problems",
    "of the scorers with a verdict here only one is right more often than wrong on the other problems",
    "two verdicts weigh the same",
)
"""Why there is no consensus, by its code; None where there is one."""
_DIGITS = 9
"""Leads and shares of the same weights, added in another order, differ beyond these digits after the point."""


class Contested(Struct, frozen=True, eq=False, dict=True):
    """The consensus on n cases, held against gold.

    `verdicts` (n,) are the consensus, 0-based, -1 no error, NO_VERDICT none, and `reasons` (n, uint8) index REASONS.
    `shares` and `gold_shares` (n,) are the shares of all weight on the case behind that verdict and behind gold, and
    `leads` (n,) is the weight behind the one less that behind the other: log-odds, in nats; 0 where the consensus is
    gold, above 0 where it contradicts it. These three are NaN where there is no consensus. `says` (n, s) tells whose
    verdict names a step of the solution or none, `weights` (n, s) what it weighs. `votes` and `gold_votes` (n,) count
    those with a say, of whatever weight, for the consensus (0 without one) and for gold.
    """

    verdicts: Ints
    reasons: Codes
    shares: Floats
    gold_shares: Floats
    leads: Floats
    says: Bools
    weights: Floats
    votes: Ints
    gold_votes: Ints

    @cached_property
    def against(self) -> Bools:
        """The cases on which the consensus contradicts gold. Shape (n,)."""
        contradicts: Bools = np.nan_to_num(self.leads) > 0
        return contradicts

    @cached_property
    def voters(self) -> Ints:
        """How many scorers have a say on each case. Shape (n,)."""
        return np.asarray(self.says.sum(axis=1))

    @cached_property
    def order(self) -> Ints:
        """The places of the cases whose gold is contradicted: the largest lead first, then the larger share.

        Cases with equal ones stay in their own order. Shape (m,).
        """
        rows = np.flatnonzero(self.against)
        lead, share = (-np.round(values[rows], _DIGITS) for values in (self.leads, self.shares))
        return rows[np.lexsort((share, lead))]

    def behind(self, aligned: AlignedScorers, row: int) -> tuple[int, ...]:
        """Return the places of the scorers that say what the consensus says, the heaviest first; () without one."""
        agreeing = self.says[row] & (aligned.verdicts[row] == self.verdicts[row])
        weight = np.round(self.weights[row], _DIGITS)
        return tuple(
            sorted(np.flatnonzero(agreeing).tolist(), key=lambda place: (-weight[place], aligned.names[place]))
        )


def contested(aligned: AlignedScorers) -> Contested:
    """Hold the consensus of these scorers against the gold labels.

    A gold label that names no step of the solution has nobody behind it. Two verdicts of equal weight are no consensus,
    even where neither is gold.

    Args:
        aligned: n cases, all of the benchmark: weights come from them. Baselines that look at nothing do not belong in
            it; a scorer without a verdict on a case has no say on it. s may be 0.
    """
    if not aligned.names:
        return _of_nobody(aligned.rows.size)
    says, agreed = have_a_say(aligned), consensus(aligned)
    total, voters, weighing = agreed.weights.sum(axis=1), says.sum(axis=1), (agreed.weights > 0).sum(axis=1)
    reasons = np.select(
        [voters == 0, voters < LEAST, weighing == 0, weighing < LEAST, agreed.verdicts == NO_VERDICT],
        [NO_SAY, ALONE, NO_WEIGHT, ONE_WEIGHT, TIE],
        0,
    ).astype(np.uint8)
    verdicts = np.where(reasons == 0, agreed.verdicts, NO_VERDICT)
    for_it, for_gold = (says & (aligned.verdicts == reference[:, None]) for reference in (verdicts, aligned.earliest))
    weight, gold_weight = (np.asarray(np.where(marks, agreed.weights, 0.0).sum(axis=1)) for marks in (for_it, for_gold))
    there = reasons == 0
    nothing = np.full(total.size, np.nan)
    return Contested(
        verdicts=verdicts,
        reasons=reasons,
        shares=np.divide(weight, total, out=nothing.copy(), where=there),
        gold_shares=np.divide(gold_weight, total, out=nothing.copy(), where=there),
        leads=np.where(there, weight - gold_weight, np.nan),
        says=says,
        weights=agreed.weights,
        votes=for_it.sum(axis=1),
        gold_votes=for_gold.sum(axis=1),
    )


def _of_nobody(n: int) -> Contested:
    """What n cases come to where there is no scorer."""
    return Contested(
        verdicts=np.full(n, NO_VERDICT),
        reasons=np.full(n, NO_SAY, dtype=np.uint8),
        shares=np.full(n, np.nan),
        gold_shares=np.full(n, np.nan),
        leads=np.full(n, np.nan),
        says=np.zeros((n, 0), dtype=np.bool_),
        weights=np.zeros((n, 0)),
        votes=np.zeros(n, dtype=np.int64),
        gold_votes=np.zeros(n, dtype=np.int64),
    )
