"""`cases` and `stats`: a request is loaded and one document comes out."""

import argparse

from inspector.loading import load
from inspector.request import request_of
from inspector.selection import Selection
from inspector.shell.output import form_of, put
from inspector.statistics_document import statistics_document
from inspector.statistics_tables import wide_statistics
from scoring.export import Document
from scoring.grouping import grouped

WIDE = {"stats": wide_statistics}
"""How a long table is laid out for people."""


def _cases(selection: Selection, form: str) -> Document:
    # Imported only for this command: the others start sooner.
    from inspector.cases_document import cases_document

    return cases_document(selection, form)


def run(args: argparse.Namespace) -> int:
    """Print or write the document of `args.command`."""
    request = request_of(args)
    selection = load(request)
    make = {"cases": _cases, "stats": statistics_document}[args.command]
    grouped(selection.evaluated, request.by)  # A column that is not there is an error whether or not there is a scorer.
    document = make(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    wide = WIDE.get(args.command)
    put(document, args, selection.problems, None if wide is None else wide(document.rows))
    return 0
