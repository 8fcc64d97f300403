"""`triage`: what people said of the shown cases, of cases that are gone, or what was done to one case."""

import argparse

from inspector.loading import load
from inspector.request import request_of
from inspector.selection import Selection
from inspector.shell.output import form_of, put, say
from inspector.shell.page import hanging, print_page, width_of
from inspector.triage.case_document import case_named, history_document
from inspector.triage.document import triage_document
from inspector.triage.tables import gone_words, history_indent, history_lines, summary, wide_triage
from scoring.errors import UsageError
from scoring.export import Document, footer

PIPED = 120
"""Cells of a line of a history in a pipe."""


def run(args: argparse.Namespace) -> int:
    """Print or write the rows; a terminal gets a summary below them."""
    if args.case is not None and (args.who or args.gone):
        raise UsageError("the history of a case is that of all people.", "Leave --who and --gone out.")
    selection = load(request_of(args))
    if args.case is not None:
        return _history(selection, args)
    document = _raw(triage_document(selection, form_of(args), who=args.who, only_gone=args.gone), args)
    facts = document.provenance
    if not document.rows.height:
        what = "cases that are gone" if args.gone else "these cases"
        only = f"{facts['people'][0]} has said nothing" if args.who else "Nobody has said anything"
        say([f"{only} of {what}."], args)
    put(document, args, selection.problems, wide_triage(document.rows))
    if not form_of(args):
        say(summary(facts), args)
    if facts["gone"] and not args.gone:
        say([gone_words(facts["gone"])], args)
    return 0


def _history(selection: Selection, args: argparse.Namespace) -> int:
    case = case_named(selection, args.case)
    document = _raw(history_document(selection, case, form_of(args)), args)
    if not document.rows.height:
        say([f"Nobody has done anything to {case}."], args)
    if form_of(args):
        put(document, args, selection.problems)
        return 0
    say(selection.problems, args)
    width = width_of(PIPED)
    lines = list(history_lines(document.rows))
    indent = history_indent(lines, width)
    print_page((line for label, text in lines for line in hanging(label, text, width, indent=indent)), width)
    say(footer({name: document.provenance[name] for name in ("command", "coverage")}), args)
    return 0


def _raw(document: Document, args: argparse.Namespace) -> Document:
    """The document as it is told to be written: with cells that look like formulas as they are, or guarded."""
    if not args.raw:
        return document
    return Document(document.rows, {**document.provenance, "command": f"{document.provenance['command']} --raw"}, True)
