import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.results.mr_eval import LabelThreshold, label_threshold

FINITE = st.floats(-100, 100)


@pytest.mark.parametrize(
    ("wrong", "right", "threshold", "comparison"),
    [
        ([0.2, 0.4], [0.6], 0.5, "<="),
        ([0.5], [0.6], 0.5, "<="),
        ([0.4], [0.5], 0.5, "<"),
        ([], [0.5], 0.5, "<"),
        ([], [0.9], 0.5, "<="),
        ([0.1], [], 0.5, "<="),
        # R-PRM's published rows: labels from 0.61 on, scores with few decimals.
        ([0.6], [0.625], 0.6, "<="),
        ([0.1481], [0.1519], 0.15, "<="),
        ([-0.25, 0.0], [0.25], 0.0, "<="),
        ([-0.3], [-0.1], -0.3, "<="),
        ([-3.7], [0.2], -3.0, "<="),
        ([0.7], [], 1.0, "<="),
        ([], [0.25], 0.0, "<="),
        ([], [-0.25], -1.0, "<="),
        ([], [0.0], -1.0, "<="),
        ([0.57], [0.5700001], 0.57, "<="),
    ],
)
def test_thresholds(wrong, right, threshold, comparison):
    pairs = [(score, False) for score in wrong] + [(score, True) for score in right]
    assert label_threshold(pairs) == LabelThreshold(threshold, comparison, usual=threshold == 0.5)


def test_minus_zero_is_zero():
    assert math.copysign(1, label_threshold([(-0.4, False), (0.3, True)]).threshold) == 1


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [(0.5, True), (0.5, False)],
        [(0.2, True), (0.7, False)],
        [(math.nan, True), (math.inf, False)],
    ],
)
def test_none_explains(pairs):
    assert label_threshold(pairs) is None


def test_what_is_not_finite_is_passed_over():
    pairs = [(math.nan, True), (-math.inf, True), (0.3, False), (0.7, True)]
    assert label_threshold(pairs) == LabelThreshold(0.5, "<=", usual=True)


@given(st.lists(FINITE, min_size=1), FINITE, st.booleans())
def test_labels_from_any_threshold_are_explained(scores, threshold, passes):
    pairs = [(score, score >= threshold if passes else score > threshold) for score in scores]
    told = label_threshold(pairs)
    assert told is not None
    for score, right in pairs:
        wrong = score < told.threshold if told.comparison == "<" else score <= told.threshold
        assert wrong is not right
