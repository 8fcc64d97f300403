"""The pages of the breakdown: their numbers are those of its rows, and each opens exactly its cases."""

import shlex

import polars as pl
import pytest
from rich.cells import cell_len

import making
import taxonomy_spaces
from inspector.analyses import Params
from inspector.analyses._columns import columns_of_cases
from inspector.analyses.breakdown.bin_pages import ALIGNED, OFFSET, POSITION, RELIABILITY, REWARDS, STEP_POSITION
from inspector.analyses.breakdown.breakdown import breakdown
from inspector.analyses.breakdown.breakdown_cells import CELLS, FIGURES, LENGTH, NO_COLUMN, TYPES
from inspector.cli import main
from inspector.render.chart_blocks import Columns
from inspector.render.lines import text_of
from inspector.render.table_blocks import Table
from inspector.state.case_links import drilled
from inspector.state.focusing import covering, on_benchmark
from inspector.state.opening import inspect
from inspector.state.subject import subject
from published_spaces import mr_math
from scoring.data.errors import UsageError
from scoring.metrics.outcome_conditions import COUNTS
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.filters import Facet, Filter
from thoroughness import THOROUGH, also, one_of, together
from views import lines_of, page_sheet, words_of
from walking import walk

PAGES = (CELLS, TYPES, POSITION, OFFSET, ALIGNED, STEP_POSITION, LENGTH, REWARDS, RELIABILITY)
TOLD = {
    CELLS: (
        {},
        {"rows": "error_type", "cols": "generator"},
        {"rows": "n_steps", "cols": "position", "figure": "step_accuracy"},
        {"rows": "generator", "cols": "final_answer_correct", "figure": "count_missed"},
        {"rows": "generator", "figure": "process_error_rate"},
        {"rows": "subset", "figure": "process_error_exact"},
        {"figure": "error_acc", "difference": True},
        {"rows": "generator", "figure": "f1", "difference": True},
        {"rows": "one.outcome", "cols": "two.outcome", "figure": "cases"},
        {"cols": NO_COLUMN},
    ),
    TYPES: ({}, {"rows": "pattern"}, {"rows": "generator"}),
    POSITION: ({}, {"preset": "relative", "errors": "first"}, {"errors": "all"}, {"preset": "socratic"}),
    STEP_POSITION: ({}, {"figure": "prmscore"}),
    LENGTH: ({}, {"difference": True}),
}
"""What makes a difference to a page; to the others nothing does."""


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two benchmarks with every taxonomy, gaps, refused and unparsed cases, and labels that are not there."""
    return inspect(load(taxonomy_spaces.write(tmp_path_factory.mktemp("two") / "w", n=90 if THOROUGH else 45)))


@pytest.fixture(scope="module")
def demo():
    return inspect(load(Query(benchmarks=("demo",))))


@pytest.fixture(scope="module")
def published(tmp_path_factory, data_folder):
    return inspect(load(mr_math(tmp_path_factory.mktemp("mr") / "w", data_folder)))


def view_of(state, page=CELLS, told=None, *, other="two", intervals=True, form=""):
    """The page through the scorer in focus, less another one where a difference is asked for."""
    told = told or {}
    names = (state.focus.scorer, *((other,) if told.get("difference") else ()))
    return breakdown.view(subject(state, names), Params(page, told, form), intervals=intervals)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("space", ["two", *also("demo", "published")])
def test_every_number_opens_exactly_its_cases(request, space, page):
    state = request.getfixturevalue(space)
    benchmarks = state.cases["benchmark"].unique(maintain_order=True).to_list()
    known = {one.scorer.name for one in state.results.evaluations}
    seen = [(name, benchmark) for benchmark in benchmarks for name in covering(on_benchmark(state, benchmark))]
    every, most = TOLD.get(page, ({},)), 6 if THOROUGH else 3
    # A page as it opens for every scorer, and whatever it can be told for one: another one each time.
    for number, told in enumerate(every):
        if "one.outcome" in told.values() and "one" not in known:
            continue
        whose = seen[:most] if number == 0 else one_of(seen[:most], number)
        for at, (scorer, benchmark) in enumerate(whose):
            looked = on_benchmark(state, benchmark).focused(scorer, benchmark)
            other = next(name for name in covering(looked) if name != scorer)
            # Numbers that are slow to come by lead to cases as well; the others are there without them.
            walk(looked, page_sheet(view_of(looked, page, told, other=other, intervals=at == 0)))


def test_so_does_every_figure_of_the_map_alone_and_as_a_difference(two):
    looked = two.focused("three", "socratic")
    alone = {*COUNTS, "process_error_rate"}
    for number, figure in enumerate(FIGURES):
        for difference in one_of((False, True), number) if figure not in alone else (False,):
            told = {"rows": "pattern", "cols": NO_COLUMN, "figure": figure, "difference": difference}
            assert walk(looked, page_sheet(view_of(looked, CELLS, told, intervals=figure == "f1"))), figure


@pytest.mark.parametrize("page", PAGES)
def test_so_it_does_under_a_filter_and_at_another_threshold(two, page):
    kept = Filter((Facet("generator", ("writer-1", "writer-2")),), ("n_steps > 2", "\"one.outcome\" = 'exact'"))
    looked = two.focused("one", "bench").selected(chosen=kept).moved(0.45)
    assert 0 < looked.slice.sum() < two.slice.sum()
    for told in one_of(TOLD.get(page, ({},)), PAGES.index(page)):
        walk(looked, page_sheet(view_of(looked, page, told)))


def cells_of(view):
    """The figures of the map by the titles of its rows and columns."""
    drawn = next(block for block in view.blocks() if isinstance(block, Table) and (block.heat or block.bars))
    heads = [column.title for column in drawn.columns[1:]]
    return {(row[0].value, head): cell for row in drawn.rows for head, cell in zip(heads, row[1:], strict=True)}


@pytest.mark.parametrize(("difference", "figure"), together([False, True], ["f1", "error_acc", "fp", "step_accuracy"]))
def test_the_cells_of_the_map_are_those_of_the_rows(two, figure, difference):
    for name in ("one", "three"):
        looked = two.focused(name, "socratic")
        told = {"rows": "pattern", "cols": "generator", "figure": figure, "difference": difference}
        view = view_of(looked, CELLS, told)
        drawn = cells_of(view)
        rows = view.rows.filter(pl.col("metric") == figure, pl.col("n") > 0)
        assert rows.height
        for row in rows.iter_rows(named=True):
            cell = drawn[row["pattern"] or "(none)", row["generator"] or "(none)"]
            assert (cell.value, cell.low, cell.high, cell.n) == (row["value"], row["low"], row["high"], row["n"])
            assert cell.small == row["small"]


def test_counts_of_cells_are_the_counts_of_the_facet(two):
    looked = two.focused("one", "socratic")
    drawn = cells_of(view_of(looked, CELLS, {"rows": "pattern", "cols": "error_kind", "figure": "cases"}))
    frame = looked.cases.filter(pl.Series(looked.slice))
    for (pattern, kind), cell in drawn.items():
        here = frame
        for column, value in (("pattern", pattern), ("error_kind", kind)):
            if value != "all":
                here = here.filter(pl.col(column).is_null() if value == "(none)" else pl.col(column) == value)
        assert (cell.value or 0) == here.height


def test_a_value_that_is_called_all_is_no_total(two):
    looked = two.focused("one", "bench")
    view = view_of(looked, CELLS, {"rows": "error_type", "figure": "cases"})
    drawn = next(block for block in view.blocks() if isinstance(block, Table) and block.bars)
    assert [row[0].value for row in drawn.rows].count("all") == 2
    walk(looked, page_sheet(view))


@pytest.mark.parametrize("scorer", ["one", "two", "three"])
def test_columns_of_offsets_and_missed_add_up_to_the_erroneous_cases_with_a_verdict(two, scorer):
    looked = two.focused(scorer, "bench")
    answered = looked.slice & looked.evaluation.coverage.answered & (looked.evaluation.gold.earliest >= 0)
    left = looked.slice & ~looked.evaluation.coverage.answered & (looked.evaluation.gold.earliest >= 0)
    view = view_of(looked, OFFSET)
    (chart,) = (block for block in view.blocks() if isinstance(block, Columns))
    assert sum(column.n for column in chart.columns) == answered.sum()
    assert chart.columns[-1].name == "missed"
    for width in (40, 80, 200):
        found = page_sheet(view, (width, 24)).lines
        drawn = found[: next(at for at, row in enumerate(found) if text_of(row).startswith("< early"))]
        assert sum(int(piece.text.replace(",", "")) for row in drawn for piece in row if piece.drill) == answered.sum()
        table = [text_of(row) for row in found[len(drawn) :]]
        assert f"The columns add up to the {answered.sum()} erroneous cases" in " ".join(table)
        told = [row for row in table if row.startswith("left out")]
        assert sum(int(row.split()[-1]) for row in told) == left.sum()
        assert bool(told) == (scorer != "one")


def test_early_is_left_of_exact_is_left_of_late_and_missed_is_last(two):
    (chart,) = (block for block in view_of(two.focused("one", "bench"), OFFSET).blocks() if isinstance(block, Columns))
    names = [column.name for column in chart.columns]
    offsets = [int(name.lstrip("<>=")) for name in names if name.lstrip("<>=+-").isdigit()]
    assert offsets == sorted(offsets)
    assert 0 in offsets
    assert names[-1] == "missed"


def test_fp_and_fn_are_grbens(two):
    looked = two.focused("three", "socratic")
    view = view_of(looked, TYPES, {"rows": "pattern"})
    found = lines_of(view)
    for pattern in ("Deduction", "Integration"):
        printed = next(line.split() for line in found if line.startswith(pattern))
        rows = view.rows.filter(pl.col("pattern") == pattern)
        wanted = {row["metric"]: row for row in rows.iter_rows(named=True)}
        numbers = [float(word) for word in printed[1:] if word[0].isdigit()]
        assert numbers[0] == wanted["fp"]["n"]
        assert numbers[1] == pytest.approx(100 * wanted["fn"]["value"], abs=0.0501)
        assert numbers[3] == pytest.approx(100 * wanted["fp"]["value"], abs=0.0501)


@pytest.mark.parametrize("page", PAGES)
def test_the_export_is_what_its_command_prints(two, page, capsys):
    looked = two.focused("three", "bench").selected(chosen=Filter(where=("n_steps > 2",)))
    for told in one_of(TOLD.get(page, ({},)), 2):
        document = view_of(looked, page, told, form="json")
        assert main(shlex.split(document.provenance["command"])[1:]) == 0
        assert capsys.readouterr().out.rstrip("\n") == document.render("json").rstrip("\n")


def test_processbench_says_that_it_has_no_pattern_and_what_has(tmp_path):
    cases, scorers = making.study(n=40)
    columns = {name: values for name, values in making.labels(cases).items() if name != "error_type"}
    making.workspace(tmp_path / "w", cases, scorers, "processbench", **columns)
    state = inspect(load(Query(workspace=str(tmp_path / "w"))))
    assert not {"pattern", "error_kind", "error_type"} & set(columns_of_cases(state.results, "processbench"))
    assert "reasoning pattern (Socratic-PRMBench has it)" in words_of(view_of(state))
    assert "no types of errors (GR-Ben" in words_of(view_of(state, TYPES))
    assert "by subset" in words_of(view_of(state, CELLS, {"rows": "subset"}))


def test_only_clean_cases_and_no_case_say_why_there_is_nothing(two):
    clean = two.focused("one", "bench").selected(chosen=Filter(where=("earliest_error = -1",)))
    nothing = two.focused("one", "bench").selected(chosen=Filter(where=("n_steps > 99",)))
    for page in PAGES:
        view = view_of(clean, page)
        walk(clean, page_sheet(view))
        assert any(line.strip() for line in lines_of(view))
        view = view_of(nothing, page)
        assert "No case is shown." in (view.empty or words_of(view))
    assert "There are no erroneous cases tried" in words_of(view_of(clean, TYPES))
    assert "No erroneous case here has a verdict" in words_of(view_of(clean, OFFSET))


def test_without_intervals_only_those_of_first_errors_are_lacking(two):
    looked = two.focused("one", "bench")
    quick, whole = (
        view_of(looked, CELLS, {"rows": "generator"}, intervals=intervals).rows for intervals in (False, True)
    )
    drawn = pl.col("metric").is_in(["f1", "error_acc", "correct_acc", "exact"])
    assert quick.filter(~drawn).equals(whole.filter(~drawn))
    assert quick.filter(drawn)["low"].null_count() == quick.filter(drawn).height
    assert whole.filter(drawn)["low"].drop_nulls().len()
    assert quick.filter(drawn)["value"].equals(whole.filter(drawn)["value"])


def test_a_figure_that_is_not_there_is_told_with_those_that_are(two):
    with pytest.raises(UsageError, match="'sense' is not a figure of a cell") as error:
        view_of(two, CELLS, {"figure": "sense"})
    assert "error_acc" in str(error.value)
    with pytest.raises(UsageError, match="not a figure of steps"):
        view_of(two, STEP_POSITION, {"figure": "sense"}).laid_out()


@pytest.mark.parametrize("page", PAGES)
def test_ascii_is_ascii_and_charts_and_sentences_keep_to_the_width(two, page):
    for told, width in together(TOLD.get(page, ({},)), (40, 78, 198)):
        view = view_of(two.focused("one", "socratic"), page, told, intervals=False)
        found = lines_of(view, (width, 24), ascii_only=True)
        assert all(line.isascii() for line in found), (told, width)
        # Tables of many figures are scrolled sideways where there is no room.
        plain = [line for line in found if "  " not in line.strip()]
        assert max(map(cell_len, plain)) <= width, (told, width)


def test_a_link_keeps_the_slice_and_drops_conditions_on_outcomes(two):
    kept = Filter((Facet("generator", ("writer-1",)),), ("\"one.outcome\" = 'exact'",))
    looked = two.focused("one", "bench").selected(chosen=kept)
    links = list(view_of(looked, OFFSET).links())
    assert links
    for link in links:
        listed = drilled(looked, link)
        assert listed.shown.size == link.n
        assert set(listed.cases["generator"].gather(listed.shown)) <= {"writer-1"}


def test_latency_of_all_ten_scorers_equals_the_command_and_plain_polars(tmp_path, data_folder):
    query = mr_math(tmp_path / "w", data_folder)
    state = inspect(load(query))
    names = [name for name in covering(state) if state.results.evaluation(name).coverage.count]
    assert len(names) == 10
    view = breakdown.view(subject(state, names), Params(OFFSET))
    charts = [block for block in view.blocks() if isinstance(block, Columns)]
    frame = state.results.evaluated.table([*(f"{name}.verdict" for name in names), "earliest_error", "n_steps"])
    for name, chart in zip(names, charts, strict=True):
        verdict = pl.col(f"{name}.verdict")
        answered = frame.filter(pl.col("earliest_error") >= 0, verdict.is_not_null())
        placed = answered.filter(verdict >= 0, verdict < pl.col("n_steps"))
        offsets = placed.group_by(offset=verdict - pl.col("earliest_error")).len().sort("offset")
        missed = answered.filter(verdict == -1).height
        assert offsets["len"].sum() + missed == answered.height, "MR-MATH has no verdict that names no step"

        printed = view.rows.filter(pl.col("scorer") == name, pl.col("metric") == "count")
        bars = printed.filter(pl.col("offset").is_not_null()).sort("offset")
        assert bars["offset"].to_list() == offsets["offset"].to_list()
        assert bars["value"].to_list() == offsets["len"].to_list()
        assert printed.filter(pl.col("outcome") == "missed")["value"].to_list() == [missed]

        assert [column.n for column in chart.columns if column.n] == [
            *offsets["len"].to_list(),
            *([missed] if missed else []),
        ]
