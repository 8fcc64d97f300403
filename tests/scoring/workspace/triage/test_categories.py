import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from scoring.workspace.filtering.coded_columns import LIMIT, categories, listed_values
from thoroughness import up_to

COLUMNS = (
    st.lists(st.text(max_size=3) | st.none(), max_size=12).map(lambda cells: pl.Series("c", cells, dtype=pl.String))
    | st.lists(st.booleans() | st.none(), max_size=12).map(lambda cells: pl.Series("c", cells, dtype=pl.Boolean))
    | st.lists(st.integers(-3, 300) | st.none(), max_size=12).map(lambda cells: pl.Series("c", cells, dtype=pl.Int32))
)


@up_to(100, 12)
@given(column=COLUMNS, draw=st.data())
def test_numbers_say_what_the_column_says(column, draw):
    found = categories(column)
    cells = column.to_list()
    assert [found.values[number] for number in found.numbers] == cells
    assert len({(type(value), value) for value in found.values}) == len(found.values)
    wanted = tuple(draw.draw(st.lists(st.sampled_from([*cells, "x", None, True, 1]), max_size=4)))
    kinds = [(type(value), value) for value in wanted]
    assert found.among(wanted).tolist() == [(type(cell), cell) in kinds for cell in cells]
    within = np.array(draw.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells))), dtype=np.bool_)
    counts = {value: int(count) for value, count in zip(found.values, found.counts(within), strict=True) if count}
    inside = [cell for cell, there in zip(cells, within, strict=True) if there]
    assert counts == {cell: inside.count(cell) for cell in inside}


def test_names_lists_and_fractions_are_no_small_set():
    assert categories(pl.Series([f"case {number}" for number in range(LIMIT + 1)])) is None
    assert categories(pl.Series([str(n) for n in range(LIMIT)])).numbers.dtype == np.uint32
    assert categories(pl.Series([0.5])) is None
    assert categories(pl.Series([[1]])) is None


@up_to(100, 12)
@given(
    cells=st.lists(st.lists(st.sampled_from(["a", "b", "", None]), max_size=3) | st.none(), max_size=9), draw=st.data()
)
def test_lists_are_counted_by_what_they_hold(cells, draw):
    within = np.array(draw.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells))), dtype=np.bool_)
    found = listed_values(pl.Series("c", cells, dtype=pl.List(pl.String))).tally(within)
    inside = [
        {one for one in cell or () if one is not None} for cell, there in zip(cells, within, strict=True) if there
    ]
    values = {value for cell in inside for value in cell}
    expected = {value: sum(value in cell for cell in inside) for value in values}
    nothing = sum(not cell for cell in inside)
    assert found == expected | ({None: nothing} if nothing else {})
