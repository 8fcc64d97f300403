"""A threshold on differences of neighbouring rewards decides as one on rewards that are those differences."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
import reference
import step_making
import step_reference
from reference import Case
from scoring.data.errors import UsageError
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.instructive import instructive
from scoring.evaluation.measures import rewards_at_gold
from scoring.evaluation.single_case import judged_wrong
from scoring.evaluation.verdicts import OUTCOMES, ProvidedVerdicts, Rule
from scoring.metrics.deciding import dev_tuned
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.step_family import step_family
from scoring.metrics.step_labels import step_rows
from scoring.metrics.threshold_curves import metric_curve
from thoroughness import up_to

VALUES = (0.0, 0.25, 0.3, 0.35, 0.5, making.FLOAT32, 0.7, 1.0)
"""Rewards whose differences often meet: 0.3 - 0.35 is a float beside -0.05."""
RULES = st.tuples(st.sampled_from((-0.05, 0.3 - 0.35, -0.5, -0.2, 0.0, 0.25, 1.0)), st.sampled_from(("<", "<=")))
SOME = up_to(80, 7)


def falls(case):
    """The case with each reward less the one before in the place of its rewards."""
    rewards = reference.usable(case)
    if rewards is None:
        return case
    later = [rewards[step] - rewards[step - 1] for step in range(1, len(rewards))]
    return replace(case, rewards=(rewards[0], *later))


def decided(cases, threshold, comparison, **settings):
    rule = Rule(threshold, comparison, "chosen", "differences")
    return evaluate(Gold(making.frame(cases)), making.scorer(**settings), making.rewards(cases), rule)


def same(found, expected):
    return np.isnan(found) if expected is None else found == expected


@SOME
@given(cases=making.benches(VALUES), rule=RULES)
def test_verdicts_outcomes_steps_and_floats_are_those_of_the_differences(cases, rule):
    found, plain = decided(cases, *rule), [falls(case) for case in cases]
    assert [OUTCOMES[code] for code in found.codes] == [reference.outcome(case, *rule) for case in plain]
    for row, case in enumerate(plain):
        floats, rewards = reference.floats(case), reference.usable(case)
        sides = (found.floats.before[row], found.floats.at[row], found.floats.all[row])
        assert all(map(same, sides, floats or (None,) * 3))
        wrong = None if rewards is None else [reference.is_wrong(value, *rule) for value in rewards]
        assert judged_wrong(found, row) == wrong
        assert found.rewards.of(row) == reference.usable(cases[row])
        assert found.compared_values.of(row) == rewards
        accuracy = reference.step_accuracy(case, *rule)
        assert same(found.step_accuracies[row], accuracy)
        assert found.rule.threshold_of(row) == rule[0]


@SOME
@given(cases=making.benches(VALUES), rule=RULES)
def test_margins_and_the_instructive_order_are_those_of_the_differences(cases, rule):
    found, other = decided(cases, *rule), making.evaluation([falls(case) for case in cases], *rule)
    assert np.array_equal(found.margins, other.margins, equal_nan=True)
    assert np.array_equal(instructive(found.margins, found.codes), instructive(other.margins, other.codes))
    at_gold = [
        case.rewards[case.gold]
        if reference.usable(case) is not None and case.gold is not None and 0 <= case.gold < case.n_steps
        else np.nan
        for case in cases
    ]
    assert np.array_equal(rewards_at_gold(found.rewards, found.gold), at_gold, equal_nan=True)


@SOME
@given(cases=making.benches(VALUES), rule=RULES, other=RULES)
def test_however_it_is_reached_a_rule_decides_alike(cases, rule, other):
    start = making.evaluation(cases, *other)
    wanted = decided(cases, *rule)
    moved = start.compared(rule[1], "differences").at(rule[0])
    for found in (moved, decided(cases, *other).compared(rule[1]).at(rule[0])):
        assert found.codes.tolist() == wanted.codes.tolist()
        assert found.judged_steps.wrong.tolist() == wanted.judged_steps.wrong.tolist()
    if start.rule.is_movable:
        back = moved.compared(other[1], "rewards").at(other[0])
        assert back.codes.tolist() == start.codes.tolist()
        assert np.array_equal(back.margins, start.margins, equal_nan=True)


@up_to(50, 6)
@given(cases=making.balanced(VALUES), comparison=st.sampled_from(("<", "<=")))
def test_the_curve_of_f1_is_that_of_evaluating_at_every_difference(cases, comparison):
    found, plain = decided(cases, 0.0, comparison), [falls(case) for case in cases]
    curve = metric_curve(FIRST_ERRORS, found, np.ones(len(cases), dtype=bool))
    for threshold, f1 in zip(curve.thresholds.tolist(), curve.score.tolist(), strict=True):
        expected = reference.metrics(plain, threshold, comparison)["average", "f1"]
        assert same(f1, expected) or f1 == pytest.approx(expected)
    best = curve.best
    assert (best and best[1]) == pytest.approx(reference.best_f1(plain, comparison))


@up_to(50, 5)
@given(items=step_making.items(min_size=1), rule=RULES)
def test_figures_of_steps_and_their_curve_are_those_of_the_differences(items, rule):
    found = step_making.evaluation(items).compared(rule[1], "differences").at(rule[0])
    plain = [replace(item, case=falls(item.case)) for item in items]
    rows = np.ones(len(items), dtype=bool)
    expected = step_reference.table(plain, *rule, None)
    for row in step_rows(found, rows, step_making.FACTS):
        key = row["subset"], row["metric"]
        if key in expected:
            assert row["value"] == pytest.approx(expected[key])
    curve = metric_curve(step_family(step_making.FACTS), found, rows, whole="all")
    for threshold, counts in zip(curve.thresholds.tolist(), step_making.counted(curve).tolist(), strict=True):
        told = step_reference.counts(plain, threshold, rule[1], None)
        assert counts == [told[name] for name in ("TP", "FN", "FP", "TN")]


def test_the_first_step_is_held_against_the_threshold_itself():
    found = decided([Case(2, 0, (-0.1, 0.9)), Case(3, 2, (0.5, 0.46, 0.4)), Case(1, -1, (0.0,))], -0.05, "<=")
    assert found.verdicts.tolist() == [0, 2, -1]
    assert found.compared_values.of(1) == [0.5, 0.46 - 0.5, 0.4 - 0.46]


def test_a_difference_on_the_threshold_is_wrong_under_one_boundary_alone():
    cases = [Case(2, 1, (0.5, 0.25))]
    assert decided(cases, -0.25, "<=").verdicts.tolist() == [1]
    assert decided(cases, -0.25, "<").verdicts.tolist() == [-1]


def test_twins_are_decided_on_what_the_cases_are_decided_on():
    item = step_reference.Step(Case(2, 1, (0.9, 0.1), "", "circular", (1,)), "circular")
    found = step_making.evaluation([item]).compared("<=", "differences")
    twins = step_making.twins(found.gold.cases, [Case(2, -1, (0.9, 0.88))])
    rows = {row["metric"]: row["value"] for row in step_rows(found, np.array([True]), step_making.FACTS, twins)}
    # The twin's rate is 1, the case's a half; on rewards alone both steps of the twin would be right too.
    assert rows["similarity"] == 0.5
    assert judged_wrong(decided([Case(2, -1, (0.9, 0.5))], -0.05, "<="), 0) == [False, True]


def test_defaults_are_of_what_is_compared():
    cases = [Case(2, 1, (0.9, 0.2))]
    start = making.evaluation(cases, 0.7)
    assert start.default == (0.5, "default")
    falling = start.compared("<=", "differences")
    assert falling.rule == Rule(-0.05, "<=", "PRMBench's toolkit", "differences")
    assert falling.at(0.3).at_default().rule == falling.rule
    assert falling.compared("<").rule.threshold == -0.05
    assert falling.at(0.3).compared("<").rule.threshold == 0.3
    assert falling.compared("<", "rewards").rule == Rule(0.5, "<", "default")


def test_a_scorer_may_be_on_differences_by_itself():
    cases = [Case(2, 1, (0.9, 0.2))]
    own = Scorer("s", "f" * 16, threshold=-0.1, threshold_source="its file", comparison="<=", on="differences")
    found = evaluate(Gold(making.frame(cases)), own, making.rewards(cases))
    assert found.rule == Rule(-0.1, "<=", "its file", "differences")
    assert found.at(0.2).at_default().rule == found.rule
    assert found.compared("<", "rewards").default == (0.5, "default")


def test_what_is_tuned_by_subset_is_on_differences_too():
    rng = np.random.default_rng(0)
    cases = [
        Case(3, -1 if index % 2 else 1, tuple(float(value) for value in rng.choice(VALUES, 3))) for index in range(90)
    ]
    found, other = decided(cases, -0.05, "<="), making.evaluation([falls(case) for case in cases], -0.05, "<=")
    tuned, expected = dev_tuned(found, 0), dev_tuned(other, 0)
    assert tuned.rule.on == "differences"
    assert dict(tuned.rule.by_subset) == dict(expected.rule.by_subset)
    assert tuned.codes.tolist() == expected.codes.tolist()
    assert tuned.rule.of(0).on == "differences"
    assert "its reward less that of the step before" in str(tuned.rule)


def test_labels_as_given_have_no_differences_to_move():
    cases = making.frame([Case(2, -1)])
    labels = making.rewards([Case(2, -1, (0.5, 0.6))]).with_columns(labels=pl.Series([[True, False]]))
    found = evaluate(Gold(cases), making.scorer(), labels)
    assert isinstance(found.rule, ProvidedVerdicts)
    with pytest.raises(UsageError, match="no threshold to set"):
        found.compared("<=", "differences")
