"""Conditions that were written by a facet are that facet again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nasty import TEXT
from scoring.workspace.filtering.facet_reading import facet_of, filter_of
from scoring.workspace.filtering.filters import Facet, Filter, NumberRange
from thoroughness import up_to

SOME = up_to(80)
CHOICES = (
    st.lists(TEXT | st.none(), min_size=1, max_size=3, unique=True)
    | st.lists(st.booleans() | st.none(), min_size=1, max_size=3, unique=True)
    | st.lists(
        st.integers(-9, 99)
        | st.tuples(st.integers(-3, 9), st.none() | st.integers(0, 20)).map(lambda pair: NumberRange(*pair))
        | st.none(),
        min_size=1,
        max_size=4,
        unique=True,
    )
)


@SOME
@given(
    column=st.text(min_size=1, max_size=5).filter(lambda text: "\0" not in text)
    | st.sampled_from(("subset", "NOT", "a'b", 'x"y', "gpt4.outcome", "tags")),
    values=CHOICES,
    keep=st.booleans(),
)
def test_a_facet_is_read_back_from_its_sql(column, values, keep):
    facet = Facet(column, tuple(values), keep)
    found = facet_of(facet.sql)
    assert found is not None
    assert (found.column, found.keep, found.sql) == (column, keep, facet.sql)
    assert set(found.values) == set(values)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("values", [("a",), ("a", "it's"), ("a", None), (None,)])
def test_a_facet_on_lists_is_read_back(values, keep):
    facet = Facet("tags", values, keep, listed=True)
    assert facet_of(facet.sql) == facet


@pytest.mark.parametrize(
    "condition",
    [
        "n_steps > 8",
        "subset = 'a'",
        "subset IN ('a') AND n_steps > 2",
        "true",
        "false",
        "",
        "'",
        "1",
        "NOT",
        "subset IN ('a') OR true",
        "subset IN (a)",
        "subset IS TRUE",
    ],
)
def test_what_was_typed_stays_as_it_was_typed(condition):
    assert facet_of(condition) is None
    assert filter_of([condition]).conditions == (condition,)


def test_a_filter_is_read_back_from_its_conditions():
    made = Filter().toggled("subset", "math").toggled("subset", "x", keep=False).toggled("gpt4.outcome", "late")
    made = made.toggled("generator", None, keep=False).plus("n_steps > 2")
    assert filter_of(made.conditions).conditions == made.conditions
    assert filter_of(["subset IN ('a')", "subset IN ('b')"]).where == ("subset IN ('b')",)
