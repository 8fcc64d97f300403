"""The breakdown screen's sheets: their numbers are those of the command, and each opens exactly its cases."""

import shlex
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from rich.cells import cell_len

import example
import making
import taxonomy_spaces
from inspector.breakdown import View, breakdown_document
from inspector.cli import main
from inspector.drilling import drilled
from inspector.first_inspection import inspect
from inspector.loading import load
from inspector.paint import Brush
from inspector.render.lines import text_of
from inspector.request import Request
from inspector.sheets.breakdown.cells import grid_of, shown
from inspector.sheets.breakdown.choice import (
    ALIGNED,
    CELLS,
    COLUMN,
    NONE,
    OFFSETS,
    PLACES,
    STEPS,
    TYPES,
    Choice,
)
from inspector.sheets.breakdown.columns import offered
from inspector.sheets.breakdown.figures import FIGURES, figures_of
from inspector.sheets.breakdown.sheet import breakdown_sheet, page_document, takes_longer
from inspector.subject import covering
from published_spaces import mr_math
from scoring.filters import Facet, Filter
from scoring.metrics.cell_conditions import COUNTS
from thoroughness import also
from walking import walk

PAGES = (CELLS, TYPES, PLACES, OFFSETS, ALIGNED, STEPS, COLUMN)
BRUSH = Brush()
CHOICES = {
    "usual": Choice(),
    "others": Choice(
        rows="error_type", cols="generator", types="pattern", column="subset", preset="relative", errors="first"
    ),
    "steps": Choice(rows="n_steps", cols="position", figure="step_accuracy", column="steps", errors="all"),
    "counts": Choice(rows="generator", cols="final_answer_correct", figure="count_missed", column="position"),
    "data": Choice(rows="generator", cols=NONE, figure="process_error_rate", types="generator"),
    "found": Choice(rows="subset", figure="process_error_exact", preset="socratic"),
    "difference": Choice(figure="error_acc", other="two"),
    "difference of F1": Choice(rows="generator", cols=NONE, figure="f1", other="two"),
    "outcomes": Choice(rows="one.outcome", cols="two.outcome", figure="cases"),
}

TOLD = {
    CELLS: tuple(CHOICES),
    TYPES: ("usual", "others", "data"),
    PLACES: ("usual", "others", "steps", "found"),
    COLUMN: ("usual", "others", "steps", "counts"),
}
"""The choices that make a difference to a page; to the others none does."""


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two benchmarks with every taxonomy, gaps, refused and unparsed cases, and labels that are not there."""
    return inspect(load(taxonomy_spaces.write(tmp_path_factory.mktemp("two") / "w")))


@pytest.fixture(scope="module")
def demo():
    return inspect(load(Request(benchmarks=("demo",))))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("example") / "w")))


@pytest.fixture(scope="module")
def published(tmp_path_factory, data_folder):
    return inspect(load(mr_math(tmp_path_factory.mktemp("mr") / "w", data_folder)))


def sheet(inspection, page, choice, *, size=(100, 40), brush=BRUSH):
    """The sheet that stands there in the end."""
    longer = takes_longer(inspection, page, choice)
    found = None if longer is None else longer[1]()
    return breakdown_sheet(inspection, page, choice, found, brush, size)


def lines(found):
    return [text_of(row) for row in found.lines]


def text(found):
    return "\n".join(lines(found))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("space", ["two", "small", *also("demo", "published")])
def test_every_number_opens_exactly_its_cases(request, space, page):
    inspection = request.getfixturevalue(space)
    benchmarks = inspection.cases["benchmark"].unique(maintain_order=True).to_list()
    for benchmark, name in product(benchmarks, TOLD.get(page, ("usual",))):
        choice = CHOICES[name]
        there = inspection.on_benchmark(benchmark)
        for scorer in covering(there)[: 3 if space == "two" else 2]:
            looked = there.focused(scorer, benchmark)
            waiting = breakdown_sheet(looked, page, choice, None, BRUSH, (90, 24))
            assert bool(waiting.busy) == (takes_longer(looked, page, choice) is not None)
            if waiting.busy:
                walk(looked, waiting)
            found = sheet(looked, page, choice)
            assert not found.busy
            walk(looked, found)


@pytest.mark.parametrize("figure", FIGURES)
def test_so_does_every_figure_of_the_map_alone_and_as_a_difference(two, figure):
    opened = 0
    for other in ("", "two"):
        if figure not in figures_of(two.focused("three", "socratic"), difference=bool(other)):
            continue
        choice = Choice(rows="pattern", cols="generator", figure=figure, other=other)
        looked = two.focused("three", "socratic")
        what = shown(looked, choice)
        assert (what.figure, what.other) == (figure, other)
        opened += walk(looked, sheet(looked, CELLS, choice))
    assert opened or figure in {"count_dev", "count_unscored", "count_unparsed", "unanswered"}


@pytest.mark.parametrize("page", PAGES)
def test_so_it_does_under_a_filter_and_at_another_threshold(two, page):
    kept = Filter((Facet("generator", ("writer-1", "writer-2")),), ("n_steps > 2", "\"one.outcome\" = 'exact'"))
    looked = two.focused("two", "bench").filtered(kept).moved(0.45)
    assert 0 < looked.slice.sum() < two.slice.sum()
    for name in TOLD.get(page, ("usual",)):
        walk(looked, sheet(looked, page, CHOICES[name]))


def test_the_cells_of_the_map_are_those_of_the_command(two):
    for name, figure, other in product(("one", "three"), ("f1", "error_acc", "fp", "step_accuracy"), ("", "two")):
        looked = two.focused(name, "socratic")
        choice = Choice(rows="pattern", cols="generator", figure=figure, other=other)
        grid = grid_of(looked, choice, bootstrap=True)
        rows = page_document(looked, CELLS, choice).rows.filter(pl.col("metric") == figure)
        assert rows.height == len(grid.marks)
        for row, mark in zip(rows.iter_rows(named=True), grid.marks.values(), strict=True):
            assert (mark.value, mark.low, mark.high, mark.n) == (row["value"], row["low"], row["high"], row["n"])
            assert mark.small == (row["small"] or mark.n < 20)


def test_counts_of_cells_are_the_counts_of_the_facet(two):
    looked = two.focused("one", "socratic")
    grid = grid_of(looked, Choice(rows="pattern", cols="error_kind", figure="cases"), bootstrap=False)
    frame = looked.cases.filter(pl.Series(looked.slice))
    for key, mark in grid.marks.items():
        here = frame
        for place, (column, at) in enumerate(zip(("pattern", "error_kind"), key, strict=True)):
            if not grid.is_total(place, at):
                value = grid.cells.axes[place].values[at]
                here = here.filter(pl.col(column).is_null() if value is None else pl.col(column) == value)
        assert mark.value == here.height


def test_a_value_that_is_called_all_is_no_total(two):
    looked = two.focused("one", "bench")
    found = lines(sheet(looked, COLUMN, Choice(column="error_type")))
    assert [line.split()[0] for line in found].count("all") == 2 if all(found) else True
    walk(looked, sheet(looked, CELLS, Choice(rows="error_type", cols=NONE, figure="cases")))


@pytest.mark.parametrize("scorer", ["one", "two", "three"])
def test_columns_of_offsets_and_missed_add_up_to_the_erroneous_cases_with_a_verdict(two, scorer):
    looked = two.focused(scorer, "bench")
    for width in (40, 80, 200):
        found = sheet(looked, OFFSETS, Choice(), size=(width, 24))
        head = [line for line in found.lines if any("missed" in piece.text for piece in line)]
        assert head
        answered = looked.slice & looked.evaluation.answered & (looked.evaluation.gold.earliest >= 0)
        chart = found.lines[: next(at for at, row in enumerate(found.lines) if text_of(row).startswith("< early"))]
        counts = [int(piece.text.replace(",", "")) for row in chart for piece in row if piece.drill]
        assert sum(counts) == answered.sum()
        table = {text_of(row).rsplit(None, 1)[0].strip(): text_of(row) for row in found.lines[len(chart) :]}
        assert f"The columns add up to the {answered.sum()} erroneous cases" in " ".join(table.values())
        left = looked.slice & ~looked.evaluation.answered & (looked.evaluation.gold.earliest >= 0)
        said = [row for row in table.values() if row.startswith("left out")]
        assert sum(int(row.split()[-1]) for row in said) == left.sum()
        assert bool(said) == (scorer != "one")


def test_early_is_left_of_exact_is_left_of_late_and_missed_is_last(two):
    looked = two.focused("one", "bench")
    found = lines(sheet(looked, OFFSETS, Choice(), size=(200, 24)))
    names = next(line.split() for line in found if line.rstrip().endswith("missed"))
    offsets = [int(name.lstrip("<>=")) for name in names[:-1] if name.lstrip("<>=+-").isdigit()]
    assert offsets == sorted(offsets)
    assert 0 in offsets
    assert names[-1] == "missed"


def test_fp_and_fn_are_grbens(two):
    looked = two.focused("three", "socratic")
    rows = breakdown_document(
        load(replace(looked.selection.request, scorers=("three",), benchmarks=("socratic",))), View(rows="pattern")
    ).rows
    found = lines(sheet(looked, TYPES, Choice(types="pattern")))
    for pattern in ("Deduction", "Integration"):
        told = next(line.split() for line in found if line.startswith(pattern))
        wanted = {row["metric"]: row for row in rows.filter(pl.col("pattern") == pattern).iter_rows(named=True)}
        numbers = [float(word) for word in told[1:] if word[0].isdigit()]
        assert numbers[0] == wanted["fp"]["n"]
        assert numbers[1] == pytest.approx(100 * wanted["fn"]["value"], abs=0.0501)
        assert numbers[3] == pytest.approx(100 * wanted["fp"]["value"], abs=0.0501)


@pytest.mark.parametrize("page", PAGES)
def test_the_export_is_what_its_command_prints(two, page, capsys):
    looked = two.focused("three", "bench").filtered(Filter(where=("n_steps > 2",)))
    for name in ("usual", "others", "difference") if page == CELLS else ("others",):
        document = page_document(looked, page, CHOICES[name], "json")
        assert main(shlex.split(document.provenance["command"])[1:]) == 0
        printed = capsys.readouterr().out
        assert printed.rstrip("\n") == document.render("json").rstrip("\n")


def test_processbench_says_that_it_has_no_pattern_and_what_has(tmp_path):
    cases, scorers = making.study(n=40)
    columns = {name: values for name, values in making.labels(cases).items() if name != "error_type"}
    making.workspace(tmp_path / "w", cases, scorers, "processbench", **columns)
    inspection = inspect(load(Request(workspace=str(tmp_path / "w"))))
    assert not {"pattern", "error_kind", "error_type"} & set(offered(inspection))
    told = " ".join(lines(sheet(inspection, CELLS, Choice())))
    assert "reasoning pattern (Socratic-PRMBench has it)" in told
    assert "no types of errors (GR-Ben" in " ".join(lines(sheet(inspection, TYPES, Choice())))
    # A column that is not there is not shown, whatever was chosen on another benchmark.
    assert shown(inspection, Choice(rows="pattern", cols="error_kind")).columns == ("subset", "generator")
    assert "by subset" in " ".join(lines(sheet(inspection, CELLS, Choice(rows="subset", cols=NONE))))


def test_without_a_scorer_it_says_what_would_give_one(tmp_path):
    inspection = inspect(load(example.write(tmp_path / "w", scored=False)))
    for page in PAGES:
        told = lines(breakdown_sheet(inspection, page, Choice(), None, BRUSH, (60, 20)))
        assert told[0] == "Nothing to break down yet"
        assert "prm-inspect score bench --model DIR" in " ".join(told)


def test_only_clean_cases_and_no_case_say_why_there_is_nothing(two):
    for where, said in (("earliest_error = -1", ""), ("n_steps > 99", "No case is left by the filter.")):
        looked = two.focused("one", "bench").filtered(Filter(where=(where,)))
        for page in PAGES:
            found = sheet(looked, page, Choice(figure="error_acc"))
            walk(looked, found)
            assert any(line.strip() for line in lines(found))
            assert said in text(found)
    looked = two.focused("one", "bench").filtered(Filter(where=("earliest_error = -1",)))
    assert "There are no erroneous cases tried" in text(sheet(looked, TYPES, Choice()))
    assert "No erroneous case of this slice has a verdict" in text(sheet(looked, OFFSETS, Choice()))


def test_a_threshold_step_does_not_compute_rewards_anew(two):
    looked = two.focused("one", "bench")
    before, after = (takes_longer(one, ALIGNED, Choice())[0] for one in (looked, looked.moved(0.33)))
    assert all(one is other or np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_f1_waits_for_its_interval_and_nothing_else_does(two):
    looked = two.focused("one", "bench")
    for figure in figures_of(looked, difference=False):
        choice = Choice(rows="generator", cols=NONE, figure=figure)
        assert (takes_longer(looked, CELLS, choice) is not None) == (figure == "f1")
    assert takes_longer(looked, CELLS, Choice(rows="generator", figure="f1", other="two")) is None


def test_counts_have_no_difference(two):
    looked = two.focused("one", "bench")
    assert not {*COUNTS, "process_error_rate"} & set(figures_of(looked, difference=True))
    assert shown(looked, Choice(figure="cases", other="two")).figure not in COUNTS


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [40, 78, 118, 198])
def test_ascii_is_ascii_and_lines_keep_to_the_width(two, page, width):
    for choice in (Choice(), CHOICES["difference"], CHOICES["outcomes"]):
        found = sheet(two.focused("one", "socratic"), page, choice, size=(width, 24), brush=Brush(ascii_only=True))
        for line in lines(found):
            assert line.isascii()
            # Tables of many figures are scrolled sideways where there is no room; charts and sentences never are.
            assert cell_len(line) <= width or page in {TYPES, COLUMN, ALIGNED, OFFSETS}
        if width >= 78:
            assert max(map(cell_len, lines(found))) <= width


def test_a_name_that_acts_is_only_text(two, tmp_path):
    cases, scorers = making.study(n=24)
    columns = making.labels(cases) | {"generator": [f"[red]\x1b[31m{index % 2}" for index in range(24)]}
    making.workspace(tmp_path, cases, [(making.scorer("[b]x\x1b[1m"), scorers[0][1])], **columns)
    inspection = inspect(load(Request(workspace=str(tmp_path))))
    for page in PAGES:
        found = sheet(inspection, page, Choice(rows="generator", column="generator", types="generator"))
        walk(inspection, found)


def test_a_drill_keeps_the_slice_and_drops_conditions_on_outcomes(two):
    kept = Filter((Facet("generator", ("writer-1",)),), ("\"one.outcome\" = 'exact'",))
    looked = two.focused("one", "bench").filtered(kept)
    found = sheet(looked, OFFSETS, Choice())
    for _, _, piece in found.drills():
        listed = drilled(looked, piece.drill)
        assert listed.shown.size == piece.drill.n
        assert set(listed.cases["generator"].gather(listed.shown)) <= {"writer-1"}


def test_latency_of_all_ten_scorers_equals_the_command_and_plain_polars(tmp_path, data_folder):
    request = mr_math(tmp_path / "w", data_folder)
    inspection = inspect(load(request))
    names = [name for name in covering(inspection) if inspection.selection.evaluation(name).coverage]
    assert len(names) == 10
    said = breakdown_document(load(replace(request, scorers=tuple(names))), View(of="offset")).rows
    frame = inspection.selection.table([*(f"{name}.verdict" for name in names), "earliest_error", "n_steps"])
    for name in names:
        verdict = pl.col(f"{name}.verdict")
        told = frame.filter(pl.col("earliest_error") >= 0, verdict.is_not_null())
        placed = told.filter(verdict >= 0, verdict < pl.col("n_steps"))
        offsets = placed.group_by(offset=verdict - pl.col("earliest_error")).len().sort("offset")
        missed = told.filter(verdict == -1).height
        assert offsets["len"].sum() + missed == told.height, "MR-MATH has no verdict that names no step"

        printed = said.filter(pl.col("scorer") == name, pl.col("metric") == "count")
        bars = printed.filter(pl.col("offset").is_not_null()).sort("offset")
        assert bars["offset"].to_list() == offsets["offset"].to_list()
        assert bars["value"].to_list() == offsets["len"].to_list()
        assert printed.filter(pl.col("outcome") == "missed")["value"].to_list() == [missed]

        found = sheet(inspection.focused(name, inspection.benchmark), OFFSETS, Choice(), size=(400, 40))
        chart = found.lines[: next(at for at, row in enumerate(found.lines) if text_of(row).startswith("< early"))]
        shown_counts = [int(piece.text.replace(",", "")) for row in chart for piece in row if piece.drill]
        assert shown_counts == [*offsets["len"].to_list(), *([missed] if missed else [])]
