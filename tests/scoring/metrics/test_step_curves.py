from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
import step_making
import step_reference
from reference import Case
from scoring.metrics.step_family import step_family
from scoring.metrics.threshold_curves import metric_curve
from step_making import FACTS
from step_reference import Step
from thoroughness import up_to

COMPARISON = st.sampled_from(("<", "<="))
REDUNDANCY = st.none() | st.sampled_from(step_making.VALUES)


def prmscore(items, threshold, comparison, redundancy):
    return step_reference.figures(items, threshold, comparison, redundancy)["prmscore"]


def same(found, expected):
    return np.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)


def tries(values):
    """Every distinct value, one between each two, and one below and above all."""
    values = sorted(set(values))
    between = [low + (high - low) / 2 for low, high in pairwise(values)]
    return [values[0] - 1, *sorted({*values, *between}), values[-1] + 1] if values else []


@up_to(60, 8)
@given(items=step_making.items(min_size=1), comparison=COMPARISON, redundancy=REDUNDANCY, data=st.data())
def test_the_curve_is_that_of_evaluating_at_every_distinct_value(items, comparison, redundancy, data):
    rows = np.array(data.draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items))))
    found = step_making.evaluation(items, 0.5, comparison, redundancy_threshold=redundancy)
    curve = metric_curve(step_family(FACTS), found, rows, whole="all")
    chosen = [item for item, taken in zip(items, rows, strict=True) if taken]
    scores = curve.score
    assert (np.diff(curve.thresholds) > 0).all()
    for threshold, counts, score in zip(
        curve.thresholds.tolist(), step_making.counted(curve).tolist(), scores.tolist(), strict=True
    ):
        plain = step_reference.counts(chosen, threshold, comparison, redundancy)
        assert counts == [plain[name] for name in ("TP", "FN", "FP", "TN")]
        assert same(score, prmscore(chosen, threshold, comparison, redundancy))
    rewards = [reward for item in chosen for reward in reference.usable(item.case) or ()]
    values = [prmscore(chosen, threshold, comparison, redundancy) for threshold in tries(rewards)]
    best, highest = curve.best, max((value for value in values if value is not None), default=None)
    if curve.thresholds.size:
        assert (best is None) == (highest is None)
        assert best is None or best[1] == pytest.approx(highest, abs=1e-12)


@up_to(60, 8)
@given(items=step_making.items(min_size=1), rule=making.rules(step_making.VALUES), redundancy=REDUNDANCY)
def test_redundancy_has_a_curve_of_its_own(items, rule, redundancy):
    threshold, comparison = rule
    rows = np.ones(len(items), dtype=bool)
    found = step_making.evaluation(items, threshold, comparison, redundancy_threshold=redundancy)
    curve = metric_curve(step_family(FACTS, "redundancy"), found, rows, whole="all")
    numbered = [
        item
        for item in items
        if item.name in step_reference.SWAPPED and item.labels is None and item.numbers and reference.usable(item.case)
    ]
    assert (curve is None) == (not numbered)
    if curve is None:
        return
    for cut, counts in zip(curve.thresholds.tolist(), step_making.counted(curve).tolist(), strict=True):
        plain = step_reference.counts(items, threshold, comparison, cut)
        assert counts == [plain[name] for name in ("TP", "FN", "FP", "TN")]
    values = [
        prmscore(items, threshold, comparison, cut) for cut in tries([n for item in numbered for n in item.numbers])
    ]
    best, highest = curve.best, max((value for value in values if value is not None), default=None)
    # Numbers of steps without a gold label decide nothing, so that there is no threshold to choose.
    if curve.thresholds.size:
        assert (best is None) == (highest is None)
        assert best is None or best[1] == pytest.approx(highest, abs=1e-12)


def item(rewards, wrong, name="counterfactual", **said):
    return Step(Case(len(rewards), min(wrong, default=-1), rewards, "", name, tuple(wrong)), name, **said)


@pytest.mark.parametrize(("comparison", "best"), [("<", 0.6), ("<=", 0.2)])
def test_the_lowest_of_equally_good_thresholds_wins(comparison, best):
    curve = metric_curve(
        step_family(FACTS),
        step_making.evaluation([item((0.2, 0.6), (0,))], comparison=comparison),
        np.array([True]),
        whole="all",
    )
    assert curve.best == (best, 1.0)
    assert curve.thresholds.size == 3


def test_labels_and_redundancy_stay_as_they_are():
    fixed = item((0.9, 0.1), (0,), "circular", labels=(True, False))
    curve = metric_curve(
        step_family(FACTS), step_making.evaluation([fixed, item((0.3, 0.8), (0,))]), np.ones(2, dtype=bool), whole="all"
    )
    assert curve.thresholds.size == 3
    assert step_making.counted(curve)[:, 0].tolist() == [2, 2, 1]
    assert step_making.counted(curve)[:, 3].tolist() == [1, 2, 2]


def test_where_no_threshold_decides_there_is_no_curve():
    found = step_making.evaluation([item((0.3, 0.8), (0,))])
    by_case = found.by_case(np.array([0.5]), {"one": 0.5}, "dev")
    assert metric_curve(step_family(FACTS), by_case, np.array([True]), whole="all") is None
    assert metric_curve(step_family(FACTS, "redundancy"), found, np.array([True]), whole="all") is None


def test_without_cases_there_is_no_best():
    found = step_making.evaluation([item((0.3, 0.8), (0,))])
    curve = metric_curve(step_family(FACTS), found, np.array([False]), whole="all")
    assert curve.best is None
