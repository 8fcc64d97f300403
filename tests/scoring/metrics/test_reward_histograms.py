import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import force_setattr

import making
import reference
import selecting
from judged import critic
from reference import Case
from scoring.metrics.reward_bins import RewardBins, reward_bins
from scoring.metrics.separation import STEP_CLASSES, case_histogram, step_histogram
from thoroughness import up_to


def everything(evaluation):
    return np.ones(evaluation.codes.size, dtype=bool)


def classes(case):
    """The class of each step."""
    if case.gold < 0:
        return ["clean"] * case.n_steps
    return ["before" if step < case.gold else "at" if step == case.gold else "after" for step in range(case.n_steps)]


def separated(high, low):
    if not high or not low:
        return None
    return sum(1 if a > b else 0.5 if a == b else 0 for a, b in product(high, low)) / len(high) / len(low)


def inside(value, row, last):
    return row["reward_from"] <= value and (value < row["reward_to"] or (value == row["reward_to"] == last))


@up_to(80, 10)
@given(cases=making.benches(), taken=st.lists(st.booleans(), min_size=10, max_size=10), bins=st.integers(1, 7))
def test_counts_are_what_going_through_the_cases_gives_and_conditions_select_them(cases, taken, bins):
    evaluation, mask = making.evaluation(cases), np.array(taken[: len(cases)], dtype=bool)
    edges = reward_bins(evaluation, bins)
    lowest, steps = {"erroneous": [], "clean": []}, {name: [] for name in STEP_CLASSES}
    for case, within in zip(cases, mask, strict=True):
        rewards = reference.usable(case)
        if within and rewards is not None and case.gold is not None:
            lowest["clean" if case.gold < 0 else "erroneous"].append(min(rewards))
            for reward, name in zip(rewards, classes(case), strict=True):
                steps[name].append(reward)
    frame, last = selecting.beside(evaluation), edges.edges[-1]
    for make, held in ((case_histogram, lowest), (step_histogram, steps)):
        *bars, auroc = make(evaluation, mask, edges)
        assert len(bars) == bins * len(held)
        for row in bars:
            own = held[row["side"]]
            expected = sum(inside(value, row, last) for value in own)
            assert (row["value"], row["n"]) == (expected if own else None, len(own))
            assert bool(row["reason"]) == (not own)
            assert (row["where"] is None) == (make is step_histogram)
            if row["where"]:
                assert sum(mask[selecting.selected(frame, row["where"])]) == expected
        for side, own in held.items():
            assert sum(row["value"] or 0 for row in bars if row["side"] == side) == len(own)
        high, low = (
            (held["clean"], held["erroneous"])
            if make is case_histogram
            else (held["clean"] + held["before"], held["at"])
        )
        expected = separated(high, low)
        assert auroc["metric"] == "auroc"
        assert auroc["n"] == len(high) + len(low)
        here = selecting.selected(frame, auroc["where"]) if make is case_histogram else []
        assert sum(mask[here]) == (auroc["n"] if make is case_histogram else 0)
        assert (auroc["value"] is None) == (expected is None) == bool(auroc["reason"])
        assert expected is None or math.isclose(auroc["value"], expected)


@up_to(100, 6)
@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.integers(1, 40), st.data())
def test_any_edge_can_be_said_in_sql(one, other, bins, data):
    low, high = min(one, other), max(one, other)
    cases = [Case(1, -1, (value,)) for value in (low, high, data.draw(st.floats(low, high)))]
    evaluation = making.evaluation(cases)
    bins = reward_bins(evaluation, bins)
    frame = selecting.beside(evaluation)
    places = bins.of(np.array([case.rewards[0] for case in cases]))
    for number in range(bins.size):
        where = bins.sql(number, '"scorer.lowest_reward"')
        assert selecting.selected(frame, where) == np.flatnonzero(places == number).tolist()


def test_the_bins_are_over_the_scorers_range_and_whatever_lies_beyond_it():
    inner = making.evaluation([Case(1, -1, (0.5,))])
    assert reward_bins(inner, 4).edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    beyond = making.evaluation([Case(2, -1, (-1.0, 3.0))])
    assert reward_bins(beyond, 2).edges.tolist() == [-1, 1, 3]
    assert reward_bins(critic([Case(1, -1)], [0]), 1).edges.tolist() == [0, 1]
    flat = making.evaluation([Case(1, -1, (2.0,))])
    force_setattr(flat.scorer, "low", 2.0)
    force_setattr(flat.scorer, "high", 2.0)
    assert reward_bins(flat, 2).edges.tolist() == [1.5, 2, 2.5]
    assert RewardBins(np.array([0, 0.5, 1])).counts(np.array([0, 0.5, 1, 1])).tolist() == [1, 3]


def test_without_rewards_or_a_side_the_reason_is_told():
    silent = critic([Case(2, 1), Case(2, -1)], [1, -1])
    for make in (case_histogram, step_histogram):
        reasons = {row["reason"] for row in make(silent, everything(silent))}
        assert reasons == {"a critic gives no step rewards for these cases"}
    clean = making.evaluation([Case(1, -1, (0.5,))])
    assert list(case_histogram(clean, everything(clean)))[-1]["reason"] == "no erroneous case has rewards"
    assert list(step_histogram(clean, everything(clean)))[-1]["reason"] == "no step at an earliest error has a reward"
    first = making.evaluation([Case(1, 0, (0.5,))])
    assert list(step_histogram(first, everything(first)))[-1]["reason"] == "no right step has a reward"


def test_equal_rewards_stand_in_one_bin_and_separate_nothing():
    evaluation = making.evaluation([Case(1, -1, (1.0,)), Case(1, 0, (1.0,))])
    *bars, auroc = case_histogram(evaluation, everything(evaluation))
    assert [row["value"] for row in bars] == [*[0] * 19, 1] * 2
    assert (auroc["value"], auroc["low"], auroc["small"]) == (pytest.approx(0.5), None, True)
