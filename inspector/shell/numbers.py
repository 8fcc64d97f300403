"""`metrics`, `cases`, `show` and `stats`: a request is loaded and one document comes out."""

import argparse
from collections.abc import Iterator

import numpy as np
import polars as pl

from inspector import documents
from inspector.names import match_name
from inspector.selection import Selection, load
from inspector.shell.output import form_of, put, say
from inspector.shell.requests import request_of
from inspector.shell.wide import wide_metrics, wide_statistics
from inspector.text import clean, json_text
from scoring.errors import UsageError
from scoring.export import Document, footer
from scoring.importing.original import original_row
from scoring.verdicts import REFUSED, UNPARSED

WIDE = {"metrics": wide_metrics, "stats": wide_statistics}
"""How a long table is laid out for people."""


def run(args: argparse.Namespace) -> int:
    """Print or write the document of `args.command`."""
    selection = load(request_of(args))
    if args.command == "show" and args.row:
        return _original(selection, args)
    if args.command == "show":
        document = documents.case_document(selection, _row(selection, args.case), form_of(args))
    else:
        make = {
            "metrics": documents.metrics_document,
            "cases": documents.cases_document,
            "stats": documents.statistics_document,
        }[args.command]
        _columns_exist(selection)
        document = make(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    problems = list(selection.problems)
    if args.command == "metrics" and not form_of(args):
        problems += _without_verdict(selection)
    if args.command == "metrics" and not selection.chosen:
        problems.append("No scorer has rewards for these cases yet, so there is no metric.")
        if not form_of(args):
            # A table without a row would be a header about nothing.
            say(problems, args)
            return 0
    if args.command == "show" and not form_of(args):
        told = ("case", "subset", "generator", "problem", "earliest_error", "error_type", "pattern", "reason_of_gold")
        facts = {name: document.provenance[name] for name in (*told, "outcome")}
        print(clean("\n".join(footer(facts)), lines=True))
    wide = WIDE.get(args.command)
    put(document, args, problems, None if wide is None else wide(document.rows))
    return 0


def _without_verdict(selection: Selection) -> Iterator[str]:
    """A sentence where answers could not be read or cases were refused: how they count changes the figures."""
    codes = [one.codes[selection.shown] for one in selection.chosen_evaluations]
    number = sum(int(np.isin(of_one, (UNPARSED, REFUSED)).sum()) for of_one in codes)
    if number and selection.request.unparsed == "wrong":
        yield f"{number:,} unparsed or refused cases count as wrong (--unparsed drop leaves them out, as GR-Ben does)."
    elif number:
        yield f"{number:,} unparsed or refused cases are left out (--unparsed wrong counts them, as ProcessBench does)."


def _columns_exist(selection: Selection) -> None:
    for name in selection.request.by:
        if name not in selection.cases.columns:
            raise UsageError(f"there is no column {name!r}.", f"There are: {', '.join(selection.cases.columns)}.")


def _original(selection: Selection, args: argparse.Namespace) -> int:
    """Print the row of the file that a case was made of, as JSON."""
    case = selection.cases.row(_row(selection, args.case), named=True)
    value = original_row(selection.workspace, case)
    print(json_text(value))
    return 0


def _row(selection: Selection, wanted: str) -> int:
    """The row id of the case called `wanted`, or of the only one whose name contains it."""
    names = selection.cases["case"]
    exact = selection.cases.with_row_index("_row").filter((pl.col("case") == wanted) | (pl.col("id") == wanted))
    if exact.height == 1:
        return int(exact["_row"][0])
    found = match_name(wanted, names.to_list(), "case")
    return int((names == found).arg_max() or 0)
