import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import step_making
import step_reference
from reference import Case
from scoring.metrics.curve_bands import metric_bands
from scoring.metrics.step_family import step_family
from scoring.metrics.step_labels import PooledSteps
from scoring.metrics.step_metrics import PRMSCORE
from step_making import FACTS
from step_reference import Step
from thoroughness import up_to


@up_to(25, 5)
@given(
    items=step_making.items(min_size=1),
    comparison=st.sampled_from(("<", "<=")),
    redundancy=st.none() | st.sampled_from(step_making.VALUES),
    thresholds=st.lists(st.sampled_from((*step_making.VALUES, -1.0, 2.0)), min_size=1, max_size=4),
    data=st.data(),
)
def test_values_and_bands_are_those_of_deciding_at_each_threshold(items, comparison, redundancy, thresholds, data):
    rows = np.array(data.draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items))))
    evaluation = step_making.evaluation(items, 0.4, comparison, redundancy_threshold=redundancy)
    chosen = [item for item, taken in zip(items, rows, strict=True) if taken]
    found = metric_bands(step_family(FACTS), evaluation, rows, np.array(thresholds), seed=5, whole="all")
    for at, threshold in enumerate(thresholds):
        expected = step_reference.figures(chosen, threshold, comparison, redundancy)["prmscore"]
        value = found.values(PRMSCORE)[at]
        assert (expected is None) == math.isnan(value) == bool(list(found.reasons(PRMSCORE))[at])
        assert expected is None or math.isclose(value, expected, abs_tol=1e-12)
        if expected is None:
            assert np.isnan([end[at] for end in found.interval(PRMSCORE)]).all()
            continue
        told = PooledSteps.of(evaluation.at(threshold), rows, FACTS).interval(PRMSCORE, 5)
        ends = tuple(end[at] for end in found.interval(PRMSCORE))
        assert ends == (pytest.approx(told) if told else pytest.approx((math.nan, math.nan), nan_ok=True))
    counts = step_reference.counts(chosen, thresholds[0], comparison, redundancy)
    assert found.size(PRMSCORE) == sum(counts[name] for name in ("TP", "FN", "FP", "TN"))


def test_a_scorer_without_a_threshold_has_no_curve():
    critic = judged.critic([Case(1, 0)], [0])
    assert metric_bands(step_family(FACTS), critic, np.ones(1, dtype=bool), np.array([0.5]), whole="all") is None


def test_cases_that_nobody_scored_give_a_reason():
    evaluation = step_making.evaluation([Step(Case(1, 0, None), step_making.CLASSES[0], None, None)])
    found = metric_bands(step_family(FACTS), evaluation, np.ones(1, dtype=bool), np.array([0.5, 0.6]), whole="all")
    assert (list(found.reasons(PRMSCORE)), found.size(PRMSCORE)) == (["no step was scored"] * 2, 0)
