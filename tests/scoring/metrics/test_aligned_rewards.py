import math
import random
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
import selecting
from judged import critic
from reference import Case
from scoring.metrics.aligned_rewards import aligned_rows, mean_interval
from scoring.metrics.closed_forms import Z
from thoroughness import up_to


def everything(evaluation):
    return np.ones(evaluation.codes.size, dtype=bool)


def at(rows):
    return {(row["side"], row["offset"]): row for row in rows}


@up_to(100, 12)
@given(cases=making.benches(), taken=st.lists(st.booleans(), min_size=10, max_size=10), reach=st.integers(0, 6))
def test_means_are_those_of_going_through_the_cases(cases, taken, reach):
    evaluation, mask = making.evaluation(cases), np.array(taken[: len(cases)], dtype=bool)
    expected = {("erroneous", offset): [] for offset in range(-reach, reach + 1)} | {("clean", None): []}
    for case, inside in zip(cases, mask, strict=True):
        rewards = reference.usable(case)
        if not inside or rewards is None or case.gold is None:
            continue
        if case.gold < 0:
            expected["clean", None].append(mean(rewards))
        elif case.gold < case.n_steps:
            for step, reward in enumerate(rewards):
                if abs(step - case.gold) <= reach:
                    expected["erroneous", step - case.gold].append(reward)
    found = at(aligned_rows(evaluation, mask, reach))
    assert found.keys() == expected.keys()
    frame = selecting.beside(evaluation)
    for place, row in found.items():
        assert row["n"] == len(expected[place]) == sum(mask[selecting.selected(frame, row["where"])])
        assert row["small"] == (0 < row["n"] < 20)
        if not expected[place]:
            assert row["value"] is row["low"] is None
            assert row["reason"]
            continue
        assert row["value"] == pytest.approx(mean(expected[place]))
        assert (row["low"] is None) == (row["n"] == 1)


def test_the_band_is_the_usual_one_where_each_case_is_its_own_problem():
    values = [random.Random(3).gauss(0.4, 0.2) for _ in range(31)]
    low, high = mean_interval(np.array(values), np.arange(31))
    half = Z * stdev(values) / math.sqrt(31)
    assert (low, high) == pytest.approx((mean(values) - half, mean(values) + half))


def test_two_equal_cases_of_one_problem_count_as_one():
    values, problems = np.repeat([0.1, 0.5, 0.9, 0.3], 2), np.repeat([7, 3, 9, 1], 2)
    assert mean_interval(values, problems) == pytest.approx(mean_interval(values[::2], problems[::2]))
    assert mean_interval(values, np.zeros(8, dtype=int)) is None


def test_by_hand():
    cases = [
        Case(3, 1, (0.9, 0.2, 0.6)),
        Case(2, 0, (0.4, 0.8)),
        Case(2, -1, (0.9, 0.7)),
        Case(2, 5, (0.9, 0.1)),
        Case(2, None, (0.9, 0.1)),
        Case(2, 1, None, "over length"),
    ]
    evaluation = making.evaluation(cases)
    found = at(aligned_rows(evaluation, everything(evaluation), 1))
    told = {place: (row["value"], row["n"]) for place, row in found.items()}
    assert told == {
        ("erroneous", -1): (0.9, 1),
        ("erroneous", 0): (pytest.approx(0.3), 2),
        ("erroneous", 1): (pytest.approx(0.7), 2),
        ("clean", None): (0.8, 1),
    }
    assert found["erroneous", 0]["low"] < 0.3 < found["erroneous", 0]["high"]


def test_dev_cases_are_left_out():
    cases = [Case(1, 0, (0.2,)), Case(1, 0, (0.4,))]
    evaluation = making.evaluation(cases).without(np.array([True, False]))
    row = at(aligned_rows(evaluation, everything(evaluation), 0))["erroneous", 0]
    assert (row["value"], row["n"]) == (0.4, 1)
    assert selecting.selected(selecting.beside(evaluation), row["where"]) == [1]


def test_without_rewards_the_reason_is_told():
    evaluation = critic([Case(2, 1), Case(2, -1)], [1, -1])
    rows = list(aligned_rows(evaluation, everything(evaluation)))
    assert {row["reason"] for row in rows} == {"a critic gives no step rewards for these cases"}
    clean = making.evaluation([Case(1, -1, (0.5,))])
    assert at(aligned_rows(clean, everything(clean)))["erroneous", 0]["reason"] == "no erroneous case has rewards"
    unlabelled = making.evaluation([Case(1, None, (0.5,))])
    reasons = {row["reason"] for row in aligned_rows(unlabelled, everything(unlabelled))}
    assert reasons == {"no case has both step rewards and gold labels"}
