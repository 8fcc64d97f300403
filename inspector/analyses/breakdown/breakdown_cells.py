"""The cells of a breakdown: scorers by one or two columns of cases, as rows, maps and tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses._columns import (
    axis_of,
    column_title,
    lacking_columns,
    usual_columns,
    usual_error_column,
    value_title,
)
from inspector.render.blocks import Block, Fold, Note
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, figure, forest_column, points, table, text
from inspector.render.texts.sentences import WORDS, counted
from inspector.state.figure_notes import FEW, INDEPENDENT
from scoring.data.errors import UsageError
from scoring.data.names import name_choices
from scoring.data.schema import Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.benchmark_metrics import own_cases
from scoring.metrics.breakdown import SCHEMA, TOTAL, Cells, long_form
from scoring.metrics.breakdown import breakdown as breakdown_frame
from scoring.metrics.breakdown_difference import NOT_DIFFERENT, breakdown_difference
from scoring.metrics.outcome_conditions import COUNTS, behind
from scoring.metrics.own import own_metrics
from scoring.metrics.own_cells import own_cells
from scoring.selection.result_set import ResultSet, by_benchmark, shown_benchmarks, within

CELLS, TYPES, LENGTH = "cells", "types", "length"
NOTES = (
    "share_*: of all cases in the denominators, adding up to 1",
    "fp (early), fn (late or missed), late, missed, exact, unanswered: of the erroneous ones",
    "process_error_rate: wrong processes among right final answers, of the data",
    "process_error_exact: of these wrong processes the ones that the scorer finds exactly",
    "step_accuracy: mean over cases; `where` selects the cases of a cell, `all` is every value",
    f"low and high: 95%, of f1, error_acc, correct_acc and exact the bootstrap of `metrics`, else Wilson's; {FEW}",
    f"Wilson's {INDEPENDENT}; where two of them share a problem, the bootstrap is of whole problems",
)
DIFFERENCE = (
    "values are those of `scorer` less those of `other`, on the cases in the denominators of both: `n` of them",
    "low and high: 95%, Newcombe's interval of a paired difference of shares; f1 and step_accuracy have none",
    f"{INDEPENDENT}; {FEW}",
    "`where` selects the cases of a cell, `all` is every value",
)
EVERYTHING = "true"
"""The condition of a cell that holds every case."""
NO_COLUMN = "-"
"""Chosen on a screen in the place of a second column: there is none."""


class BreakdownMetric(Struct, frozen=True):
    """What a metric of a breakdown is called, of which cases it is, and what more is to be said of it."""

    title: str
    among: str
    note: str = ""


_ALL, _ERRONEOUS, _CLEAN = "cases tried", "erroneous cases tried", "clean cases tried"
FIGURES: Mapping[str, BreakdownMetric] = {
    "f1": BreakdownMetric("F1", _ALL, "harmonic mean of both accuracies"),
    "error_acc": BreakdownMetric("accuracy on erroneous cases", _ERRONEOUS, "the earliest error is found exactly"),
    "correct_acc": BreakdownMetric("accuracy on clean cases", _CLEAN, "no step is called wrong"),
    "fp": BreakdownMetric("FP", _ERRONEOUS, "GR-Ben's: a step before the earliest error is named"),
    "fn": BreakdownMetric("FN", _ERRONEOUS, "GR-Ben's: a later step is named, or none"),
    "late": BreakdownMetric("late", _ERRONEOUS, "a later step is named"),
    "missed": BreakdownMetric("missed", _ERRONEOUS, "no step is named"),
    "unanswered": BreakdownMetric("unanswered", _ERRONEOUS, "refused, or the answer cannot be read"),
    "step_accuracy": BreakdownMetric("step accuracy", "cases with steps labelled and judged", "mean over cases"),
    "process_error_rate": BreakdownMetric(
        "wrong processes among right final answers", "cases that end in the right answer", "of the data alone"
    ),
    "process_error_exact": BreakdownMetric(
        "those found exactly", "erroneous cases tried that end in the right answer", "wrong processes, right answers"
    ),
    "cases": BreakdownMetric("how many cases", "cases"),
    **{f"count_{name}": BreakdownMetric(f"how many {WORDS[name]}", WORDS[name]) for name in OUTCOMES},
}
"""What a cell can show, in the order in which it is offered."""


def known_figures() -> dict[str, BreakdownMetric]:
    """Return what a cell can show, metrics of the user's own last."""
    return {**FIGURES, **{made.name: BreakdownMetric(made.title, made.of) for made in own_metrics()}}


TABLED = {
    "error_acc": "erroneous",
    "correct_acc": "clean",
    "f1": "F1",
    "fp": "FP",
    "late": "late",
    "missed": "missed",
    "step_accuracy": "step accuracy",
}
"""The figures that stand beside each other in one table, and their titles there."""
OFFICIAL = frozenset({"error_acc", "correct_acc", "f1"})
"""Those of them that keep their intervals where there is little room."""


def cell_frame(results: ResultSet, params: Params, *, intervals: bool) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Break the chosen scorers down by columns: a row a cell and metric, and the notes on them."""
    columns = columns_of(results, params)
    axes = tuple(axis_of(results, name) for name in columns)
    frames = []
    for benchmark, inside in by_benchmark(results):
        cells, unparsed = Cells(axes, inside, within(results, benchmark)), results.unparsed(benchmark)
        if params.get("difference"):
            first, second = results.chosen_evaluations
            labels = {"scorer": first.scorer.name, "other": second.scorer.name, "benchmark": benchmark}
            frames.append((labels, breakdown_difference((first, second), cells, unparsed)))
            continue
        for evaluation in results.chosen_evaluations:
            labels = {"scorer": evaluation.scorer.name, "benchmark": benchmark}
            seed = results.query.seed
            table_of_cells = breakdown_frame(evaluation, cells, unparsed, seed, bootstrap=intervals)
            own = [own_cells(made, evaluation, cells, unparsed, seed if intervals else None) for made in own_metrics()]
            frames.append((labels, pl.concat([table_of_cells, *([long_form(cells, own)] if own else [])])))
    # Scorers come one after the other, each with all benchmarks.
    frames.sort(key=lambda made: results.chosen.index(made[0]["scorer"]))
    labelled = [
        frame.select(*(pl.lit(value).alias(name) for name, value in labels.items()), pl.all())
        for labels, frame in frames
    ]
    other = ("other",) if params.get("difference") else ()
    empty = pl.DataFrame(schema={**dict.fromkeys(("scorer", *other, "benchmark", *columns), pl.String()), **SCHEMA})
    return pl.concat(labelled) if labelled else empty, DIFFERENCE if other else NOTES


def columns_of(results: ResultSet, params: Params) -> tuple[str, ...]:
    """Return the columns asked for, or the usual ones of the benchmark.

    Raises:
        UsageError: several benchmarks with different usual ones.
    """
    if params.page == LENGTH:
        return ("n_steps",)
    rows, cols = params.get("rows", ""), params.get("cols", "")
    if rows:
        return (rows, cols) if cols and cols != NO_COLUMN else (rows,)
    if params.page == TYPES:
        usual: set[tuple[str, ...]] = {
            (usual_error_column(results, benchmark) or "error_type",) for benchmark in shown_benchmarks(results)
        }
    else:
        usual = {usual_columns(results, benchmark) for benchmark in shown_benchmarks(results)}
    if len(usual) > 1 and results.shown.size:
        raise UsageError(
            "benchmarks have different usual columns.",
            "Choose one with --benchmark, or give --rows.",
            instead=name_choices("--benchmark", shown_benchmarks(results), "benchmark"),
        )
    columns = min(usual, default=("subset",))
    return columns[:1] if cols == NO_COLUMN else columns


class Grid(Struct, frozen=True, eq=False):
    """The cells of one benchmark by `columns`: `cells` of each scorer by the values of the columns, totals last.

    Each cell has its rows by metric. `pair` are the two scorers of a difference, () where none is asked for.
    """

    results: ResultSet
    benchmark: str
    columns: tuple[str, ...]
    cells: Mapping[str, Mapping[tuple[str | None, ...], Mapping[str, Row]]]
    pair: tuple[str, ...]

    @classmethod
    def of(cls, results: ResultSet, frame: pl.DataFrame, params: Params, benchmark: str) -> "Grid":
        """Take the rows of one benchmark."""
        columns = columns_of(results, params)
        cells: dict[str, dict[tuple[str | None, ...], dict[str, Row]]] = {}
        for row in frame.iter_rows(named=True):
            own = cells.setdefault(row["scorer"], {})
            # A value may be called as the total is: only the condition tells them apart.
            key = (*(row[name] for name in columns), row["where"])
            own.setdefault(key, {})[row["metric"]] = row
        pair = results.chosen if params.get("difference") else ()
        return cls(results, benchmark, columns, cells, pair)

    def in_order(self, at: int, values: Iterable[str | None]) -> list[str | None]:
        """Put values of a column (its place, 0-based) in order: numbers and bins ascend, the total is last."""
        places = {value: place for place, value in enumerate(axis_of(self.results, self.columns[at]).values)}
        there = [value for value in dict.fromkeys(values) if value != TOTAL]
        return [*sorted(there, key=lambda value: places.get(value, len(places))), TOTAL]

    def link(self, metric: str, row: Row) -> CaseLink | None:
        """Link to the cases that a figure counts."""
        n = int(row["value"] or 0) if metric in COUNTS else row["n"]
        own = None if metric in FIGURES else own_cases(self.benchmark, metric)
        if not n or (metric not in FIGURES and own is None):
            # Whoever wrote a metric may not have said which cases it is of.
            return None
        scorers, unparsed = self.pair or (row["scorer"],), self.results.unparsed(self.benchmark)
        cell = () if row["where"] == EVERYTHING else (row["where"],)
        parts = (
            part
            for name in scorers
            for part in (behind(metric, name, unparsed) if own is None else own.where(name, unparsed))
        )
        conditions = dict.fromkeys(parts)
        values = [value_title(row[name]) for name in self.columns if row[name] != TOTAL]
        among = known_figures()[metric].among + (" by both" if self.pair else "")
        words = ", ".join((*values, among))
        return CaseLink((*cell, *conditions), n, words, scorers[0], scorers[1:], self.benchmark)

    def cell(self, metric: str, row: Row | None, *, with_n: bool = False) -> Cell:
        """Make the cell of a figure; empty where there is no case."""
        if row is None:
            return text("")
        link = self.link(metric, row)
        if metric in COUNTS:
            return count(int(row["value"] or 0), link)
        made = points(row, link) if self.pair else figure(row, _kind(metric), link)
        shade = row["value"] if with_n and not row["small"] else None
        return replace(made, n=row["n"] if with_n else None, shade=shade, reason="")


def cell_blocks(grid: Grid, params: Params) -> Iterator[Block]:
    """Lay out a map of one figure and a table of several, each of all scorers."""
    if not any(grid.cells.values()):
        yield Note("No scorer has a verdict on these cases, so there is nothing to break down.")
        return
    metric = params.get("figure")
    if metric is None or (grid.pair and metric in {*COUNTS, *NOT_DIFFERENT}):
        metric = _usual_figure(grid)
    known = known_figures()[metric]
    by = " and ".join(map(column_title, grid.columns))
    whose = f" of {next(iter(grid.cells))}" if len(grid.cells) == 1 else ""
    if grid.pair:
        whose = f", {' minus '.join(grid.pair)},"
    yield Note(f"{known.title[:1].upper()}{known.title[1:]}{whose} by {by}", "lead")
    if known.note:
        yield Note(f"{known.note[:1].upper()}{known.note[1:]}.", "quiet")
    maps = [_map(grid, name, metric) for name in grid.cells] if len(grid.columns) > 1 else [_lines(grid, metric)]
    if metric in FIGURES and not any(cell.link for row in maps[0].rows for cell in row):
        yield Note(f"There are no {known.among} here: choose another figure.")
    yield from _first_and_folded(maps)
    if grid.pair:
        honest = (
            "without an interval: none for this figure is quick and honest; compare has it over all cases"
            if metric in {"f1", "step_accuracy"}
            else "with Newcombe's 95% interval of a paired difference of shares"
        )
        looks = sum(metric in figures for own in grid.cells.values() for figures in own.values())
        yield Note(
            f"Each cell is on the cases that both tried, {honest}. {counted(looks, 'cell')} are as many looks, so that "
            "some stand out by chance.",
            "quiet",
        )
    yield from _first_and_folded([_figure_table(grid, name) for name in grid.cells])
    if lacking := lacking_columns(grid.results, grid.benchmark):
        yield Note(lacking, "quiet")


def _first_and_folded(tables: Sequence[Table]) -> Iterator[Block]:
    yield tables[0]
    if further := tuple(tables[1:]):
        yield Fold(f"The same of {counted(len(further), 'other scorer')}", further)


def _map(grid: Grid, scorer: str, metric: str) -> Table:
    """A line a value of the first column, a column a value of the second one."""
    cells = {key[:-1]: figures for key, figures in grid.cells[scorer].items()}
    there = [place for place, figures in cells.items() if metric in figures and grid.link(metric, figures[metric])]
    there = there or list(cells)
    down, across = (grid.in_order(at, (place[at] for place in there)) for at in (0, 1))
    heads = (f"{column_title(grid.columns[0])} / {column_title(grid.columns[1])}", *map(value_title, across))
    rows = []
    for value in down:
        figures = [cells.get((value, other), {}).get(metric) for other in across]
        rows.append([text(value_title(value)), *(grid.cell(metric, row, with_n=True) for row in figures)])
    title = "" if len(grid.cells) == 1 else scorer
    return table(title, heads, rows, heat=True)


def _lines(grid: Grid, metric: str) -> Table:
    """Of one column: bars of one scorer, a line each of several."""
    there = dict.fromkeys(key for own in grid.cells.values() for key in own)
    order = grid.in_order(0, (key[0] for key in there))
    values = sorted(there, key=lambda key: order.index(key[0]))
    if len(grid.cells) == 1:
        ((_, own),) = grid.cells.items()
        rows = [[text(value_title(key[0])), grid.cell(metric, own[key].get(metric), with_n=True)] for key in values]
        kept = [row for row in rows if row[1].link]
        return table("", [column_title(grid.columns[0]), known_figures()[metric].title], kept or rows, bars=True)
    heads = ("scorer", *(value_title(key[0]) for key in values))
    rows = [
        [text(name), *(grid.cell(metric, own.get(key, {}).get(metric), with_n=True) for key in values)]
        for name, own in grid.cells.items()
    ]
    return table("", heads, rows, heat=True)


def _figure_table(grid: Grid, scorer: str) -> Table:
    """A line a cell, a column a figure."""
    own = grid.cells[scorer]
    there = {row["metric"] for figures in own.values() for row in figures.values() if row["value"] is not None}
    titles = TABLED | {made.name: made.title for made in own_metrics()}
    metrics = [metric for metric in titles if metric in there]
    heads: list[str | Column] = [*map(column_title, grid.columns), "cases"]
    heads += [forest_column(titles[metric], 0 if metric in OFFICIAL else 1) for metric in metrics]
    sided = {"error_acc", "correct_acc"} if grid.columns == ("n_steps",) else set()
    rows = []
    for key, figures in own.items():
        labels = [text(value_title(value)) for value in key[:-1]]
        cells = [grid.cell(metric, figures.get(metric), with_n=metric in sided) for metric in ("cases", *metrics)]
        if all(cell.value is None for cell in cells[1:]):
            why = next((row["reason"] for row in figures.values() if row["reason"]), "")
            cells[0] = replace(cells[0], remark=why)
        rows.append([*labels, *cells])
    title = f"Figures of {scorer}, in percent with 95% intervals"
    if grid.pair:
        title = f"Differences, {' minus '.join(grid.pair)}, in percentage points"
    return table(title, heads, rows, labels=len(grid.columns))


def _kind(metric: str) -> Kind:
    numbers = {made.name for made in own_metrics() if made.kind == "number"}
    return Kind.NUMBER if metric in numbers else Kind.SHARE


def _usual_figure(grid: Grid) -> str:
    """F1 where most cells have both sides, else the accuracy on the side that they have."""
    own = next(iter(grid.cells.values()))
    inner = [figures for key, figures in own.items() if TOTAL not in key[:-1] and None not in key[:-1]]
    inner = inner or list(own.values())

    def sizes(metric: str) -> list[int]:
        return [figures[metric]["n"] if metric in figures else 0 for figures in inner]

    wrong, clean = sizes("error_acc"), sizes("correct_acc")
    some = sum(bool(in_wrong or in_clean) for in_wrong, in_clean in zip(wrong, clean, strict=True))
    both = sum(bool(in_wrong and in_clean) for in_wrong, in_clean in zip(wrong, clean, strict=True))
    if not some:
        return "error_acc" if grid.pair else "cases"
    if 2 * both > some:
        return "f1"
    return "error_acc" if sum(wrong) >= sum(clean) else "correct_acc"


def metrics_there(results: ResultSet, benchmark: str, *, difference: bool) -> list[str]:
    """List the figures that are defined for some shown case of the first chosen scorer."""
    if not results.chosen:
        return []
    inside = next(rows for name, rows in by_benchmark(results) if name == benchmark)
    cells = Cells((axis_of(results, "subset"),), inside)
    frame = breakdown_frame(results.chosen_evaluations[0], cells, results.unparsed(benchmark), bootstrap=False)
    counts = pl.col("metric").is_in(COUNTS)
    there = set(frame.filter(pl.when(counts).then(pl.col("value") > 0).otherwise(pl.col("n") > 0))["metric"])
    own = {*COUNTS, *NOT_DIFFERENT} if difference else set()
    official = [name for name in FIGURES if name in there and name not in own]
    return [*official, *(() if difference else (made.name for made in own_metrics()))]


def length_blocks(
    results: ResultSet, evaluation: Evaluation, benchmark: str, rows: pl.DataFrame, params: Params
) -> Iterator[Block]:
    """Lay out the figures of a scorer by the number of steps."""
    grid = Grid.of(results, rows, params, benchmark)
    yield _figure_table(grid, evaluation.scorer.name)
