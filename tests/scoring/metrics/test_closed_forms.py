import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.closed_forms import difference_interval, fisher_exact, holm, mcnemar, wilson_interval

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


@given(left=st.integers(0, 3000), right=st.integers(0, 3000))
def test_mcnemar_is_the_exact_test_of_a_fair_coin(left, right):
    from scipy.stats import binomtest

    expected = binomtest(left, left + right).pvalue if left + right else 1.0
    (p,) = mcnemar(np.array([left]), np.array([right])).tolist()
    assert p == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(left=SHARES, right=SHARES, scale=st.sampled_from((1, 7, 150)))
def test_fisher_is_the_exact_test_of_two_shares(left, right, scale):
    from scipy.stats import fisher_exact as expected

    (hits, total), (other_hits, other_total) = ([count * scale for count in pair] for pair in (left, right))
    table = [[hits, total - hits], [other_hits, other_total - other_hits]]
    assert fisher_exact(hits, total, other_hits, other_total) == pytest.approx(expected(table)[1], rel=1e-8, abs=1e-300)


def binomial_p(b, c):
    """The sum of all splits that are as unlikely or more, in whole numbers."""
    n = b + c
    terms = [math.comb(n, k) for k in range(n + 1)]
    return sum(term for term in terms if term <= terms[b]) / 2**n


@given(b=st.integers(0, 80), c=st.integers(0, 80))
def test_mcnemar_is_the_sum_of_the_binomial_terms(b, c):
    found = float(mcnemar(np.array(b), np.array(c)))
    assert found == pytest.approx(binomial_p(b, c), rel=1e-12)
    assert found == float(mcnemar(np.array(c), np.array(b)))


def test_mcnemar_by_hand_and_as_arrays():
    assert mcnemar(np.array([0, 1, 0, 5]), np.array([0, 1, 5, 0])).tolist() == pytest.approx([1, 1, 1 / 16, 1 / 16])


def holm_by_definition(values):
    """The smallest level at which each hypothesis falls: p times how many are left, never below one before it."""
    adjusted = [math.nan] * len(values)
    there = sorted((p, index) for index, p in enumerate(values) if not math.isnan(p))
    highest = 0.0
    for place, (p, index) in enumerate(there):
        highest = max(highest, min(1.0, (len(there) - place) * p))
        adjusted[index] = highest
    return adjusted


@given(st.lists(st.sampled_from((0.0, 0.001, 0.01, 0.01, 0.02, 0.3, 1.0, math.nan)) | st.floats(0, 1), max_size=12))
def test_holm_follows_its_definition(values):
    found = holm(np.array(values, dtype=float))
    assert found.tolist() == pytest.approx(holm_by_definition(values), nan_ok=True)
    there = [(p, adjusted) for p, adjusted in zip(values, found, strict=True) if not math.isnan(p)]
    assert all(one <= other for one, other in pairwise(adjusted for _, adjusted in sorted(there)))
    assert all(adjusted >= p for p, adjusted in there)


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
