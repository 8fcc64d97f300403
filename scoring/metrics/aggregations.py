"""Aggregations of step rewards into one score a response, by which the best of N is chosen."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.step_rewards import StepRewards
from scoring.metrics.responses import Responses
from scoring.metrics.score_places import places, product_places, product_weights

SHIFT = 0.01
"""What PRMBench's toolkit puts between the lowest step reward of a problem and 0."""
_HUGE = 2.0**900


class Aggregation(Struct, frozen=True):
    """One way. `ranked` gives the places (m) of responses, all of them scored, within their problems.

    `words` define the score. `scores` gives it (m) as a float, by which answers are weighted; None where it depends on
    which others a response is compared with, so that nothing follows for fewer of them. `of_solution` says that it is
    of one number a solution, not of step rewards.
    """

    name: str
    words: str
    ranked: Callable[[StepRewards, Responses], Ints]
    scores: Callable[[StepRewards, Responses], Floats] | None = None
    of_solution: bool = False
    weights: Callable[[StepRewards, Responses], Floats] | None = None
    """Scores up to a factor per problem, by which answers are weighted, if `scores` may leave the range of a float."""

    def weigh(self, rewards: StepRewards, responses: Responses) -> Floats | None:
        """Return how much each response counts in a vote, shape (m,); None where that depends on the others."""
        weights = self.weights or self.scores
        return None if weights is None else weights(rewards, responses)

    def scored(self, evaluation: Evaluation) -> Bools:
        """Return which cases have what is aggregated. Shape (n,)."""
        return np.isfinite(evaluation.rewards.solutions) if self.of_solution else evaluation.rewards.scored


def _of_scores(
    name: str, words: str, scores: Callable[[StepRewards, Responses], Floats], *, of_solution: bool = False
) -> Aggregation:
    """A way whose scores as floats rank the responses."""

    def ranked(rewards: StepRewards, responses: Responses) -> Ints:
        return places(scores(rewards, responses), responses.problems)

    return Aggregation(name, words, ranked, scores, of_solution)


def _product(rewards: StepRewards, responses: Responses) -> Ints:
    return product_places(*_steps(rewards, responses), responses.problems)


def _float_product(rewards: StepRewards, responses: Responses) -> Floats:
    """Products as floats, multiplied in the order of the steps."""
    values, bounds = _steps(rewards, responses)
    lengths = np.diff(bounds)
    products = np.ones(lengths.size)
    with np.errstate(over="ignore", under="ignore"):
        for step in range(int(lengths.max(initial=0))):
            rows = np.flatnonzero(lengths > step)
            products[rows] *= values[bounds[rows] + step]
    return products


def _product_weights(rewards: StepRewards, responses: Responses) -> Floats:
    return product_weights(_float_product(rewards, responses), *_steps(rewards, responses), responses.problems)


def _shifted_product(rewards: StepRewards, responses: Responses) -> Ints:
    values, bounds = _steps(rewards, responses)
    if not values.size:
        return np.empty(0, dtype=np.int64)
    starts = bounds[responses.bounds]
    lowest = np.minimum.reduceat(values, starts[:-1])
    with np.errstate(over="ignore"):
        factors = values - np.repeat(lowest - SHIFT, np.diff(starts))
    # Two rewards may be further apart than the largest float.
    return product_places(np.minimum(factors, np.finfo(np.float64).max), bounds, responses.problems)


def _minimum(rewards: StepRewards, responses: Responses) -> Floats:
    values, bounds = _steps(rewards, responses)
    return np.minimum.reduceat(values, bounds[:-1]) if values.size else values


def _mean(rewards: StepRewards, responses: Responses) -> Floats:
    """By a sum that is rounded once, so that the order of the steps is nothing."""
    values, bounds = _steps(rewards, responses)
    if values.size and np.abs(values).max() > _HUGE:
        values = values / _HUGE
    listed, ends = values.tolist(), bounds.tolist()
    means = [math.fsum(listed[start:end]) / (end - start) for start, end in pairwise(ends)]
    return np.array(means, dtype=np.float64)


def _last(rewards: StepRewards, responses: Responses) -> Floats:
    values, bounds = _steps(rewards, responses)
    return values[bounds[1:] - 1]


def _solution(rewards: StepRewards, responses: Responses) -> Floats:
    return rewards.solutions[responses.rows]


def _steps(rewards: StepRewards, responses: Responses) -> tuple[Floats, Ints]:
    """The rewards of all responses one after the other, and where each one's begin and end, shape (m + 1,)."""
    starts = rewards.offsets[responses.rows]
    lengths = rewards.offsets[responses.rows + 1] - starts
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])
    return rewards.values[at], bounds


AGGREGATIONS: dict[str, Aggregation] = {
    aggregation.name: aggregation
    for aggregation in (
        Aggregation(
            "product",
            "product of the step rewards (PRMBench, arXiv 2501.03124, section 5.4)",
            _product,
            _float_product,
            weights=_product_weights,
        ),
        Aggregation(
            "shifted_product",
            f"product of step reward - (lowest step reward of the problem's responses - {SHIFT}) (PRMBench's toolkit)",
            _shifted_product,
        ),
        _of_scores("min", "lowest step reward (ours)", _minimum),
        _of_scores("mean", "mean step reward (ours)", _mean),
        _of_scores("last", "reward of the last step (ours)", _last),
        _of_scores("solution", "the scorer's one number a solution (ours)", _solution, of_solution=True),
    )
}
"""Name -> aggregation, the paper's first."""
