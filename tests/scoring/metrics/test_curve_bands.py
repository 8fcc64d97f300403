import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
import reference
from reference import Case
from scoring.metrics.curve_bands import metric_bands
from scoring.metrics.first_error import CORRECT_ACC, F1_SCORE
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import metric_rows
from scoring.metrics.resampling import percentile_interval
from scoring.metrics.shared_draws import OF_CASES
from scoring.metrics.threshold_curves import metric_curve
from thoroughness import up_to


def everything(evaluation):
    return np.ones(evaluation.codes.size, dtype=bool)


def reasons(found):
    return list(found.reasons(F1_SCORE))


def average(evaluation, rows, policy):
    return {
        row["metric"]: row for row in metric_rows(FIRST_ERRORS, evaluation, rows, policy) if row["subset"] == "average"
    }


@up_to(40, 5)
@given(
    cases=making.benches(),
    taken=st.lists(st.booleans(), min_size=10, max_size=10),
    thresholds=st.lists(st.sampled_from((*making.TIED, -2.0, 2.0)), max_size=4),
    comparison=st.sampled_from(("<", "<=")),
    policy=st.sampled_from(("wrong", "drop")),
)
def test_values_are_those_of_deciding_at_each_threshold(cases, taken, thresholds, comparison, policy):
    evaluation, mask = making.evaluation(cases, 0.4, comparison), np.array(taken[: len(cases)], dtype=bool)
    found = metric_bands(FIRST_ERRORS, evaluation, mask, np.array(thresholds, dtype=np.float64), policy)
    assert found.metrics == OF_CASES
    for at, threshold in enumerate(thresholds):
        decided = average(evaluation.at(threshold), mask, policy)
        for metric in OF_CASES:
            row, value = decided[metric.name], found.values(metric)[at]
            assert found.size(metric) == row["n"]
            assert (row["value"] is None) == math.isnan(value) == bool(list(found.reasons(metric))[at])
            if row["value"] is not None:
                assert math.isclose(value, row["value"], abs_tol=1e-12)
            ends = [end[at] for end in found.interval(metric)]
            assert math.isnan(value) <= math.isnan(ends[0]) == math.isnan(ends[1])


def test_on_every_distinct_decision_the_curve_is_the_sweep():
    cases, scorers = making.study(5, 80)
    evaluation = making.evaluation(scorers[0][1])
    assert len(cases) == evaluation.codes.size
    whole = metric_curve(FIRST_ERRORS, evaluation, everything(evaluation))
    found = metric_bands(FIRST_ERRORS, evaluation, everything(evaluation), whole.thresholds)
    np.testing.assert_allclose(found.values(F1_SCORE), whole.score, atol=1e-12)


def resampled(marks, rng_counts):
    """Figures of each resample, by the counts of how often each case was drawn."""
    drawn = []
    for counts in rng_counts:
        sides = {}
        for (subset, erroneous, right), times in zip(marks, counts, strict=True):
            hits, total = sides.get((subset, erroneous), (0, 0))
            sides[subset, erroneous] = (hits + times * right, total + times)
        found = []
        for subset in dict.fromkeys(subset for subset, _, _ in marks):
            error, clean = (hits / total for hits, total in (sides[subset, True], sides[subset, False]))
            found.append(2 * error * clean / (error + clean) if error + clean else 0.0)
        drawn.append(sum(found) / len(found))
    return drawn


def test_bands_are_percentiles_of_plain_resampling():
    """Against another generator and plain loops: ends as near as a thousand resamples of each allow."""
    _, scorers = making.study(11, 120)
    cases = scorers[0][1]
    evaluation = making.evaluation(cases)
    thresholds = np.array([0.3, 0.5, 0.65])
    found = metric_bands(FIRST_ERRORS, evaluation, everything(evaluation), thresholds, seed=4)
    rng = np.random.default_rng(99)
    cells = {}
    for row, case in enumerate(cases):
        cells.setdefault((case.subset, case.gold >= 0), []).append(row)
    counts = np.zeros((1500, len(cases)), dtype=int)
    for rows in cells.values():
        counts[:, rows] = rng.multinomial(len(rows), [1 / len(rows)] * len(rows), size=1500)
    for at, threshold in enumerate(thresholds):
        marks = [(case.subset, case.gold >= 0, reference.is_right(case, threshold, "<")) for case in cases]
        low, high = percentile_interval(np.array(resampled(marks, counts)))
        ours = [end[at] for end in found.interval(F1_SCORE)]
        assert ours == pytest.approx([low, high], abs=0.02)


def test_whole_problems_are_drawn_where_cases_are_of_one_and_then_the_ends_are_those_of_the_metrics():
    _, scorers = making.study(2, 90)
    cases = scorers[0][1]
    evaluation = making.evaluation(cases, problem_id=[f"p{number // 3}" for number in range(90)])
    found = metric_bands(FIRST_ERRORS, evaluation, everything(evaluation), np.array([0.5]), seed=3)
    rows = {
        row["metric"]: row
        for row in metric_rows(FIRST_ERRORS, evaluation, everything(evaluation), seed=3)
        if row["subset"] == "average"
    }
    for metric in OF_CASES:
        row = rows[metric.name]
        assert [end[0] for end in found.interval(metric)] == pytest.approx([row["low"], row["high"]])


def test_equal_seeds_and_cases_give_equal_draws_whoever_is_scored():
    _, scorers = making.study(3, 60)
    one = making.evaluation(scorers[0][1])
    alone, among = (
        metric_bands(FIRST_ERRORS, one, everything(one), np.array(grid), seed=1) for grid in ([0.5], [0.3, 0.5, 0.7])
    )
    for metric in OF_CASES:
        assert [end[0] for end in alone.interval(metric)] == [end[1] for end in among.interval(metric)]


def test_what_is_missing_is_said():
    clean = making.evaluation([Case(1, -1, (0.5,))])
    found = metric_bands(FIRST_ERRORS, clean, everything(clean), np.array([0.4, 0.6]))
    assert reasons(found) == ["no erroneous case was scored"] * 2
    assert found.values(CORRECT_ACC).tolist() == [1, 0]
    nothing = making.evaluation([Case(1, -1, None)])
    found = metric_bands(FIRST_ERRORS, nothing, everything(nothing), np.array([0.4]))
    assert [list(found.reasons(metric)) for metric in OF_CASES] == [["no case was scored"]] * 3
    both = making.evaluation([Case(1, -1, (0.5,)), Case(1, 0, (0.5,)), Case(2, 1, (0.5, 0.9))])
    found = metric_bands(FIRST_ERRORS, both, everything(both), np.array([0.6]))
    assert reasons(found) == [None]
    critic = judged.critic([Case(1, 0)], [0])
    assert metric_bands(FIRST_ERRORS, critic, everything(critic), np.array([0.4])) is None
    parted = making.evaluation([Case(1, -1, (0.5,)), Case(1, 0, (0.5,)), Case(1, 0, (0.5,), subset="two")])
    found = metric_bands(FIRST_ERRORS, parted, everything(parted), np.array([0.4]))
    assert reasons(found) == ["undefined in 1 of 2 subsets: no clean case was scored"]
