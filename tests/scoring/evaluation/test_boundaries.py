"""A reward that equals the threshold is wrong under `<=` and right under `<`, in every path to a verdict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
from reference import Case
from scoring.data.errors import UsageError
from scoring.data.schema import REWARDS
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.single_case import judged_wrong
from scoring.evaluation.verdicts import NO_VERDICT
from thoroughness import up_to

BOTH = pytest.mark.parametrize("comparison", ["<", "<="])


def agrees(found, cases, thresholds, comparison):
    """Floats, verdicts, steps and margins against one case at a time."""
    outcomes = columns_of(found)["scorer.outcome"]
    for row, (case, threshold) in enumerate(zip(cases, thresholds, strict=True)):
        assert outcomes[row] == reference.outcome(case, threshold, comparison)
        verdict = reference.verdict(case, threshold, comparison)
        assert found.verdicts[row] == (NO_VERDICT if verdict is None else verdict)
        rewards = reference.usable(case)
        wrong = None if rewards is None else [reference.is_wrong(reward, threshold, comparison) for reward in rewards]
        assert judged_wrong(found, row) == wrong
        accuracy = reference.step_accuracy(case, threshold, comparison)
        assert found.step_accuracies[row] == pytest.approx(np.nan if accuracy is None else accuracy, nan_ok=True)


@up_to(60, 8)
@given(cases=making.benches(), comparison=st.sampled_from(("<", "<=")), data=st.data())
def test_a_threshold_on_a_reward_is_decided_as_the_comparison_says(cases, comparison, data):
    rewards = [reward for case in cases for reward in reference.usable(case) or ()]
    threshold = data.draw(st.sampled_from(rewards or [0.5]))
    found = making.evaluation(cases, threshold, "<").compared(comparison)
    assert (found.rule.threshold, found.rule.comparison) == (threshold, comparison)
    agrees(found, cases, [threshold] * len(cases), comparison)


@up_to(60, 8)
@given(cases=making.benches(), comparison=st.sampled_from(("<", "<=")), data=st.data())
def test_so_is_a_threshold_of_each_case(cases, comparison, data):
    thresholds = [data.draw(st.sampled_from(making.TIED)) for _ in cases]
    found = making.evaluation(cases, 0.5, comparison).by_case(np.array(thresholds), {}, "test")
    agrees(found, cases, thresholds, comparison)
    assert found.rule.threshold is None
    assert not found.rule.is_movable


@up_to(30, 5)
@given(cases=making.benches(), rule=making.rules())
def test_one_threshold_for_every_case_is_that_threshold(cases, rule):
    one = making.evaluation(cases, *rule)
    many = one.by_case(np.full(len(cases), rule[0]), {}, "test")
    assert columns_of(many).equals(columns_of(one))


@up_to(30, 5)
@given(cases=making.benches(), rule=making.rules(), data=st.data())
def test_cases_that_are_left_out_are_in_no_count_and_the_others_are_as_they_were(cases, rule, data):
    out = np.array([data.draw(st.booleans()) for _ in cases])
    whole = making.evaluation(cases, *rule)
    found = whole.without(out)
    gone = out & whole.coverage.tried
    assert (columns_of(found)["scorer.outcome"] == "dev").to_list() == gone.tolist()
    assert found.coverage.left_out == gone.sum()
    assert not (found.coverage.tried & gone).any()
    kept = columns_of(found).filter(making.pl.Series(~gone))
    assert kept.equals(columns_of(whole).filter(making.pl.Series(~gone)))
    assert np.array_equal(found.at(0.4).codes, whole.at(0.4).codes)


@BOTH
def test_by_hand(comparison):
    cases = [Case(2, 1, (0.7, 0.5)), Case(1, -1, (0.5,)), Case(1, -1, (making.FLOAT32,))]
    at_a_half = columns_of(making.evaluation(cases, 0.5).compared(comparison))["scorer.outcome"].to_list()
    assert at_a_half == (["missed", "clean", "clean"] if comparison == "<" else ["exact", "false_alarm", "clean"])
    # 0.7 as a float32 is less than 0.7, whatever the comparison.
    at_seven = columns_of(making.evaluation(cases, 0.7).compared(comparison))["scorer.outcome"].to_list()
    assert at_seven == [("exact" if comparison == "<" else "early"), "false_alarm", "false_alarm"]


def test_without_a_threshold_there_is_nothing_to_compare_with():
    cases = [Case(1, -1, (0.5,))]
    labels = making.rewards(cases).with_columns(labels=making.pl.Series([[True]]), rewards=None).cast(REWARDS)
    found = evaluate(Gold(making.frame(cases)), making.scorer(), labels)
    with pytest.raises(UsageError, match="labels as given"):
        found.compared("<=")
    assert found.at_default() is found
