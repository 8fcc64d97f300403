"""Scorers by columns of cases, or by where errors and verdicts lie."""

import shlex
from collections.abc import Callable, Iterator, Mapping

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses._columns import (
    column_title,
    columns_offered,
    usual_error_column,
)
from inspector.analyses.breakdown.bin_pages import (
    ALIGNED,
    OFFSET,
    POSITION,
    RELIABILITY,
    REWARDS,
    STEP_FIGURES,
    STEP_POSITION,
    aligned_blocks,
    bin_frame,
    offset_blocks,
    position_blocks,
    step_blocks,
)
from inspector.analyses.breakdown.breakdown_cells import (
    CELLS,
    LENGTH,
    NO_COLUMN,
    TYPES,
    Grid,
    cell_blocks,
    cell_frame,
    known_figures,
    length_blocks,
    metrics_there,
)
from inspector.analyses.breakdown.error_types import type_blocks
from inspector.analyses.thresholds.reward_pages import reliability_blocks, reward_blocks
from inspector.render.blocks import (
    Block,
    Fold,
    Note,
    Section,
    quiet_notes,
)
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.figure_notes import first_run_notes, no_case_words
from inspector.state.provenance import provenance
from scoring.data.errors import CommandEdit, UsageError
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.step_bins import PRESETS
from scoring.selection.result_set import ResultSet, shown_benchmarks

BY_COLUMNS = (CELLS, TYPES, LENGTH)
"""The pages of tables by columns of the cases; the others have bins of their own."""


# -- what can be chosen


def _columns_to_choose(results: ResultSet, params: Params) -> Iterator[OptionValue]:  # noqa: ARG001  # as all offers
    for name in columns_offered(results, _one_benchmark(results)):
        yield OptionValue(name, column_title(name))


def _second_columns(results: ResultSet, params: Params) -> Iterator[OptionValue]:
    yield OptionValue(NO_COLUMN, "none", "a line a value of the first column")
    yield from _columns_to_choose(results, params)


def _figures_to_choose(results: ResultSet, params: Params) -> Iterator[OptionValue]:
    if params.page == STEP_POSITION:
        yield from (OptionValue(name, title) for name, title in STEP_FIGURES.items())
        return
    there = metrics_there(results, _one_benchmark(results), difference=bool(params.get("difference")))
    for name in there:
        known = known_figures()[name]
        yield OptionValue(name, known.title, ", ".join(words for words in (known.note, f"of {known.among}") if words))


def _one_benchmark(results: ResultSet) -> str:
    """The benchmark of the shown cases, on a screen."""
    return shown_benchmarks(results)[0]


def _has_types(results: ResultSet, benchmark: str) -> bool:
    return bool(usual_error_column(results, benchmark))


OPTIONS = (
    Option(
        "rows",
        "a column of cases, or steps, position (in bins)",
        "Rows",
        metavar="COL",
        pages=(CELLS, TYPES),
        offered=_columns_to_choose,
    ),
    Option("cols", "a second one", "Columns", metavar="COL", pages=(CELLS,), offered=_second_columns),
    Option(
        "preset",
        "how positions are put in bins (as a paper's figure has them, or relative to the length)",
        "Bins",
        choices=tuple(PRESETS),
        pages=(POSITION, STEP_POSITION),
    ),
    Option(
        "errors",
        "positions of the first errors or of all",
        "Errors",
        choices=("first", "all"),
        pages=(POSITION,),
    ),
    Option(
        "difference",
        "the first of two scorers less the second (on the cases of both)",
        "Less another scorer",
        pages=(CELLS, LENGTH),
        with_other=True,
    ),
    Option(
        "figure",
        "what stands in the cells of a map (f1, error_acc, fp, cases, ...; of step_position: acc, prmscore, ...)",
        "Figure",
        metavar="METRIC",
        pages=(CELLS, STEP_POSITION),
        offered=_figures_to_choose,
    ),
)
PAGES = (
    Page(CELLS, "columns", "focus"),
    Page(TYPES, "error types", "focus", help="what becomes of each kind of errors", holds=_has_types),
    Page(POSITION, "positions", "focus", help="of errors"),
    Page(OFFSET, "offsets", "focus", help="verdict minus gold"),
    Page(ALIGNED, "around the error", "focus", help="rewards around the earliest error"),
    Page(STEP_POSITION, "by step", "focus", help="accuracy by step"),
    Page(LENGTH, "by length", "focus", help="by the number of steps"),
    Page(REWARDS, "rewards", "focus", help="histograms by gold class"),
    Page(RELIABILITY, "reliability", "focus", help="reward against share right"),
)


@analysis(
    "Breakdown",
    PAGES,
    options=OPTIONS,
    page_flag="of",
    examples=(
        "prm-inspect breakdown --benchmark demo --rows subset --cols error_type",
        "prm-inspect breakdown --benchmark demo --of position --preset relative --csv",
    ),
    needs="There is nothing to break down before a scorer has verdicts on {benchmark}.",
    help="Where a scorer goes wrong: any two columns as a map, kinds of errors, positions, distances. Each number "
    "opens exactly its cases.",
)
def breakdown(results: ResultSet, params: Params, intervals: bool) -> View:
    """Break the chosen scorers down over the shown cases: a row a cell or bin and metric, with its cases' condition."""
    params = replace(params, page=params.page or CELLS)
    _check(results, params)
    if params.page in BY_COLUMNS:
        frame, notes = cell_frame(results, params, intervals=intervals)
    else:
        frame, notes = bin_frame(results, params)
    command = results.query.command("breakdown", *params.words, form=params.form)
    facts = provenance(results, command, (*notes, *first_run_notes(results)))
    empty = "" if results.chosen else "No scorer has rewards for these cases yet."
    if results.chosen and not results.shown.size:
        empty = no_case_words(results)
    title = next(page.title for page in PAGES if page.name == params.page)
    return View(frame, facts, title=title, lay_out=lambda: _sections(results, frame, params), empty=empty)


def _check(results: ResultSet, params: Params) -> None:
    rows, cols = params.get("rows", ""), params.get("cols", "")
    if cols and not rows and cols != NO_COLUMN:
        edit = CommandEdit(f"--rows {shlex.quote(cols)}", without=("--cols",))
        others = [(edit, f"rows of {cols}")]
        raise UsageError("--cols needs --rows.", "Name both, or --rows alone.", instead=others)
    if (cols and cols == rows) or "benchmark" in {rows, cols}:
        raise UsageError("rows and columns are two columns, and benchmarks stand apart anyway.", "Name another column.")
    if params.get("difference") and len(results.chosen) != 2:
        raise UsageError(
            "--difference is of cells, between two scorers.", "Name both: --scorer A --scorer B, without --of."
        )
    metric = params.get("figure")
    if metric is not None and params.page == CELLS and metric not in known_figures():
        raise UsageError(f"{metric!r} is not a figure of a cell.", f"There are: {', '.join(known_figures())}.")


# -- what people see


def _sections(results: ResultSet, frame: pl.DataFrame, params: Params) -> tuple[Section, ...]:
    sections: list[Section] = []
    for name in shown_benchmarks(results):
        own = frame.filter(pl.col("benchmark") == name)
        blocks = (*_benchmark_blocks(results, own, params, name), *quiet_notes(first_run_notes(results, name)))
        sections.append(Section(name, f"breakdown-{len(sections)}", blocks))
    return tuple(sections)


def _benchmark_blocks(results: ResultSet, frame: pl.DataFrame, params: Params, benchmark: str) -> Iterator[Block]:
    if params.page == CELLS:
        yield from cell_blocks(Grid.of(results, frame, params, benchmark), params)
        return
    make = _PAGES[params.page]
    pages: list[list[Block]] = []
    for rows in frame.partition_by("scorer", maintain_order=True):
        evaluation = results.evaluation(rows["scorer"][0])
        pages.append([Note(evaluation.scorer.name, "lead"), *make(results, evaluation, benchmark, rows, params)])
    if not pages:
        yield Note("No scorer has a verdict on these cases, so there is nothing to break down.")
        return
    yield from pages[0] if len(pages) > 1 else pages[0][1:]
    if further := tuple(block for page in pages[1:] for block in page):
        yield Fold(f"The same of {counted(len(pages) - 1, 'other scorer')}", further)


Blocks = Callable[[ResultSet, Evaluation, str, pl.DataFrame, Params], Iterator[Block]]
_PAGES: Mapping[str, Blocks] = {
    TYPES: type_blocks,
    LENGTH: length_blocks,
    POSITION: lambda _, one, name, rows, params: position_blocks(one, name, rows.to_dicts(), params),
    OFFSET: lambda results, one, name, rows, _: offset_blocks(results, one, name, rows.to_dicts()),
    ALIGNED: lambda _, one, name, rows, __: aligned_blocks(one, name, rows.to_dicts()),
    STEP_POSITION: lambda _, __, name, rows, params: step_blocks(name, rows.to_dicts(), params),
    REWARDS: lambda _, one, name, rows, __: reward_blocks(one, rows.to_dicts(), name),
    RELIABILITY: lambda _, one, name, rows, __: reliability_blocks(one, rows.to_dicts(), name),
}
