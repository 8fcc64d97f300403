import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
import reference
from reference import Case
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.metrics.bias import bias_rows
from thoroughness import up_to

SOME = up_to(60, 8)


def rows_of(evaluation, unparsed="wrong", taken=None):
    rows = np.ones(evaluation.codes.size, dtype=bool) if taken is None else np.array(taken)
    return {(row["unit"], row["metric"]): row for row in bias_rows(evaluation, rows, unparsed)}


def minus(left, right):
    return None if left is None or right is None else left - right


@SOME
@given(cases=making.benches(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")))
def test_it_is_what_is_counted_one_by_one(cases, rule, unparsed):
    found = rows_of(making.evaluation(cases, *rule), unparsed)
    accuracies = reference.metrics(cases, *rule, unparsed)
    steps, called = [], []
    for case in cases:
        if (rewards := reference.usable(case)) is None:
            continue
        called.append(reference.verdict(case, *rule) == -1)
        steps += [
            (reference.step_label(case, step), not reference.is_wrong(r, *rule)) for step, r in enumerate(rewards)
        ]
    positive = reference.share([right for label, right in steps if label is True])
    negative = reference.share([not right for label, right in steps if label is False])
    expected = {
        ("case", "error_acc"): accuracies["all", "error_acc"],
        ("case", "correct_acc"): accuracies["all", "correct_acc"],
        ("case", "bias"): minus(accuracies["all", "correct_acc"], accuracies["all", "error_acc"]),
        ("case", "predicted_positive_rate"): reference.share(called),
        ("step", "negative_acc"): negative,
        ("step", "positive_acc"): positive,
        ("step", "bias"): minus(positive, negative),
        ("step", "predicted_positive_rate"): reference.share([right for _, right in steps]),
    }
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        row = found[name]
        assert row["value"] == (None if value is None else pytest.approx(value)), name
        assert (row["value"] is None) == bool(row["reason"])
        assert (row["low"] is None) == (row["value"] is None or name[0] == "step")
        assert row["low"] is None or row["low"] <= row["value"] <= row["high"]


def test_who_calls_everything_right_has_bias_1_and_who_calls_everything_wrong_minus_1():
    cases = [Case(2, 0, (0.5, 0.5), error_steps=(0, 1)), Case(2, -1, (0.5, 0.5))]
    right, wrong = (rows_of(making.evaluation(cases, threshold)) for threshold in (0.4, 0.6))
    assert (right["case", "bias"]["value"], right["step", "bias"]["value"]) == (1, 1)
    assert wrong["step", "bias"]["value"] == -1
    # Its first step is called wrong, which here is the earliest error.
    assert wrong["case", "bias"]["value"] == -1
    assert [found["step", "predicted_positive_rate"]["value"] for found in (right, wrong)] == [1, 0]


def test_a_scorer_of_verdicts_has_no_steps_and_one_of_numbers_has_nothing():
    gold = Gold(making.frame(judged.CASES))
    keys = gold.cases["key"]
    critic = evaluate(gold, making.scorer(), making.rewards([]), votes=judged.votes(keys, judged.BALLOTS))
    number = evaluate(gold, making.scorer(), judged.solutions(keys, judged.NUMBERS))
    assert rows_of(critic)["step", "bias"]["reason"] == "no case has steps that are judged one by one"
    assert rows_of(critic)["case", "bias"]["value"] is not None
    assert {row["reason"] for row in rows_of(number).values()} == {"one number a solution, no step rewards"}
    assert {row["value"] for row in rows_of(number).values()} == {None}


def test_cases_that_are_not_taken_do_not_count():
    cases = [Case(1, 0, (0.1,)), Case(1, -1, (0.9,)), Case(1, -1, (0.1,))]
    assert rows_of(making.evaluation(cases), taken=[True, True, False])["case", "bias"]["value"] == 0
