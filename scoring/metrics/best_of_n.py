"""Best of N: how often is the response right that a scorer puts first? PRMBench (arXiv 2501.03124, section 5.4).

`prm@n` is the share of problems whose highest-scored response has a right final answer; of equal scores the first in
the file wins. Beside it stand `mean@1` (a response picked at random), `maj@n` (the most frequent answer) and `pass@n`
(any response is right). For fewer responses than there are, `prm@n` and `pass@n` are the mean over every choice of so
many of them, which needs no drawing: a response of rank r, from 0, is the first of n chosen from N in
C(N - 1 - r, n - 1) of C(N, n) choices.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.evaluation import Evaluation
from scoring.metrics.aggregations import AGGREGATIONS, Aggregation
from scoring.metrics.final_answers import majority_right
from scoring.metrics.resampling import percentile_interval, resample_problems
from scoring.metrics.responses import Responses
from scoring.step_rewards import Bools, Floats, Ints

PRM, MEAN, MAJORITY, PASS = "prm@n", "mean@1", "maj@n", "pass@n"
OVER_MEAN, TIED = "prm@n_over_mean@1", "tied"
PROBLEMS = "problems"
_EXACT = 2**53
NO_ANSWER = r"no response holds its final answer in a \boxed{...}"
NOT_FEWER = "the score depends on which responses are compared, so that nothing follows for fewer of them"
MAJORITY_OF_ALL = "the vote is of all responses only"


def numbers_asked(responses: Responses, n: int | None) -> tuple[int | None, ...]:
    """Out of how many responses to choose: `n`, or 1, 2, 4, ... fewer than every problem has, and then None for all."""
    if n is not None:
        return (n,)
    least = int(responses.sizes.min()) if responses.sizes.size else 2
    return (*(2**power for power in range(least.bit_length()) if 2**power < least), None)


# -- values of problems


def chosen_right(responses: Responses, places: Ints, n: int | None = None) -> Floats:
    """The chance that the best of n responses, picked at random, is right; of all, 0 or 1. Shape (p,).

    Args:
        responses: of p problems, m of them.
        places: (m,) within the problem, 0 = highest.
        n: at most as many as the smallest problem has; None = all.
    """
    order = np.lexsort((places, responses.problems))
    right = responses.right[order]
    if n is None:
        return right[responses.bounds[:-1]].astype(np.float64)
    found = [_first_of(int(size), n) for size in responses.sizes]
    weights = np.concatenate([np.empty(0), *(ranks for ranks, _ in found)]) * right
    sums = np.bincount(responses.problems, weights=weights, minlength=responses.subsets.size)
    return np.asarray(sums / np.array([total for _, total in found], dtype=np.float64))


def any_right(responses: Responses, n: int | None = None) -> Floats:
    """The chance that one of n responses, picked at random, is right; of all, 0 or 1. Shape (p,)."""
    if n is None:
        return (responses.n_right > 0).astype(np.float64)
    pairs = zip(responses.sizes.tolist(), responses.n_right.tolist(), strict=True)
    return np.array([1 - comb(size - right, n) / comb(size, n) for size, right in pairs], dtype=np.float64)


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
    return np.array([one / total for one in ways]), 1.0


# -- rows


class _Line(Struct, frozen=True, eq=False):
    """A figure to be told: its values (p) of problems, or why there are none."""

    metric: str
    n: int | None
    values: Floats | None
    aggregation: str | None = None
    reason: str | None = None


def response_rows(
    responses: Responses, answers: Sequence[str | None], n: int | None, seed: int | None
) -> Iterator[dict[str, Any]]:
    """What holds without a scorer: `problems` by how many responses they have, mean@1, pass@n and maj@n.

    Args:
        responses: of p problems, each with at least n responses.
        answers: (m,) final answers.
        n: out of how many to choose; None = all, and fewer.
        seed: of the intervals: 95%, problems resampled; None = there are none.

    Yields dictionaries with `subset, aggregation, metric, of, value, low, high, n, responses, left_out, reason`:
    `of` is out of how many responses, null where problems have different numbers and all are meant; `n` counts problems
    and `left_out` those that the figure leaves out. Values are fractions, null with a reason where undefined.
    """
    for _, part, members in _parts(responses):
        for size, count in zip(*np.unique(responses.sizes[members], return_counts=True), strict=True):
            own = {"of": int(size), "value": float(count), "n": int(count), "responses": int(size * count)}
            yield _row(part, PROBLEMS, own)
    means = responses.n_right / responses.sizes
    asked = [one for one in numbers_asked(responses, n) if one != 1]
    lines = [_Line(MEAN, 1, means), *(_Line(PASS, one, any_right(responses, one)) for one in asked)]
    yield from _figures(responses, lines, responses, seed)
    votes = majority_right(responses, answers)
    known = ~np.isnan(votes)
    why = None if known.any() else NO_ANSWER
    if n is not None and (responses.sizes != n).any():
        why = MAJORITY_OF_ALL
    line = _Line(MAJORITY, n, None if why else votes[known], reason=why)
    yield from _figures(responses.keep(known), [line], responses, seed)


def scorer_rows(
    evaluation: Evaluation, responses: Responses, n: int | None, seed: int | None
) -> Iterator[dict[str, Any]]:
    """prm@n of one scorer by every aggregation that it has scores for, over the problems it scored all responses of.

    `prm@n_over_mean@1` is the difference to a response picked at random, on the same problems and the same resamples;
    `tied` the share of problems that the order in the file decides. Arguments and rows as for `response_rows`.
    """
    asked = numbers_asked(responses, n)
    able = [one for one in AGGREGATIONS.values() if one.scored(evaluation)[responses.rows].any()]
    if not able:
        line = _Line(PRM, n, None, reason=_why_nothing(evaluation, responses))
        yield from _figures(responses.keep(np.zeros(responses.subsets.size, dtype=np.bool_)), [line], responses, seed)
    for aggregation in able:
        kept = responses.keep(responses.whole(aggregation.scored(evaluation)))
        lines = [_Line(PRM, n, None, aggregation.name, "no problem has all its responses scored")]
        if kept.subsets.size:
            lines = list(_lines(evaluation, aggregation, kept, asked))
        yield from _figures(kept, lines, responses, seed)


def _lines(
    evaluation: Evaluation, aggregation: Aggregation, kept: Responses, asked: Sequence[int | None]
) -> Iterator[_Line]:
    places = aggregation.ranked(evaluation.rewards, kept)
    means = kept.n_right / kept.sizes
    for n in asked:
        if n is not None and aggregation.among and (kept.sizes != n).any():
            yield _Line(PRM, n, None, aggregation.name, NOT_FEWER)
            continue
        values = chosen_right(kept, places, n)
        yield _Line(PRM, n, values, aggregation.name)
        if n == asked[-1]:
            yield _Line(OVER_MEAN, n, values - means, aggregation.name)
    yield _Line(TIED, None, tied(kept, places), aggregation.name)


def _why_nothing(evaluation: Evaluation, responses: Responses) -> str:
    rows = responses.rows
    if evaluation.rewards.labels.given[rows].any() or evaluation.answered[rows].any():
        return "verdicts or labels without numbers rank nothing"
    return "no response was scored"


def _parts(responses: Responses) -> Iterator[tuple[int | None, str, Bools]]:
    """Number and name of every named subset, and None and `all`, with the problems (p) in it."""
    for number, name in enumerate(responses.names):
        if name is not None:
            yield number, name, responses.subsets == number
    yield None, "all", np.ones(responses.subsets.size, dtype=np.bool_)


def _figures(kept: Responses, lines: Sequence[_Line], every: Responses, seed: int | None) -> Iterator[dict[str, Any]]:
    """Rows of the lines for every subset, `all` and, over several subsets, their `average`.

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
    told = [line for line in lines if line.values is not None]
    if not told:
        return
    values = np.column_stack([line.values for line in told if line.values is not None])
    counted = np.column_stack([values, np.ones(len(values))])
    problems = np.arange(len(values))
    drawn = None if seed is None else resample_problems(counted, kept.subsets, len(kept.names), problems, seed)
    means = []
    for number, name, members in _parts(kept):
        if members.any():
            draws = np.full((1, len(told)), np.nan)
            if drawn is not None:
                draws = _shares(drawn.sum(axis=1) if number is None else drawn[:, number])
            figures = (values[members].mean(axis=0), draws)
            means += [] if number is None else [figures]
            about = _about(kept.sizes[members], wanted[number])
            yield from _told(name, told, figures, about, kept.sizes[members])
    yield from _average(told, means, len(wanted) - 1, _about(kept.sizes, wanted[None]), kept.sizes)


def _average(
    lines: Sequence[_Line], means: Sequence[tuple[Floats, Floats]], wanted: int, about: dict[str, int], sizes: Ints
) -> Iterator[dict[str, Any]]:
    """The plain mean over subsets, where several are wanted; undefined as soon as one of them has no figure."""
    if wanted > 1 and len(means) == wanted:
        both = (np.mean([values for values, _ in means], axis=0), np.mean([draws for _, draws in means], axis=0))
        yield from _told("average", lines, both, about, sizes)
    elif wanted > 1:
        why = f"undefined in {wanted - len(means)} of {wanted} subsets"
        for line in lines:
            yield _row("average", line.metric, {**_named(line), "of": line.n, **about, "reason": why})


def _about(sizes: Ints, wanted: int) -> dict[str, int]:
    """How many problems and responses a figure is of, and how many problems it leaves out."""
    return {"n": sizes.size, "responses": int(sizes.sum()), "left_out": wanted - sizes.size}


def _told(
    subset: str, lines: Sequence[_Line], figures: tuple[Floats, Floats], about: dict[str, int], sizes: Ints
) -> Iterator[dict[str, Any]]:
    one_size = int(sizes[0]) if (sizes == sizes[0]).all() else None
    for column, line in enumerate(lines):
        draws = figures[1][:, column]
        defined = draws[~np.isnan(draws)]
        low, high = percentile_interval(defined) if defined.size else (None, None)
        own = {"of": one_size if line.n is None else line.n, "value": float(figures[0][column])}
        yield _row(subset, line.metric, {**_named(line), **own, "low": low, "high": high, **about})


def _shares(sums: Floats) -> Floats:
    """Means in resamples (r, k) from sums and, in the last column, counts; NaN where nothing was drawn."""
    counts = sums[:, -1:]
    return np.divide(sums[:, :-1], counts, out=np.full_like(sums[:, :-1], np.nan, dtype=np.float64), where=counts > 0)


def _named(line: _Line) -> dict[str, Any]:
    return {"aggregation": line.aggregation, "reason": line.reason}


_EMPTY = dict.fromkeys(("aggregation", "of", "value", "low", "high", "n", "responses", "left_out", "reason"))


def _row(subset: str, metric: str, values: dict[str, Any]) -> dict[str, Any]:
    return {"subset": subset, "metric": metric, **_EMPTY, "left_out": 0, **values}
