import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import response_reference
from scoring.metrics.score_places import _products, places, product_places
from thoroughness import up_to

SOME = up_to(200, 25)
TINY, LARGEST = 5e-324, 1.7976931348623157e308
NEAR = (0.5, float(np.nextafter(0.5, 1)), float(np.nextafter(0.5, 0)), 0.25, 1.0, float(np.nextafter(1, 0)), 2.0)
ANY = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=True)
FACTORS = st.sampled_from((*NEAR, *(-one for one in NEAR), 0.0, -0.0, TINY, -TINY, LARGEST, 0.1, 0.3)) | ANY


def flat(problems):
    responses = [response for problem in problems for response in problem]
    factors = np.array([factor for response in responses for factor in response], dtype=np.float64)
    bounds = np.concatenate([[0], np.cumsum([len(response) for response in responses])]).astype(np.int64)
    return factors, bounds, np.repeat(np.arange(len(problems)), [len(problem) for problem in problems])


def lists(of, most=6):
    return st.lists(of, min_size=1, max_size=most)


@SOME
@given(problems=lists(lists(ANY | st.sampled_from((0.0, -0.0, 0.5)))))
def test_places_count_the_different_scores_that_are_higher(problems):
    scores = np.array([score for problem in problems for score in problem])
    numbers = np.repeat(np.arange(len(problems)), [len(problem) for problem in problems])
    expected = [place for problem in problems for place in response_reference.places(problem)]
    assert places(scores, numbers).tolist() == expected


@SOME
@given(problems=lists(lists(lists(FACTORS)), 3))
def test_products_are_placed_as_the_real_numbers_they_are(problems):
    expected = [
        place
        for problem in problems
        for place in response_reference.places([math.prod(map(Fraction, response)) for response in problem])
    ]
    assert product_places(*flat(problems)).tolist() == expected


@SOME
@given(factors=lists(FACTORS, 40))
def test_a_product_is_off_by_less_than_a_rounding_a_factor(factors):
    mantissa, exponent = (side[0] for side in _products(*flat([[factors]])[:2]))
    exact = math.prod(map(Fraction, factors))
    assert mantissa == 0 or 0.5 <= abs(mantissa) < 1
    found = Fraction(float(mantissa)) * Fraction(2) ** int(exponent)
    assert abs(found - exact) <= abs(exact) * len(factors) * Fraction(1, 2**53)


def test_a_long_solution_does_not_underflow_into_a_tie():
    problem = [[1e-4] * 200, [1.1e-4] * 200, [1e-4] * 199, [0.0]]
    assert np.prod(problem[0]) == np.prod(problem[1]) == 0.0
    assert product_places(*flat([problem])).tolist() == [2, 0, 1, 3]


def test_products_that_are_equal_tie_in_whatever_order_their_factors_stand():
    assert 0.1 * 0.2 * 0.3 != 0.3 * 0.2 * 0.1
    assert product_places(*flat([[[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.5]]])).tolist() == [1, 1, 0]


def test_products_below_zero_change_sign_with_their_number():
    assert product_places(*flat([[[-0.5, -0.5], [0.2], [-0.5], [0.0], [-1e-300]]])).tolist() == [0, 1, 4, 2, 3]


@pytest.mark.parametrize("place", [places, lambda scores, numbers: product_places(scores, np.zeros(1, int), numbers)])
def test_nothing_has_no_places(place):
    assert place(np.empty(0), np.empty(0, dtype=np.int64)).tolist() == []
