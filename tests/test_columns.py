import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.widgets.columns import FittedColumns, TableColumn, fit_parts, fit_widths, with_widths


def shown(column: TableColumn, value: object, width: int = 8, *, right: bool = False) -> str:
    parts = column.parts(value, width, right=right, null="–")
    return "".join(text for text, _ in parts)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain   "),
        ("题目题目题目", "题目题 …"),
        ("a\x1b[2Jb", "a␛[2Jb  "),
        ("two\nlines", "two lin…"),
        (True, "yes     "),
        (False, "no      "),
        (7, "7       "),
        (0.12345, "0.123   "),
        (float("nan"), "nan     "),
        (None, "–       "),
        ([1, 2], "[1, 2]  "),
    ],
)
def test_values_become_text_of_the_width(value, text):
    assert shown(TableColumn("c", "C", 8), value) == text


def painter(value, width):
    return [(str(value)[:width], "good")]


def test_a_missing_value_is_dim_and_a_value_has_the_style_of_its_column():
    column = TableColumn("c", "C", 3, style="gold")
    assert column.parts(None, 3, right=False, null="-") == (("-  ", "gold dim"),)
    assert column.parts("x", 3, right=False, null="-") == (("x  ", "gold"),)


def test_decimals():
    assert shown(TableColumn("c", "C", 8, decimals=1), 0.25) == "0.2     "


def test_numbers_stand_at_the_right_unless_they_are_painted():
    frame = pl.DataFrame({"n": [1], "x": [0.5], "t": ["a"], "b": [True]})
    columns = [TableColumn(name, name, 4) for name in ("n", "x", "t", "b")]
    assert [column.at_right(frame.schema[column.name]) for column in columns] == [True, True, False, False]
    assert not TableColumn("n", "N", 4, paint=painter).at_right(pl.Int64())
    assert TableColumn("t", "T", 4, right=True).at_right(pl.String())


def test_a_painter_gets_value_and_width_and_several_sources_as_a_tuple():
    seen = []

    def paint(value, width):
        seen.append((value, width))
        return [("#", "good"), ("!", "bad")]

    columns = (
        TableColumn("one", "One", 4, source="a", paint=paint),
        TableColumn("two", "Two", 5, source=("b", "a"), paint=paint),
    )
    fitted = FittedColumns.of(columns, pl.DataFrame({"b": ["x"], "a": [1]}), 0)
    assert fitted.sources == ("a", "b")
    parts = fitted.row((1, None), margin=">", null="-")
    assert seen == [(1, 4), ((None, 1), 5)]
    assert "".join(text for text, _ in parts) == ">#!   #!   "
    assert ("#", "good") in parts


def test_a_painted_cell_stands_at_the_right_if_the_column_says_so():
    assert shown(TableColumn("c", "C", 5, paint=lambda value, _: [(value, "")]), "ab", 5, right=True) == "   ab"


def test_header_and_cells_stand_in_the_same_places():
    columns = (TableColumn("a", "案例 case", 6), TableColumn("b", "B", 4), TableColumn("c", "C", 2, flex=1))
    fitted = FittedColumns.of(columns, pl.DataFrame({"a": ["x"], "b": [1], "c": ["x"]}), 20)
    assert fitted.header() == " …case  " + "   B " + "C      "
    assert fitted.widths == (6, 4, 7)
    assert fitted.width == 20
    hits = [fitted.at(x) for x in (0, 1, 6, 7, 8, 12, 13, 19, 20, 21)]
    assert [column and column.name for column in hits] == [None, "a", "a", "a", "b", "b", "c", "c", "c", None]


def test_titles_are_shortened_beside_each_other_and_the_names_behind_them_among_their_kind():
    columns = (
        TableColumn("a", "reward at the gold step", 12),
        TableColumn("b", "margin", 17, of="reasoneval_llemma-34b"),
        TableColumn("c", "margin", 17, of="reasoneval_mistral-7b"),
        TableColumn("d", "margin", 40, of="reasoneval_llama2-7b"),
    )
    frame = pl.DataFrame({key: [""] for key in "abcd"})
    assert FittedColumns.of(columns, frame, 200).titles == (
        *("rew…old step", "margin llemma-34b", "margin mistral-7b", "margin reasoneval_llama2-7b"),
    )


def test_a_width_that_a_person_gave_is_kept_with_and_without_room():
    columns = with_widths(
        (TableColumn("a", "A", 6, flex=1), TableColumn("b", "B", 9, least=2)), {"a": 3, "b": 0, "gone": 5}
    )
    for available in (5, 80):
        assert FittedColumns.of(columns, pl.DataFrame({"a": [""], "b": [""]}), available).widths == (3, 1)


def test_no_columns_are_a_margin():
    fitted = FittedColumns((), (), 10)
    assert (fitted.width, fitted.header(), fitted.row((), margin=" ", null="-")) == (1, " ", [(" ", "")])


@given(
    columns=st.lists(
        st.tuples(st.integers(1, 30), st.integers(0, 3), st.one_of(st.just(0), st.integers(1, 60))),
        min_size=1,
        max_size=8,
    ),
    available=st.integers(0, 250),
)
def test_flexible_columns_share_exactly_what_is_left_and_none_takes_more_than_it_uses(columns, available):
    made = [TableColumn("c", "C", width, flex=flex, most=most) for width, flex, most in columns]
    widths = fit_widths(made, available)
    gaps = len(columns) - 1
    least = sum(column.width for column in made) + gaps
    largest = [max(one.width, one.most or available) if one.flex else one.width for one in made]
    assert all(one.width <= got <= size for got, one, size in zip(widths, made, largest, strict=True))
    assert sum(widths) + gaps == max(least, min(available, sum(largest) + gaps))


@given(
    parts=st.lists(st.tuples(st.text(max_size=12), st.sampled_from(["", "good"])), max_size=5),
    width=st.integers(1, 20),
    right=st.booleans(),
)
def test_parts_of_a_cell_fill_its_width_exactly(parts, width, right):
    fitted = fit_parts(parts, width, right=right)
    assert sum(cell_len(text) for text, _ in fitted) == width
