"""How step rewards become one score a response, by which the best of N is chosen: the ways, by name."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from msgspec import Struct

from scoring.evaluation import Evaluation
from scoring.metrics.ranking import places, product_places
from scoring.metrics.responses import Responses
from scoring.step_rewards import Bools, Floats, Ints, StepRewards

SHIFT = 0.01
"""What PRMBench's toolkit puts between the lowest step reward of a problem and 0."""
_HUGE = 2.0**900


class Aggregation(Struct, frozen=True):
    """One way. `ranked` gives the places (m) of responses, all of them scored, within their problems.

    `words` define the score. `among` says whether a response's score depends on which others it is compared with, so
    that nothing follows for fewer of them. `of_solution` says that it is of one number a solution, not of step rewards.
    """

    name: str
    words: str
    ranked: Callable[[StepRewards, Responses], Ints]
    among: bool = False
    of_solution: bool = False

    def scored(self, evaluation: Evaluation) -> Bools:
        """The cases that have what is aggregated. Shape (n,)."""
        return np.isfinite(evaluation.rewards.solutions) if self.of_solution else evaluation.rewards.scored


def _product(rewards: StepRewards, responses: Responses) -> Ints:
    return product_places(*_steps(rewards, responses), responses.problems)


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


def _minimum(rewards: StepRewards, responses: Responses) -> Ints:
    values, bounds = _steps(rewards, responses)
    lowest = np.minimum.reduceat(values, bounds[:-1]) if values.size else values
    return places(lowest, responses.problems)


def _mean(rewards: StepRewards, responses: Responses) -> Ints:
    """By a sum that is rounded once, so that the order of the steps is nothing."""
    values, bounds = _steps(rewards, responses)
    if values.size and np.abs(values).max() > _HUGE:
        values = values / _HUGE
    listed, ends = values.tolist(), bounds.tolist()
    means = [math.fsum(listed[start:end]) / (end - start) for start, end in pairwise(ends)]
    return places(np.array(means, dtype=np.float64), responses.problems)


def _last(rewards: StepRewards, responses: Responses) -> Ints:
    values, bounds = _steps(rewards, responses)
    return places(values[bounds[1:] - 1], responses.problems)


def _solution(rewards: StepRewards, responses: Responses) -> Ints:
    return places(rewards.solutions[responses.rows], responses.problems)


def _steps(rewards: StepRewards, responses: Responses) -> tuple[Floats, Ints]:
    """The rewards of all responses one after the other, and where each one's begin and end, shape (m + 1,)."""
    starts = rewards.offsets[responses.rows]
    lengths = rewards.offsets[responses.rows + 1] - starts
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])
    return rewards.values[at], bounds


AGGREGATIONS: dict[str, Aggregation] = {
    one.name: one
    for one in (
        Aggregation("product", "product of the step rewards (PRMBench, arXiv 2501.03124, section 5.4)", _product),
        Aggregation(
            "shifted_product",
            f"product of step reward - (lowest step reward of the problem's responses - {SHIFT}) (PRMBench's toolkit)",
            _shifted_product,
            among=True,
        ),
        Aggregation("min", "lowest step reward (ours)", _minimum),
        Aggregation("mean", "mean step reward (ours)", _mean),
        Aggregation("last", "reward of the last step (ours)", _last),
        Aggregation("solution", "the scorer's one number a solution (ours)", _solution, of_solution=True),
    )
}
"""Name -> aggregation, the paper's first."""
