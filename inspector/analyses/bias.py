"""Which way scorers lean, and where they differ from the rest."""

from collections.abc import Iterator, Sequence

import polars as pl

from inspector.analyses import Params, analysis
from inspector.analyses._columns import usual_axes
from inspector.render.blocks import Block, Note, Section, quiet_notes
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import (
    Cell,
    Column,
    Table,
    count,
    difference_column,
    figure,
    forest_column,
    p_value,
    points,
    table,
    text,
)
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.figure_notes import FEW, INDEPENDENT, first_run_notes
from inspector.state.filtering.facets import column_words
from inspector.state.provenance import provenance
from scoring.data.schema import Row
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.bias import bias_rows
from scoring.metrics.outcome_conditions import answered, behind
from scoring.metrics.slices import SUPPORT, slice_rows
from scoring.metrics.step_contributions import judged_steps
from scoring.selection.result_set import ResultSet, by_benchmark, shown_benchmarks, within
from scoring.workspace.filtering.sql_words import named

BIAS = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "unit": pl.String(),
    "metric": pl.String(),
    "column": pl.String(),
    "slice": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
    "rest": pl.Int64(),
    "p": pl.Float64(),
    "p_holm": pl.Float64(),
    "looks": pl.Int64(),
    "small": pl.Boolean(),
    "reason": pl.String(),
    "where": pl.String(),
}
NOTES = (
    "bias: correct_acc minus error_acc (unit case), positive_acc minus negative_acc (unit step)",
    "predicted_positive_rate: share of cases called clean, of steps called right",
    f"slices: accuracy with a value minus accuracy with another, of erroneous or of clean cases, {SUPPORT} or more",
    "p: Fisher's exact test, two-sided; p_holm: by Holm over the `looks` slices of a scorer on a benchmark",
    f"low and high: 95%, of error_acc and correct_acc the bootstrap of `metrics`; {FEW}",
    f"low and high of other shares: Wilson's, of differences: Newcombe's; these {INDEPENDENT}, and so do p",
)
TITLES = {
    "error_acc": "accuracy on erroneous cases",
    "correct_acc": "accuracy on clean cases",
    "negative_acc": "accuracy on wrong steps",
    "positive_acc": "accuracy on right steps",
    "bias": "bias: clean minus erroneous",
    "predicted_positive_rate": "called clean",
}
SLICES = 10
"""Slices of a scorer that stand on the page of several."""
SIDES = {"error_acc_difference": "error_acc", "correct_acc_difference": "correct_acc"}
_OWN = {"steps": "n_steps", "position": "earliest_error"}
"""The columns of the cases that bins are made of."""


@analysis(
    "Bias",
    whose="focus",
    help="Which way the scorer in focus leans: towards calling things right, or wrong. Beneath it every value of every "
    "column, by how much better or worse it is on its cases than on the others.",
)
def bias(results: ResultSet, params: Params, intervals: bool) -> View:
    """Return the bias of the chosen scorers on the shown cases, and after each scorer's the slices that it differs on.

    Of a slice `column` is not null, `value` is a difference of accuracies, and `where` selects its cases (erroneous and
    clean alike). Slices are tests of every value of every column, and come with the intervals.
    """
    axes, rows = usual_axes(results) if intervals else (), []
    seed = results.query.seed if intervals else None
    for evaluation in results.chosen_evaluations:
        for benchmark, inside in by_benchmark(results):
            labels = {"scorer": evaluation.scorer.name, "benchmark": benchmark}
            unparsed = results.unparsed(benchmark)
            judged = judged_steps(evaluation, benchmark)
            rows += [{**labels, **row} for row in bias_rows(evaluation, inside, unparsed, judged, seed)]
            for row in slice_rows(evaluation, inside, axes, unparsed):
                where = " AND ".join(f"({part})" for part in (*within(results, benchmark), row["where"]))
                rows.append({**labels, "unit": "case", **row, "small": False, "where": where})
    frame = pl.DataFrame([{name: row.get(name) for name in BIAS} for row in rows], schema=BIAS, orient="row")
    notes = (*NOTES, *first_run_notes(results))
    facts = provenance(results, results.query.command("bias", form=params.form), notes)
    empty = "" if rows else "No scorer has rewards for these cases yet." if not results.chosen else "No case is shown."
    title = "Bias"
    return View(frame, facts, title=title, lay_out=lambda: _sections(results, frame, intervals=intervals), empty=empty)


def _sections(results: ResultSet, frame: pl.DataFrame, *, intervals: bool) -> tuple[Section, ...]:
    sections: list[Section] = []
    for benchmark in shown_benchmarks(results) if results.shown.size else ():
        blocks: list[Block] = []
        own = frame.filter(pl.col("benchmark") == benchmark)
        several = own["scorer"].n_unique() > 1
        for part in own.partition_by("scorer", maintain_order=True):
            evaluation = results.evaluation(part["scorer"][0])
            blocks += [Note(evaluation.scorer.name, "lead")] if several else []
            blocks += _blocks(results, evaluation, benchmark, part.to_dicts(), intervals=intervals, several=several)
        blocks += quiet_notes(first_run_notes(results, benchmark))
        sections.append(Section(benchmark, f"bias-{len(sections)}", tuple(blocks)))
    return tuple(sections) or (Section("", "bias", (Note("No case is shown."),)),)


def _blocks(
    results: ResultSet,
    evaluation: Evaluation,
    benchmark: str,
    rows: Sequence[Row],
    *,
    intervals: bool,
    several: bool,
) -> Iterator[Block]:
    """The figures of one scorer on one benchmark, then its slices."""
    yield _leaning(results, evaluation, benchmark, [row for row in rows if row["column"] is None])
    if not several:
        yield Note(
            "A bias of +100 means that everything is called right, −100 that everything is called wrong. Figures and "
            "intervals are of all cases together; those of a mean over subsets differ a little. Steps have no "
            "interval, because the steps of a case are not independent, and no list of cases.",
            "quiet",
        )
    slices = [row for row in rows if row["column"] is not None]
    title = "Compared with the rest"
    if not intervals:
        yield table(title, ["cases with"], [[Cell(None, waiting=True)]])
    elif not slices:
        sentence = f"No value of a column has {SUPPORT} cases of one side with {SUPPORT} others beside them"
        yield Note(f"{sentence}: too few to say where it is better or worse.")
    else:
        yield _slice_table(results, evaluation, benchmark, slices[:SLICES] if several else slices, title)
        if several and len(slices) > SLICES:
            yield Note(f"The largest of {len(slices)}; all are in --csv and --json.", "quiet")
        yield Note(
            f"{counted(slices[0]['looks'], 'comparison')}, the largest difference first: accuracy on the cases with a "
            f"value minus accuracy on the others, with Newcombe's 95% interval, where both have {SUPPORT} cases or "
            f"more. p is Fisher's exact test; p Holm is adjusted for the {slices[0]['looks']} comparisons. A small p "
            "without a small p Holm may be chance. Cases are taken as independent.",
            "quiet",
        )


def _leaning(results: ResultSet, evaluation: Evaluation, benchmark: str, rows: Sequence[Row]) -> Table:
    lines = []
    for row in rows:
        metric, steps = row["metric"], row["unit"] == "step"
        title = "steps called right" if steps and metric == "predicted_positive_rate" else TITLES[metric]
        link = None if steps else _figure_link(results, evaluation, benchmark, metric, row["n"], title)
        value = points(row) if metric == "bias" else figure(row)
        number = count(row["n"], link, "dim" if steps else "", "steps" if steps else "")
        lines.append([text(title, "strong" if metric == "bias" else ""), value, number])
    return table("Bias", ["", forest_column("percent, 95%"), "n"], lines)


def _figure_link(
    results: ResultSet, evaluation: Evaluation, benchmark: str, metric: str, n: int, title: str
) -> CaseLink:
    name, inside = evaluation.scorer.name, within(results, benchmark)
    if metric == "predicted_positive_rate":
        return CaseLink((*inside, answered(name)), n, "with a verdict", name, benchmark=benchmark)
    where = behind("f1" if metric == "bias" else metric, name, results.unparsed(benchmark))
    return CaseLink((*inside, *where), n, f"tried: {title.partition(':')[0]}", name, benchmark=benchmark)


def _slice_table(results: ResultSet, evaluation: Evaluation, benchmark: str, rows: Sequence[Row], title: str) -> Table:
    columns: list[str | Column] = [
        "cases with",
        "of",
        difference_column("vs. the rest", "worse", "better"),
        "n",
        "rest",
        Column("p", 2),
        "p Holm",
    ]
    return table(title, columns, [_slice(results, evaluation, benchmark, row) for row in rows], labels=2)


def _slice(results: ResultSet, evaluation: Evaluation, benchmark: str, row: Row) -> list[Cell]:
    metric, column = SIDES[row["metric"]], str(row["column"])
    scorer, side = evaluation.scorer.name, "erroneous" if metric == "error_acc" else "clean"
    tried = behind(metric, scorer, results.unparsed(benchmark))
    name = f"{column_words(column)}: {row['slice'] or '(empty)'}"
    known = f"{named(_OWN.get(column, column))} IS NOT NULL"
    # The condition of a row tells the benchmark as well, where there are several.
    rest = f"NOT ({row['where']})"
    here = CaseLink((row["where"], *tried), row["n"], f"{name}, {side}", scorer, benchmark=benchmark)
    others = CaseLink(
        (*within(results, benchmark), rest, known, *tried),
        row["rest"],
        f"not {name}, {side}",
        scorer,
        benchmark=benchmark,
    )
    return [
        text(name),
        text(side, "dim"),
        points(row),
        count(row["n"], here),
        count(row["rest"], others, "dim"),
        p_value(row["p"]),
        p_value(row["p_holm"]),
    ]
