r"""Votes of responses to a problem for their final answers: one vote each, or each weighted by its score.

The answer with the most votes, or with the highest sum of scores, wins. One set of rules holds for every number of
responses, so that the vote of all of them is the last point of the same curve, and a vote of one is a response picked
at random:

- Answers that tie share the win: the vote counts the mean over them. This is the expectation over the orders of the
  responses, and does not depend on the order in a file. Sums that differ by less than SAME_SUM of themselves tie,
  because rounding separates them.
- A response without a readable answer does not vote. Where none of the chosen responses votes, one of them is picked at
  random.
- Where one answer is right in some responses and wrong in others, the share of right ones among the chosen responses
  with that answer counts.

The vote of n out of N responses is the mean over all C(N, n) choices. It is exact for at most MOST_CHOICES choices, and
without weights for at most MOST_RESPONSES responses. Else DRAWS choices are drawn for each problem, or fewer of very
many responses, and the result says with what standard error.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, prod
from zlib import crc32

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints

MOST_CHOICES = 20_000
"""Choices of n out of N responses up to which all are counted: those of up to 16 responses, and 2 out of 200."""
MOST_RESPONSES = 128
"""Responses to a problem up to which their unweighted votes are exact for every n."""
DRAWS, FEWEST_DRAWS = 1_000, 50
"""Choices that are drawn for a problem with more of them, and for one of a benchmark with millions of responses."""
_DRAWN = 1 << 26
"""Responses in all choices that are drawn together, by which their number falls from the one to the other."""
SAME_SUM = 1e-12
_PRODUCTS = 1 << 18
"""Multiplications at a time: BLAS computes so small a product in one thread, and it stays in the processor's cache."""
_CELLS = 1 << 16
_DENSE = 256
"""Responses to a problem up to which sums by answer are one product, though most of its numbers are 0."""
_NEGLIGIBLE = 1e-20
"""A chance that adds nothing to a sum of floats near 1."""
_LARGE = 2.0**900
_SMALLER = 2.0**-100


class ExpectedVotes(Struct, frozen=True, eq=False):
    """How often the winning answers of p problems are right, from 0 to 1.

    `values` (p) are means over choices of responses. `errors` (p) are the standard errors of values that were drawn, 0
    for exact ones.
    """

    values: Floats
    errors: Floats


class AnswerGroups(Struct, frozen=True, eq=False):
    """The m responses to p problems, grouped by their final answers.

    Problem i has the responses from `starts[i]` to `starts[i + 1]`, and the answers from `bounds[i]` to `bounds[i + 1]`
    of all g answers of all problems, sorted by text. `groups` (m) is the index of each response's answer, -1 if it has
    none, and `right` (m) says which responses are right. `seed` is that of drawn choices.
    """

    starts: Ints
    groups: Ints
    bounds: Ints
    right: Bools
    seed: int = 0

    @property
    def voted(self) -> Bools:
        """Return which problems (p) have a readable answer."""
        return np.asarray(np.diff(self.bounds) > 0)

    @property
    def first(self) -> Ints:
        """Return the first response with each answer. Shape (g,)."""
        first = np.zeros(int(self.bounds[-1]), dtype=np.int64)
        voters = np.flatnonzero(self.groups >= 0)
        # Written last to first, so that the first response stays.
        first[self.groups[voters][::-1]] = voters[::-1]
        return first

    def keep(self, problems: Bools, responses: Bools) -> "AnswerGroups":
        """Return the groups of some of the problems (p), whose responses (m) these are."""
        kept = np.repeat(problems, np.diff(self.bounds))
        renumbered = np.where(kept, np.cumsum(kept) - 1, -1)
        groups = self.groups[responses]
        moved = np.where(groups < 0, -1, renumbered[groups]) if renumbered.size else groups
        starts, bounds = (
            np.concatenate([[0], np.cumsum(np.diff(ends)[problems])]) for ends in (self.starts, self.bounds)
        )
        return AnswerGroups(starts, moved, bounds, self.right[responses], self.seed)

    def contradicted(self) -> int:
        """Count the problems in which one and the same answer is right in one response and wrong in another."""
        voters, count = np.flatnonzero(self.groups >= 0), int(self.bounds[-1])
        n_right = np.bincount(self.groups[voters], self.right[voters], count)
        mixed = (n_right > 0) & (n_right < np.bincount(self.groups[voters], minlength=count))
        problems = np.repeat(np.arange(self.starts.size - 1), np.diff(self.bounds))
        return int(np.unique(problems[mixed]).size)

    def expected(self, n: int | None = None, weights: Floats | None = None) -> ExpectedVotes:
        """Compute how often the winning answer is right if n responses, chosen at random, vote.

        Args:
            n: how many responses vote, at most all that a problem has; None = all.
            weights: (m,) finite, how much each vote counts; None = 1.
        """
        sizes = np.diff(self.starts)
        draws = min(DRAWS, max(FEWEST_DRAWS, _DRAWN // max(1, self.groups.size)))
        values, errors = np.zeros(sizes.size), np.zeros(sizes.size)
        if weights is not None and np.abs(weights).max(initial=0) > _LARGE:
            weights = weights * _SMALLER
        for size in np.unique(sizes).tolist():
            problems = np.flatnonzero(sizes == size)
            rows = self.starts[problems][:, None] + np.arange(size)
            groups = self.groups[rows]
            votes = _Votes(
                np.where(groups < 0, -1, groups - self.bounds[problems][:, None]),
                self.right[rows],
                None if weights is None else weights[rows],
            )
            number = size if n is None else min(n, size)
            values[problems], errors[problems] = _expected(votes, number, draws, self.seed)
        return ExpectedVotes(values, errors)

    def first_winners(self, chosen: Bools, weights: Floats | None = None) -> Floats:
        """Return 1.0 where the winner among the chosen responses (m) is right, else 0.0. Shape (p,).

        Of answers that tie the first in the file wins, as in search-and-learn, and sums are compared as floats. NaN for
        a problem without answers.

        Args:
            chosen: (m,) the responses that vote.
            weights: (m,) how much each vote counts; None = 1.
        """
        voters = np.flatnonzero(chosen & (self.groups >= 0))
        groups, count = self.groups[voters], int(self.bounds[-1])
        sums = np.bincount(groups, None if weights is None else weights[voters], count).astype(np.float64)
        sums[np.bincount(groups, minlength=count) == 0] = -np.inf
        # Written last to first, so that the first voter stays.
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
        won[self.voted] = self.right[self.first[winners]] & (earliest < self.groups.size)
        return won


def answer_groups(starts: Ints, right: Bools, answers: Sequence[str | None], seed: int = 0) -> AnswerGroups:
    """Group responses by their final answers.

    Args:
        starts: (p + 1,) where the responses of each problem begin, and the end of the last one's.
        right: (m,) whose final answer is right.
        answers: (m,) final answers; None = not readable.
        seed: of drawn choices.
    """
    count = starts.size - 1
    problems = np.repeat(np.arange(count), np.diff(starts)).tolist()
    pairs = zip(problems, answers, strict=True)
    named = sorted({(problem, answer) for problem, answer in pairs if answer is not None})
    numbers: dict[tuple[int, str | None], int] = {pair: number for number, pair in enumerate(named)}
    groups = [numbers.get(pair, -1) for pair in zip(problems, answers, strict=True)]
    owners = np.fromiter((problem for problem, _ in named), dtype=np.int64, count=len(named))
    bounds = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=count))]).astype(np.int64)
    return AnswerGroups(starts, np.array(groups, dtype=np.int64), bounds, right, seed)


# -- problems with equally many responses


class _Votes(Struct, frozen=True, eq=False):
    """N responses each to q problems: `answers` (q, N) count from 0 in each problem, -1 = none; `right`, `weights`."""

    answers: Ints
    right: Bools
    weights: Floats | None

    def take(self, index: Ints | int) -> "_Votes":
        """Return the votes of some problems, or of one without the first axis."""
        return _Votes(self.answers[index], self.right[index], None if self.weights is None else self.weights[index])

    def reordered(self, orders: Ints) -> "_Votes":
        """Put the responses of each problem in an order (q, N)."""
        weights = None if self.weights is None else np.take_along_axis(self.weights, orders, axis=1)
        return _Votes(
            np.take_along_axis(self.answers, orders, axis=1), np.take_along_axis(self.right, orders, axis=1), weights
        )


def _expected(votes: _Votes, n: int, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Values and standard errors, (q,) each, of the votes of n responses."""
    size = votes.right.shape[1]
    values, errors = votes.right.mean(axis=1), np.zeros(votes.right.shape[0])
    # Where all responses are right, or all wrong, the winner is.
    undecided = np.flatnonzero((values > 0) & (values < 1))
    if n == 1 or not undecided.size:
        return values, errors
    votes = votes.take(undecided)
    if comb(size, n) <= MOST_CHOICES:
        values[undecided], _ = _mean_share(votes, _all_choices(size, n))
    elif votes.weights is None and size <= MOST_RESPONSES:
        values[undecided] = [_majority(groups, silent, n) for groups, silent in _profiles(votes)]
    else:
        orders = np.array([_shuffled(votes.take(row), seed) for row in range(undecided.size)])
        values[undecided], variances = _mean_share(votes.reordered(orders), _drawn_choices(size, n, draws, seed))
        # Choices that were not drawn may differ even if all that were drawn agree.
        errors[undecided] = np.sqrt(np.maximum(variances, 1 / draws) / (draws - 1))
    return values, errors


@lru_cache(maxsize=16)
def _all_choices(size: int, n: int) -> Bools:
    """Whether each response is in each choice. Shape (size, choices)."""
    members = np.array(list(combinations(range(size), n)), dtype=np.int64)
    chosen = np.zeros((size, len(members)), dtype=np.bool_)
    chosen[members, np.arange(len(members))[:, None]] = True
    return chosen


@lru_cache(maxsize=16)
def _drawn_choices(size: int, n: int, draws: int, seed: int) -> Bools:
    """Whether each response is in each random choice. Shape (size, draws)."""
    generator: np.random.Generator = np.random.default_rng([seed, size, n])
    return generator.permuted(np.tile(np.arange(size)[:, None] < n, draws), axis=0)


def _shuffled(votes: _Votes, seed: int) -> Ints:
    """An order of one problem's responses that depends on what they say, and not on their order in the file.

    All problems share the drawn choices: in independent orders, their errors are uncorrelated.
    """
    columns = [votes.answers, votes.right, *([] if votes.weights is None else [votes.weights])]
    order = np.lexsort(columns[::-1])
    content = b"".join(column[order].tobytes() for column in columns)
    return np.asarray(order[np.random.default_rng([seed, crc32(content)]).permutation(order.size)])


def _mean_share(votes: _Votes, chosen: Bools) -> tuple[Floats, Floats]:
    """Mean and variance over choices of the share of right ones among the winners. Shapes (q,)."""
    size, choices = chosen.shape
    means, squares = np.zeros(votes.right.shape[0]), np.zeros(votes.right.shape[0])
    most = votes.answers.max(axis=1) + 1
    # Problems with equally many answers together, because arrays are as wide as the most that one has.
    order = np.argsort(-most, kind="stable")
    start = 0
    while start < order.size:
        width = max(1, int(most[order[start]]))
        columns = max(64, _PRODUCTS // (width * size)) if size <= _DENSE else max(1, _PRODUCTS // size)
        problems = order[start : start + max(1, _CELLS // (width * min(columns, choices)))]
        start += problems.size
        some = votes.take(problems)
        for first in range(0, choices, columns):
            shares = _shares(some, chosen[:, first : first + columns].astype(np.float64), width)
            means[problems] += shares.sum(axis=1)
            squares[problems] += (shares**2).sum(axis=1)
    means /= choices
    return means, np.maximum(squares / choices - means**2, 0)


def _shares(votes: _Votes, chosen: Floats, width: int) -> Floats:
    """The share of right ones among the winners of each choice (N, choices), 1 = votes. Shape (q, choices).

    `width` is the most answers that one of the q problems has.
    """
    weights = np.ones(votes.right.shape) if votes.weights is None else votes.weights
    sums = _by_answer(votes.answers, weights, chosen, width)
    if weights.min() > 0:
        margins = SAME_SUM * sums
        has_winner = sums.max(axis=1) > 0
    else:
        is_absent = _by_answer(votes.answers, np.ones(weights.shape), chosen, width) == 0
        margins = SAME_SUM * _by_answer(votes.answers, np.abs(weights), chosen, width)
        sums[is_absent] = -np.inf
        has_winner = ~is_absent.all(axis=1)
    least = (sums - margins).max(axis=1)
    sums += margins
    winners, right = np.zeros(least.shape), np.zeros(least.shape)
    for answer in range(width):
        wins = sums[:, answer] >= least
        winners += wins
        own = (votes.answers == answer).astype(np.float64)
        label = (own * votes.right).sum(axis=1) / own.sum(axis=1).clip(min=1)
        if ((label > 0) & (label < 1)).any():
            right += wins * ((own * votes.right) @ chosen / (own @ chosen).clip(min=1))
        elif label.any():
            right += wins * label[:, None]
    return np.where(has_winner, right / winners, votes.right @ chosen / chosen.sum(axis=0))


def _by_answer(answers: Ints, values: Floats, chosen: Floats, width: int) -> Floats:
    """Sums of values (q, N) over the chosen responses (N, choices) with each answer. Shape (q, width, choices)."""
    if answers.shape[1] <= _DENSE:
        return np.asarray(((answers[:, None, :] == np.arange(width)[:, None]) * values[:, None, :]) @ chosen)
    sums = np.zeros((answers.shape[0], width, chosen.shape[1]))
    for row, own in enumerate(answers):
        order = np.argsort(own, kind="stable")
        present, starts = np.unique(own[order], return_index=True)
        of_answers = np.add.reduceat(chosen[order] * values[row, order, None], starts, axis=0)
        sums[row, present[present >= 0]] = of_answers[present >= 0]
    return sums


# -- the majority of n responses, from how many have each answer


def _profiles(votes: _Votes) -> Iterator[tuple[tuple[tuple[int, int], ...], tuple[int, int]]]:
    """For each problem, (responses, right ones) of each answer, most responses first, and of those without one."""
    for answers, right in zip(votes.answers, votes.right, strict=True):
        counts = np.bincount(answers + 1, minlength=1).tolist()
        n_right = np.bincount(answers + 1, right, len(counts)).astype(np.int64).tolist()
        silent, *groups = zip(counts, n_right, strict=True)
        yield tuple(sorted(groups, reverse=True)), silent


@lru_cache(maxsize=4096)
def _majority(groups: tuple[tuple[int, int], ...], silent: tuple[int, int], n: int) -> float:
    """How often the most frequent answer of n responses is right, exactly.

    For each number of votes that wins, answers with fewer responses vote freely. The others are added one by one to
    what is known of those before them: the chance that so many tie for the win with so many votes in total, and that
    chance times the expected number of right ones among the tied. Each response is chosen independently with
    probability n / size, and the result is divided by the chance that n are. For `groups` and `silent` see `_profiles`.
    """
    size = silent[0] + sum(count for count, _ in groups)
    whole, total = float(_chances(size, n, size)[n]), 0.0
    negligible = _NEGLIGIBLE * whole
    if silent[0] >= n:
        nobody = _chances(silent[0], n, size)[n] * _chances(size - silent[0], n, size)[0]
        total = nobody * silent[1] / silent[0]
    for votes in range(1, min(n, groups[0][0]) + 1 if groups else 1):
        able = [group for group in groups if group[0] >= votes]
        if prod(float(_chances(count, n, size)[: votes + 1].sum()) for count, _ in able) < negligible:
            continue  # Nearly always an answer has more votes.
        if sum(float(_chances(count, n, size)[votes:].sum()) for count, _ in able) < negligible:
            break
        # chances[0, t, v]: t answers have `votes`, v votes in total; chances[1]: times how many of the t are right.
        chances = np.zeros((2, min(n // votes, len(able)) + 1, n + 1))
        chances[0, 0, :votes] = _chances(able[0][0], n, size)[:votes]
        chances[:, 1, votes] = _chances(able[0][0], n, size)[votes] * np.array([1, able[0][1] / able[0][0]])
        for count, n_right in able[1:]:
            own = _chances(count, n, size)
            tied = own[votes] * chances[:, :-1, : n + 1 - votes]
            tied[1] += n_right / count * tied[0]
            below = np.zeros_like(chances)
            for fewer in np.flatnonzero(own[:votes] > negligible):
                below[:, :, fewer:] += own[fewer] * chances[:, :, : n + 1 - fewer]
            below[:, 1:, votes:] += tied
            chances = below
        others = _chances(size - sum(count for count, _ in able), n, size)
        right = chances[1, 1:, n - others.size + 1 :] @ others[::-1]
        total += float((right / np.arange(1, right.size + 1)).sum())
    return total / whole


@lru_cache(maxsize=4096)
def _chances(count: int, n: int, size: int) -> Floats:
    """The chances that 0, 1, ... of `count` responses are chosen, each with probability n / size; up to n of them."""
    every = size**count
    ways = [comb(count, k) * n**k * (size - n) ** (count - k) / every for k in range(min(count, n) + 1)]
    return np.array(ways)
