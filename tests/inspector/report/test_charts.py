"""Charts are drawn from numbers: where shapes lie, what they are called, and that no meaning is in colour alone."""

import random

import numpy as np
import polars as pl
import pytest

import making
from inspector.headline import official_score
from inspector.report.blocks import table_of
from inspector.report.curve_chart import Mark, curve_chart, figures_at
from inspector.report.elements import Element
from inspector.report.interval_chart import LEFT as AXIS
from inspector.report.interval_chart import RIGHT, Measured, interval_chart
from inspector.report.offset_chart import FAR, bars_of, offset_chart
from inspector.report.outcome_chart import LEFT, outcome_chart
from inspector.report.svg import WIDTH, name_label
from inspector.sentences import GLYPHS
from scoring.score_curves import score_curve
from scoring.verdicts import OUTCOMES


def shapes(node, name, class_=None):
    """The elements of a name, and their attributes."""
    found = [
        dict(child.attributes)
        for child in node.children
        if isinstance(child, Element) and child.name == name and class_ in {None, dict(child.attributes).get("class")}
    ]
    inner = (shape for child in node.children if isinstance(child, Element) for shape in shapes(child, name, class_))
    return [*found, *inner]


def labels(picture):
    return [child.children[0] for child in picture.children if isinstance(child, Element) and child.name == "text"]


def counts(**some):
    return {name: some.get(name, 0) for name in OUTCOMES}


def test_a_chart_has_a_title_a_description_and_a_role():
    chart = interval_chart("F1 <b>", [Measured("a", 0.5, 0.4, 0.6, "50.0 [40.0, 60.0]")])
    title, described, *_ = chart.picture.children
    assert (title.name, title.children, described.name) == ("title", ("F1 <b>",), "desc")
    assert described.children == (chart.described,)
    assert dict(chart.picture.attributes)["role"] == "img"
    assert "a: 50.0 [40.0, 60.0]" in chart.described


def test_figures_and_ends_of_intervals_lie_where_they_should():
    measured = [
        Measured("a", 0.5, 0.25, 1.0, "x"),
        Measured("b", None, None, None, "-"),
        Measured("c", 0.0, None, None, "0"),
    ]
    picture = interval_chart("t", measured).picture
    scale = (WIDTH - AXIS - RIGHT) / 100
    assert [float(dot["cx"]) for dot in shapes(picture, "circle")] == [AXIS + 50 * scale, AXIS]
    whiskers = shapes(picture, "line", "whisker")
    assert len(whiskers) == 3
    assert (float(whiskers[0]["x1"]), float(whiskers[0]["x2"])) == (AXIS + 25 * scale, AXIS + 100 * scale)
    assert {"a", "b", "c", "0", "20", "100"} <= set(labels(picture))


def test_outcomes_fill_their_bar_in_proportion_and_are_told_by_glyph_and_number():
    chart = outcome_chart("t", [("a", counts(exact=30, missed=10, clean=59, refused=1)), ("b", counts(exact=100))])
    bars = [rect for rect in shapes(chart.picture, "rect") if float(rect["height"]) > 16]
    first = [rect for rect in bars if rect["y"] == bars[0]["y"]]
    widths = [float(rect["width"]) for rect in first]
    assert sum(widths) == pytest.approx(WIDTH - LEFT, abs=0.1)
    assert widths[0] == pytest.approx(0.3 * (WIDTH - LEFT), abs=0.01)
    assert [rect["class"] for rect in first] == ["o-exact", "o-missed", "o-clean", "o-refused"]
    assert {"= 30", "o 10", ". 59", "= 100", "exact", "missed", "clean", "refused"} <= set(labels(chart.picture))
    assert [cell.text for cell in chart.table.rows[0]] == ["a", "30", "10", "59", "1"]
    assert chart.table.heads == ("scorer", "= exact", "o missed", ". clean", "x refused")


def test_no_two_outcomes_have_one_glyph():
    assert len(set(GLYPHS.values())) == len(GLYPHS)


def offsets(found):
    return [
        {"offset": offset, "outcome": outcome, "metric": "count", "value": float(n)} for offset, outcome, n in found
    ]


def test_far_offsets_share_a_bar_and_empty_ones_between_have_one():
    rows = offsets([(-14, "early", 1), (-10, "early", 2), (-1, "early", 3), (0, "exact", 5), (2, "late", 4)])
    rows += [*offsets([(None, "missed", 7), (None, "late", 1)]), {**rows[0], "metric": "share", "value": 0.9}]
    bars = {bar.label: bar.count for bar in bars_of(rows)}
    assert bars[f"-{FAR}…"] == 3
    assert (bars["-2"], bars["-1"], bars["0"], bars["+1"], bars["+2"]) == (0, 3, 5, 0, 4)
    assert (bars["missed"], bars["beyond"]) == (7, 1)
    assert list(bars)[-3:] == ["+2", "missed", "beyond"]
    chart = offset_chart("t", rows)
    heights = [float(rect["height"]) for rect in shapes(chart.picture, "rect")]
    assert [round(height / max(heights) * 7) for height in heights] == list(bars.values())
    assert sum(float(line[3].text) for line in chart.table.rows) == pytest.approx(100, abs=0.5)


def test_no_offset_at_all_is_a_chart_without_a_bar():
    chart = offset_chart("t", offsets([(None, "missed", 0)]))
    assert [line[3].text for line in chart.table.rows] == ["–", "–"]


@pytest.mark.parametrize("comparison", ["<", "<="])
def test_the_curve_has_the_figure_of_every_threshold(comparison):
    rng = random.Random(3)
    cases, scorers = making.study(n=60)
    found = making.evaluation(scorers[0][1], comparison=comparison)
    every = np.ones(len(cases), dtype=bool)
    curve = score_curve(found, every, "wrong", "bench")
    thresholds = np.array([rng.uniform(-0.2, 1.2) for _ in range(50)] + [0.1, 0.2, 1 / 3, 0.4, 0.5, 0.7, 0.9])
    figures = figures_at(curve, thresholds, comparison)
    for threshold, figure in zip(thresholds.tolist(), figures.tolist(), strict=True):
        assert figure == pytest.approx(official_score(found.at(threshold), every, "wrong", "bench"), abs=1e-12)
    chart = curve_chart("t", ("threshold", "F1"), curve, comparison, (0.0, 1.0), [Mark("present", 0.5, 0.25)])
    assert "present 0.5: 25.0" in labels(chart.picture)
    assert len(shapes(chart.picture, "polyline")[0]["points"].split()) > 3
    listed = [(line[1].value, line[2].value) for line in chart.table.rows[1:] if line[2].value is not None]
    assert len(listed) == 11
    assert all(figures_at(curve, np.array([x]), comparison)[0] == y for x, y in listed)


def test_long_names_keep_their_ends_and_their_whole_in_the_tooltip():
    label = name_label("a" * 40 + "z" * 40, 0, 0)
    text, tooltip = label.children
    assert text[0] == "a"
    assert text[-1] == "z"
    assert len(text) <= 34
    assert tooltip.children == ("a" * 40 + "z" * 40,)


def test_columns_of_numbers_stand_to_the_right_and_empty_ones_are_left_out():
    frame = pl.DataFrame(
        {"a_b": ["x", "1"], "n": [1, 2], "d": ["+1.0  [-1.0, 2.0]", None], "p": ["< 0.01", ""], "e": [None, None]}
    )
    table = table_of(frame, "c", ("p",))
    assert table.heads == ("a b", "n", "d")
    assert table.right == (True, True, True)
    assert table_of(frame, "c").right[-1]
