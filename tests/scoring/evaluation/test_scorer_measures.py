import math

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import judged
import making
import reference
from reference import Case
from scoring.data.schema import REWARDS
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.scorer_columns import MEASURES
from thoroughness import up_to


def slowly(case, margin):
    rewards, gold = reference.usable(case), case.gold
    drop = None
    if rewards and gold is not None and 0 < gold < len(rewards):
        drop = rewards[gold - 1] - rewards[gold]
    floats = reference.floats(case) or (None,) * 3
    return {
        "abs_margin": None if margin is None else abs(margin),
        "lowest_reward": min(rewards, default=None) if rewards else None,
        "drop_at_gold": drop,
        "solution": None,
        "decision_distance": None if rewards is None else abs(min(rewards) - 0.5),
        **dict(zip(("lowest_before_gold", "lowest_to_gold", "lowest_compared"), floats, strict=True)),
    }


@up_to(100, 12)
@given(making.benches())
def test_measures_are_what_going_through_the_steps_gives(cases):
    one = making.evaluation(cases)
    expected = [slowly(case, margin) for case, margin in zip(cases, columns_of(one)["scorer.margin"], strict=True)]
    for name, dtype in MEASURES.items():
        found = one.column(name)
        assert (found.name, found.dtype) == (f"scorer.{name}", dtype)
        for value, row in zip(found, expected, strict=True):
            assert value == row[name] or math.isclose(value, row[name])


def differences(case):
    """What a rule on differences compares."""
    rewards = reference.usable(case)
    return rewards and [after - before for before, after in zip((0.0, *rewards), rewards, strict=False)]


@up_to(100, 8)
@given(making.benches(), st.sampled_from(making.TIED))
def test_distances_are_of_what_the_rule_compares_and_never_of_gold(cases, threshold):
    one = making.evaluation(cases).compared("<=", "differences").at(threshold)
    blind = making.evaluation([replace(case, gold=-1, error_steps=None) for case in cases], threshold)
    lowest = [None if (compared := differences(case)) is None else min(compared) for case in cases]
    assert one.column("lowest_compared").to_list() == lowest
    distances = [None if value is None else abs(value - threshold) for value in lowest]
    assert one.column("decision_distance").to_list() == distances
    assert blind.column("decision_distance").equals(
        making.evaluation(cases, threshold).column("decision_distance"), null_equal=True
    )


def test_each_case_is_as_far_as_its_own_threshold_and_dev_cases_have_no_distance():
    cases = [Case(2, 1, (0.9, 0.25)), Case(2, -1, (0.9, 0.25)), Case(1, 0, (0.5,))]
    one = making.evaluation(cases)
    by_case = one.by_case(np.array([0.5, 0.25, 0.125]), {}, "dev").without(np.array([True, False, False]))
    assert by_case.column("decision_distance").to_list() == [None, 0, 0.375]
    assert by_case.column("lowest_to_gold").to_list() == [None, 0.25, 0.5]


def test_a_scorer_without_a_threshold_has_no_distance():
    told = judged.votes(making.frame([Case(2, 1)])["key"], [["1"]])
    one = evaluate(Gold(making.frame([Case(2, 1)])), making.scorer(), pl.DataFrame(schema=REWARDS), votes=told)
    assert one.column("outcome").to_list() == ["exact"]
    assert one.column("decision_distance").to_list() == one.column("lowest_compared").to_list() == [None]
