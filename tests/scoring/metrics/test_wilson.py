import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.wilson import difference_interval, wilson_interval

SHARES = st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(share=SHARES.filter(lambda pair: pair[1]))
def test_it_is_the_score_interval_of_the_textbook(share):
    from scipy.stats import binomtest

    low, high = wilson_interval(*map(np.array, zip(share, strict=True)))
    expected = binomtest(*share).proportion_ci(method="wilson")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= low[0] <= share[0] / share[1] <= high[0] <= 1


def test_nothing_has_no_interval():
    low, high = wilson_interval(np.array([0, 3]), np.array([0, 4]))
    assert np.isnan([low[0], high[0]]).all()
    assert not np.isnan([low[1], high[1]]).any()


def test_a_published_difference():
    """Newcombe 1998, table II, example a: 56 of 70 against 48 of 80."""
    ends = difference_interval(*(np.array([count]) for count in (56, 70, 48, 80)))
    assert [round(float(end[0]), 4) for end in ends] == [0.0524, 0.3339]


@given(left=SHARES, right=SHARES)
def test_a_difference_lies_in_its_interval_and_turns_round_with_it(left, right):
    arrays = [np.array([count]) for count in (*left, *right)]
    low, high = difference_interval(*arrays)
    back_low, back_high = difference_interval(*arrays[2:], *arrays[:2])
    if not left[1] or not right[1]:
        assert np.isnan([low[0], high[0]]).all()
        return
    value = left[0] / left[1] - right[0] / right[1]
    assert -1 - 1e-12 <= low[0] <= value <= high[0] <= 1 + 1e-12
    assert (back_low[0], back_high[0]) == pytest.approx((-high[0], -low[0]))
