import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import reference
import step_making
import step_reference
from reference import Case
from scoring.metrics.aligned import STEPS_PAIRED, align_steps
from scoring.metrics.paired import official_comparison_rows
from scoring.metrics.shared_draws import official_values
from scoring.metrics.step_labels import PooledSteps, step_rows
from scoring.metrics.step_metrics import PRMSCORE
from step_making import FACTS
from step_reference import Step
from thoroughness import up_to

LEVEL = {"threshold": 0.5, "comparison": "<=", "redundancy": 0.3}


def lineup_of(*scorers, problems=None):
    """Scorers a, b, c... each with its items: the same cases and gold labels."""
    found = [
        step_making.evaluation(items, problems=problems, name="abcdef"[place], redundancy_threshold=0.3)
        for place, items in enumerate(scorers)
    ]
    return align_steps(found, np.ones(found[0].codes.size, dtype=bool), FACTS)


def rows_of(*scorers, problems=None, seed=0):
    rows = official_comparison_rows(lineup_of(*scorers, problems=problems), seed)
    return {(row["scorer"], row["other"], row["metric"]): row for row in rows}


def standing(rows, scorer, metric):
    (found,) = (row for key, row in rows.items() if (key[0], key[2]) == (scorer, metric))
    return found


def step(rewards, wrong=(), name="counterfactual"):
    return Step(Case(len(rewards), min(wrong, default=-1), tuple(rewards), "", name, tuple(wrong)), name)


def judged(item):
    """Whether its steps are judged, and one of them has a gold label."""
    labels = [reference.step_label(item.case, at) for at in range(item.case.n_steps)]
    return reference.usable(item.case) is not None and any(label is not None for label in labels)


def score(items, metric="prmscore"):
    return step_reference.figures(items, **LEVEL)[metric]


def study(n=60, seed=1):
    """Two scorers' items, of which the first is the better, and each case's problem: several cases share one."""
    rng, pair = random.Random(seed), ([], [])
    for index in range(n):
        name = step_making.CLASSES[index % len(step_making.CLASSES)]
        wrong = () if name == step_reference.ALONE else (rng.randrange(4),)
        for items, skill in zip(pair, (0.8, 0.6), strict=True):
            low = [(at in wrong) == (rng.random() < skill) for at in range(4)]
            items.append(step([0.1 if at else 0.9 for at in low], wrong, name))
    return (*pair, [index // 3 for index in range(n)])


@st.composite
def two(draw):
    """Items of two scorers on the same cases: the second's rewards are its own, or it has none."""
    items = draw(step_making.items(min_size=1))
    other = []
    for item in items:
        rewards = tuple(draw(st.sampled_from(step_making.VALUES)) for _ in range(item.case.n_steps))
        choices = [
            item,
            replace(item, case=replace(item.case, rewards=rewards, refused=""), numbers=None),
            replace(item, case=replace(item.case, rewards=None, refused="over length"), numbers=None, labels=None),
            replace(item, case=replace(item.case, rewards=None, refused=""), numbers=None, labels=None),
        ]
        other.append(draw(st.sampled_from(choices)))
    return items, other


@up_to(60, 8)
@given(two())
def test_a_difference_is_what_plain_counting_on_the_common_cases_gives(both):
    one, other = both
    there = [(judged(left), judged(right)) for left, right in zip(one, other, strict=True)]
    common = [[item for item, marks in zip(items, there, strict=True) if all(marks)] for items in both]
    rows = rows_of(one, other)
    for metric in ("prmscore", "positive_acc", "negative_acc"):
        row = rows["a", "b", f"{metric}_difference"]
        left, right = (score(items, metric) for items in common)
        assert row["n"] == len(common[0])
        assert row["left_out"] == sum(any(marks) and not all(marks) for marks in there)
        assert (row["value"] is None) == (left is None or right is None) == bool(row["reason"])
        if row["value"] is not None:
            assert row["value"] == pytest.approx(left - right, abs=1e-12)
    if any(left for left, _ in there) and any(right for _, right in there):
        for name, items in zip("ab", common, strict=True):
            assert rows[name, None, "prmscore"]["value"] == pytest.approx(score(items), abs=1e-12)


@up_to(30, 5)
@given(two())
def test_a_null_has_a_reason_and_a_value_has_none(both):
    for row in rows_of(*both).values():
        assert (row["value"] is None) == bool(row["reason"])
        assert (row["low"] is None) == (row["high"] is None)
        assert row["p"] is row["p_holm"] is None
        assert row["subset"] == "all"


def test_the_interval_is_that_of_drawing_whole_problems_for_both_scorers_at_once():
    one, other, problems = study()
    row = rows_of(one, other, problems=problems)["a", "b", "prmscore_difference"]
    rng, draws = random.Random(5), []
    for _ in range(600):
        drawn = [rng.randrange(20) for _ in range(20)]
        cases = [index for problem in drawn for index, of in enumerate(problems) if of == problem]
        draws.append(score([one[index] for index in cases]) - score([other[index] for index in cases]))
    low, high = np.quantile(draws, [0.025, 0.975])
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=0.025)
    assert row["value"] == pytest.approx(score(one) - score(other))
    assert row["low"] < row["value"] < row["high"]


def test_cases_of_one_problem_come_together():
    """Three identical cases a problem say no more than one does: the interval is as wide as that of a third of them."""
    one, other, _ = study(n=40)
    few = rows_of(one, other, problems=range(40))["a", "b", "prmscore_difference"]
    many = rows_of(one * 3, other * 3, problems=[*range(40)] * 3)["a", "b", "prmscore_difference"]
    assert (many["n"], few["n"]) == (120, 40)
    assert (many["low"], many["high"]) == pytest.approx((few["low"], few["high"]), abs=0.03)
    assert many["value"] == pytest.approx(few["value"])


def test_swapping_flips_signs_and_a_scorer_is_as_good_as_itself():
    one, other, problems = study()
    there = rows_of(one, other, problems=problems)["a", "b", "prmscore_difference"]
    back = rows_of(other, one, problems=problems)["a", "b", "prmscore_difference"]
    assert (there["value"], there["low"]) == pytest.approx((-back["value"], -back["high"]), abs=1e-12)
    same = rows_of(one, one, problems=problems)
    assert [same["a", "b", "prmscore_difference"][name] for name in ("value", "low", "high")] == [0, 0, 0]
    assert standing(same, "b", "prmscore_tied_with_best")["value"] == 1


def test_a_pair_by_hand():
    """Of three right steps and one wrong one, `a` has all right; `b` calls one right step wrong: F1s 4/5 and 2/3."""
    rows = rows_of([step([0.9, 0.9, 0.1, 0.9], (2,))], [step([0.1, 0.9, 0.1, 0.9], (2,))])
    row = rows["a", "b", "prmscore_difference"]
    assert row["value"] == pytest.approx(1 - (4 / 5 + 2 / 3) / 2)
    assert rows["a", "b", "positive_acc_difference"]["value"] == pytest.approx(1 / 3)
    assert rows["a", "b", "negative_acc_difference"]["value"] == 0
    assert (row["n"], row["left_out"], row["note"]) == (1, 0, "small n: fewer than 20 cases")
    assert standing(rows, "b", "prmscore_behind_best")["value"] == pytest.approx(-row["value"])


def test_the_best_is_far_ahead_and_scorers_without_a_judgement_are_set_aside():
    one, other, problems = study(n=90)
    nothing = [replace(item, case=replace(item.case, rewards=None)) for item in one]
    rows = rows_of(other, nothing, one, problems=problems)
    assert standing(rows, "a", "prmscore_behind_best")["other"] == "c"
    assert standing(rows, "a", "prmscore_tied_with_best")["value"] == 0
    assert standing(rows, "c", "prmscore_tied_with_best")["value"] == 1
    assert standing(rows, "b", "prmscore")["reason"] == "b: no case was scored"
    assert rows["a", "b", "prmscore_difference"]["reason"] == "b: no case was scored"
    assert rows["a", "c", "prmscore_difference"]["n"] == 90


def test_one_scorer_alone_is_not_the_best():
    one, _, _ = study(n=12)
    nothing = [replace(item, case=replace(item.case, rewards=None)) for item in one]
    rows = rows_of(one, nothing)
    for metric in ("prmscore_behind_best", "prmscore_tied_with_best"):
        assert (standing(rows, "a", metric)["value"], standing(rows, "a", metric)["reason"]) == (
            None,
            "nothing to compare with: no other scorer has a PRMScore here",
        )
    assert standing(rows, "a", "prmscore")["value"] == pytest.approx(score(one))
    silent = rows_of([step([0.9, 0.9], (1,))] * 3, [step([0.9, 0.9], (1,))] * 3)
    assert standing(silent, "a", "prmscore_tied_with_best")["reason"] == "PRMScore is undefined for every scorer"
    assert silent["a", "b", "prmscore_difference"]["reason"] == "a: no step was judged wrong"


def test_the_draws_are_those_of_the_metrics():
    """With a scorer that has every step right beside it, the difference is as uncertain as the other's PRMScore."""
    one, _, problems = study()
    perfect = [
        step([0.1 if at in item.case.error_steps else 0.9 for at in range(4)], item.case.error_steps, item.name)
        for item in one
    ]
    row = rows_of(one, perfect, problems=problems)["a", "b", "prmscore_difference"]
    alone = step_making.evaluation(one, problems=problems, redundancy_threshold=0.3)
    low, high = PooledSteps.of(alone, np.ones(60, dtype=bool), FACTS).interval(PRMSCORE, 0)
    assert (row["low"] + 1, row["high"] + 1) == pytest.approx((low, high), abs=1e-12)
    assert "whole problems" in STEPS_PAIRED


def test_official_values_name_who_judged_anything():
    one, other, _ = study(n=12)
    nothing = [replace(item, case=replace(item.case, rewards=None)) for item in one]
    assert official_values(lineup_of(one, nothing, other)) == pytest.approx({"a": score(one), "c": score(other)})
    assert official_values(lineup_of(nothing, nothing)) == {}


# -- one figure has one interval


def unjudged(items):
    """The same with each fifth case as a scorer that tried it and gave nothing readable."""
    return [
        replace(item, case=replace(item.case, rewards=None, refused="unreadable")) if at % 5 == 0 else item
        for at, item in enumerate(items)
    ]


def test_a_figure_of_steps_has_one_interval_in_tables_of_classes_and_beside_others():
    items, other, problems = study()
    items = unjudged(items)
    found = step_making.evaluation(items, problems=problems, redundancy_threshold=0.3)
    rows = np.ones(found.codes.size, dtype=bool)
    lines = {
        (row["subset"], row["metric"]): (row["value"], row["low"], row["high"]) for row in step_rows(found, rows, FACTS)
    }
    # Of all steps, as a comparison with who judged more has it.
    beside = standing(rows_of(items, other, problems=problems), "a", "prmscore")
    assert (beside["value"], beside["low"], beside["high"]) == lines["all", "prmscore"]
    # Of a class, and of a category, as where its cases are the only ones.
    classes = found.gold.cases["error_type"]
    for name, members in (("confidence", ["confidence"]), ("Simplicity", ["redundency", "circular"])):
        alone = step_rows(found, rows & classes.is_in(members).to_numpy(), FACTS)
        for row in alone:
            line = lines.get((name, row["metric"]))
            if row["subset"] == name and row["value"] is not None:
                assert (row["value"], row["low"], row["high"]) == line
