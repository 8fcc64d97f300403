"""The documents of `breakdown`: scorers by columns of the cases, and by where verdicts, errors and steps lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from inspector.filtering.facet_counts import FACETS
from inspector.notes import first_run_notes
from inspector.provenance import provenance
from inspector.selection import Selection
from scoring.benchmarks.registry import step_labelled
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.filters import Facet
from scoring.judged_steps import JudgedSteps
from scoring.metrics.aligned_rewards import BAND, aligned_rows
from scoring.metrics.axes import DERIVED, Axis, axis
from scoring.metrics.breakdown import DEFAULTS, SCHEMA, Cells, breakdown
from scoring.metrics.breakdown_difference import breakdown_difference
from scoring.metrics.positions import all_position_rows, first_position_rows, offset_rows, step_position_rows
from scoring.metrics.reliability import ECE, case_reliability, step_reliability
from scoring.metrics.resampling import SMALL
from scoring.metrics.reward_histograms import SEPARATIONS, case_histogram, step_histogram
from scoring.metrics.step_bins import PRESETS, StepBins
from scoring.metrics.step_counts import asked_by_redundancy, judged_by_redundancy
from scoring.schema import METADATA
from scoring.step_rewards import Bools

Of = Literal["cells", "offset", "position", "step_position", "aligned", "rewards", "reliability", "length"]
PLACES = {
    "offset": ("outcome", "offset"),
    "position": ("side", "position"),
    "step_position": ("position",),
    "aligned": ("side", "offset"),
    "rewards": ("unit", "side", "reward_from", "reward_to"),
    "reliability": ("unit", "reward_from", "reward_to"),
}
"""The columns that name a bin."""
NUMBERS = {"offset": pl.Int64(), "reward_from": pl.Float64(), "reward_to": pl.Float64()}
"""Those of them that hold numbers."""

INDEPENDENT = "intervals take cases as independent"
FEW = f"small: fewer than {SMALL} cases (for f1, on either side)"
CELLS = (
    "share_*: of all cases in the denominators, adding up to 1",
    "fp (early), fn (late or missed), late, missed, exact, unanswered: of the erroneous ones",
    "process_error_rate: wrong processes among right final answers, of the data",
    "process_error_exact: of these wrong processes the ones that the scorer finds exactly",
    "step_accuracy: mean over cases; `where` selects the cases of a cell, `all` is every value",
    f"low and high: 95%, Wilson's for shares, bootstrap for f1; {FEW}",
    f"Wilson's {INDEPENDENT}; where two of them share a problem, the bootstrap is of whole problems",
)
OF_REWARDS = {
    "aligned": (BAND, FEW),
    "rewards": (
        "cases by their lowest reward, steps by their own: of clean cases, or before, at and after the earliest error",
        SEPARATIONS,
        FEW,
    ),
    "reliability": (
        "share_right: of cases the clean ones, by the lowest reward; of labelled steps the right ones, by their reward",
        ECE,
        f"low and high: 95%, Wilson's; {INDEPENDENT}; steps have none, since those of a case are not; {FEW}",
    ),
}
"""What the bins of rewards mean."""
DIFFERENCE = (
    "values are those of `scorer` less those of `other`, on the cases in the denominators of both: `n` of them",
    "low and high: 95%, Newcombe's interval of a paired difference of shares; f1 and step_accuracy have none",
    f"{INDEPENDENT}; {FEW}",
    "`where` selects the cases of a cell, `all` is every value",
)


@dataclass(frozen=True)
class View:
    """What is broken down.

    `cells`: metrics by the columns `rows` and `cols`; `length` is that by the number of steps. The others are
    distributions; `preset` names their bins, `errors` says which errors `position` is of. Empty words are the usual
    ones of the benchmark. With `difference` cells hold those of the first of two scorers less those of the second.
    """

    of: Of = "cells"
    rows: str = ""
    cols: str = ""
    preset: str = ""
    errors: Literal["first", "all", ""] = ""
    difference: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The view as words of a command line."""
        flags = {"--of": "" if self.of == "cells" else self.of, "--rows": self.rows, "--cols": self.cols}
        flags |= {"--preset": self.preset, "--errors": self.errors}
        named = (word for flag, value in flags.items() if value for word in (flag, value))
        return (*named, *(("--difference",) if self.difference else ()))


def breakdown_document(selection: Selection, view: View | None = None, form: str = "") -> Document:
    """The chosen scorers over the shown cases, a row a cell or bin and metric, with the condition that selects it.

    Raises:
        UsageError: no such column, or what was asked does not go together.
    """
    view = view or View()
    _check(view, selection)
    if view.of in {"cells", "length"}:
        frame, notes = _cells(selection, view)
    else:
        frame, notes = _bins(selection, view)
    command = selection.request.command("breakdown", *view.words, form=form)
    return Document(frame, provenance(selection, command, (*notes, *first_run_notes(selection))))


def _check(view: View, selection: Selection) -> None:
    if view.of not in get_args(Of):
        raise UsageError(f"{view.of!r} is nothing to break down.", f"There are: {', '.join(get_args(Of))}.")
    if view.of != "cells" and (view.rows or view.cols):
        raise UsageError(f"--of {view.of} has its own rows.", "Leave --rows and --cols out, or filter with --where.")
    if view.cols and not view.rows:
        raise UsageError("--cols needs --rows.", "Name both, or --rows alone.")
    if (view.cols and view.cols == view.rows) or "benchmark" in {view.rows, view.cols}:
        raise UsageError("rows and columns are two columns, and benchmarks stand apart anyway.", "Name another column.")
    if view.preset and (view.of not in {"position", "step_position"} or view.preset not in PRESETS):
        raise UsageError(
            f"{view.preset!r} is no preset of {view.of}.",
            f"position and step_position have: {', '.join(PRESETS)}.",
        )
    if view.difference and (view.of not in {"cells", "length"} or len(selection.chosen) != 2):
        raise UsageError(
            "--difference is of cells, between two scorers.", "Name both: --scorer A --scorer B, without --of."
        )
    if view.errors and view.of != "position":
        raise UsageError("--errors belongs to --of position.", "Leave it out.")


# -- by columns


def _cells(selection: Selection, view: View) -> tuple[pl.DataFrame, tuple[str, ...]]:
    axes = [axis_of(selection, name) for name in _columns(selection, view)]
    if view.difference:
        return _differences(selection, axes), DIFFERENCE
    found = []
    for evaluation in selection.chosen_evaluations:
        for benchmark, rows in by_benchmark(selection):
            cells = Cells(tuple(axes), rows, within(selection, benchmark))
            table = breakdown(evaluation, cells, selection.unparsed(benchmark), selection.request.seed)
            labels = (("scorer", evaluation.scorer.name), ("benchmark", benchmark))
            found.append(table.select(*(pl.lit(value).alias(name) for name, value in labels), pl.all()))
    return pl.concat(found) if found else _empty([one.column for one in axes]), CELLS


def _differences(selection: Selection, axes: Sequence[Axis]) -> pl.DataFrame:
    """The first scorer less the second."""
    pair = selection.chosen_evaluations
    found = []
    for benchmark, rows in by_benchmark(selection):
        cells = Cells(tuple(axes), rows, within(selection, benchmark))
        table = breakdown_difference((pair[0], pair[1]), cells, selection.unparsed(benchmark))
        names = {"scorer": pair[0].scorer.name, "other": pair[1].scorer.name, "benchmark": benchmark}
        found.append(table.select(*(pl.lit(value).alias(name) for name, value in names.items()), pl.all()))
    return pl.concat(found) if found else _empty(["other", *(one.column for one in axes)])


def _columns(selection: Selection, view: View) -> tuple[str, ...]:
    """The columns asked for, or the usual ones of the benchmark.

    Raises:
        UsageError: several benchmarks with different usual ones.
    """
    if view.of == "length":
        return ("n_steps",)
    if view.rows:
        return (view.rows, view.cols) if view.cols else (view.rows,)
    usual = {usual_columns(selection, benchmark) for benchmark, _ in by_benchmark(selection)}
    if len(usual) > 1:
        raise UsageError("benchmarks have different usual columns.", "Choose one with --benchmark, or give --rows.")
    return usual.pop() if usual else ("subset",)


def usual_columns(selection: Selection, benchmark: str) -> tuple[str, ...]:
    """The columns that a benchmark is usually broken down by: one or two."""
    if benchmark in DEFAULTS:
        return DEFAULTS[benchmark]
    cases = selection.cases.filter(pl.col("benchmark") == benchmark)
    return next(((name,) for name in FACETS if cases[name].n_unique() > 1), ("steps",))


def axis_of(selection: Selection, column: str) -> Axis:
    """The values of a column of the cases or of a scorer, or of one of DERIVED.

    Raises:
        UsageError: there is no such column, or none to break down by.
    """
    if column in {*METADATA, *DERIVED}:
        return axis(selection.cases, column)
    # One that is not there is told with all that are.
    if column in selection.schema:
        return axis(selection.table((column,)), column)
    if why := selection.why_missing(column):
        raise UsageError(f"there is no column {column!r}.", why)
    return axis(pl.DataFrame(schema=selection.schema), column)


def usual_axes(selection: Selection) -> Sequence[Axis]:
    """The columns that tell cases apart by themselves: every facet, lengths and positions."""
    limited = [name for name in FACETS if 1 < selection.cases[name].n_unique() <= 100]
    return [axis(selection.cases, name) for name in (*limited, *DERIVED)]


# -- by the place of verdicts, errors and steps


def _bins(selection: Selection, view: View) -> tuple[pl.DataFrame, tuple[str, ...]]:
    found: list[dict[str, Any]] = []
    said: dict[str, None] = {}
    for evaluation in selection.chosen_evaluations:
        for benchmark, rows in by_benchmark(selection):
            bins = PRESETS[view.preset or (benchmark if benchmark in PRESETS else "processbench")]
            for row in _rows(evaluation, benchmark, rows, view, bins):
                where = None if row["where"] is None else " AND ".join((*within(selection, benchmark), row["where"]))
                found.append({"scorer": evaluation.scorer.name, "benchmark": benchmark, **row, "where": where})
            if view.of in {"position", "step_position"}:
                said[bins.words] = None
    frame = pl.DataFrame(found, schema=_empty(PLACES[view.of]).schema, orient="row")
    steps = "a row counts steps, so that `where` is null and there is no interval where a bin holds several a case"
    if view.of in OF_REWARDS:
        return frame, OF_REWARDS[view.of]
    notes = (f"low and high: 95%, Wilson's; {INDEPENDENT}; {FEW}", *said, *([steps] if view.of != "offset" else []))
    return frame, notes


def _rows(evaluation: Evaluation, benchmark: str, rows: Bools, view: View, bins: StepBins) -> Iterator[dict[str, Any]]:
    if view.of == "offset":
        return offset_rows(evaluation, rows)
    if view.of in OF_REWARDS:
        return _of_rewards(evaluation, rows, view.of)
    if view.of == "position" and (view.errors or bins.errors) == "first":
        return first_position_rows(evaluation, rows, bins)
    make = all_position_rows if view.of == "position" else step_position_rows
    return make(evaluation, rows, bins, judged_steps(evaluation, benchmark))


def _of_rewards(evaluation: Evaluation, rows: Bools, of: Of) -> Iterator[dict[str, Any]]:
    if of == "aligned":
        return aligned_rows(evaluation, rows)
    if of == "rewards":
        return chain(case_histogram(evaluation, rows), step_histogram(evaluation, rows))
    return chain(case_reliability(evaluation, rows), step_reliability(evaluation, rows))


def judged_steps(evaluation: Evaluation, benchmark: str) -> JudgedSteps:
    """What is decided of single steps, by redundancy where the benchmark asks for it."""
    facts = step_labelled(benchmark)
    return (
        judged_by_redundancy(evaluation, asked_by_redundancy(evaluation, facts)) if facts else evaluation.judged_steps
    )


# -- both


def by_benchmark(selection: Selection) -> Iterator[tuple[str, Bools]]:
    """Every benchmark with its shown cases as a mask over all."""
    shown = selection.mask
    for name in selection.benchmarks:
        yield name, np.asarray(selection.passing((Facet("benchmark", (name,)).sql,)) & shown)


def within(selection: Selection, benchmark: str) -> tuple[str, ...]:
    """The condition that tells a benchmark's cases from others', where there are others."""
    return (Facet("benchmark", (benchmark,)).sql,) if len(selection.benchmarks) > 1 else ()


def _empty(columns: Sequence[str]) -> pl.DataFrame:
    named = {name: NUMBERS.get(name, pl.String()) for name in ("scorer", "benchmark", *columns)}
    return pl.DataFrame(schema={**named, **SCHEMA})
