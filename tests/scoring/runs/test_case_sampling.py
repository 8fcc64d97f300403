from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import UsageError
from scoring.runs.case_sampling import sample, spread

SUBSETS = st.lists(st.sampled_from(["one", "two", None]), max_size=40)


def cases(subsets):
    return pl.DataFrame(
        {"case": [f"b/{index}" for index in range(len(subsets))], "subset": subsets},
        schema={"case": pl.String, "subset": pl.String},
    )


@given(SUBSETS, st.integers(0, 50), st.integers(0, 3), st.sampled_from([None, "subset"]))
def test_it_has_its_size_and_a_larger_one_contains_it(subsets, number, seed, stratify):
    rows = sample(cases(subsets), number, stratify, seed)
    assert len(rows) == min(number, len(subsets))
    assert rows == sorted(set(rows))
    assert set(rows) <= set(sample(cases(subsets), number + 1, stratify, seed))


@given(SUBSETS, st.integers(0, 50))
def test_each_stratum_has_its_share(subsets, number):
    rows = sample(cases(subsets), number, "subset")
    chosen = Counter(subsets[row] for row in rows)
    for stratum, size in Counter(subsets).items():
        assert abs(chosen[stratum] - len(rows) * size / len(subsets)) <= 1.5


@given(st.permutations(range(12)), st.integers(0, 12))
def test_the_order_of_the_cases_does_not_count(order, number):
    made = cases(["one"] * 12)
    shuffled = made[list(order)]
    names = set(made["case"][sample(made, number)])
    assert set(shuffled["case"][sample(shuffled, number)]) == names


def test_seeds_differ():
    made = cases(["one"] * 100)
    assert sample(made, 10, seed=1) != sample(made, 10, seed=2)


def test_an_unknown_column_is_named():
    with pytest.raises(UsageError, match="'colour'"):
        sample(cases(["one"]), 1, "colour")


@given(st.integers(0, 300), st.integers(0, 320), st.data())
def test_rows_that_are_spread_have_no_large_gap_and_more_of_them_contain_fewer(height, number, data):
    rows = spread(height, number)
    assert rows == sorted(set(rows))
    assert (len(rows), set(rows) <= set(range(height))) == (min(number, height), True)
    assert set(rows) <= set(spread(height, number + 1))
    # A part of the file has its share, up to the discrepancy of the sequence.
    start = data.draw(st.integers(0, height))
    stop = data.draw(st.integers(start, height))
    share = len(rows) * (stop - start) / max(1, height)
    assert abs(sum(start <= row < stop for row in rows) - share) <= 2 + 2 * max(1, len(rows)).bit_length() / 3


def test_rows_are_spread_over_both_halves_of_a_sorted_file():
    assert [sum(row < 60 for row in spread(120, number)) for number in (2, 5, 20, 31)] == [1, 3, 10, 16]
    assert spread(8, 4) == [0, 2, 4, 6]
