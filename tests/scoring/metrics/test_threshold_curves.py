from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
from reference import Case
from scoring.evaluation.evaluation import columns_of
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import metric_rows
from scoring.metrics.threshold_curves import metric_curve
from thoroughness import up_to

BOTH = pytest.mark.parametrize("comparison", ["<", "<="])
POLICY = st.sampled_from(("wrong", "drop"))


def swept(cases, comparison="<", unparsed="wrong", rows=None):
    found = making.evaluation(cases, 0.5, comparison)
    rows = np.ones(len(cases), dtype=bool) if rows is None else rows
    return found, metric_curve(FIRST_ERRORS, found, rows, unparsed)


def average(found, rows, unparsed="wrong"):
    return next(
        row["value"]
        for row in metric_rows(FIRST_ERRORS, found, rows, unparsed)
        if (row["subset"], row["metric"]) == ("average", "f1")
    )


@up_to(40, 5)
@given(cases=making.balanced(), comparison=st.sampled_from(("<", "<=")), unparsed=POLICY, data=st.data())
def test_at_every_candidate_f1_is_that_of_the_metrics_table_and_of_plain_counting(cases, comparison, unparsed, data):
    rows = np.array(
        data.draw(st.lists(st.sampled_from((True,) * 7 + (False,)), min_size=len(cases), max_size=len(cases)))
    )
    found, curve = swept(cases, comparison, unparsed, rows)
    chosen = [case for case, taken in zip(cases, rows, strict=True) if taken]
    for threshold, f1 in zip(curve.thresholds.tolist(), curve.score.tolist(), strict=True):
        value = average(found.at(threshold), rows, unparsed)
        assert (value is None) == np.isnan(f1)
        expected = reference.metrics(chosen, threshold, comparison, unparsed)["average", "f1"]
        assert value == pytest.approx(expected, abs=1e-12) if expected is not None else value is None
        assert value is None or f1 == pytest.approx(value, abs=1e-12)


@up_to(60, 8)
@given(cases=making.balanced(max_size=14), comparison=st.sampled_from(("<", "<=")), unparsed=POLICY)
def test_no_threshold_beats_the_best(cases, comparison, unparsed):
    best = swept(cases, comparison, unparsed)[1].best
    expected = reference.best_f1(cases, comparison, unparsed)
    assert (best is None) == (expected is None)
    if best is not None:
        assert best[1] == pytest.approx(expected, abs=1e-12)
        assert reference.metrics(cases, best[0], comparison, unparsed)["average", "f1"] == pytest.approx(
            best[1], abs=1e-12
        )


@up_to(60, 8)
@given(cases=making.benches(), comparison=st.sampled_from(("<", "<=")))
def test_candidates_ascend_and_between_two_of_them_no_outcome_changes(cases, comparison):
    found, curve = swept(cases, comparison)
    at = curve.thresholds
    assert (np.diff(at) > 0).all()
    for low, high in pairwise(at.tolist()):
        middle = low + (high - low) / 2
        if low < middle < high:
            # "<" decides in the gap as at its upper end, "<=" as at its lower one.
            end = high if comparison == "<" else low
            assert np.array_equal(found.at(middle).codes, found.at(end).codes)
    codes = [found.at(threshold).codes.tolist() for threshold in at]
    assert all(one != other for one, other in pairwise(codes) if found.gold.known.all())


@BOTH
def test_both_trivial_policies_are_among_the_candidates(comparison):
    found, curve = swept([Case(2, 1, (0.4, 0.6)), Case(1, -1, (0.5,))], comparison)
    first, last = (found.at(curve.thresholds[end]) for end in (0, -1))
    assert columns_of(first)["scorer.verdict"].to_list() == [-1, -1]
    assert columns_of(last)["scorer.verdict"].to_list() == [0, 0]


@BOTH
def test_with_all_rewards_equal_there_are_two_decisions_and_neither_is_defined(comparison):
    _, curve = swept([Case(2, 1, (0.5, 0.5)), Case(1, -1, (0.5,))], comparison)
    assert curve.thresholds.size == 2
    # Nothing judged wrong: error_acc 0, correct_acc 1, so F1 is 0. Everything judged wrong: both are 0.
    assert curve.score[0] == 0
    assert np.isnan(curve.score[1])
    assert curve.best == (curve.thresholds[0], 0.0)


def test_the_lowest_of_equally_good_thresholds_wins():
    _, curve = swept([Case(1, 0, (0.2,)), Case(1, -1, (0.4,)), Case(1, 0, (0.6,)), Case(1, -1, (0.8,))])
    assert curve.score.tolist() == pytest.approx([0, 2 / 3, 1 / 2, 2 / 3, 0])
    assert curve.best == (0.4, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    "cases",
    [
        [],
        [Case(2)],
        [Case(2, refused="x")],
        [Case(2, None, (0.1, 0.2))],
        [Case(2, -1, (0.1, 0.2))],
        [Case(2, 0, (0.1, 0.2))],
        [Case(2, 0, (0.1, 0.2), subset="one"), Case(2, -1, (0.1, 0.2), subset="two")],
    ],
)
def test_where_f1_is_nowhere_defined_there_is_no_best(cases):
    _, curve = swept(cases)
    assert np.isnan(curve.score).all()
    assert curve.score.shape == curve.thresholds.shape
    assert curve.best is None


def test_refused_cases_pull_the_curve_down_unless_they_are_dropped():
    cases = [Case(1, 0, (0.1,)), Case(1, -1, (0.9,)), Case(1, -1, refused="over length")]
    assert swept(cases)[1].best[1] == pytest.approx(2 / 3)
    assert swept(cases, unparsed="drop")[1].best[1] == 1.0


def test_subsets_weigh_the_same_however_large_they_are():
    many = [Case(1, 0, (0.1,)), *[Case(1, -1, (0.4,))] * 9]
    few = [Case(1, 0, (0.5,), subset="two"), Case(1, -1, (0.6,), subset="two")]
    _, curve = swept([*many, *few])
    values = dict(zip(curve.thresholds.tolist(), curve.score.tolist(), strict=True))
    assert values[0.4] == pytest.approx((1 + 0) / 2)
