import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
from reference import Case
from scoring.metrics.first_error import AVERAGING, F1_SCORE, METRICS
from scoring.metrics.first_error_draws import Marks
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.kernel import FIRST_ERROR, OUTCOME_COUNTS, Decided, harmonic
from scoring.metrics.metrics_by_subset import MetricsBySubset, metric_rows
from thoroughness import up_to

SOME = up_to(50, 6)


def rows_of(cases, *rule, unparsed="wrong", seed=0, taken=None):
    found = making.evaluation(cases, *(rule or (0.5, "<")))
    return list(
        metric_rows(
            FIRST_ERRORS, found, np.ones(len(cases), bool) if taken is None else np.array(taken), unparsed, seed
        )
    )


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
        ("average", "correct_acc"): "no clean case was scored",
        ("average", "f1"): "no clean case was scored",
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
    assert said["average", "f1"] == "undefined in 1 of 2 subsets: both accuracies are 0"


def test_subsets_that_lack_different_classes_are_only_counted():
    said = reasons([Case(1, 0, (0.1,)), Case(1, -1, (0.9,), subset="two")])
    assert said["average", "f1"] == "undefined in 2 of 2 subsets"
    assert said["average", "correct_acc"] == "undefined in 1 of 2 subsets: no clean case was scored"


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        ([], "no case was scored"),
        ([Case(1)], "no case was scored"),
        ([Case(1, None, (0.5,))], "no case that was scored has a gold label"),
    ],
)
def test_where_nothing_takes_part_everything_is_null_and_why(cases, reason):
    rows = rows_of(cases)
    assert [(row["subset"], row["n"], row["value"]) for row in rows] == [("all", 0, None)] * 3 + [
        ("average", 0, None)
    ] * 3
    assert rows[-1]["reason"] == reason


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


def test_cases_without_subsets_have_no_line_of_their_own_beside_others_with_some():
    """Two benchmarks in one workspace, of which the first has no subsets."""
    alone = [Case(1, 0, (0.1,), subset=None), Case(1, -1, (0.9,), subset=None)]
    both = [*alone, Case(1, 0, (0.9,), subset="easy"), Case(1, -1, (0.9,), subset="easy")]
    assert rows_of(both, taken=[True, True, False, False]) == rows_of(alone)
    assert {row["subset"] for row in rows_of(both)} == {"", "easy", "all", "average"}


def test_the_seed_moves_intervals_and_no_value():
    cases = [Case(1, 0, (0.1 * (i % 10),)) for i in range(40)] + [Case(1, -1, (0.1 * (i % 10),)) for i in range(40)]
    one, same, other = (rows_of(cases, seed=seed) for seed in (1, 1, 5))
    assert one == same
    assert values_of(one) == values_of(other)
    assert [row["low"] for row in one] != [row["low"] for row in other]


def test_counts_are_by_group_and_groups_without_cases_are_0():
    decided = Decided(making.evaluation([Case(1, 0, (0.1,)), Case(1, -1, (0.1,))]))
    sums = decided.sums(decided.outcomes(np.array([True, True]), np.array([2, 2]), 4))
    assert {name: counted.tolist() for name, counted in sums.items()} == {
        "exact": [0, 0, 1, 0],
        "erroneous": [0, 0, 1, 0],
        "clean_right": [0, 0, 0, 0],
        "clean": [0, 0, 1, 0],
    }


def test_harmonic_is_undefined_without_a_side_and_where_both_are_0():
    left, right = np.array([0.5, 0.0, np.nan, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0, 1.0])
    assert harmonic(left, right).tolist() == pytest.approx([2 / 3, np.nan, np.nan, 0, 1], nan_ok=True)


def test_the_averaging_is_said_in_words():
    assert "harmonic mean of error_acc and correct_acc" in AVERAGING


@SOME
@given(cases=making.benches(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")), draw=st.data())
def test_sums_of_outcomes_are_sums_of_what_each_case_contributes(cases, rule, unparsed, draw):
    found = making.evaluation(cases, *rule)
    taken = np.array(draw.draw(st.lists(st.booleans(), min_size=len(cases), max_size=len(cases))), dtype=np.bool_)
    names, subsets = found.gold.subsets
    for one in (found, found.without(np.arange(len(cases)) % 3 == 0)):
        decided = Decided(one, unparsed)
        for groups in (subsets, subsets.copy(), np.arange(len(cases)) % len(names)):
            sums = decided.sums(decided.outcomes(taken, groups, len(names)), tuple(OUTCOME_COUNTS))
            for name, counted in sums.items():
                mine = groups[taken & decided.count(name)]
                assert counted.tolist() == np.bincount(mine, minlength=len(names)).tolist()


@SOME
@given(cases=making.benches(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")))
def test_marks_and_outcomes_say_the_same_and_so_do_their_draws(cases, rule, unparsed):
    decided, rows = Decided(making.evaluation(cases, *rule), unparsed), np.ones(len(cases), dtype=np.bool_)
    names, subsets = decided.gold.subsets
    marks = Marks.of([decided], rows, subsets, len(names))
    tally, sums = marks.tally(3), decided.sums(decided.outcomes(rows, subsets, len(names)))
    assert all(tally.sums[name][:, 0].tolist() == sums[name].tolist() for name in FIRST_ERROR)
    found = MetricsBySubset(FIRST_ERRORS, (decided,), rows, 3)
    for number in found.present.tolist():
        for metric, figure in zip(METRICS, found.of_subset(number), strict=True):
            low, high = (
                np.nanquantile(tally.drawn(metric)[:, number, 0], [0.025, 0.975]) if figure.low else (None, None)
            )
            assert (figure.low, figure.high) == (pytest.approx(low), pytest.approx(high)) if figure.low else True


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_the_sums_of_groups_add_up_to_the_whole(cases, rule):
    decided, rows = Decided(making.evaluation(cases, *rule)), np.ones(len(cases), dtype=np.bool_)
    marks = Marks.of([decided], rows, np.arange(len(cases)) % 3, 3)
    parts, whole = marks.tally(), marks.pooled().tally()
    for name in FIRST_ERROR:
        assert parts.pooled().sums[name].tolist() == whole.sums[name].tolist()


def test_resampling_whole_problems_is_resampling_cases_where_each_problem_has_one():
    """The mean and the spread of both; draws differ, since without strata the sides vary in size."""
    rng = np.random.default_rng(0)
    right, erroneous = rng.random((4000, 1)) < 0.6, np.arange(4000) % 2 == 0
    marks = Marks(right, np.ones_like(right), erroneous, np.arange(4000), np.zeros(4000, dtype=int), 1)
    for metric in METRICS:
        whole, strata = (marks.tally(1, whole=whole).drawn(metric)[:, 0, 0] for whole in (True, False))
        assert whole.mean() == pytest.approx(strata.mean(), abs=0.002)
        assert whole.std() == pytest.approx(strata.std(), rel=0.15)


@SOME
@given(cases=making.benches(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")))
def test_the_score_alone_is_the_average_f1_and_none_where_a_subset_has_none(cases, rule, unparsed):
    decided = Decided(making.evaluation(cases, *rule), unparsed)
    figures = MetricsBySubset(FIRST_ERRORS, (decided,), np.ones(len(cases), dtype=np.bool_))
    f1 = figures.average()[METRICS.index(F1_SCORE)].value
    assert figures.score == (None if f1 is None else pytest.approx(f1, abs=1e-12))
