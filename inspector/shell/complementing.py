"""`compare --upset`, `--pairs` and `--cascade`: what scorers make of cases together."""

import argparse
from collections.abc import Iterator

import polars as pl

from inspector.comparison import without_gold
from inspector.complementing.cascade_document import cascade_document
from inspector.complementing.pairs_document import pairs_document
from inspector.complementing.sets_document import sets_document
from inspector.complementing.tables import LINES, wide_cascade, wide_pairs, wide_sets
from inspector.selection import Selection
from inspector.shell.output import form_of, put, say
from scoring.export import Document

VIEWS = {
    "upset": (sets_document, wide_sets),
    "pairs": (pairs_document, wide_pairs),
    "cascade": (cascade_document, wide_cascade),
}


def put_view(selection: Selection, args: argparse.Namespace) -> int:
    """Print or write the document of `args.view`."""
    make, wide = VIEWS[args.view]
    document = make(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    told = bool(form_of(args))
    problems = [*selection.problems, *([] if told else without_gold(selection))]
    put(document, args, problems, None if told else wide(document.rows))
    if not told:
        say(_words(args.view, document), args)
    return 0


def _words(view: str, document: Document) -> Iterator[str]:
    """What a terminal leaves out, and what a mark means."""
    rows = document.rows
    if view == "upset":
        shown = wide_sets(rows).height
        if rows.height > shown:
            left = rows.height - shown
            yield f"{left} smaller sets (beyond {LINES} a side), and conditions, are in --csv and --json."
    if view == "cascade":
        if rows["optimistic"].any():
            yield "* optimistic: found on the cases that the value is of"
        tokens = rows.filter(pl.col("metric") == "second_tokens", pl.col("value").is_null())
        yield from (f"No cost in tokens: {reason}." for reason in tokens["reason"].unique(maintain_order=True))
        yield next(note for note in document.provenance["notes"] if note.startswith("the first scorer's verdict"))
