"""`board`: the board as it stands on screen, with the rows, order and columns asked for."""

import argparse

import polars as pl

from inspector.board_arrangement import BEST_FIRST, Arrangement, sort_of_word
from inspector.board_cells import signed
from inspector.board_columns import MEANINGS, NAMES, UNSORTABLE
from inspector.board_document import board_document
from inspector.first_inspection import inspect
from inspector.loading import load
from inspector.request import request_of, split
from inspector.selection import Selection
from inspector.shell.output import form_of, put
from scoring.errors import UsageError
from scoring.export import Document
from scoring.names import match_name

POINTS = ("d_score", "d_low", "d_high", "d_on_wrong", "d_on_right", "bias")
"""Columns that a person reads as signed percentage points."""
SHARES = ("score", "low", "high", "on_wrong", "on_right", "fp", "fn", "sd")


def run(args: argparse.Namespace) -> int:
    """Print or write the board."""
    selection = load(request_of(args))
    how = _arrangement(args, selection)
    document = board_document(inspect(selection), how, form_of(args), selection.chosen)
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    put(document, args, selection.problems, wide_board(document.rows))
    return 0


def _arrangement(args: argparse.Namespace, selection: Selection) -> Arrangement:
    """How the board is to be arranged.

    Raises:
        UsageError: there is no such column, order or scorer.
    """
    columns = split(args.shown) if args.shown is not None else ()
    for name in columns:
        if name not in MEANINGS:
            raise UsageError(f"the board has no column {name!r}.", f"There are: {', '.join(MEANINGS)}.")
    sort = sort_of_word(args.order) if args.order else BEST_FIRST
    if sort is None:
        orders = ", ".join(name for name in MEANINGS if name not in UNSORTABLE)
        raise UsageError(f"the board cannot be sorted by {args.order!r}.", f"There are: {orders}.")
    names = [one.scorer.name for one in selection.evaluations]
    against = match_name(args.against, names, "scorer") if args.against else ""
    return Arrangement(args.rows, sort, columns, against, args.published)


def wide_board(rows: pl.DataFrame) -> pl.DataFrame:
    """The same for a person: percent, signed differences, and no column that says nothing."""
    made = []
    for column in rows:
        if column.name in POINTS:
            values = [None if value is None else signed(value) for value in column]
        elif column.name in SHARES:
            values = [None if value is None else f"{100 * value:.1f}" for value in column]
        else:
            made.append(column)
            continue
        made.append(pl.Series(column.name, values, dtype=pl.String))
    told = [one for one in made if one.name in NAMES or one.null_count() < len(one)]
    same = [one for one in told if one.name != "kind" or one.n_unique() > 1]
    return pl.DataFrame(same if rows.height else made)
