import re

import numpy as np
import pytest

from inspector.render.charts.chart_marks import ChartMark
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.heat_map import heat_map
from inspector.render.lines import CaseLink, text_of
from inspector.render.terminal import in_ascii

ROWS = ["deductive", "inductive reasoning"]
COLUMNS = ["missing_condition", "redundant"]
FEW = ChartMark(0.9, n=4)
CELLS = [
    [ChartMark(0.621, 0.51, 0.72, 45), ChartMark(0.2, 0.1, 0.3, 1200)],
    [ChartMark(None, n=0), FEW],
]


def drawn(lines):
    return "\n".join(text_of(row).rstrip() for row in lines)


def test_a_map_with_its_legend():
    assert drawn(heat_map(ROWS, COLUMNS, CELLS, 80, Glyphs())) == (
        """\
                    missing_condition          redundant
deductive           ▓  62.1 (51 to 72) n=45    ·  20.0 (10 to 30) n=1,200
inductive reasoning –     – n=0~               █  90.0 n=4~

Cells: figure (in percent) (95% interval), n = cases.
· 20.0 to 34.0   ░ 34.0 to 48.0   ▒ 48.0 to 62.0   ▓ 62.0 to 76.0
█ 76.0 to 90.0
~ dim: fewer than 20 cases, without colour
– no value: no cases, or undefined on them"""
    )


def test_columns_that_do_not_fit_continue_below_and_intervals_give_way():
    lines = drawn(heat_map(ROWS, COLUMNS, CELLS, 40, Glyphs(ascii_only=True), counted="steps"))
    assert lines == (
        """\
              missing_
              condition
deductive     *  62.1 n=45
inductive     -     - n=0~
reasoning

              redundant
deductive     .  20.0 n=1,200
inductive     #  90.0 n=4~
reasoning

Cells: figure (in percent), n = steps.
. 20.0 to 34.0   : 34.0 to 48.0
+ 48.0 to 62.0   * 62.0 to 76.0
# 76.0 to 90.0
~ dim: fewer than 20 steps, without
  colour
- no value: no steps, or undefined on
  them"""
    )


def test_differences_have_signs_arrows_and_colours_of_both_sides():
    values = (-0.3, -0.1, 0.0, 0.1, 0.3)
    lines = heat_map(
        ["a"], list("vwxyz"), [[ChartMark(value, n=30) for value in values]], 100, Glyphs(), form="difference"
    )
    assert text_of(lines[1]) == "a ▼ −30.0 n=30 ▾ −10.0 n=30 ·   0.0 n=30 ▴ +10.0 n=30 ▲ +30.0 n=30"
    styles = [piece.style for piece in lines[1] if "n=30" in piece.text]
    assert styles == ["heat-low-2", "heat-low-1", "heat-1", "heat-3", "heat-5"]
    plain = heat_map(
        ["a"],
        list("vw"),
        [[ChartMark(-0.3, n=30), ChartMark(0.3, n=30)]],
        60,
        Glyphs(ascii_only=True),
        form="difference",
    )
    assert text_of(in_ascii(plain[1])) == "a << -30.0 n=30 >> +30.0 n=30"


def test_few_cells_have_no_colour_and_are_in_the_scale_as_others_are():
    drill = CaseLink((), 4, "few")
    lines = heat_map(
        ["a"],
        list("xyz"),
        [[ChartMark(0.2, n=20), ChartMark(0.4, n=20), ChartMark(0.9, n=19, drill=drill)]],
        80,
        Glyphs(),
    )
    pieces = {piece.text.split()[1]: piece for piece in lines[1] if "n=" in piece.text}
    assert [pieces[value].style for value in ("20.0", "40.0", "90.0")] == ["heat-1", "heat-2", "dim"]
    assert pieces["90.0"].drill is drill
    assert "76.0 to 90.0" in drawn(lines)


@pytest.mark.parametrize("form", ["percent", "difference", "count"])
def test_the_legend_of_a_glyph_covers_each_cell_that_shows_it(form):
    rng = np.random.default_rng(5)
    spread = 40 if form == "count" else 1
    values = np.round(rng.uniform(-spread if form == "difference" else 0, spread, 30), 3)
    marks = [ChartMark(float(value), n=int(n)) for value, n in zip(values, rng.integers(1, 60, 30), strict=True)]
    lines = drawn(heat_map(["a"], [f"c{at}" for at in range(30)], [marks], 80, Glyphs(), form=form))
    cells, legend = lines.split("Cells: ")
    number = r"[−+]?[\d.,]+"
    ranges = {
        glyph: (_number(low), _number(high))
        for glyph, low, high in re.findall(rf"(\S) +({number}) to +({number})", legend)
    }
    shown = re.findall(rf"([·░▒▓█▼▾▴▲]) +({number})", cells)
    assert len(shown) == 30
    assert all(ranges[glyph][0] <= _number(value) <= ranges[glyph][1] for glyph, value in shown)


def _number(text):
    return float(text.replace("−", "-"))


def test_names_that_are_too_tall_have_numbers():
    name = "a very long name of an error type that goes on and on for the whole width and further"
    lines = drawn(heat_map(["row"], [name, "short"], [[ChartMark(0.5, n=50), ChartMark(0.7, n=50)]], 60, Glyphs()))
    assert "(1)" in lines.splitlines()[0]
    assert "(2) short" in lines
    assert name in " ".join(line.strip() for line in lines.splitlines())


def test_equal_values_are_one_level_and_nothing_is_told():
    lines = drawn(heat_map(["a"], ["x"], [[ChartMark(0.5, n=50)]], 60, Glyphs()))
    assert "▒  50.0 n=50" in lines
    assert "all 50.0" in lines
    assert drawn(heat_map([], ["x"], [], 60, Glyphs())) == "There is nothing to lay out: no rows or no columns."
    assert "no value" in drawn(heat_map(["a"], ["x"], [[None]], 60, Glyphs()))


def test_a_flag_stands_behind_the_figure_and_few_marks_what_its_n_does_not():
    marks = [ChartMark(0.483, n=60, flag="*"), ChartMark(0.3, n=60), ChartMark(0.5, n=40, few=True)]
    lines = drawn(heat_map(["a"], list("xyz"), [marks], 80, Glyphs()))
    assert "█  48.3* n=60" in lines
    assert "50.0 n=40~" in lines
    assert "~ dim: fewer than 20 cases, or so few on a side, without colour" in lines
