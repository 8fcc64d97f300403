import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import response_reference
from scoring.metrics.best_of_n import population_sd, somers_d

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8)


@given(pairs=PAIRS)
def test_somers_d_is_what_counting_pairs_gives(pairs):
    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    expected = response_reference.somers_d(x.tolist(), y.tolist())
    assert somers_d(x, y) == (None if expected is None else pytest.approx(expected))


@given(pairs=PAIRS.filter(lambda pairs: all(len(set(side)) > 1 for side in zip(*pairs, strict=True))))
def test_somers_d_is_scipys(pairs):
    from scipy.stats import somersd

    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    with np.errstate(all="ignore"):
        assert somers_d(x, y) == pytest.approx(somersd(x, y).statistic)


def test_ties_in_x_are_no_pairs_and_ties_in_y_are_pairs_that_say_nothing():
    assert somers_d(np.array([1.0, 1.0, 2.0]), np.array([0.0, 9.0, 10.0])) == 1.0
    assert somers_d(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 1.0])) == pytest.approx(2 / 3)
    assert somers_d(np.array([1.0, 1.0]), np.array([0.0, 1.0])) is None


def test_the_spread_is_divided_by_the_number_of_scorers():
    assert population_sd(np.array([1.0, 3.0])) == 1.0
    assert population_sd(np.array([0.1, 0.1, 0.1])) == 0.0


def test_what_rounding_puts_apart_is_tied():
    rounded = np.array([0.5024154589371981, 0.5024154589371982, 0.6])
    assert somers_d(np.array([1.0, 2.0, 3.0]), rounded) == pytest.approx(2 / 3)
    assert somers_d(rounded, np.array([2.0, 1.0, 3.0])) == 1.0
    assert somers_d(rounded[:2], np.array([2.0, 1.0])) is None
    assert population_sd(rounded[:2]) == 0.0
    assert population_sd(np.array([0.5, 0.5 + 1e-9])) == pytest.approx(5e-10)
