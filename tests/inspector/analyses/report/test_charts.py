"""Charts are drawn from numbers: where shapes lie, what they are called, and that no meaning is in colour alone."""

import numpy as np
import polars as pl
import pytest

import making
from inspector.analyses.breakdown.bin_pages import distances
from inspector.analyses.report.report_charts import LEFT, RIGHT, ReportFigure, interval_chart, outcome_chart
from inspector.analyses.report.report_charts import LEFT as AXIS
from inspector.analyses.thresholds.curve_page import curve_chart
from inspector.render.cells import rights
from inspector.render.chart_blocks import Columns
from inspector.render.chart_views import pictured
from inspector.render.elements import Element
from inspector.render.svg import WIDTH, name_label
from inspector.render.table_blocks import table_of
from inspector.render.texts.sentences import GLYPHS
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.selection.loading import load
from scoring.selection.query import Query


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
    chart = interval_chart("F1 <b>", [ReportFigure("a", 0.5, 0.4, 0.6, "50.0 [40.0, 60.0]")])
    title, described, *_ = chart.picture.children
    assert (title.name, title.children, described.name) == ("title", ("F1 <b>",), "desc")
    assert described.children == (chart.described,)
    assert dict(chart.picture.attributes)["role"] == "img"
    assert "a: 50.0 [40.0, 60.0]" in chart.described


def test_figures_and_ends_of_intervals_lie_where_they_should():
    measured = [
        ReportFigure("a", 0.5, 0.25, 1.0, "x"),
        ReportFigure("b", None, None, None, "-"),
        ReportFigure("c", 0.0, None, None, "0"),
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
    assert [cell.value for cell in chart.table.rows[0]] == ["a", 30, 10, 59, 1]
    assert [column.title for column in chart.table.columns] == ["scorer", "= exact", "o missed", ". clean", "x refused"]


def test_no_two_outcomes_have_one_glyph():
    assert len(set(GLYPHS.values())) == len(GLYPHS)


def offsets(found):
    return [
        {"offset": offset, "outcome": outcome, "metric": "count", "value": float(n), "where": f"offset {offset}"}
        for offset, outcome, n in found
    ]


def test_far_offsets_share_a_column_and_empty_ones_between_have_one():
    rows = offsets([(-14, "early", 1), (-10, "early", 2), (-1, "early", 3), (0, "exact", 5), (2, "late", 4)])
    rows += offsets([(None, "missed", 7), (None, "late", 1)])
    whole = Columns("t", tuple(distances(rows, "a", "bench")))
    assert [column.name for column in whole.columns] == [
        *(f"{offset:+d}" if offset else "0" for offset in range(-14, 3)),
        "beyond",
        "missed",
    ]
    for most in range(3, 25):
        folded = whole.folded(most).columns
        assert sum(column.n for column in folded) == 23
        assert len(folded) <= max(most, 5)
    columns = {column.name: column for column in whole.folded(8).columns}
    assert list(columns) == ["<=-3", "-2", "-1", "0", "+1", "+2", "beyond", "missed"]
    assert [column.n for column in columns.values()] == [3, 0, 3, 5, 0, 4, 1, 7]
    assert columns["<=-3"].link.where == ("((offset -14)) OR ((offset -10))",)
    assert columns["<=-3"].link.n == 3
    chart = pictured(whole)
    heights = [float(rect["height"]) for rect in shapes(chart.picture, "rect")]
    assert [round(height / max(heights) * 7) for height in heights] == [column.n for column in whole.columns]
    assert sum(line[2].value for line in chart.table.rows) == pytest.approx(1)


def test_no_offset_at_all_is_a_column_without_a_height():
    chart = pictured(Columns("t", tuple(distances(offsets([(None, "missed", 0)]), "a", "bench"))))
    assert [line[2].value for line in chart.table.rows] == [0]


@pytest.mark.parametrize("comparison", ["<", "<="])
def test_the_curve_has_the_figure_of_every_threshold(tmp_path, comparison):
    cases, scorers = making.study(n=60)
    making.workspace(tmp_path, cases, [(making.scorer("a", comparison=comparison), scorers[0][1])])
    results = load(Query(workspace=str(tmp_path)))
    (found,) = results.evaluations
    chart = curve_chart(results, (found,), "bench")
    every = np.ones(len(cases), dtype=bool)
    (line,) = chart.series
    for threshold, figure in list(zip(line.xs.tolist(), line.ys.tolist(), strict=True))[::13]:
        expected = metrics_of("bench").score(found.at(threshold), every, "wrong")
        assert (None if np.isnan(figure) else pytest.approx(figure, abs=1e-12)) == expected
    made = pictured(chart)
    present = chart.ticks[0]
    assert f"{present.words} {present.at:.4g}: {100 * present.score:.1f}" in labels(made.picture)
    assert len(shapes(made.picture, "polyline")[0]["points"].split()) > 3
    assert made.table.rows[0][1].value == present.at


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
    assert [column.title for column in table.columns] == ["a b", "n", "d"]
    assert rights(table) == (False, True, True)
    assert rights(table_of(frame, "c"))[-1]
