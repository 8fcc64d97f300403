from contextlib import suppress
from functools import reduce
from operator import and_

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nasty import NASTY, TEXT
from scoring.data.errors import FilterError
from scoring.data.schema import METADATA
from scoring.workspace.filtering.filters import Facet, Filter, NumberRange, passing, row_passes
from scoring.workspace.filtering.sql_words import literal, named, quoted
from thoroughness import up_to

SOME = up_to(80, 10)


def obvious(column, values, keep):
    """What a facet means, as polars says it."""
    inside = pl.lit(value=False)
    for value in values:
        inside = inside | (
            pl.col(column).is_null() if value is None else pl.col(column).eq(value).fill_null(value=False)
        )
    return inside if keep else inside.not_()


@SOME
@given(
    column=st.text(min_size=1, max_size=5)
    | st.sampled_from(("a", "case", "select", "gpt4.outcome", 'a"b', "x y", "ÄB", "1")),
    cells=st.lists(TEXT | st.none(), max_size=6),
    values=st.lists(TEXT | st.none(), max_size=4, unique=True),
    keep=st.booleans(),
)
@example(column="c", cells=list(NASTY), values=list(NASTY), keep=True)
@example(column="c", cells=[*NASTY, None], values=[*NASTY, None], keep=False)
def test_a_facets_sql_keeps_what_the_obvious_expression_keeps(column, cells, values, keep):
    frame = pl.DataFrame({column: pl.Series(cells, dtype=pl.String)})
    # A value of the frame is asked for as well, so that something is kept.
    values = tuple(dict.fromkeys([*values, *cells[:1]]))
    found = passing(frame, [Facet(column, values, keep).sql])
    assert found.to_list() == frame.with_columns(obvious(column, values, keep).alias("expected"))["expected"].to_list()
    assert found.dtype == pl.Boolean()
    assert found.null_count() == 0


@pytest.mark.parametrize("column", list(METADATA))
def test_every_column_of_the_cases_can_be_named(column):
    frame = pl.DataFrame({name: pl.Series(name, [None], dtype=dtype) for name, dtype in METADATA.items()})
    assert passing(frame, [f"{named(column)} IS NULL"]).to_list() == [True]
    assert passing(frame, [Facet(column, (None,)).sql, Facet(column, (), keep=False).sql]).to_list() == [True]


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("values", [(True,), (False,), (None,), (True, None), (True, False), ()])
def test_facets_on_booleans(values, keep):
    frame = pl.DataFrame({"right": [True, False, None]})
    assert passing(frame, [Facet("right", values, keep).sql]).to_list() == [
        (v in values) == keep for v in (True, False, None)
    ]


def test_facets_on_numbers():
    frame = pl.DataFrame({"n": pl.Series([3, -1, None], dtype=pl.Int32)})
    assert passing(frame, [Facet("n", (-1, 3)).sql]).to_list() == [True, True, False]
    assert passing(frame, [Facet("n", (-1,), keep=False).sql]).to_list() == [True, False, True]


def test_facets_as_sql():
    assert Facet("subset", ("it's", "math")).sql == "subset IN ('it''s', 'math')"
    assert Facet("x.outcome", ("late", None)).sql == '"x.outcome" IN (\'late\') OR "x.outcome" IS NULL'
    assert Facet("n_steps", (-1, None), keep=False).sql == "n_steps NOT IN (-1) AND n_steps IS NOT NULL"
    assert Facet("right", (True,), keep=False).sql == '"right" NOT IN (true) OR "right" IS NULL'
    assert Facet("a", (), keep=True).sql == "false"
    assert (quoted("'"), literal(True), literal(3), named('A"')) == ("''''", "true", "3", '"A"""')


@SOME
@given(steps=st.lists(st.tuples(st.sampled_from(("a", "b")), st.sampled_from(("x", "y", None))), max_size=8))
def test_toggling_adds_and_takes_away_and_an_empty_facet_goes(steps):
    found, kept = Filter(where=("n > 1",)), {"a": set(), "b": set()}
    for column, value in steps:
        found = found.toggled(column, value)
        kept[column] ^= {value}
    for column, values in kept.items():
        facet = found.facet(column)
        assert set(facet.values if facet else ()) == values
        assert facet is None or (facet.keep and len(facet.values) == len(values))
    assert found.where == ("n > 1",)
    assert len(found.facets) == sum(map(bool, kept.values()))


def test_toggling_a_hidden_value_keeps_it():
    found = Filter((Facet("a", ("x", "y"), keep=False),)).toggled("a", "x")
    assert found.facets == (Facet("a", ("x",)), Facet("a", ("y",), keep=False))


FRAME = pl.DataFrame(
    {
        "subset": ["math", "gsm8k", None, "math"],
        "n_steps": [3, 9, 12, None],
        "gpt4.outcome": ["late", "exact", None, "late"],
        "rand-0.outcome": ["exact", "late", "late", None],
        "tags": [["x"], [], None, ["y"]],
    }
)


def kept(*conditions):
    return passing(FRAME, conditions).to_list()


def test_conditions_hold_together_and_null_is_not_fulfilled():
    assert kept() == [True] * 4
    assert kept("n_steps > 8") == [False, True, True, False]
    assert kept("n_steps > 8", "subset = 'gsm8k'") == [False, True, False, False]
    assert kept("subset = 'math' OR subset IS NULL", "n_steps < 10") == [True, False, False, False]
    assert kept("\"gpt4.outcome\" = 'late'") == [True, False, False, True]
    assert kept("\"rand-0.outcome\" LIKE 'l%'") == [False, True, True, False]
    assert kept("NULL") == [False] * 4
    assert kept("n_steps > avg(n_steps)") == [False, True, True, False]


@pytest.mark.parametrize("condition", ["true", "1 = 1", "count(*) > 1", "max(n_steps) = 12"])
def test_a_condition_about_the_whole_holds_for_every_row(condition):
    assert kept(condition) == [True] * 4


@pytest.mark.parametrize("condition", ["true", "false", "n_steps > 1", "NULL", "max(n_steps) = 1"])
def test_no_rows_and_one_row(condition):
    assert passing(FRAME.clear(), [condition]).to_list() == []
    assert passing(FRAME.head(1), [condition]).len() == 1


@SOME
@given(st.lists(st.sampled_from(("n_steps > 3", "subset = 'math'", "\"gpt4.outcome\" <> 'late'", "true")), max_size=4))
def test_a_filter_keeps_what_each_of_its_conditions_keeps(conditions):
    found = Filter((Facet("subset", ("math", None)),), tuple(conditions))
    parts = [passing(FRAME, [one]) for one in found.conditions]
    assert found.rows(FRAME).to_list() == reduce(and_, parts).to_list()
    assert bool(found) is True
    assert not Filter()


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("gpt4.outcome = 'late'", 'write "gpt4.outcome", in double quotes'),
        ("rand-0.outcome = 'late'", 'write "rand-0.outcome", in double quotes'),
        ("n_steps > 3 AND rand-0.outcome IN ('late')", 'write "rand-0.outcome", in double quotes'),
        ("outcome = 'late'", 'there is no column \'outcome\'; did you mean "gpt4.outcome" or "rand-0.outcome"?'),
        ("\"gpt4.outcom\" = 'late'", 'did you mean "gpt4.outcome"'),
        ("n_step > 3", "did you mean n_steps?"),
        ("subst = 'math'", "did you mean subset?"),
        ('subset = "olympiad"', "A text stands in single quotes: 'olympiad'."),
        ("zzz = 1", 'there are subset, n_steps, "gpt4.outcome"'),
        ("subset", "gives a text, not true or false"),
        ("n_steps + 1", "gives a number, not true or false"),
        ("n_steps > 'x'", "cannot be evaluated"),
        ("n_steps >", "at character 10: something is missing here"),
        ("", "is not a condition. Example: n_steps > 8"),
        ("  ", "is not a condition. Example: n_steps > 8"),
        ("'", "at character 1: the closing ' is missing"),
        ("subset = 'math'; DROP TABLE x", "at character 16: unexpected ;"),
        ("foo(n_steps) > 1", "no function named 'foo'"),
        ("'gpt4.outcome' = subset AND", "at character 28: something is missing here"),
        ("tags = 1", "tags holds lists: ARRAY_CONTAINS(tags, VALUE)"),
        ("tags = 'x'", "ARRAY_CONTAINS(tags, 'x')"),
        ("tags", "gives a list, not true or false"),
        ("n_steps IN (SELECT 1)", "it cannot ask another table or read a file"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(condition, said):
    with pytest.raises(FilterError) as raised:
        passing(FRAME, [condition])
    assert said in str(raised.value)
    assert repr(condition) in str(raised.value)
    assert "\n" not in str(raised.value)


@SOME
@given(condition=st.text(max_size=20))
def test_no_text_is_more_than_a_filter_error(condition):
    with suppress(FilterError):
        assert passing(FRAME, [condition]).len() == FRAME.height


@pytest.mark.parametrize(
    "condition", ["\"rand-0.outcome\" = 'late' AND foo > 1", "\"gpt4.outcome\" = 'gpt4.outcome' AND foo > 1"]
)
def test_a_name_that_is_quoted_already_is_not_what_is_wrong(condition):
    with pytest.raises(FilterError, match="there is no column 'foo'"):
        passing(FRAME, [condition])


def test_spans_of_numbers():
    frame = pl.DataFrame({"n_steps": [3, 5, 9, 15, None]})
    facet = Facet("n_steps", (NumberRange(0, 4), NumberRange(15, None)))
    assert facet.sql == "n_steps BETWEEN 0 AND 4 OR n_steps >= 15"
    assert passing(frame, [facet.sql]).to_list() == [True, False, False, True, False]
    hidden = Facet("n_steps", facet.values, keep=False)
    assert hidden.sql == "(n_steps NOT BETWEEN 0 AND 4 AND n_steps < 15) OR n_steps IS NULL"
    assert passing(frame, [hidden.sql]).to_list() == [False, True, True, False, True]


@SOME
@given(
    rows=st.lists(st.none() | st.lists(TEXT, max_size=3), max_size=6),
    values=st.lists(TEXT | st.none(), max_size=3, unique=True),
    keep=st.booleans(),
)
def test_a_facet_on_lists_is_about_every_value_a_row_has(rows, values, keep):
    frame = pl.DataFrame({"tags": pl.Series(rows, dtype=pl.List(pl.String))})
    found = passing(frame, [Facet("tags", tuple(values), keep, listed=True).sql])
    has = [bool(set(row or [None]) & set(values)) for row in rows]
    assert found.to_list() == [one == keep for one in has]


def test_a_hidden_value_is_not_said_where_others_are_kept():
    made = Filter().toggled("a", "x", keep=False).toggled("a", "y")
    assert made.conditions == ("\"a\" IN ('y')",)
    assert made.toggled("a", "y").conditions == ('"a" NOT IN (\'x\') OR "a" IS NULL',)
    tags = Filter().toggled("tags", "x", keep=False, listed=True).toggled("tags", "y", listed=True)
    assert len(tags.conditions) == 2


def test_a_value_is_kept_or_hidden_never_both():
    made = Filter().toggled("a", "x").toggled("a", "x", keep=False)
    assert made.facets == (Facet("a", ("x",), keep=False),)
    assert made.hiding("a", "x") == made
    assert made.only("a", "x").facets == (Facet("a", ("x",)),)
    assert made.only("a", "x").hiding("a", "x") == made


def test_conditions_are_added_once_and_taken_away():
    made = Filter().plus("n > 1").plus("n > 2").plus("n > 1")
    assert made.where == ("n > 1", "n > 2")
    assert made.less("n > 1").where == ("n > 2",)


@pytest.mark.parametrize(
    ("kept", "hidden", "said"),
    [
        ((4,), (NumberRange(0, 4),), True),
        ((NumberRange(10, None),), (12,), True),
        ((NumberRange(0, 4),), (NumberRange(4, 9),), True),
        ((4,), (NumberRange(5, 9),), False),
        ((NumberRange(10, None),), (NumberRange(0, 4), None, 7), False),
    ],
)
def test_what_is_kept_says_nothing_of_a_hidden_span_that_holds_it(kept, hidden, said):
    chosen = Filter((Facet("n_steps", kept), Facet("n_steps", hidden, keep=False)))
    assert len(chosen.conditions) == 1 + said
    frame = pl.DataFrame({"n_steps": [*range(16), None]})
    apart = [facet.rows(frame) for facet in (Filter((facet,)) for facet in chosen.facets)]
    assert chosen.rows(frame).to_list() == (apart[0] & apart[1]).to_list()


def test_what_gives_another_number_of_rows_is_no_condition():
    listed = pl.DataFrame({"tags": [["x", "y"], [], ["x"]]})
    with pytest.raises(FilterError, match="no function named 'UNNEST'"):
        passing(listed, ["UNNEST(tags) = 'x'"])


@pytest.mark.parametrize("condition", ["COUNT(*) > 2", "ROW_NUMBER() OVER () > 0"])
def test_a_condition_that_names_no_column_counts_the_rows(condition):
    assert row_passes(pl.DataFrame(), condition, 3, ()).to_list() == [True] * 3
    assert passing(pl.DataFrame({"a": [1, 2, 3]}), [condition]).to_list() == [True] * 3


def test_a_name_that_is_nowhere_is_none_of_a_table_without_columns():
    for name in ("row", '"row"', '""'):
        with pytest.raises(FilterError):
            row_passes(pl.DataFrame(), f"{name} IS NULL", 3, ())
