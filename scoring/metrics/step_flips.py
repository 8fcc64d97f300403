"""Single steps that are judged otherwise by the same scorer at another threshold."""

import numpy as np

from scoring.benchmarks.registry import StepLabelled
from scoring.evaluation import Evaluation
from scoring.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.metrics.redundancy import by_redundancy
from scoring.metrics.step_counts import asked_by_redundancy
from scoring.step_rewards import Bools, Ints


def step_flips(before: Evaluation, after: Evaluation, rows: Bools, facts: StepLabelled) -> Ints:
    """How many labelled steps of each case are judged rightly only after, and only before. Shape (2, n).

    Args:
        before: n cases decided in one way.
        after: the same cases and scorer, decided in another.
        rows: (n,) the cases to count in; those whose steps are not judged both times have 0.
        facts: in which classes redundancy decides.
    """
    asked = asked_by_redundancy(before, facts)
    judged = [by_redundancy(one, asked) for one in (before, after)]
    taken = rows & judged[0].rows & judged[1].rows
    labels = judged[0].gold(before.gold)[taken[judged[0].cases]]
    was, is_now = ((one.wrong[taken[one.cases]] == (labels == WRONG_STEP)) for one in judged)
    case, known = judged[0].cases[taken[judged[0].cases]], labels != UNKNOWN_STEP
    flips: Ints = np.stack(
        [np.bincount(case[known & turned], minlength=taken.size) for turned in (~was & is_now, was & ~is_now)]
    )
    return flips
