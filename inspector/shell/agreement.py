"""`agreement`: how well people agree, what each says where another speaks, and the cases on which they differ."""

import argparse

from inspector.agreement.disagreements import disagreements_document
from inspector.agreement.document import agreement_document, confusion_document
from inspector.agreement.tables import wide_agreement, wide_disagreements
from inspector.loading import load
from inspector.request import request_of
from inspector.shell.output import form_of, put, say
from scoring.export import Document

VIEWS = {
    "": (agreement_document, wide_agreement),
    "confusion": (confusion_document, None),
    "disagreements": (disagreements_document, wide_disagreements),
}


def run(args: argparse.Namespace) -> int:
    """Print or write the document of `args.view`."""
    selection = load(request_of(args))
    make, wide = VIEWS[args.view]
    document = make(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if args.view == "disagreements" and not document.rows.height:
        say(["People differ on none of these cases."], args)
    put(document, args, selection.problems, wide(document.rows) if wide else None)
    return 0
