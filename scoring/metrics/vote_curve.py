"""What a critic's votes would have decided had there been fewer of them: maj@k for every k from one run of votes.

Zheng et al., arXiv 2412.06559, `run_eval.py`: the answers' ballots are counted, the most frequent wins, of equally
frequent ones the one seen first; see `scoring.evaluation.votes`. The figure for one k is that of the first k answers,
in the order of the votes; its expectation is over all choices of k of a case's answers, each counted in that same
order. Both are the official verdict where k is the number of answers. maj@1 is no greedy answer: these were sampled.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.data.schema import Floats, Ints
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.workspace.rows_of_cases import rows_of_cases

MOST_CHOSEN = 10
"""Answers to a case up to which every choice of them is counted: 2 to the power of this many."""
_AT_ONCE = 64


class VoteCurve(Struct, frozen=True, eq=False):
    """The votes of one run for n cases, in the order of the cases, m the largest number of answers to one.

    `verdicts` (n, m, int64): column k-1 is that of the first k answers, 0-based, -1 no error, -2 a number that names no
    step, NO_VERDICT where there is none; of a case with fewer than k answers it is that of all it has. `answers` (n)
    counts these, those that vote with nothing included.
    """

    verdicts: Ints
    answers: Ints
    _ballots: Ints
    _named: Ints

    def expected(self, targets: Ints) -> Floats | None:
        """Return how probable it is that k of a case's answers, chosen at random, decide for its target. (n, m),
        float64.

        Args:
            targets: (n,) the verdict of each case that counts as a hit.

        Exact: the share of all choices of k answers. Of a case with fewer than k answers it is that of all it has, of
        one without any NaN. None where a case has more than MOST_CHOSEN answers.
        """
        n, most = self.verdicts.shape
        if most > MOST_CHOSEN:
            return None
        hits = (self._named == targets[:, None]) & (self._named != NO_VERDICT)
        shares = np.full((n, most), np.nan)
        for count in np.unique(self.answers[self.answers > 0]):
            rows = np.flatnonzero(self.answers == count)
            alike = np.concatenate([self._ballots[rows, :count], hits[rows, :count]], axis=1)
            kinds, kind = np.unique(alike, axis=0, return_inverse=True)
            probabilities = np.concatenate([*_shares(kinds[:, :count], kinds[:, count:])])
            shares[rows[:, None], np.arange(count)] = probabilities[kind.ravel()]
            shares[rows, count:] = shares[rows, count - 1][:, None]
        return shares


def vote_curve(cases: pl.DataFrame, votes: pl.DataFrame) -> VoteCurve:
    """Return the verdicts of the first k answers, for every k.

    Args:
        cases: with columns `case` and `key`.
        votes: as for `scoring.evaluation.votes.tally`: one run, the columns `key, vote, ballot, verdict`, and `case`
        if rows name
            one, one row an identity. A verdict without a ballot votes as its number.
    """
    voted = pl.when(pl.col("ballot").is_not_null())
    first_answers = (
        rows_of_cases(cases, votes)
        .select("case_row", "vote", "verdict", ballot=pl.coalesce("ballot", pl.col("verdict").cast(pl.String)))
        .sort("case_row", "vote", maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("case_row"))
        .with_columns(first=voted.then(pl.col("place").min().over("case_row", "ballot")))
    )
    rows, place = first_answers["case_row"].to_numpy(), first_answers["place"].to_numpy()
    shape = (cases.height, int(place.max()) + 1 if place.size else 0)
    # A ballot is known by the place where its case was first voted that way, -1 for an answer that votes with nothing.
    ballots, named = np.full(shape, -1, np.int64), np.full(shape, NO_VERDICT, np.int64)
    ballots[rows, place] = first_answers["first"].cast(pl.Int64).fill_null(-1).to_numpy()
    named[rows, place] = first_answers["verdict"].cast(pl.Int64).fill_null(NO_VERDICT).to_numpy()
    named = np.where(ballots >= 0, np.take_along_axis(named, np.maximum(ballots, 0), axis=1), NO_VERDICT)
    return VoteCurve(_first(ballots, named), np.bincount(rows, minlength=cases.height), ballots, named)


def _first(ballots: Ints, named: Ints) -> Ints:
    """The verdicts of the first k answers, shape (n, m)."""
    every = np.arange(ballots.shape[0])
    counts = np.zeros(ballots.shape, np.int64)
    verdicts = np.full(ballots.shape, NO_VERDICT, np.int64)
    for place in range(ballots.shape[1]):
        voted = ballots[:, place] >= 0
        counts[every[voted], ballots[voted, place]] += 1
        # Of equal counts the first is that of the ballot that was seen first.
        winner = counts.argmax(axis=1)
        verdicts[:, place] = np.where(counts[every, winner] > 0, named[every, winner], NO_VERDICT)
    return verdicts


def _shares(ballots: Ints, hits: Ints) -> Iterator[Floats]:
    """For u kinds of cases with m answers each the share of the choices of k answers that hit; (u, m) in pieces."""
    count = ballots.shape[1]
    bits = (np.arange(1, 2**count)[:, None] >> np.arange(count)) & 1
    sizes, chosen = bits.sum(axis=1), bits.astype(np.float32)
    earlier = np.arange(count, 0, -1, dtype=np.float32)
    for start in range(0, len(ballots), _AT_ONCE):
        some = ballots[start : start + _AT_ONCE]
        equal = (some[:, :, None] == some[:, None, :]) & (some >= 0)[:, :, None]
        # How often each answer's ballot is chosen, shape (u, choices, m); of equally frequent ones the first weighs
        # most, and what is not chosen, or votes with nothing, weighs nothing. These are small whole numbers: exact.
        weights = (chosen @ equal.astype(np.float32)) * count + earlier
        weights *= chosen * (some >= 0)[:, None, :]
        winner = weights.argmax(axis=2)
        won = np.take_along_axis(hits[start : start + _AT_ONCE], winner, axis=1) * (weights.max(axis=2) > 0)
        yield np.stack([won[:, sizes == k].mean(axis=1) for k in range(1, count + 1)], axis=1)
