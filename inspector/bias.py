"""The document of `bias`: which way scorers lean, and on which cases they are better or worse than on the rest."""

import polars as pl

from inspector.breakdown import FEW, INDEPENDENT, by_benchmark, judged_steps, usual_axes, within
from inspector.provenance import provenance
from inspector.selection import Selection
from scoring.export import Document
from scoring.metrics.bias import bias_rows
from scoring.metrics.slices import SUPPORT, slice_rows

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
    f"low and high: 95%, Wilson's for shares, Newcombe's for differences; {INDEPENDENT}, and so do p; {FEW}",
)


def bias_document(selection: Selection, form: str = "") -> Document:
    """Bias of the chosen scorers over the shown cases, and after each scorer's its slices, where `column` is not null.

    A slice's `value` is a difference of accuracies, `where` selects its cases (erroneous and clean alike).
    """
    axes, found = usual_axes(selection), []
    for evaluation in selection.chosen_evaluations:
        for benchmark, rows in by_benchmark(selection):
            labels = {"scorer": evaluation.scorer.name, "benchmark": benchmark}
            unparsed = selection.unparsed(benchmark)
            judged = judged_steps(evaluation, benchmark)
            found += [{**labels, **row} for row in bias_rows(evaluation, rows, unparsed, judged)]
            for row in slice_rows(evaluation, rows, axes, unparsed):
                where = " AND ".join(f"({one})" for one in (*within(selection, benchmark), row["where"]))
                found.append({**labels, "unit": "case", **row, "small": False, "where": where})
    complete = [{name: row.get(name) for name in BIAS} for row in found]
    command = selection.request.command("bias", form=form)
    return Document(pl.DataFrame(complete, schema=BIAS, orient="row"), provenance(selection, command, NOTES))
