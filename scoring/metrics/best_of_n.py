"""Best of N: how often is the response right that a scorer puts first? PRMBench (arXiv 2501.03124, section 5.4).

`prm@n` is the share of problems whose highest-scored response has a right final answer; of equal scores the first in
the file wins. Beside it stand `mean@1` (a response picked at random), `maj@n` (the most frequent answer) and `pass@n`
(any response is right). For fewer responses than there are, `prm@n` and `pass@n` are the mean over every choice of so
many of them, which needs no drawing: a response of rank r, from 0, is the first of n chosen from N in
C(N - 1 - r, n - 1) of C(N, n) choices. How votes are counted, and which are drawn, is in `answer_votes`.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.aggregations import AGGREGATIONS, Aggregation
from scoring.metrics.answer_votes import AnswerGroups
from scoring.metrics.closed_forms import Z
from scoring.metrics.resampling import percentile_interval, resample_apart, resample_problems
from scoring.metrics.responses import Responses

PRM, MEAN, MAJORITY, PASS, WEIGHTED = "prm@n", "mean@1", "maj@n", "pass@n", "weighted@n"
OVER_MEAN, TIED = "prm@n_over_mean@1", "tied"
PROBLEMS = "problems"
_EXACT = 2**53
NO_ANSWER = r"no response holds its final answer in a \boxed{...}"
NOT_FEWER = "the score depends on which responses are compared, so that nothing follows for fewer of them"


def numbers_asked(responses: Responses, n: int | None) -> tuple[int | None, ...]:
    """Return the numbers of responses to choose from: `n`, or 1, 2, 4, ... fewer than every problem has, and then None
    for all.
    """
    if n is not None:
        return (n,)
    least = int(responses.sizes.min()) if responses.sizes.size else 2
    return (*(2**power for power in range(least.bit_length()) if 2**power < least), None)


def chosen_right(responses: Responses, places: Ints, n: int | None = None) -> Floats:
    """Return the chance that the best of n responses, picked at random, is right; of all, 0 or 1. Shape (p,).

    Args:
        responses: of p problems, m of them.
        places: (m,) within the problem, 0 = highest.
        n: at most as many as the smallest problem has; None = all.
    """
    order = np.lexsort((places, responses.problems))
    right = responses.right[order]
    if n is None:
        return right[responses.bounds[:-1]].astype(np.float64)
    place = np.arange(right.size) - np.repeat(responses.bounds[:-1], responses.sizes)
    weights, totals = np.zeros(right.size), np.ones(responses.subsets.size)
    for size in np.unique(responses.sizes).tolist():
        ranks, total = _first_of(size, n)
        members = np.repeat(responses.sizes == size, responses.sizes)
        weights[members] = ranks[place[members]] * right[members]
        totals[responses.sizes == size] = total
    sums = np.bincount(responses.problems, weights=weights, minlength=responses.subsets.size)
    return np.asarray(sums / totals)


def any_right(responses: Responses, n: int | None = None) -> Floats:
    """Return the chance that one of n responses, picked at random, is right; of all, 0 or 1. Shape (p,)."""
    if n is None:
        return (responses.n_right > 0).astype(np.float64)
    pairs = zip(responses.sizes.tolist(), responses.n_right.tolist(), strict=True)
    return np.array([1 - comb(size - right, n) / comb(size, n) for size, right in pairs], dtype=np.float64)


def chosen_responses(responses: Responses, places: Ints) -> Ints:
    """Return which of the m responses is the best of each problem's, of equal ones the first. Shape (p,)."""
    return np.lexsort((places, responses.problems))[responses.bounds[:-1]]


def lost_problems(responses: Responses, places: Ints) -> Ints:
    """Return the problems (0-based, ascending) whose chosen response is wrong though another is right."""
    return np.flatnonzero((responses.n_right > 0) & ~responses.right[chosen_responses(responses, places)])


def tied(responses: Responses, places: Ints) -> Floats:
    """1.0 where right and wrong responses share the highest score, so that their order in the file decides. (p,)."""
    top, problems, size = places == 0, responses.problems, responses.subsets.size
    right = np.bincount(problems[top & responses.right], minlength=size)
    return ((right > 0) & (right < np.bincount(problems[top], minlength=size))).astype(np.float64)


@lru_cache(maxsize=1024)
def _first_of(size: int, n: int) -> tuple[Floats, float]:
    """For each rank, in how many choices of n out of `size` it is the first, (size,); and how many choices there are.

    Where these are no exact floats, the share of the choices, out of 1.
    """
    total = comb(size, n)
    ways = [comb(size - 1 - rank, n - 1) for rank in range(size)]
    if total < _EXACT:
        return np.array(ways, dtype=np.float64), float(total)
    return np.array([count / total for count in ways]), 1.0


class FigureLine(Struct, frozen=True, eq=False):
    """A mean over problems: its values (p), or why it has none."""

    metric: str
    n: int | None
    values: Floats | None
    aggregation: str | None = None
    reason: str | None = None
    errors: Floats | None = None
    """Standard errors of values that were drawn (p), 0 for exact ones; None = all are exact."""


def response_rows(
    responses: Responses, groups: AnswerGroups, n: int | None, seed: int | None
) -> Iterator[dict[str, Any]]:
    """Yield what holds without a scorer: `problems` by how many responses they have, mean@1, pass@n and maj@n.

    Args:
        responses: of p problems, each with at least n responses.
        groups: the same by their final answers.
        n: out of how many to choose; None = all, and fewer.
        seed: of the intervals: 95%, problems resampled; None = there are none.

    Yields dictionaries with `subset, aggregation, metric, of, value, low, high, sampling_error, n, responses, left_out,
    reason`: `of` is out of how many responses, null where problems have different numbers and all are meant; `n` counts
    problems and `left_out` those that the figure leaves out. Values are fractions, null with a reason where undefined.
    `sampling_error` is half the 95% interval of a value whose choices of responses were drawn, null for exact values.
    """
    for _, part, members in _parts(responses):
        for size, count in zip(*np.unique(responses.sizes[members], return_counts=True), strict=True):
            own = {"of": int(size), "value": float(count), "n": int(count), "responses": int(size * count)}
            yield _row(part, PROBLEMS, own)
    means = responses.n_right / responses.sizes
    numbers = [number for number in numbers_asked(responses, n) if number != 1]
    lines = [
        FigureLine(MEAN, 1, means),
        *(FigureLine(PASS, number, any_right(responses, number)) for number in numbers),
    ]
    yield from figure_rows(responses, lines, responses, seed)
    votes = list(_votes(groups, numbers_asked(responses, n)))
    yield from figure_rows(responses, votes, responses, seed)


def scorer_rows(
    evaluation: Evaluation, responses: Responses, groups: AnswerGroups, n: int | None, seed: int | None
) -> Iterator[dict[str, Any]]:
    """prm@n of one scorer by every aggregation that it has scores for, over the problems it scored all responses of.

    `weighted@n` is the vote for final answers in which each response counts its score; `prm@n_over_mean@1` the
    difference to a response picked at random, on the same problems and the same resamples; `tied` the share of problems
    that the order in the file decides. Arguments and rows as for `response_rows`.
    """
    numbers = numbers_asked(responses, n)
    able = able_aggregations(evaluation, responses)
    if not able:
        line = FigureLine(PRM, n, None, reason=_why_nothing(evaluation, responses))
        none = responses.keep(np.zeros(responses.subsets.size, dtype=np.bool_))
        yield from figure_rows(none, [line], responses, seed)
    for aggregation in able:
        whole = responses.whole(aggregation.scored(evaluation))
        kept = responses.keep(whole)
        lines = [FigureLine(PRM, n, None, aggregation.name, "no problem has all its responses scored")]
        if kept.subsets.size:
            lines = list(_lines(evaluation, aggregation, kept, numbers))
        yield from figure_rows(kept, lines, responses, seed)
        if kept.subsets.size and aggregation.scores is not None:
            own = groups.keep(whole, np.repeat(whole, responses.sizes))
            weights = aggregation.weigh(evaluation.rewards, kept)
            votes = list(_votes(own, numbers, aggregation.name, weights))
            yield from figure_rows(kept, votes, responses, seed)


def able_aggregations(evaluation: Evaluation, responses: Responses) -> list[Aggregation]:
    """Return the ways to choose that a scorer has numbers for, of some of the responses."""
    every = AGGREGATIONS.values()
    return [aggregation for aggregation in every if aggregation.scored(evaluation)[responses.rows].any()]


def _votes(
    groups: AnswerGroups,
    numbers: Sequence[int | None],
    aggregation: str | None = None,
    weights: Floats | None = None,
) -> Iterator["FigureLine"]:
    """Yield the votes of so many responses."""
    metric = MAJORITY if weights is None else WEIGHTED
    for number in numbers:
        if not groups.voted.any():
            yield FigureLine(metric, number, None, aggregation, NO_ANSWER)
            continue
        votes = groups.expected(number, weights)
        yield FigureLine(metric, number, votes.values, aggregation, errors=votes.errors)


def _lines(
    evaluation: Evaluation, aggregation: Aggregation, kept: Responses, numbers: Sequence[int | None]
) -> Iterator["FigureLine"]:
    places = aggregation.ranked(evaluation.rewards, kept)
    means = kept.n_right / kept.sizes
    for n in numbers:
        if n is not None and aggregation.scores is None and (kept.sizes != n).any():
            yield FigureLine(PRM, n, None, aggregation.name, NOT_FEWER)
            continue
        values = chosen_right(kept, places, n)
        yield FigureLine(PRM, n, values, aggregation.name)
        if n == numbers[-1]:
            yield FigureLine(OVER_MEAN, n, values - means, aggregation.name)
    yield FigureLine(TIED, None, tied(kept, places), aggregation.name)


def _why_nothing(evaluation: Evaluation, responses: Responses) -> str:
    rows = responses.rows
    if evaluation.rewards.labels.has_labels[rows].any() or evaluation.coverage.answered[rows].any():
        return "verdicts or labels without numbers rank nothing"
    return "no response was scored"


def _parts(responses: Responses) -> Iterator[tuple[int | None, str, Bools]]:
    """Number and name of every named subset, and None and `all`, with the problems (p) in it."""
    for number, name in enumerate(responses.names):
        if name is not None:
            yield number, name, responses.subsets == number
    yield None, "all", np.ones(responses.subsets.size, dtype=np.bool_)


def figure_rows(
    kept: Responses, lines: Sequence[FigureLine], every: Responses, seed: int | None
) -> Iterator[dict[str, Any]]:
    """Yield rows of the lines for every subset, `all` and, over several subsets, their `average`.

    Args:
        kept: the p problems that the lines' values are of.
        lines: what is told.
        every: the problems that might have been.
        seed: of the intervals; None = there are none.
    """
    wanted = {number: int(members.sum()) for number, _, members in _parts(every)}
    for line in lines:
        if line.values is None:
            none = {"of": line.n, "n": 0, "responses": 0, "left_out": wanted[None]}
            yield _row("all", line.metric, {**_named(line), **none})
    with_values = [line for line in lines if line.values is not None]
    if not with_values:
        return
    values = np.column_stack([line.values for line in with_values if line.values is not None])
    exact = np.zeros(len(values))
    variances = np.column_stack([exact if line.errors is None else line.errors**2 for line in with_values])
    counted = np.column_stack([values, np.ones(len(values))])
    drawn = drawn_apart = None
    if seed is not None:
        drawn, drawn_apart = (
            resample(counted, kept.subsets, len(kept.names), kept.order, seed)
            for resample in (resample_problems, resample_apart)
        )
    means = []
    for number, name, members in _parts(kept):
        if members.any():
            draws = together = np.full((1, len(with_values)), np.nan)
            if drawn is not None and drawn_apart is not None:
                together = _shares(drawn.sum(axis=1) if number is None else drawn[:, number])
                draws = together if number is None else _shares(drawn_apart[:, number])
            errors = np.sqrt(variances[members].sum(axis=0)) / members.sum()
            figures = _SubsetFigures(values[members].mean(axis=0), draws, errors)
            means += [] if number is None else [replace(figures, draws=together)]
            about = _about(kept.sizes[members], wanted[number])
            yield from _told(name, with_values, figures, about, kept.sizes[members])
    yield from _average(with_values, means, len(wanted) - 1, _about(kept.sizes, wanted[None]), kept.sizes)


class _SubsetFigures(Struct, frozen=True, eq=False):
    """Means over problems of k lines: `values` (k), `draws` in resamples (r, k), standard `errors` (k), 0 if exact."""

    values: Floats
    draws: Floats
    errors: Floats


def _average(
    lines: Sequence[FigureLine], means: Sequence[_SubsetFigures], wanted: int, about: dict[str, int], sizes: Ints
) -> Iterator[dict[str, Any]]:
    """The plain mean over subsets, where several are wanted; undefined as soon as one of them has no figure."""
    if wanted > 1 and len(means) == wanted:
        average = _SubsetFigures(
            np.mean([figures.values for figures in means], axis=0),
            np.mean([figures.draws for figures in means], axis=0),
            np.sqrt(np.sum([figures.errors**2 for figures in means], axis=0)) / wanted,
        )
        yield from _told("average", lines, average, about, sizes)
    elif wanted > 1:
        why = f"undefined in {wanted - len(means)} of {wanted} subsets"
        for line in lines:
            yield _row("average", line.metric, {**_named(line), "of": line.n, **about, "reason": why})


def _about(sizes: Ints, wanted: int) -> dict[str, int]:
    """How many problems and responses a figure is of, and how many problems it leaves out."""
    return {"n": sizes.size, "responses": int(sizes.sum()), "left_out": wanted - sizes.size}


def _told(
    subset: str, lines: Sequence[FigureLine], figures: _SubsetFigures, about: dict[str, int], sizes: Ints
) -> Iterator[dict[str, Any]]:
    one_size = int(sizes[0]) if (sizes == sizes[0]).all() else None
    for column, line in enumerate(lines):
        draws = figures.draws[:, column]
        defined = draws[~np.isnan(draws)]
        low, high = percentile_interval(defined) if defined.size else (None, None)
        own = {"of": one_size if line.n is None else line.n, "value": float(figures.values[column])}
        own["sampling_error"] = Z * float(figures.errors[column]) or None
        yield _row(subset, line.metric, {**_named(line), **own, "low": low, "high": high, **about})


def _shares(sums: Floats) -> Floats:
    """Means in resamples (r, k) from sums and, in the last column, counts; NaN where nothing was drawn."""
    counts = sums[:, -1:]
    return np.divide(sums[:, :-1], counts, out=np.full_like(sums[:, :-1], np.nan, dtype=np.float64), where=counts > 0)


def _named(line: FigureLine) -> dict[str, Any]:
    return {"aggregation": line.aggregation, "reason": line.reason}


_EMPTY = dict.fromkeys(
    ("aggregation", "of", "value", "low", "high", "sampling_error", "n", "responses", "left_out", "reason")
)


def _row(subset: str, metric: str, values: dict[str, Any]) -> dict[str, Any]:
    return {"subset": subset, "metric": metric, **_EMPTY, "left_out": 0, **values}


SAME = 1e-12
"""Figures that differ by no more are the same: rounding puts them apart, and different shares of cases lie further."""
FEWEST = 3
"""Scorers that an association is of at least: two are in the same order or in the other, whatever their figures."""


def population_sd(values: Floats) -> float:
    """Compute the population standard deviation: divided by their number, as in PRMBench (arXiv 2501.03124), Table 6.

    0 where all values are the same within SAME.
    """
    return float(np.std(values)) if np.ptp(values) > SAME else 0.0


def somers_d(x: Floats, y: Floats) -> float | None:
    """Somers' D of y given x: concordant minus discordant pairs over the pairs that differ in x. In [-1, 1].

    Somers, American Sociological Review 27 (1962). PRMBench has PRMScore for x and a Best-of-N accuracy for y. Values
    that differ by at most SAME are tied. None where no two differ in x.

    Args:
        x: (n,) one value a scorer.
        y: (n,) another.
    """
    by_x, by_y = (_order(np.subtract.outer(side, side)) for side in (x, y))
    pairs = np.count_nonzero(by_x)
    return float((by_x * by_y).sum() / pairs) if pairs else None


def _order(differences: Floats) -> Floats:
    """1 where above, -1 where below, 0 where the same."""
    return np.where(np.abs(differences) > SAME, np.sign(differences), 0.0)
