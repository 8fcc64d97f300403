r"""Responses to a problem vote for their final answers: each once, or each with its score.

Two answers are the same iff their texts are: `1/2` and `\frac{1}{2}` are two, so that a vote is never more united than
the responses are. Of answers with equally many votes, or with sums of scores that are equal as floats, the one seen
first wins. What is expected of fewer responses than there are is the mean over CHOICES seeded choices of so many: there
is no formula for it.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from scoring.schema import Bools, Floats, Ints

CHOICES = 10
"""Choices of fewer responses over which votes are averaged, as many as VersaPRM's evaluation draws."""


class AnswerGroups(Struct, frozen=True, eq=False):
    """The m responses to p problems by their final answers.

    Problem i has the responses from `starts[i]` to `starts[i + 1]`, and the answers from `bounds[i]` to `bounds[i + 1]`
    of all g answers of all problems, in the order in which they are seen first. `groups` (m) is the number of each
    response's answer, -1 where it has none, and `right` (g) says whether the first response with an answer is right.
    `orders` (CHOICES, m) is at which place (0-based) a response is drawn within its problem: the first n drawn are a
    choice of n.
    """

    starts: Ints
    groups: Ints
    bounds: Ints
    right: Bools
    orders: Ints

    @property
    def voted(self) -> Bools:
        """Return which problems (p) have an answer at all."""
        return np.asarray(np.diff(self.bounds) > 0)

    def keep(self, problems: Bools, responses: Bools) -> "AnswerGroups":
        """Return those of some of the problems (p), whose responses (m) these are."""
        kept = np.repeat(problems, np.diff(self.bounds))
        renumbered = np.where(kept, np.cumsum(kept) - 1, -1)
        groups = self.groups[responses]
        moved = np.where(groups < 0, -1, renumbered[groups]) if renumbered.size else groups
        starts, bounds = (
            np.concatenate([[0], np.cumsum(np.diff(ends)[problems])]) for ends in (self.starts, self.bounds)
        )
        return AnswerGroups(starts, moved, bounds, self.right[kept], self.orders[:, responses])

    def contradicted(self, right: Bools) -> int:
        """Count the problems in which one and the same answer is right in one response (m) and wrong in another."""
        voters, count = np.flatnonzero(self.groups >= 0), int(self.bounds[-1])
        n_right = np.bincount(self.groups[voters], right[voters], count)
        mixed = (n_right > 0) & (n_right < np.bincount(self.groups[voters], minlength=count))
        problems = np.repeat(np.arange(self.starts.size - 1), np.diff(self.bounds))
        return int(np.unique(problems[mixed]).size)

    def wins(self, weights: Floats | None = None, n: int | None = None) -> Floats:
        """Return whether the answer with the most votes is right, of all responses or on average of n. Shape (p,).

        1.0 or 0.0, of n a share of the choices, where one without any answer has none that is right; of one response
        what is expected exactly. NaN where no response has an answer.

        Args:
            weights: (m,) what each vote counts; None = 1.
            n: out of how many responses; None = all.
        """
        if n is None:
            return self.won_among(np.ones(self.groups.size, dtype=np.bool_), weights)
        if n == 1:
            sizes, voters = np.diff(self.starts), np.flatnonzero(self.groups >= 0)
            problems = np.repeat(np.arange(sizes.size), sizes)[voters]
            won = np.bincount(problems, self.right[self.groups[voters]], sizes.size) / sizes
        else:
            won = np.mean([self.won_among(order < n, weights) for order in self.orders], axis=0)
        return np.where(self.voted, won, np.nan)

    def won_among(self, chosen: Bools, weights: Floats | None = None) -> Floats:
        """Return the same (p,) where only the chosen responses (m) vote."""
        voters = np.flatnonzero(chosen & (self.groups >= 0))
        groups, count = self.groups[voters], int(self.bounds[-1])
        sums = np.bincount(groups, None if weights is None else weights[voters], count).astype(np.float64)
        sums[np.bincount(groups, minlength=count) == 0] = -np.inf
        # Written last to first, the place that stays is that of the first voter.
        first = np.full(count, self.groups.size)
        first[groups[::-1]] = voters[::-1]
        starts = self.bounds[:-1][self.voted]
        won = np.full(self.bounds.size - 1, np.nan)
        if not starts.size:
            return won
        sizes = np.diff(self.bounds)[self.voted]
        leading = sums == np.repeat(np.maximum.reduceat(sums, starts), sizes)
        earliest = np.minimum.reduceat(np.where(leading, first, self.groups.size), starts)
        winners = self.groups[np.minimum(earliest, self.groups.size - 1)]
        won[self.voted] = self.right[winners] & (earliest < self.groups.size)
        return won


def answer_groups(starts: Ints, right: Bools, answers: Sequence[str | None], seed: int = 0) -> AnswerGroups:
    """Group responses by their final answers, and draw the orders of their choices.

    Args:
        starts: (p + 1,) where the responses of each problem begin, and the last one's end.
        right: (m,) whose final answer is right.
        answers: (m,) final answers; None = there is none.
        seed: of the orders.
    """
    count = starts.size - 1
    problems = np.repeat(np.arange(count), np.diff(starts))
    numbers: dict[tuple[int, str], int] = {}
    groups = np.array(
        [
            -1 if answer is None else numbers.setdefault((problem, answer), len(numbers))
            for problem, answer in zip(problems.tolist(), answers, strict=True)
        ],
        dtype=np.int64,
    )
    owners = np.fromiter((problem for problem, _ in numbers), dtype=np.int64, count=len(numbers))
    bounds = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=count))]).astype(np.int64)
    first = np.full(len(numbers), 0)
    voters = np.flatnonzero(groups >= 0)
    first[groups[voters][::-1]] = voters[::-1]
    return AnswerGroups(starts, groups, bounds, right[first], _orders(problems, seed))


def _orders(problems: Ints, seed: int) -> Ints:
    """Draw CHOICES orders of the responses within their problems. Shape (CHOICES, m)."""
    generator: np.random.Generator = np.random.default_rng(seed)
    starts = np.searchsorted(problems, problems)
    places = np.empty((CHOICES, problems.size), dtype=np.int64)
    for order in places:
        # A problem's number and a fraction: sorted, the problems stay in their order.
        drawn = np.argsort(problems + generator.random(problems.size))
        order[drawn] = np.arange(problems.size) - starts
    return places
