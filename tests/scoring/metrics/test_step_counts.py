import numpy as np
import polars as pl
import pytest

import making
import step_making
from reference import Case
from scoring.data.schema import REWARDS
from scoring.evaluation.step_rewards import align
from scoring.metrics.step_contributions import judged_by_redundancy, without_redundancy_threshold
from step_reference import Step

ALL = np.array([True, True])


def found(**settings):
    """Two cases with numbers, the second with labels too."""
    one = Step(Case(2, 0, (0.9, 0.1)), "circular", (0.2, 0.1))
    return step_making.evaluation([one, Step(Case(1, 0, (0.9,)), "circular", (0.0,), (True,))], **settings)


def test_labels_decide_and_numbers_above_the_threshold():
    assert judged_by_redundancy(found(redundancy_threshold=0.15), ALL).wrong.tolist() == [True, False, True]
    assert judged_by_redundancy(found(redundancy_threshold=0.2), ALL).wrong.tolist() == [False, False, True]
    assert judged_by_redundancy(found(redundancy_threshold=0.15), ~ALL).wrong.tolist() == [False, True, False]


def test_what_validity_says_stays_as_it_was():
    evaluation = found(redundancy_threshold=0.15)
    judged_by_redundancy(evaluation, ALL)
    assert evaluation.judged_steps.wrong.tolist() == [False, True, False]


def test_numbers_without_a_known_threshold_decide_nothing_and_are_counted():
    assert judged_by_redundancy(found(), ALL).wrong.tolist() == [False, True, True]
    assert (
        without_redundancy_threshold(found(), ALL),
        without_redundancy_threshold(found(redundancy_threshold=0.0), ALL),
    ) == (1, 0)
    assert without_redundancy_threshold(found(), np.array([False, True])) == 0


@pytest.mark.parametrize(
    ("numbers", "labels", "usable"),
    [
        ([0.1, 0.2], [True, False], (True, True)),
        ([0.1], [True], (False, True)),
        ([0.1, 0.2, 0.3], [], (False, False)),
        ([0.1, float("nan")], [True, None], (False, False)),
        ([0.1, None], None, (False, False)),
        (None, [False, False], (False, True)),
    ],
)
def test_redundancy_that_does_not_fit_is_not_there_and_the_rewards_stay(numbers, labels, usable):
    cases = making.frame([Case(2, -1)])
    row = {"key": cases["key"][0], "vote": 0, "rewards": [0.5, 0.6], "redundancy": numbers, "redundancy_labels": labels}
    rewards = align(cases, pl.DataFrame([row], schema=REWARDS, orient="row"))
    assert rewards.scored.all()
    assert (bool(rewards.redundancy.present[0]), bool(rewards.redundant.has_labels[0])) == usable
    assert rewards.redundancy.values.tolist() == (numbers if usable[0] else [])
    assert rewards.redundant.of(0) == (labels if usable[1] else None)
