"""The numbers beside a chart are round, and stand where they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.render.charts.axes import level_labels

FINITE = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("low", "high", "height", "form", "labels"),
    [
        (0.0, 1.0, 13, "percent", {0: "100", 3: "75", 6: "50", 9: "25", 12: "0"}),
        (0.415, 0.615, 13, "percent", {1: "60", 4: "55", 7: "50", 10: "45"}),
        (0.36, 1.01, 13, "number", {0: "1.00", 4: "0.80", 8: "0.60", 11: "0.40"}),
        (-0.1, 0.1, 9, "difference", {0: "+10", 2: "+5", 4: "0", 6: "−5", 8: "−10"}),
        (0.0, 1.0, 5, "percent", {0: "100", 2: "50", 4: "0"}),
        (0.0, 1.0, 3, "percent", {0: "100", 2: "0"}),
    ],
)
def test_they_are_round(low, high, height, form, labels):
    assert level_labels(low, high, height, form) == labels


@given(low=FINITE, span=st.floats(1e-6, 1e6), height=st.integers(3, 60))
def test_there_are_two_at_least_and_all_are_on_the_chart(low, span, height):
    labels = level_labels(low, low + span, height, "number")
    assert 2 <= len(labels) <= 5
    assert all(0 <= row < height for row in labels)
