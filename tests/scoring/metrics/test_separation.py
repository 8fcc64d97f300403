import math
from itertools import product
from statistics import variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making import TIED
from scoring.metrics.closed_forms import Z
from scoring.metrics.separation import auroc, separation

NUMBERS = st.lists(st.sampled_from(TIED), min_size=2, max_size=12)


def beats(one, other):
    return 1.0 if one > other else 0.5 if one == other else 0.0


@given(NUMBERS, NUMBERS)
def test_every_pair_counts_once_and_a_tie_half(high, low):
    found = auroc(np.array(high), np.array(low))
    assert found == pytest.approx(sum(beats(*pair) for pair in product(high, low)) / len(high) / len(low), abs=1e-15)
    assert auroc(np.array(low), np.array(high)) == pytest.approx(1 - found, abs=1e-15)


@given(NUMBERS, NUMBERS)
def test_the_interval_is_delongs(high, low):
    above = [sum(beats(one, other) for other in low) / len(low) for one in high]
    below = [sum(beats(one, other) for one in high) / len(high) for other in low]
    half = Z * math.sqrt(variance(above) / len(high) + variance(below) / len(low))
    found = separation(np.array(high), np.array(low), "auroc", "none")
    assert found.low == pytest.approx(max(0, found.value - half))
    assert found.high == pytest.approx(min(1, found.value + half))
    assert found.note == "small n: fewer than 20 on a side"


def test_equal_numbers_tell_nothing_apart():
    assert auroc(np.full(30, 0.5), np.full(40, 0.5)) == 0.5
    found = separation(np.full(30, 0.5), np.full(40, 0.5), "auroc", "none")
    assert (found.low, found.value, found.high, found.n, found.note) == (0.5, 0.5, 0.5, 70, None)


def test_without_one_side_there_is_nothing_and_without_two_no_interval():
    nothing = separation(np.zeros(0), np.ones(3), "auroc", "no clean case")
    assert (nothing.value, nothing.reason) == (None, "no clean case")
    single = separation(np.ones(1), np.zeros(3), "auroc", "")
    assert (single.value, single.low, single.note) == (1, None, "no interval: a single one on a side")


def test_one_float_apart_is_apart():
    assert auroc(np.array([np.nextafter(0.5, 1)]), np.array([0.5])) == 1
