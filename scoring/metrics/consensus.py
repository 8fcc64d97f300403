"""What scorers say together: one verdict a case, each scorer counting by how often it is right elsewhere."""

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import AlignedScorers

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
