import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
from reference import Case
from scoring.evaluation.case_breakpoints import case_floats, margins
from scoring.evaluation.verdicts import (
    NO_VERDICT,
    OUTCOMES,
    UNPARSED,
    UNSCORED,
    Rule,
    outcome_names,
    outcomes,
    verdicts,
    votes_as_given,
)
from thoroughness import up_to

BOTH = pytest.mark.parametrize("comparison", ["<", "<="])
SOME = up_to(80, 10)


def words(codes):
    return [OUTCOMES[code] for code in codes]


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_verdicts_outcomes_and_floats_are_those_of_every_case_one_by_one(cases, rule):
    found = making.evaluation(cases, *rule)
    predicted = [reference.verdict(case, *rule) for case in cases]
    assert found.verdicts.tolist() == [NO_VERDICT if one is None else one for one in predicted]
    assert words(found.codes) == [reference.outcome(case, *rule) for case in cases]
    for row, case in enumerate(cases):
        expected = reference.floats(case) or (math.nan,) * 3
        floats = (found.floats.before[row], found.floats.at[row], found.floats.all[row])
        assert floats == pytest.approx(expected, abs=0, rel=0, nan_ok=True)


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_the_two_ways_to_an_outcome_agree_and_every_case_has_one(cases, rule):
    found = making.evaluation(cases, *rule)
    by_verdict = outcomes(
        verdicts(found.rewards, found.rule),
        found.gold.earliest,
        found.gold.known,
        found.gold.n_steps,
        found.coverage.missing,
    )
    assert words(by_verdict) == words(found.codes)
    assert np.bincount(found.codes, minlength=len(OUTCOMES)).sum() == len(cases)
    assert outcome_names(found.codes).to_list() == words(found.codes)


@SOME
@given(cases=making.benches(), comparison=st.sampled_from(("<", "<=")))
def test_a_higher_threshold_never_moves_a_verdict_back(cases, comparison):
    found = making.evaluation(cases, -3.0, comparison)
    before = np.full(len(cases), np.inf)
    for threshold in (-3.0, *sorted(making.TIED), 3.0):
        now = verdicts(found.rewards, found.rule.at(threshold, "x"))
        step = np.where(now == -1, np.inf, now)[found.rewards.scored]
        assert (step <= before[found.rewards.scored]).all()
        before[found.rewards.scored] = step


@given(
    verdict=st.sampled_from((-2, -1, 0, 1, 2, 3, 4, 5, 99)),
    gold=st.sampled_from((None, -1, 0, 1, 2, 3, 4, 5)),
    n_steps=st.integers(0, 4),
)
def test_any_verdict_a_critic_may_give(verdict, gold, n_steps):
    has_gold = np.array([gold is not None])
    arrays = np.array([verdict]), np.array([-1 if gold is None else gold]), has_gold, np.array([n_steps])
    assert words(outcomes(*arrays, np.array([UNPARSED], np.uint8))) == [reference.outcome_of(verdict, gold, n_steps)]


@pytest.mark.parametrize(
    ("verdict", "gold", "word"),
    [
        (-2, 0, "early"),
        (-2, 3, "early"),
        (-2, -1, "false_alarm"),
        (4, 3, "late"),
        (4, -1, "false_alarm"),
        (4, 4, "late"),  # the label names a step that is not there: nobody can be exact
        (5, 6, "late"),
        (-1, 6, "missed"),
        (3, 6, "early"),
        (NO_VERDICT, 3, "unparsed"),
    ],
)
def test_verdicts_that_name_no_step_are_always_wrong(verdict, gold, word):
    found = outcomes(
        np.array([verdict]), np.array([gold]), np.array([True]), np.array([4]), np.array([UNPARSED], np.uint8)
    )
    assert words(found) == [word]


@BOTH
@pytest.mark.parametrize("reward", [0.7, making.FLOAT32, 0.1 + 0.2, -1.5, 0.0, -0.0, 5e-324])
def test_a_threshold_exactly_on_a_reward_decides_alike_in_python_numpy_and_polars(comparison, reward):
    rule = Rule(reward, comparison)
    expected = reference.is_wrong(reward, reward, comparison)
    column = pl.Series("r", [reward], dtype=pl.Float64)
    assert rule.wrong(np.array([reward])).tolist() == [expected]
    judged = pl.sql_expr(f"r {comparison} {reward!r}")
    assert column.to_frame().select(judged).to_series().to_list() == [expected]
    found = making.evaluation([Case(1, 0, (reward,)), Case(1, -1, (reward,))], reward, comparison)
    assert words(found.codes) == (["exact", "false_alarm"] if expected else ["missed", "clean"])


def test_a_float32_reward_is_compared_as_the_number_it_is():
    found = making.evaluation([Case(1, -1, (making.FLOAT32,))], 0.7)
    assert making.FLOAT32 < 0.7
    assert words(found.codes) == ["false_alarm"]


@BOTH
def test_a_lower_reward_before_the_gold_step_keeps_the_case_from_ever_being_exact(comparison):
    cases = [Case(3, 2, (0.2, 0.9, 0.4))]
    seen = {words(making.evaluation(cases, t, comparison).codes)[0] for t in (0.1, 0.2, 0.3, 0.4, 0.5, 0.9, 1.0)}
    assert seen == {"missed", "early"}
    assert making.evaluation(cases, 0.3, comparison).margins.tolist() == [-math.inf]


@BOTH
def test_gold_at_the_first_step_is_never_early(comparison):
    cases = [Case(2, 0, (0.5, 0.1))]
    assert words(making.evaluation(cases, 0.3, comparison).codes) == ["late"]
    assert words(making.evaluation(cases, 9.0, comparison).codes) == ["exact"]


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_margins_are_the_nearest_threshold_that_changes_right_or_wrong(cases, rule):
    found = making.evaluation(cases, *rule)
    expected = [reference.margin(case, *rule) for case in cases]
    expected = [math.nan if one is None else one for one in expected]
    assert found.margins.tolist() == pytest.approx(expected, abs=1e-15, rel=1e-12, nan_ok=True)


@SOME
@given(cases=making.benches(making.COARSE), rule=making.rules(making.COARSE))
def test_just_inside_the_margin_nothing_flips_and_just_outside_something_does(cases, rule):
    threshold, comparison = rule
    for case, margin in zip(cases, making.evaluation(cases, *rule).margins, strict=True):
        if math.isnan(margin):
            continue
        now = reference.is_right(case, threshold, comparison)
        inside, outside = (
            [reference.is_right(case, threshold + sign * (abs(margin) + slack), comparison) for sign in (-1, 1)]
            for slack in (-1e-9, 1e-9)
        )
        if math.isinf(margin):
            assert not any(reference.is_right(case, t, comparison) for t in reference.thresholds([case]))
            continue
        assert (now, margin >= 0 if now else margin <= 0) == (now, True)
        assert margin == 0 or inside == [now, now]
        assert (not now) in outside


def test_margins_need_an_outcome_only():
    floats = case_floats(making.evaluation([Case(2)]).rewards, np.array([-1]))
    assert np.isnan(margins(floats, np.array([UNSCORED], np.uint8), 0.5)).all()


def test_a_rule_says_what_it_does_and_where_its_threshold_came_from():
    rule = Rule(0.5).at(np.float64(0.25), "best")
    assert (rule.threshold, type(rule.threshold), rule.comparison, rule.source) == (0.25, float, "<", "best")
    assert "reward <= threshold" in str(Rule(0.5, "<="))


def test_one_answer_is_no_vote():
    assert votes_as_given(1).source == "verdicts as given"
    assert votes_as_given(2).source == "verdicts as given (vote of 2)"
