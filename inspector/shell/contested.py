"""`contested`: the gold labels that scorers together, or the rules by which the benchmark is made, speak against."""

import argparse
from collections.abc import Iterator

import polars as pl

from inspector.contested.document import contested_document
from inspector.loading import load
from inspector.request import request_of
from inspector.shell.output import form_of, put, say
from scoring.export import Document

LINES = 40
"""Cases of one benchmark that a terminal shows."""


def run(args: argparse.Namespace) -> int:
    """Print or write the rows; a terminal shows the first of each benchmark."""
    selection = load(request_of(args))
    document = contested_document(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if form_of(args):
        put(document, args, selection.problems)
        return 0
    say(document.provenance["voices"], args)
    put(document, args, selection.problems, wide_contested(document.rows))
    say(_counts(document), args)
    return 0


def wide_contested(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a case: its rank, the lead of the consensus over gold, and why in words, which hold the other figures."""
    lead = pl.col("lead").map_elements("{:.2f}".format, return_dtype=pl.String)
    return rows.filter(pl.col("rank") <= LINES).select("case", "benchmark", "rank", lead, "because")


def _counts(document: Document) -> Iterator[str]:
    """How many cases are contested, and how many of them the table leaves out."""
    for benchmark, told in document.provenance["contested"].items():
        yield f"{benchmark}: contested {told}"
    if left := document.rows.filter(pl.col("rank") > LINES).height:
        yield f"{left} more cases (beyond the first {LINES} of a benchmark) are in --csv and --json."
