"""`metrics`, `cases` and `stats`: a request is loaded and one document comes out."""

import argparse
from collections.abc import Iterator

import numpy as np
import polars as pl

from inspector import documents
from inspector.boundary_notes import boundary_notes
from inspector.critique.counts import unparsed_notes
from inspector.loading import load
from inspector.range_notes import range_notes
from inspector.request import Request
from inspector.run_notes import mean_notes, unlike_notes
from inspector.selection import Selection
from inspector.shell.output import form_of, put, say
from inspector.shell.requests import request_of
from inspector.shell.wide import FEW, wide_both, wide_metrics
from inspector.statistics_document import statistics_document
from inspector.statistics_tables import wide_statistics
from scoring.export import Document
from scoring.grouping import grouped
from scoring.parts import parts
from scoring.verdicts import REFUSED, UNPARSED

WIDE = {"metrics": wide_metrics, "stats": wide_statistics}
"""How a long table is laid out for people."""
NO_METRIC = "No scorer has rewards for these cases yet, so there is no metric."


def _cases(selection: Selection, form: str) -> Document:
    # Imported only for this command: the others start sooner.
    from inspector.cases_document import cases_document

    return cases_document(selection, form)


def run(args: argparse.Namespace) -> int:
    """Print or write the document of `args.command`."""
    request = request_of(args)
    if request.labels == "both":
        return _both(args, request)
    selection = load(request)
    make = {
        "metrics": documents.metrics_document,
        "cases": _cases,
        "stats": statistics_document,
    }[args.command]
    grouped(selection.evaluated, request.by)  # A column that is not there is an error whether or not there is a scorer.
    document = make(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    problems = list(selection.problems)
    if args.command == "metrics" and not form_of(args):
        problems += _of_metrics(selection)
    if args.command == "metrics" and not form_of(args) and document.rows["small"].any():
        problems.append(FEW)
    if args.command == "metrics" and not selection.chosen:
        problems.append(NO_METRIC)
        if not form_of(args):
            # A table without a row would be a header about nothing.
            say(problems, args)
            return 0
    wide = WIDE.get(args.command)
    put(document, args, problems, None if wide is None else wide(document.rows))
    return 0


def _both(args: argparse.Namespace, request: Request) -> int:
    """Print or write the metrics under both label sets."""
    # Imported only for who asks: the others start sooner.
    from inspector.both_labels import OTHER_CASES, both_document, load_both

    own, adjudicated = load_both(request)
    for selection in (own, adjudicated):
        grouped(selection.evaluated, request.by)
    document = both_document(own, adjudicated, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    problems = list(dict.fromkeys((*own.problems, *adjudicated.problems)))
    if not own.chosen:
        problems.append(NO_METRIC)
        if not form_of(args):
            say(problems, args)
            return 0
    if not form_of(args):
        problems += _of_metrics(own)
        problems += [note for note in document.provenance["notes"] if note.startswith(OTHER_CASES)]
        problems += [FEW] if document.rows.select(pl.any_horizontal("small", "adjudicated_small").any()).item() else []
    put(document, args, problems, wide_both(document.rows))
    return 0


def _of_metrics(selection: Selection) -> Iterator[str]:
    """What a person who reads a table of metrics has to know; documents hold it as notes."""
    yield from _without_verdict(selection)
    for notes in (unparsed_notes, unlike_notes, mean_notes, boundary_notes, range_notes):
        yield from notes(selection)


def _without_verdict(selection: Selection) -> Iterator[str]:
    """A sentence where answers could not be read or cases were refused: how they count changes the figures."""
    for part, rows in parts(selection.cases, ("benchmark",), selection.mask):
        codes = [one.codes[rows] for one in selection.chosen_evaluations]
        number, name = sum(int(np.isin(of_one, (UNPARSED, REFUSED)).sum()) for of_one in codes), part["benchmark"]
        if number and selection.unparsed(name) == "wrong":
            yield f"{name}: {number:,} unparsed or refused cases count as wrong (--unparsed drop leaves them out)."
        elif number:
            yield f"{name}: {number:,} unparsed or refused cases are left out (--unparsed wrong counts them)."
