"""`cases`: a request is loaded and one document comes out."""

import argparse

from inspector.loading import load
from inspector.request import request_of
from inspector.shell.output import form_of, put
from scoring.export import Document


def run(args: argparse.Namespace) -> int:
    """Print or write the list of cases."""
    # Imported only for this command: the others start sooner.
    from inspector.cases_document import cases_document

    selection = load(request_of(args))
    document = cases_document(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    put(document, args, selection.problems)
    return 0
