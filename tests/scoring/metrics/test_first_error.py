import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
from reference import Case
from scoring.metrics.first_error import (
    AVERAGING,
    count,
    first_errors,
    harmonic,
    metric_rows,
    quick_first_errors,
)
from thoroughness import up_to

SOME = up_to(50)


def rows_of(cases, *rule, unparsed="wrong", seed=0, taken=None):
    found = making.evaluation(cases, *(rule or (0.5, "<")))
    return list(metric_rows(found, np.ones(len(cases), bool) if taken is None else np.array(taken), unparsed, seed))


def values_of(rows):
    return {(row["subset"], row["metric"]): row["value"] for row in rows}


@SOME
@given(cases=making.balanced(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")))
def test_every_value_is_what_plain_counting_gives(cases, rule, unparsed):
    rows = rows_of(cases, *rule, unparsed=unparsed)
    found, expected = values_of(rows), reference.metrics(cases, *rule, unparsed)
    if all(case.subset is None for case in cases):
        # Without subsets there is nothing but all of them together.
        expected = {(subset, metric): value for (subset, metric), value in expected.items() if subset}
    assert found.keys() == expected.keys()
    for cell, value in expected.items():
        assert found[cell] == pytest.approx(value, abs=1e-12) if value is not None else found[cell] is None
    for row in rows:
        undefined = row["value"] is None
        assert bool(row["reason"]) == undefined
        assert (row["low"] is None, row["high"] is None) == (undefined, undefined)
        assert undefined or 0 <= row["low"] <= row["high"] <= 1


@SOME
@given(cases=making.benches(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")))
def test_n_is_the_denominator(cases, rule, unparsed):
    part = [
        c for c in cases if c.gold is not None and (reference.usable(c) or (unparsed == "wrong" and reference.tried(c)))
    ]
    erroneous = sum(case.gold >= 0 for case in part)
    n = {row["metric"]: row["n"] for row in rows_of(cases, *rule, unparsed=unparsed) if row["subset"] == "average"}
    assert n == {"error_acc": erroneous, "correct_acc": len(part) - erroneous, "f1": len(part)}


def test_a_table_worked_out_by_hand():
    """Two subsets at threshold .5: 1 of 2 and 1 of 1 right, then 0 of 1 and 1 of 2."""
    cases = [
        Case(2, 1, (0.9, 0.1), subset="easy"),
        Case(2, 1, (0.1, 0.1), subset="easy"),
        Case(2, -1, (0.9, 0.5), subset="easy"),
        Case(3, 1, (0.9, 0.9, 0.2), subset="hard"),
        Case(1, -1, (0.9,), subset="hard"),
        Case(1, -1, (0.4,), subset="hard"),
        Case(1, -1, None, subset="hard"),
    ]
    found = values_of(rows_of(cases))
    assert found == {
        ("easy", "error_acc"): 0.5,
        ("easy", "correct_acc"): 1.0,
        ("easy", "f1"): pytest.approx(2 / 3),
        ("hard", "error_acc"): 0.0,
        ("hard", "correct_acc"): 0.5,
        ("hard", "f1"): 0.0,
        ("all", "error_acc"): pytest.approx(1 / 3),
        ("all", "correct_acc"): pytest.approx(2 / 3),
        ("all", "f1"): pytest.approx(4 / 9),
        ("average", "error_acc"): 0.25,
        ("average", "correct_acc"): 0.75,
        ("average", "f1"): pytest.approx(1 / 3),  # the mean of the F1s, not the F1 of the means (3/8)
    }


def reasons(cases, **options):
    return {(row["subset"], row["metric"]): row["reason"] for row in rows_of(cases, **options) if row["reason"]}


def test_only_erroneous_cases_have_no_f1_and_say_why():
    said = reasons([Case(1, 0, (0.1,))])
    assert said == {
        ("one", "correct_acc"): "no clean case was scored",
        ("one", "f1"): "no clean case was scored",
        ("all", "correct_acc"): "no clean case was scored",
        ("all", "f1"): "no clean case was scored",
        ("average", "correct_acc"): "undefined in 1 of 1 subsets",
        ("average", "f1"): "undefined in 1 of 1 subsets",
    }


def test_only_clean_cases_have_no_f1_and_say_why():
    said = reasons([Case(1, -1, (0.9,))])
    assert said["one", "error_acc"] == said["one", "f1"] == "no erroneous case was scored"
    assert ("one", "correct_acc") not in said


def test_two_accuracies_of_0_leave_f1_undefined_and_the_average_with_it():
    cases = [
        Case(1, 0, (0.9,)),
        Case(1, -1, (0.1,)),
        Case(1, 0, (0.1,), subset="two"),
        Case(1, -1, (0.9,), subset="two"),
    ]
    found, said = values_of(rows_of(cases)), reasons(cases)
    assert (found["one", "error_acc"], found["one", "correct_acc"], found["one", "f1"]) == (0, 0, None)
    assert said["one", "f1"] == "both accuracies are 0"
    assert (found["two", "f1"], found["average", "f1"]) == (1, None)
    assert said["average", "f1"] == "undefined in 1 of 2 subsets"


@pytest.mark.parametrize("cases", [[], [Case(1)], [Case(1, None, (0.5,))]])
def test_where_nothing_takes_part_everything_is_null(cases):
    rows = rows_of(cases)
    assert [(row["subset"], row["n"], row["value"]) for row in rows] == [("all", 0, None)] * 3 + [
        ("average", 0, None)
    ] * 3
    assert rows[-1]["reason"] == "no case was scored"


def test_unscored_cases_are_in_no_denominator_and_refused_ones_as_the_policy_says():
    cases = [Case(1, 0, (0.1,)), Case(1, -1, (0.9,)), Case(1, -1, refused="over length"), Case(1, -1)]
    assert values_of(rows_of(cases))["one", "correct_acc"] == 0.5
    assert values_of(rows_of(cases, unparsed="drop"))["one", "correct_acc"] == 1.0


def test_a_subset_that_nothing_was_scored_in_is_not_averaged():
    cases = [Case(1, 0, (0.1,)), Case(1, -1, (0.9,)), Case(1, -1, subset="two"), Case(1, 0, subset="two")]
    assert ("two", "f1") not in values_of(rows_of(cases))
    assert values_of(rows_of(cases))["average", "f1"] == 1.0


def test_rows_that_are_not_taken_do_not_count():
    cases = [Case(1, 0, (0.1,)), Case(1, -1, (0.9,)), Case(1, -1, (0.1,), subset="two")]
    assert values_of(rows_of(cases, taken=[True, True, False]))["average", "f1"] == 1.0


def test_the_seed_moves_intervals_and_no_value():
    cases = [Case(1, 0, (0.1 * (i % 10),)) for i in range(40)] + [Case(1, -1, (0.1 * (i % 10),)) for i in range(40)]
    one, same, other = (rows_of(cases, seed=seed) for seed in (1, 1, 5))
    assert one == same
    assert values_of(one) == values_of(other)
    assert [row["low"] for row in one] != [row["low"] for row in other]


def test_counts_are_by_group_and_groups_without_cases_are_0():
    found = making.evaluation([Case(1, 0, (0.1,)), Case(1, -1, (0.1,))])
    counted = count(found, np.array([True, True]), np.array([2, 2]), 4)
    assert counted.exact.tolist() == [0, 0, 1, 0]
    assert counted.erroneous.tolist() == counted.clean.tolist() == [0, 0, 1, 0]
    assert counted.clean_right.tolist() == [0, 0, 0, 0]


def test_harmonic_is_undefined_without_a_side_and_where_both_are_0():
    left, right = np.array([0.5, 0.0, np.nan, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0, 1.0])
    assert harmonic(left, right).tolist() == pytest.approx([2 / 3, np.nan, np.nan, 0, 1], nan_ok=True)


def test_the_averaging_is_said_in_words():
    assert "harmonic mean of error_acc and correct_acc" in AVERAGING


@SOME
@given(cases=making.benches(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")), draw=st.data())
def test_counts_of_outcomes_say_the_same_as_cases(cases, rule, unparsed, draw):
    found = making.evaluation(cases, *rule)
    taken = np.array(draw.draw(st.lists(st.booleans(), min_size=len(cases), max_size=len(cases))), dtype=np.bool_)
    for one in (found, found.without(np.arange(len(cases)) % 3 == 0)):
        slow, quick = (make(one, taken, unparsed, 3) for make in (first_errors, quick_first_errors))
        assert (slow.score, slow.average(), slow.pooled()) == (quick.score, quick.average(), quick.pooled())
        assert slow.present.tolist() == quick.present.tolist()
        for number in slow.present.tolist():
            assert slow.of_subset(number) == quick.of_subset(number)
