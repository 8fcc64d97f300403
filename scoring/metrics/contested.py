"""Which gold labels do the scorers together contradict, and how strongly?

In the consensus every scorer counts by the log-odds of its accuracy on other
problems, and a family has one voice. Since no case has a say in the weights on itself, its consensus does not depend on
the gold label that it is held against.
"""

from functools import cached_property

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.verdicts import NO_VERDICT, Codes
from scoring.metrics.aligned import AlignedScorers

# -- what the scorers say together: one verdict a case, each scorer counting by how often it is right elsewhere


SHRINK = 1.0
"""Right and wrong cases that every scorer is given beforehand, so that few cases make no strong voice."""


class Consensus(Struct, frozen=True, eq=False):
    """The scorers' common verdict on n cases.

    `verdicts` (n,) are 0-based, -1 no error, NO_VERDICT where nobody has a say or two verdicts weigh the same.
    `support` (n,) is the share of the weight behind the verdict, NaN without one. `weights` (n, s) is what each
    scorer's verdict weighed, 0 where it had none to give.
    """

    verdicts: Ints
    support: Floats
    weights: Floats


def consensus(aligned: AlignedScorers) -> Consensus:
    """Return the verdict on every case that has the most weight behind it.

    A scorer's weight is the log-odds of its accuracy on the cases of other problems, with SHRINK right and SHRINK wrong
    ones added, divided by the number of scorers of the same declared family that have a say on the case: a family has
    one voice, however many of it are here and however many of these saw the case. A scorer that is wrong more often
    than right weighs nothing, since there are many ways to be wrong; a verdict that names no step of the solution has
    no say.
    """
    names_one = have_a_say(aligned)
    weights = np.where(names_one, np.maximum(_log_odds(aligned), 0.0) / _siblings(aligned.families, names_one), 0.0)
    behind = np.zeros(weights.shape)
    for column in range(weights.shape[1]):
        behind[:, column] = np.where(aligned.verdicts == aligned.verdicts[:, [column]], weights, 0.0).sum(axis=1)
    behind[~names_one] = 0.0
    most = behind.max(axis=1)
    # Equal weights may be added in different orders, so that sums of equal weight differ in their last digits.
    leading = (behind > 0) & np.isclose(behind, most[:, None], rtol=1e-9, atol=0.0)
    leading_verdicts = np.where(leading, aligned.verdicts, NO_VERDICT).max(axis=1)
    rivals = (leading & (aligned.verdicts != leading_verdicts[:, None])).any(axis=1)
    verdicts = np.where(rivals, NO_VERDICT, leading_verdicts)
    total = weights.sum(axis=1)
    there = verdicts != NO_VERDICT
    support = np.divide(most, total, out=np.full(total.size, np.nan), where=there)
    return Consensus(verdicts, support, weights)


def have_a_say(aligned: AlignedScorers) -> Bools:
    """Return which scorers have a verdict that names a step of the solution or no error: any other has no say. Shape
    (n, s).
    """
    mask: Bools = (aligned.verdicts >= -1) & (aligned.verdicts < np.maximum(aligned.n_steps, 1)[:, None])
    return mask


def _log_odds(aligned: AlignedScorers) -> Floats:
    """Of every scorer's accuracy on the cases that are no solution of the same problem. Shape (n, s)."""
    right, wrong = aligned.tried & aligned.right, aligned.tried & ~aligned.right
    elsewhere = []
    for marks in (right, wrong):
        here = np.stack([np.bincount(aligned.problems, mark) for mark in marks.T], axis=1)
        elsewhere.append(marks.sum(axis=0) - here[aligned.problems] + SHRINK)
    odds: Floats = np.log(elsewhere[0]) - np.log(elsewhere[1])
    return odds


def _siblings(families: tuple[str, ...], names_one: Bools) -> Ints:
    """How many with a say (n, s) are of each one's declared family, itself included; at least 1. Shape (n, s)."""
    counts = np.ones(names_one.shape, dtype=np.int64)
    for family in {family for family in families if family}:
        of_it = [column for column, other in enumerate(families) if other == family]
        counts[:, of_it] = np.maximum(names_one[:, of_it].sum(axis=1, keepdims=True), 1)
    return counts


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
