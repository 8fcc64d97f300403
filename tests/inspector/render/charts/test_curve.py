import numpy as np
import pytest
from msgspec.structs import replace

from inspector.render.chart_blocks import Curve, Series, Tick
from inspector.render.chart_views import pictured
from inspector.render.charts.curve import MOST, curve
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import CaseLink, text_of

XS = np.linspace(0, 1, 50)
TICKS = (
    Tick(0.5, "D", "default"),
    Tick(0.5, "P", "present"),
    Tick(2.0, "B", "best"),
    Tick(None, "T", "dev-tuned: none"),
)


def drawn(lines):
    return "\n".join(text_of(row).rstrip() for row in lines)


def line(letter, ys, **more):
    return Series(f"scorer {letter}", letter, f"scorer-{letter}", XS, ys, **more)


def test_a_curve_in_braille_with_band_and_ticks():
    lines = curve([line("a", XS, low=XS - 0.2, high=XS + 0.2)], 40, 5, Glyphs(), ticks=TICKS)
    assert drawn(lines) == (
        """\
  100                 ┊    ░░░░░░⢀⣀⣠⠤⠖⠒⠋
                    ░░┊░░░⢀⣀⣠⠤⠖⠒⠋⠉░░░░░░
   50        ░░░░░░⢀⣀⡤⠤⠖⠒⠋⠉░░░░░░
      ░░░░░░⢀⣀⡤⠤⠖⠚⠉⠉░░┊░░░
    0 ⣀⡤⠤⠖⠚⠉⠉░░░░░░   ┊
      0.00  0.25    0.50     0.75   1.00
                      DP
⠒ scorer a
░ 95% interval at each point
D 0.500 default   P 0.500 present
B 2.000 best (beyond the axis)
T – dev-tuned: none"""
    )


def test_in_ascii_one_curve_is_stars_and_several_are_their_letters():
    (first, *_) = curve([line("a", np.full(50, 1.0))], 40, 5, Glyphs(ascii_only=True))
    assert text_of(first) == "  100 " + "*" * 34
    lines = curve([line("a", np.full(50, 1.0)), line("b", np.zeros(50))], 40, 5, Glyphs(ascii_only=True))
    assert text_of(lines[0]) == "  100 " + "a" * 34
    assert text_of(lines[4]) == "    0 " + "b" * 34


def test_several_curves_carry_their_letters_without_colour():
    lines = curve([line("a", np.full(50, 1.0)), line("b", np.zeros(50))], 80, 5, Glyphs())
    assert text_of(lines[0]).count("a") == text_of(lines[4]).count("b") >= 3
    assert "b" not in text_of(lines[0])
    assert [piece.style for piece in lines[0] if piece.text == "a"] == ["scorer-a strong"] * text_of(lines[0]).count(
        "a"
    )


def test_the_first_is_drawn_above_the_others():
    lines = curve([line("a", np.ones(50)), line("b", np.ones(50))], 40, 5, Glyphs(ascii_only=True))
    assert "b" not in text_of(lines[0])


def test_steps_hold_and_lines_join():
    two = {"xs": [0.0, 0.5, 1.0], "ys": [0.0, 1.0, 1.0]}
    stepped = curve([Series("x", "", "", stepped=True, **two)], 46, 5, Glyphs(ascii_only=True))
    joined = curve([Series("x", "", "", **two)], 46, 5, Glyphs(ascii_only=True))
    assert text_of(stepped[4]).count("*") == 21
    assert all(text_of(stepped[row]).count("*") == 1 for row in (1, 2, 3))
    assert 2 <= text_of(joined[4]).count("*") < 8


def test_gaps_are_told_and_are_not_bridged():
    ys = np.where(XS < 0.5, 1.0, np.nan)
    lines = curve([line("a", ys)], 46, 5, Glyphs(ascii_only=True))
    assert 19 <= text_of(lines[0]).count("*") <= 20
    assert "- where a curve is missing it is undefined: a" in drawn(lines).replace("\n ", "")


def test_more_series_than_can_be_told_apart_are_named():
    series = [Series(f"name{number}", "x", "", [0.0], [0.5]) for number in range(MOST + 2)]
    assert "at most: name8, name9" in " ".join(drawn(curve(series, 200, 5, Glyphs())).split())


def test_a_tick_opens_its_cases_from_the_legend():
    drill = CaseLink((), 3, "three")
    lines = curve([line("a", XS)], 60, 5, Glyphs(), ticks=[Tick(0.5, "D", "default", drill=drill)])
    assert [piece.text for row in lines for piece in row if piece.drill] == ["D"]


def test_nothing_and_one_point_are_drawn():
    assert "1.00" in drawn(curve([], 40, 4, Glyphs()))
    (row,) = [
        row
        for row in curve([Series("x", "", "", [3.0], [0.5])], 40, 5, Glyphs(ascii_only=True))[:5]
        if "*" in text_of(row)
    ]
    assert text_of(row).count("*") == 1


def test_bands_of_two_differ_without_colour_and_say_whose_they_are():
    flat = [line(letter, np.full(50, at), low=np.full(50, at - 0.2), high=np.full(50, at + 0.2)) for letter, at in
            (("a", 0.8), ("b", 0.3))]  # fmt: skip
    for ascii_only, shades in ((False, "░·"), (True, ".,")):
        lines = curve(flat, 60, 11, Glyphs(ascii_only=ascii_only))
        text = drawn(lines)
        assert f"{shades[0]} 95% interval at each point, a" in text
        assert f"{shades[1]} 95% interval at each point, b" in text
        assert text_of(lines[0]).count(shades[0]) == 54
        assert text_of(lines[9]).count(shades[1]) == 54


def test_where_doublings_take_the_same_room_numbers_stand_as_far_apart():
    xs = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    series = Series("scorer a", "a", "scorer-a", xs, np.log2(xs) / 4)
    lines = [text_of(row) for row in curve([series], 80, 9, Glyphs(), across=(1.0, 16.0), numbers=xs, doubling=True)]
    axis = lines[9]
    assert axis.split() == ["1", "2", "4", "8", "16"]
    ends = [axis.index(f" {number} ") + 1 for number in ("2", "4", "8")]
    assert abs((ends[1] - ends[0]) - (ends[2] - ends[1])) <= 1
    # What doubles is a straight line there.
    straight = [text_of(row) for row in curve([line("a", XS)], 80, 9, Glyphs())]
    assert lines[:9] == straight[:9]


def test_a_picture_has_the_same_axis():
    xs = np.array([1.0, 2.0, 4.0, 8.0])
    line_of_points = Series("a", "a", "exact", xs, xs / 8)
    chart = Curve("", "n", "right", (line_of_points,), across=(1.0, 8.0), whole=True, doubling=True)
    labels = [dict(shape.attributes) for shape in pictured(chart).picture.children if shape.name == "text"]
    places = [float(label["x"]) for label in labels if label.get("text-anchor") == "middle"]
    assert len(places) == 4
    assert np.diff(places) == pytest.approx([places[1] - places[0]] * 3, abs=1.5)


def test_shares_have_an_axis_that_ends_above_the_highest_value():
    xs = np.linspace(0, 1, 5)
    low = Series("low", "A", "scorer-a", xs, np.full(5, 0.42), np.full(5, 0.3), np.full(5, 0.57))
    chart = Curve("", "threshold", "F1", (low,))
    assert chart.fitted.upward == (0.0, 0.6)
    assert replace(chart, upward=(0.2, 0.8)).fitted.upward == (0.2, 0.8)
    assert replace(chart, series=()).fitted.upward == (0.0, 0.1)
    assert replace(chart, series=(replace(low, ys=np.full(5, np.nan), high=np.ones(5)),)).fitted.upward == (0.0, 1.0)
