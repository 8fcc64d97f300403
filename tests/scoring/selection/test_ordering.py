import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from scoring.data.errors import UsageError
from scoring.evaluation.instructive import instructive
from scoring.selection.loading import load
from scoring.selection.ordering import KEPT, column_named, other_direction, sort_key, sorted_ids
from scoring.selection.query import Query
from scoring.selection.result_set import with_evaluations


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("ordering")
    cases, scorers = making.study()
    making.workspace(root, cases, scorers, **making.labels(cases))
    return str(root)


VALUES = {
    pl.Float64(): st.sampled_from((0.5, -0.0, 0.0, 1e300, float("inf"), float("-inf"), -2.5)),
    pl.Int32(): st.integers(-5, 5),
    pl.Int64(): st.sampled_from((-(1 << 40), 0, 3, 1 << 40)),
    pl.Boolean(): st.booleans(),
    pl.String(): st.sampled_from(("", "a", "B", "b", "é", "\U0001f600", "zz")),
}


@given(
    st.sampled_from(list(VALUES)).flatmap(lambda t: st.tuples(st.just(t), st.lists(st.none() | VALUES[t]))),
    st.booleans(),
)
def test_ties_keep_their_order_and_nulls_come_last_either_way(column, descending):
    dtype, values = column
    there = [row for row, value in enumerate(values) if value is not None]
    there.sort(key=lambda row: values[row], reverse=descending)  # Python keeps ties in order, reversed or not
    missing = [row for row, value in enumerate(values) if value is None]
    assert sorted_ids(pl.Series(values, dtype=dtype), descending=descending).tolist() == [*there, *missing]


def test_nan_counts_as_null():
    assert sorted_ids(pl.Series([float("nan"), 1.0, 0.0]), descending=True).tolist() == [1, 2, 0]


def asked(results):
    """What an order is made from: the cases with their columns, and the scorers shown."""
    return results.evaluated, results.chosen_evaluations


def test_a_measure_is_that_of_the_one_scorer_chosen(root):
    one, several = load(Query(workspace=root, scorers=("gpt4",))), load(Query(workspace=root))
    assert column_named(*asked(one), "margin") == "gpt4.margin"
    assert column_named(*asked(one), "rand-0.margin") == "rand-0.margin"
    assert column_named(*asked(several), "n_st") == "n_steps"
    with pytest.raises(UsageError, match="3 columns match 'margin'"):
        column_named(*asked(several), "margin")


@pytest.mark.parametrize("name", ["gpt4.lowest_reward", "gpt4.drop_at_gold", "gpt4.abs_margin", "disagreement"])
def test_measures_can_be_sorted_by_and_filtered_by(root, name):
    found = load(Query(workspace=root, sort=f"{name}:desc", where=(f'"{name}" > 0',)))
    values = found.evaluated.column(name).gather(found.shown).to_list()
    assert values == sorted(values, reverse=True)
    assert values
    assert min(values) > 0


def test_instructive_goes_the_other_way_too(root):
    most, least = (load(Query(workspace=root, scorers=("gpt4",), sort=f"instructive:{way}")) for way in ("asc", "desc"))
    codes = most.evaluation("gpt4").codes
    assert most.shown.tolist() == instructive(most.evaluation("gpt4").margins, most.evaluation("gpt4").codes).tolist()
    assert codes[most.shown[0]] in {1, 2, 3, 5}
    assert codes[least.shown[0]] in {0, 4}


def test_an_order_is_remembered_as_long_as_its_column_stays(root):
    found = load(Query(workspace=root, scorers=("gpt4",)))
    before = found.orders.of(*asked(found), "margin")
    assert found.orders.of(*asked(found), "gpt4.margin:asc") is before
    moved = with_evaluations(found, [one.at(0.3) for one in found.evaluations])
    assert found.orders.of(*asked(moved), "margin") is not before
    for word in ("n_steps", "generator", "subset"):
        found.orders.of(*asked(found), word)
    assert len(found.orders._kept) == KEPT


def test_lists_have_no_order(root):
    with pytest.raises(UsageError, match="holds lists"):
        sort_key(*asked(load(Query(workspace=root))), "tags:desc")


def test_the_other_direction_and_back():
    assert other_direction("margin") == other_direction("margin:asc") == "margin:desc"
    assert other_direction("margin:desc") == "margin:asc"
    assert other_direction("a:b") == "a:b:desc"
