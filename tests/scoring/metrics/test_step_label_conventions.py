"""Every convention of PRMBench's toolkit has a test of a few steps, written by hand; and those of label lists are here.

Loading (tests/scoring/formats/benchmarks/test_prmbench.py)
    the first row of a key counts: test_of_two_rows_of_one_key_the_first_is_the_case
    twins: test_a_redundency_case_has_a_twin, test_a_repeated_row_has_no_second_twin
    which question: test_the_modified_question_is_what_is_scored
Counting (test_step_labels.py beside this file)
    TP, FN, FP, TN and PRMScore: test_a_right_step_is_positive_and_prmscore_is_the_mean_of_both_f1s
    `= t` is wrong: test_a_reward_on_the_threshold_is_wrong_under_the_rule_of_the_benchmark
    First: test_first_is_about_the_lowest_wrong_step_whatever_becomes_of_the_others
    gold steps beyond the last one: test_wrong_steps_beyond_the_last_one_are_never_visited
    steps pooled in a class and overall, categories averaged:
        test_steps_are_pooled_in_a_class_and_classes_are_averaged_in_a_category_and_pooled_overall
    multi_solutions is F1 alone: test_the_cell_of_a_class_without_a_wrong_step_is_the_f1_of_right_steps_alone
    "not redundant" for "right", not for Socratic-PRMBench: test_not_redundant_replaces_right_where_the_scorer_says_so
    -1 for an empty denominator: test_official_figures_say_minus_one_for_an_empty_denominator
    invalid outputs: test_invalid_outputs_are_dropped_and_lower_the_validity_rate
    similarity, a twin whose rate is 0, multi_solutions in it: test_similarity_is_one_less_the_mean_difference_of_rates
    twins are in no total: test_twins_are_in_no_total (here)
Results (tests/scoring/formats/results)
    the first of several predictions counts: test_mr_eval.py, test_the_first_record_with_an_id_counts
    thresholds of redundancy: test_reasoneval.py, test_three_numbers_a_step_are_negative_neutral_and_positive
    a threshold on differences: test_mr_eval.py, test_labels_on_differences_give_a_threshold_on_differences
    labels as given: tests/scoring/evaluation/test_fixed_verdicts.py, test_labels_decide_where_there_are_rewards_too
Labels that are not as many as the steps: here.
"""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import step_making
from reference import Case
from scoring.data.schema import REWARDS
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.single_case import judged_wrong
from scoring.metrics.likeness import right_rates
from scoring.metrics.step_contributions import COUNTS, step_contributions
from scoring.metrics.step_family import step_family
from scoring.metrics.step_labels import step_rows
from scoring.metrics.threshold_curves import metric_curve
from step_making import FACTS
from step_reference import Step
from thoroughness import up_to

OF_STEPS = ("TP", "FN", "FP", "TN")


def case(n_steps, wrong=(), name="counterfactual"):
    """A case with its wrong steps, 0-based, some of them perhaps beyond its last one."""
    first = min((at for at in wrong if at < n_steps), default=None if wrong else -1)
    return Step(Case(n_steps, first, None, "", name, tuple(wrong)), name)


def decided(items, labels, redundant=None):
    """The cases decided by the scorer's own labels."""
    cases = step_making.frame(items)
    rows = pl.DataFrame(
        {"key": cases["key"], "labels": labels, "redundancy_labels": redundant or [None] * len(items)},
        schema_overrides={name: REWARDS[name] for name in ("labels", "redundancy_labels")},
    ).filter(pl.col("labels").is_not_null())
    missing = [pl.lit(None, dtype=kind).alias(name) for name, kind in REWARDS.items() if name not in rows.columns]
    rows = rows.with_columns(missing).with_columns(vote=pl.lit(0, dtype=pl.Int32))
    return evaluate(Gold(cases), making.scorer(), rows)


def parts(items, labels, redundant=None):
    sums = step_contributions(decided(items, labels, redundant), FACTS).sum(axis=0)
    return dict(zip(OF_STEPS, sums.tolist()[:4], strict=True)) | dict(zip(COUNTS[4:], sums.tolist()[4:], strict=True))


def counts(*args):
    found = parts(*args)
    return tuple(found[name] for name in OF_STEPS)


def value(found, metric, twins=None, subset="all"):
    rows = step_rows(found, np.ones(found.codes.size, dtype=bool), FACTS, twins)
    return next(row["value"] for row in rows if (row["subset"], row["metric"]) == (subset, metric))


def test_steps_without_a_label_count_nowhere():
    # Steps 2 and 3 are not judged: one right, one wrong.
    assert counts([case(4, (1, 3))], [[True, False]]) == (1, 0, 0, 1)
    assert counts([case(4, (1, 3))], [[False, True]]) == (0, 1, 1, 0)


def test_surplus_labels_are_of_right_steps():
    assert counts([case(2, (1,))], [[True, False, True, False]]) == (2, 1, 0, 1)


def test_a_listed_error_step_beyond_the_last_step_is_wrong_where_a_label_is_there():
    # Step 3 is listed and not there: FP where it is labelled right, TN where wrong. Step 2 is not listed.
    assert counts([case(2, (1, 3))], [[True, False, True, True]]) == (2, 0, 1, 1)
    assert counts([case(2, (1, 3))], [[True, False, True, False]]) == (2, 0, 0, 2)
    # Without a label it is never visited.
    assert counts([case(2, (1, 3))], [[True, False]]) == (1, 0, 0, 1)


def test_first_is_asked_where_the_lowest_error_step_has_a_label():
    # Labels that do not reach it; labels that do; the lowest beyond the last step, with a label and without one.
    items = [case(3, (2,)), case(3, (2,)), case(2, (3,)), case(2, (3,)), case(2, (1, 3))]
    labels = [[False, False], [True, True, False], [True, True, True, False], [True, True], [True, True, True, False]]
    found = parts(items, labels)
    assert (found["first_n"], found["first_hit"]) == (3, 2)


def test_labels_that_give_no_verdict_are_valid_and_count_all_the_same():
    found = parts([case(3, (2,)), case(2, (1,))], [[True, True], [True, False]])
    assert (found["judged"], found["tried"]) == (2, 2)
    assert tuple(found[name] for name in OF_STEPS) == (3, 0, 0, 1)


def test_redundancy_labels_of_another_length_count_as_they_are():
    # Redundant is wrong: of three steps two are labelled; of two, one more than there are.
    items = [case(3, (1,), "circular"), case(2, (1,), "redundency")]
    labels, redundant = [[True] * 3, [True] * 2], [[False, True], [True, False, False]]
    assert counts(items, labels, redundant) == (2, 1, 1, 1)
    # Other classes are judged by validity.
    assert counts([case(3, (1,))], [[True] * 3], [[False, True]]) == (2, 0, 1, 0)


def test_redundancy_labels_take_the_place_of_surplus_labels_too():
    assert counts([case(2, (), "circular")], [[True, True, False]], [[False, False]]) == (2, 0, 0, 0)
    assert counts([case(2, (), "circular")], [[True, True]], [[False, False, True]]) == (2, 1, 0, 0)


def test_the_rate_of_similarity_is_over_all_labels():
    found = decided([case(2, (1,)), case(4, (1,))], [[True, False, False, False], [True, False]])
    assert right_rates(found.judged_steps).tolist() == [0.25, 0.5]


def test_on_screen_surplus_labels_are_nothing():
    found = decided([case(2, (1,))], [[True, False, False]])
    assert judged_wrong(found, 0) == [False, True]
    assert found.step_accuracies.tolist() == [1.0]
    assert value(found, "acc") == pytest.approx(2 / 3)


def test_twins_are_in_no_total():
    found = step_making.evaluation([Step(Case(2, 1, (0.9, 0.1), "", "circular", (1,)), "circular")])
    twins = step_making.twins(found.gold.cases, [Case(2, -1, (0.1, 0.9))])
    assert value(found, "acc", twins) == value(found, "acc") == 1
    assert value(found, "similarity", twins) == 1


def toolkit(wrong_steps, labels):
    """TP, FN, FP, TN and whether the first error was caught, label by label."""
    found, first = dict.fromkeys(OF_STEPS, 0), None
    for step, right in enumerate(labels):
        if wrong_steps and step == min(wrong_steps):
            first = not right
        if step in wrong_steps:
            found["FP" if right else "TN"] += 1
        else:
            found["TP" if right else "FN"] += 1
    return found, first


@st.composite
def studies(draw):
    """Cases with any error steps and any number of labels, redundancy labels for some."""
    items, labels, redundant = [], [], []
    for _ in range(draw(st.integers(1, 8))):
        wrong = tuple(draw(st.lists(st.integers(0, 6), unique=True, max_size=3)))
        items.append(case(draw(st.integers(1, 5)), wrong, draw(st.sampled_from(step_making.CLASSES))))
        labels.append(draw(st.none() | st.lists(st.booleans(), min_size=1, max_size=8)))
        redundant.append(draw(st.none() | st.lists(st.booleans(), min_size=1, max_size=8)))
    return items, labels, redundant


@up_to(120, 15)
@given(studies())
def test_every_label_counts_as_in_the_toolkit(study):
    items, labels, redundant = study
    found = decided(items, labels, redundant)
    each = step_contributions(found, FACTS)
    for row, (item, own, other) in enumerate(zip(items, labels, redundant, strict=True)):
        swapped = item.name in {"redundency", "circular"} and other is not None
        used = None if own is None else [not one for one in other] if swapped else own
        expected, first = toolkit(item.case.error_steps, used or [])
        assert each[row, :4].tolist() == list(expected.values())
        hit, asked = (COUNTS.index(name) for name in ("first_hit", "first_n"))
        assert (each[row, hit], each[row, asked]) == (bool(first), first is not None)
        assert each[row, COUNTS.index("judged")] == (own is not None)


def test_beside_a_threshold_labels_of_any_length_stay_as_they_are_along_the_curve():
    items = [case(2, (1,)), case(3, (2,)), Step(Case(2, 0, (0.3, 0.8), "", "counterfactual", (0,)), "counterfactual")]
    cases = step_making.frame(items)
    rows = making.rewards([item.case for item in items][2:], cases["key"][2:])
    own = pl.DataFrame(
        {"key": cases["key"][:2], "labels": [[True, False, False], [True, False]]}, schema_overrides=REWARDS
    )
    missing = [pl.lit(None, dtype=kind).alias(name) for name, kind in REWARDS.items() if name not in own.columns]
    own = own.with_columns(missing).with_columns(vote=pl.lit(0, dtype=pl.Int32)).select(list(REWARDS))
    found = evaluate(Gold(cases), making.scorer(), pl.concat([rows.select(list(REWARDS)), own]))
    curve = metric_curve(step_family(FACTS), found, np.ones(3, dtype=bool), whole="all")
    assert curve.thresholds.size == 3
    for threshold, four in zip(curve.thresholds.tolist(), step_making.counted(curve).tolist(), strict=True):
        assert step_contributions(found.at(threshold), FACTS).sum(axis=0)[:4].tolist() == four
        assert value(found.at(threshold), "prmscore") is not None
