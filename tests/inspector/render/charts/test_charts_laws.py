"""What every chart keeps to: its width, ASCII where it is asked for, plain text, and every mark's cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.chart_blocks import Bin, Series, Tick
from inspector.render.charts.bars import Bar, bars
from inspector.render.charts.chart_marks import ChartMark
from inspector.render.charts.curve import curve
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.heat_map import heat_map
from inspector.render.charts.histogram import histogram
from inspector.render.charts.reliability import ReliabilityBin, reliability
from inspector.render.lines import CaseLink, text_of
from inspector.render.terminal import in_ascii
from inspector.render.texts.text import clean

WIDTHS = st.integers(40, 200)
GLYPH_SETS = st.sampled_from((Glyphs(), Glyphs(ascii_only=True)))
NAMES = st.one_of(
    st.text(max_size=60),
    st.text("知识错误类型한글字", min_size=1, max_size=40),
    st.sampled_from(
        ["\x1b[31mred\x1b[0m", "[bold]markup[/bold]", "a\tb\nc", "x" * 90, "e\u0301" * 20, "👩‍👩‍👧" * 5, ""]
    ),
)
FORMS = st.sampled_from(("percent", "difference", "number"))
VALUES = st.one_of(st.none(), st.just(math.nan), st.just(math.inf), st.floats(-1, 1), st.sampled_from([0.0, 1e9, -1e9]))
COUNTS = st.one_of(st.integers(0, 40), st.integers(0, 10_000_000))


def drill(n=1):
    return CaseLink((f"n = {n}",), n, f"{n} cases")


@st.composite
def marks(draw):
    count = draw(st.one_of(st.none(), COUNTS))
    low, high = draw(VALUES), draw(VALUES)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return ChartMark(draw(VALUES), low, high, count, draw(st.sampled_from([None, drill()])))


CLASSES = (("erroneous", "missed"), ("clean", "clean"))


@st.composite
def charts(draw):
    """A chart as a function of width and glyphs, and the drills that are in it."""
    kind = draw(st.sampled_from(("heat", "bars", "curve", "histogram", "reliability")))
    names = draw(st.lists(NAMES, min_size=1, max_size=6))
    form, ticks = draw(FORMS), draw(st.lists(st.builds(Tick, VALUES, st.sampled_from("PDTB"), NAMES), max_size=4))
    if kind == "heat":
        columns = draw(st.lists(NAMES, min_size=1, max_size=9))
        cells = [[draw(st.one_of(st.none(), marks())) for _ in columns] for _ in names]
        wanted = [mark.drill for row in cells for mark in row if mark is not None and mark.drill]
        return (lambda width, glyphs: heat_map(names, columns, cells, width, glyphs, form=form)), wanted
    if kind == "bars":
        entries = [Bar(name, draw(marks())) for name in names]
        wanted = [one.mark.drill for one in entries if one.mark.drill]
        return (lambda width, glyphs: bars(entries, width, glyphs, form=form)), wanted
    if kind == "curve":
        series = []
        for letter, name in zip("abcdefgh", names, strict=False):
            size = draw(st.integers(0, 30))
            xs = np.sort(np.array(draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))))
            ys = np.array(draw(st.lists(st.one_of(st.just(math.nan), st.floats(-1, 2)), min_size=size, max_size=size)))
            band = draw(st.booleans())
            series.append(Series(name, letter, "scorer-a", xs, ys, ys if band else None, ys if band else None, band))
        return (lambda width, glyphs: curve(series, width, 9, glyphs, ticks=ticks, form=form)), []
    if kind == "histogram":
        size = draw(st.integers(1, 25))
        bins = [Bin(at / size, (at + 1) / size, (draw(COUNTS), draw(COUNTS)), (drill(), None)) for at in range(size)]
        wanted = [drill() for one in bins if one.counts[0]]
        return (lambda width, glyphs: histogram(bins, CLASSES, width, glyphs, ticks=ticks)), wanted
    bins = [ReliabilityBin(at / 5, (at + 1) / 5, draw(VALUES), draw(marks())) for at in range(5)]
    return (lambda width, glyphs: reliability(bins, width, 9, glyphs)), [
        one.mark.drill for one in bins if one.mark.drill
    ]


@given(made=charts(), width=WIDTHS, glyphs=GLYPH_SETS)
def test_a_chart_keeps_to_its_width_and_alphabet_and_every_mark_opens_its_cases(made, width, glyphs):
    chart, wanted = made
    lines = chart(width, glyphs)
    texts = [text_of(row) for row in lines]
    assert max(map(cell_len, texts)) <= width
    # Nothing in it acts on the terminal, so it is measured as it is painted.
    assert [clean(text) for text in texts] == texts
    assert [piece.drill for row in lines for piece in row if piece.drill is not None] == wanted
    assert not any("\n" in text for text in texts)


@pytest.mark.parametrize("ticks", range(5))
def test_a_histogram_of_millions_of_steps_keeps_to_40_cells(ticks):
    bins = [Bin(at / 25, (at + 1) / 25, (10_000_000, 100_000 * at)) for at in range(25)]
    lines = histogram(bins, CLASSES, 40, Glyphs(), ticks=[Tick(0.5, letter, "a scorer") for letter in "PDTB"[:ticks]])
    assert max(cell_len(text_of(row)) for row in lines) <= 40
    assert any("10,000,000" in text_of(row) or "10000000" in text_of(row) for row in lines)


@given(width=WIDTHS)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_in_ascii_nothing_else_is_drawn(width, ascii_only):
    glyphs = Glyphs(ascii_only=ascii_only)
    mark, none = ChartMark(0.5, 0.4, 0.6, 5), ChartMark(None, n=0)
    xs = np.linspace(0, 1, 20)
    series = [Series(f"name {letter}", letter, "scorer-a", xs, xs, xs - 0.1, xs) for letter in "ab"]
    ticks = [Tick(0.5, "D", "default"), Tick(None, "T", "none")]
    drawn = [
        heat_map(["row"], ["one", "two"], [[mark, none]], width, glyphs),
        heat_map(["row"], ["one", "two"], [[mark, none]], width, glyphs, form="difference"),
        bars([Bar("one", mark), Bar("two", none)], width, glyphs),
        curve(series, width, 8, glyphs, ticks=ticks),
        curve(series[:1], width, 8, glyphs, ticks=ticks),
        histogram([Bin(at / 9, (at + 1) / 9, (at, 9 - at)) for at in range(9)], CLASSES, width, glyphs, ticks=ticks),
        reliability([ReliabilityBin(0, 0.5, 0.3, mark), ReliabilityBin(0.5, 1, None, none)], width, 8, glyphs),
    ]
    for lines in drawn:
        assert all(text_of(in_ascii(row) if ascii_only else row).isascii() for row in lines) == ascii_only


@given(names=st.lists(NAMES, min_size=1, max_size=5), width=WIDTHS, glyphs=GLYPH_SETS)
def test_names_are_whole_whatever_the_width(names, width, glyphs):
    def letters(text):
        return sorted(letter for letter in clean(text) if not letter.isspace())

    cells = [[ChartMark(0.5, n=30) for _ in names] for _ in names]
    for lines in (
        heat_map(names, names, cells, width, glyphs),
        bars([Bar(name, ChartMark(0.5)) for name in names], width, glyphs),
    ):
        there = letters("".join(text_of(row) for row in lines))
        for letter in set(letters("".join(names))):
            assert there.count(letter) >= letters("".join(names)).count(letter)
