"""`votes`: what fewer votes would have said, for every number of them."""

import argparse
from dataclasses import replace

import polars as pl

from inspector.loading import load
from inspector.request import request_of
from inspector.shell.output import form_of, put, say
from inspector.votes import votes_document
from scoring.export import Document
from scoring.metrics.first_error import NAMES

AVERAGE, WHOLE = "average", "all"
"""Where a benchmark's figure stands: in the mean over its subsets, or else in that of all cases."""


def run(args: argparse.Namespace) -> int:
    """Print or write the rows; a terminal shows a line a number of votes."""
    request = request_of(args)
    selection = load(replace(request, scorers=(*args.scorers, *request.scorers)))
    document = votes_document(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if not form_of(args):
        say([note for note in document.provenance["notes"] if note.startswith(selection.chosen)], args)
    put(document, args, selection.problems, wide_votes(document.rows))
    return 0


def wide_votes(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a scorer, benchmark and number of votes: F1 with its interval, what is expected of it, the accuracies."""
    lines: dict[tuple[str, str, int], dict[str, str]] = {}
    averaged = set(rows.filter(pl.col("subset") == AVERAGE)["benchmark"])
    for row in rows.iter_rows(named=True):
        if row["subset"] != (AVERAGE if row["benchmark"] in averaged else WHOLE) or row["metric"] not in NAMES:
            continue
        line = lines.setdefault((row["scorer"], row["benchmark"], row["votes"]), {})
        value, expected = _percent(row["value"]), _percent(row["expected"])
        if row["metric"] == "f1":
            between = "" if row["low"] is None else f"  [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
            line |= {"f1": value + between, "expected f1": expected}
        else:
            line[row["metric"]] = value
    columns = ("f1", "expected f1", "error_acc", "correct_acc")
    whole = [(*key, *(line.get(name, "") for name in columns)) for key, line in lines.items()]
    schema = {
        "scorer": pl.String(),
        "benchmark": pl.String(),
        "votes": pl.Int64(),
        **dict.fromkeys(columns, pl.String()),
    }
    return pl.DataFrame(whole, schema=schema, orient="row")


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"
