"""Drawings in columns: on a shared axis, at the cells of their values, in Unicode, ASCII and HTML."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.render.blocks import Section
from inspector.render.charts.chart_columns import ChartAxis, axis_of, axis_text, bar_text, forest_text, with_charts
from inspector.render.charts.glyphs import Glyphs
from inspector.render.documents.html import fragment
from inspector.render.documents.pages import page
from inspector.render.lines import text_of
from inspector.render.table_blocks import Cell, CellChart, Column, Kind, count, table, text
from inspector.render.terminal import Terminal

SHARES = st.floats(0, 1)
DIFFERENCES = st.floats(-1, 1)


def cells_of(triples, kind):
    return [Cell(sorted(triple)[1], kind, min(triple), max(triple)) for triple in triples]


@given(
    st.lists(st.tuples(DIFFERENCES, DIFFERENCES, DIFFERENCES), min_size=1, max_size=6),
    st.integers(12, 60),
    st.booleans(),
)
def test_an_interval_is_drawn_where_its_numbers_are(triples, width, ascii_only):
    cells = cells_of(triples, Kind.POINTS)
    axis = axis_of(cells, CellChart.DIFFERENCE)
    assert axis.low == -axis.high
    line, left, right, point = "-||o" if ascii_only else "─├┤●"
    for cell in cells:
        assert axis.low <= cell.low <= cell.high <= axis.high
        drawing = forest_text(cell, axis, width, Glyphs(ascii_only))
        assert len(drawing) == width
        scale = (width - 1) / (axis.high - axis.low)
        start, at, end = (round((number - axis.low) * scale) for number in (cell.low, cell.value, cell.high))
        assert drawing[at] == point
        assert start == at or drawing[start] == left
        assert end in {at, start} or drawing[end] == right
        assert set(drawing[start + 1 : end]) <= {line, point}
        assert not set(drawing[:start] + drawing[end + 1 :]) - {" ", ":" if ascii_only else "┊"}


@given(SHARES, st.integers(1, 40))
def test_a_bar_is_as_long_as_its_share(value, width):
    axis = axis_of([Cell(value, Kind.SHARE)], CellChart.BAR)
    drawing = bar_text(value, axis, width, Glyphs())
    assert len(drawing) == width
    eighths = sum(8 if sign == "█" else 0 if sign == "░" else " ▏▎▍▌▋▊▉".index(sign) for sign in drawing)
    assert eighths == round(value * width * 8)
    plain = bar_text(value, axis, width, Glyphs(ascii_only=True))
    assert plain.count("#") == round(value * width)
    assert len(plain) == width


@given(st.lists(st.tuples(SHARES, SHARES, SHARES), min_size=1, max_size=5), st.integers(16, 60))
def test_the_numbers_of_an_axis_are_at_their_values(triples, width):
    axis = axis_of(cells_of(triples, Kind.SHARE), CellChart.FOREST)
    words = axis_text(axis, width, Kind.SHARE)
    assert len(words) <= width
    if len(axis.marks) > 1:
        steps = {round(second - first, 9) for first, second in zip(axis.marks, axis.marks[1:], strict=False)}
        assert len(steps) == 1
        assert math.isclose(axis.marks[0], axis.low)
        assert math.isclose(axis.marks[-1], axis.high)


def example(**more):
    rows = [
        [text("one"), Cell(0.442, Kind.SHARE, 0.364, 0.51), Cell(0.319, Kind.SHARE), count(240)],
        [text("two"), Cell(None, Kind.SHARE, reason="no case"), Cell(None, Kind.SHARE), count(0)],
    ]
    columns = [
        "scorer",
        Column("F1", chart=CellChart.FOREST),
        Column("found", chart=CellChart.BAR),
        Column("n", chart=CellChart.HEAT),
    ]
    return table("", columns, rows, **more)


def lines(width, *, charts=True):
    return [text_of(row) for row in Terminal(width, Glyphs(), charts=charts).blocks([example()])]


def test_a_drawing_takes_the_place_of_the_interval_where_there_is_room():
    wide = lines(100)
    assert "●" in wide[1]
    assert "█" in wide[1]
    assert "(" not in wide[1]
    assert "●" not in wide[2]
    narrow = lines(40)
    assert "44.2 (36.4 to 51.0)" in narrow[1]
    assert "●" not in narrow[1]
    assert lines(100, charts=False)[1].split() == ["one", "44.2", "(36.4", "to", "51.0)", "31.9", "240"]


def test_bars_give_way_before_intervals():
    made = with_charts(example(), 20, Glyphs())
    drawings = [str(cell.value) for row in made.rows for cell in row]
    assert any("●" in drawing for drawing in drawings)
    assert not any("█" in drawing for drawing in drawings)


def test_html_draws_the_same_and_a_notebook_has_the_numbers():
    section = Section("", "one", (example(),))
    document = page("html", "title", (section,), {})
    assert document.count('class="cell"') == 2
    assert "(36.4 to 51.0)" in document
    assert "<svg" not in fragment((section,))


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_pages_have_numbers(form):
    words = page(form, "title", (Section("", "one", (example(),)),), {})
    assert "36.4 to 51.0" in words
    assert "●" not in words


@pytest.mark.parametrize("width", range(9, 60))
def test_the_numbers_of_an_axis_are_evenly_spaced(width):
    axis = ChartAxis(-1.0, 1.0, (-1.0, -0.5, 0.0, 0.5, 1.0))
    numbers = [float(word.replace("−", "-")) for word in axis_text(axis, width, Kind.POINTS).split()]
    assert 0.0 in numbers
    assert len({second - first for first, second in pairwise(numbers)}) <= 1
