"""`compare`: two or more scorers on the cases that they share."""

import argparse
from dataclasses import replace

from inspector.comparison import best_first, compare_document, without_gold
from inspector.comparison_tables import (
    n_pairs,
    together,
    wide_cascade,
    wide_pairs,
    wide_standings,
    with_the_best,
)
from inspector.loading import load
from inspector.shell.output import form_of, put
from inspector.shell.requests import request_of
from inspector.shell.tables import print_table
from inspector.text import clean
from scoring.export import Document


def run(args: argparse.Namespace) -> int:
    """Print or write the rows; a terminal shows the standings and some lines a pair."""
    request = request_of(args)
    selection = load(replace(request, scorers=(*args.scorers, *request.scorers)))
    if not selection.request.scorers:
        able = tuple(name for name in selection.chosen if selection.evaluation(name).coverage)
        selection = best_first(replace(selection, chosen=able))
    if args.view:
        # Imported only where it is asked for: the others start sooner.
        from inspector.shell.complementing import put_view

        return put_view(selection, args)
    document = compare_document(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if not form_of(args):
        print_table(wide_standings(document.rows))
        print(clean("\n".join(["", *together(document.rows), ""]), lines=True))
        if (cascade := wide_cascade(document.rows)).height:
            print_table(cascade)
            print()
    pairs = wide_pairs(document.rows)
    if not form_of(args):
        everything, pairs = pairs, with_the_best(pairs, document.rows)
        if left := n_pairs(everything) - n_pairs(pairs):
            print(f"Pairs with the best; {left} others are in --csv and --json.\n")
    problems = [*selection.problems, *([] if form_of(args) else without_gold(selection))]
    put(document, args, problems, pairs)
    return 0
