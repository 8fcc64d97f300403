"""Agreement of people: against slow accounts of the definitions, printed examples, and laws."""

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring.metrics.annotator_agreement import (
    MISSING,
    NO_WIDTH,
    NOTHING_SHARED,
    ONE_VALUE,
    AnnotatorAnswers,
    agreement_of_all,
    agreement_of_two,
    alphas,
    confusion_of,
    kappas,
    ordinal_alphas,
)
from scoring.metrics.resampling import SMALL
from slow_agreement import slow_alpha, slow_kappa
from thoroughness import up_to

V = 3
# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): two observers of ten and of twelve units, and four of
# twelve with gaps, which Content Analysis prints as well.
BINARY = """0 1 0 0 0 0 0 0 1 0
1 1 1 0 0 1 0 0 0 0"""
NOMINAL = """a a b b d c c c e d d a
b a b b b c c c e d d d"""
FOUR = """1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 ."""


def answers(rows, values=V, *, ordinal=False, cases=None):
    codes = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
    return AnnotatorAnswers(codes, np.arange(len(rows)) if cases is None else np.array(cases), values, ordinal)


def slow_share(units):
    """Pairs that agree among pairs of what is said of one unit, each by 1 / (people - 1)."""
    units = [said for said in units if len(said) > 1]
    same = sum(Fraction(sum(a == b for a, b in permutations(said, 2)), len(said) - 1) for said in units)
    return same / sum(map(len, units))


def said_of(rows):
    return [[code for code in row if code != MISSING] for row in rows]


rows_of_three = st.lists(st.tuples(*[st.sampled_from([MISSING, 0, 1, 2])] * 3), min_size=1, max_size=30)


@up_to(100, 12)
@given(rows_of_three)
def test_kappa_is_the_slow_one_of_every_two(rows):
    for left, right in combinations(range(3), 2):
        observed, kappa = agreement_of_two(answers(rows), left, right, 0)
        pairs = [(row[left], row[right]) for row in rows if MISSING not in {row[left], row[right]}]
        expected = slow_kappa(pairs)
        assert observed.n == kappa.n == len(pairs)
        if expected is None:
            assert kappa.value is kappa.low is None
            assert kappa.reason == (ONE_VALUE if pairs else NOTHING_SHARED)
        else:
            assert kappa.value == pytest.approx(float(expected), abs=1e-12)
            assert kappa.reason is None
        assert observed.value == (sum(a == b for a, b in pairs) / len(pairs) if pairs else None)


@up_to(100, 12)
@given(rows_of_three, st.booleans())
def test_alpha_is_the_slow_one_with_missing_answers(rows, ordinal):
    observed, alpha = agreement_of_all(answers(rows, ordinal=ordinal), 0)
    units = said_of(rows)
    expected = slow_alpha(units, ordinal=ordinal)
    shared = sum(len(said) > 1 for said in units)
    assert alpha.n == shared
    if expected is None:
        assert alpha.value is alpha.high is None
        assert alpha.reason == (ONE_VALUE if shared else NOTHING_SHARED)
    else:
        assert alpha.value == pytest.approx(float(expected), abs=1e-12)
        assert observed.value == pytest.approx(float(slow_share(units)), abs=1e-12)


def coded(observers):
    """What observers say, a line each and a unit a word, as rows of units."""
    lines = [line.split() for line in observers.splitlines()]
    values = sorted({word for line in lines for word in line if word != "."})
    return np.transpose([[MISSING if word == "." else values.index(word) for word in line] for line in lines]), values


@pytest.mark.parametrize(
    ("observers", "ordinal", "printed"),
    [(BINARY, False, 0.095), (NOMINAL, False, 0.692), (FOUR, False, 0.743), (FOUR, True, 0.815)],
)
def test_the_printed_examples(observers, ordinal, printed):
    rows, values = coded(observers)
    _, alpha = agreement_of_all(answers(rows, len(values), ordinal=ordinal), 0)
    assert round(alpha.value, 3) == printed
    assert round(float(slow_alpha(said_of(rows.tolist()), ordinal=ordinal)), 3) == printed


def test_kappa_of_a_known_table():
    rows = [(0, 0)] * 20 + [(0, 1)] * 5 + [(1, 0)] * 10 + [(1, 1)] * 15
    observed, kappa = agreement_of_two(answers(rows, 2), 0, 1, 0)
    assert (observed.value, kappa.value) == (0.7, pytest.approx(0.4))
    assert kappa.low < 0.4 < kappa.high
    assert confusion_of(answers(rows, 2), 0, 1).tolist() == [[20, 5], [10, 15]]


@up_to(100, 12)
@given(rows_of_three, st.booleans(), st.permutations(range(3)), st.randoms(use_true_random=False))
def test_the_order_of_cases_and_people_is_nothing(rows, ordinal, places, random):
    shuffled = random.sample(rows, len(rows))
    first = agreement_of_all(answers(rows, ordinal=ordinal), 0)
    for one, other in zip(first, agreement_of_all(answers(shuffled, ordinal=ordinal), 0), strict=True):
        assert alike(one, other)
    moved = [[row[place] for place in places] for row in shuffled]
    for one, other in zip(first, agreement_of_all(answers(moved, ordinal=ordinal), 0), strict=True):
        assert alike(one, other)
    one, other = agreement_of_two(answers(rows), 0, 1, 0)[1], agreement_of_two(answers(shuffled), 1, 0, 0)[1]
    assert (one.value, one.reason) == (pytest.approx(other.value, abs=1e-12), other.reason)


def alike(one, other):
    """Equal but for the last digits."""
    ends = [(one.value, other.value), (one.low, other.low), (one.high, other.high)]
    return one.reason == other.reason and all(
        left == right or left == pytest.approx(right, abs=1e-9) for left, right in ends
    )


@up_to(100, 12)
@given(rows_of_three, st.permutations(range(V)))
def test_names_of_values_are_nothing_where_they_have_no_order(rows, names):
    renamed = [[code if code == MISSING else names[code] for code in row] for row in rows]
    for one, other in (
        (agreement_of_two(answers(rows), 0, 1, 0), agreement_of_two(answers(renamed), 0, 1, 0)),
        (agreement_of_all(answers(rows), 0), agreement_of_all(answers(renamed), 0)),
    ):
        for before, after in zip(one, other, strict=True):
            assert before.reason == after.reason
            assert before.value == (None if after.value is None else pytest.approx(after.value, abs=1e-12))


@up_to(100, 12)
@given(rows_of_three)
def test_ordinal_values_may_be_turned_round(rows):
    turned = [[code if code == MISSING else V - 1 - code for code in row] for row in rows]
    one, other = (agreement_of_all(answers(found, ordinal=True), 0)[1] for found in (rows, turned))
    assert one.value == (None if other.value is None else pytest.approx(other.value, abs=1e-12))


@up_to(100, 12)
@given(st.lists(st.integers(0, V - 1), min_size=2, max_size=20), st.booleans())
def test_full_agreement_is_one_with_no_interval(codes, ordinal):
    assume(len(set(codes)) > 1)
    same = answers([[code] * 3 for code in codes], ordinal=ordinal)
    for figure in (*agreement_of_two(same, 0, 2, 0), *agreement_of_all(same, 0)):
        assert figure.value == pytest.approx(1)
        assert (figure.low, figure.high, figure.reason) == (None, None, None)


@pytest.mark.parametrize("value", range(V))
def test_one_value_alone_is_neither_zero_nor_one(value):
    same = answers([[value, value]] * 25)
    for observed, coefficient in (agreement_of_two(same, 0, 1, 0), agreement_of_all(same, 0)):
        assert (observed.value, observed.note) == (1, NO_WIDTH)
        assert (coefficient.value, coefficient.reason, coefficient.n) == (None, ONE_VALUE, 25)


def test_neighbours_are_nearer_in_order_alone():
    far, near = [[0, 2]] * 3 + [[0, 0], [1, 1], [2, 2]] * 5, [[0, 1]] * 3 + [[0, 0], [1, 1], [2, 2]] * 5
    by_order = [agreement_of_all(answers(rows, ordinal=True), 0)[1].value for rows in (far, near)]
    assert by_order[0] < by_order[1] - 0.1


@up_to(100, 12)
@given(rows_of_three)
def test_the_formulas_of_resamples_are_the_values(rows):
    units = [said for said in said_of(rows) if len(said) > 1]
    counts = [sum(said.count(value) for said in units) for value in range(V)]
    same = float(slow_share(units)) * sum(counts) if units else 0.0
    nominal = alphas(np.array([[same, *counts]], dtype=np.float64))[0]
    expected = slow_alpha(units, ordinal=False)
    assert np.isnan(nominal) if expected is None else nominal == pytest.approx(float(expected), abs=1e-9)
    pairs = np.zeros((V, V))
    for said in units:
        for one, other in permutations(said, 2):
            pairs[one, other] += 1 / (len(said) - 1)
    ordinal = ordinal_alphas(np.array([[same, *counts, *pairs.ravel()]]))[0]
    expected = slow_alpha(units, ordinal=True)
    assert np.isnan(ordinal) if expected is None else ordinal == pytest.approx(float(expected), abs=1e-9)
    table = confusion_of(answers(rows), 0, 1)
    sums = np.array([[np.trace(table), *table.sum(axis=1), *table.sum(axis=0)]], dtype=np.float64)
    expected = slow_kappa([(row[0], row[1]) for row in rows if MISSING not in row[:2]])
    assert np.isnan(kappas(sums)[0]) if expected is None else kappas(sums)[0] == pytest.approx(float(expected))


def test_intervals_are_those_of_resampled_cases():
    random = np.random.default_rng(1)
    truth = random.integers(0, V, 60)
    rows = np.column_stack([np.where(random.random(60) < 0.7, truth, random.integers(0, V, 60)) for _ in range(3)])
    drawn = [rows[random.integers(0, 60, 60)] for _ in range(250)]
    for figure, slow in (
        (agreement_of_two(answers(rows), 0, 1, 0)[1], [float(slow_kappa(one[:, :2].tolist())) for one in drawn]),
        (
            agreement_of_all(answers(rows), 0)[1],
            [float(slow_alpha(one.tolist(), ordinal=False)) for one in drawn],
        ),
    ):
        assert figure.low == pytest.approx(np.quantile(slow, 0.025), abs=0.04)
        assert figure.high == pytest.approx(np.quantile(slow, 0.975), abs=0.04)


def test_steps_of_one_case_are_drawn_together():
    rows = [(code % 2, code % 2 if code < 80 else 1 - code % 2) for code in range(100)]
    apart = agreement_of_two(answers(rows), 0, 1, 0)[0]
    together = agreement_of_two(answers(rows, cases=np.arange(100) // 10), 0, 1, 0)[0]
    assert together.value == apart.value == 0.8
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_the_seed_makes_the_intervals():
    rows = [(code % 3, code % 4 % 3) for code in range(40)]
    assert agreement_of_two(answers(rows), 0, 1, 5) == agreement_of_two(answers(rows), 0, 1, 5)
    assert agreement_of_two(answers(rows), 0, 1, 5) != agreement_of_two(answers(rows), 0, 1, 6)


def test_few_cases_are_told():
    assert agreement_of_two(answers([(0, 1), (1, 1), (0, 0)]), 0, 1, 0)[0].note == f"fewer than {SMALL}"


def test_many_values_and_cases_take_no_long_time():
    rows = np.random.default_rng(0).integers(0, 250, (2500, 2))
    assert abs(agreement_of_all(answers(rows, 250), 0)[1].value) < 0.05
