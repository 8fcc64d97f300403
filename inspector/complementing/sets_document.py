"""The document of `compare --upset`: which scorers are right together, each set with the cases that are in it."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from inspector.breakdown import within
from inspector.comparison import lineups, need_two, scorer_command, trying, without_gold
from inspector.documents import provenance
from inspector.request import joined
from inspector.run_notes import first_run_notes
from inspector.selection import Selection
from scoring.export import Document
from scoring.metrics.comparison_row import none_of
from scoring.metrics.intervals import SMALL
from scoring.metrics.lineup import Lineup
from scoring.metrics.paired import SIDES
from scoring.metrics.right_sets import RightSet, right_sets
from scoring.official_rows import METRICS

RIGHT_SETS = {
    **{name: METRICS[name] for name in ("scorer", "benchmark", "subset")},
    "side": pl.String(),
    "kind": pl.String(),
    "right": pl.String(),
    "n_right": pl.Int64(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n")},
    "count": pl.Int64(),
    "left_out": pl.Int64(),
    "small": pl.Boolean(),
    "reason": METRICS["reason"],
    "where": pl.String(),
}
NOTES = (
    (
        "every case that all scorers tried is in one row of its side: `right` names those that have it right, the "
        "others have it wrong; `where` selects the `count` cases, and `value` is their share of the `n`"
    ),
    f"low and high: 95%, Wilson's, cases taken as independent; small: n below {SMALL}",
)


def sets_document(selection: Selection, form: str = "") -> Document:
    """Rows of every set of scorers that are right together, by benchmark and side, the largest first.

    Scorers that tried no case of a benchmark are set aside there. `scorer` is the one that is right alone, if it is.

    Raises:
        UsageError: fewer than two scorers are chosen.
    """
    need_two(selection)
    rows = [
        {"benchmark": benchmark, "subset": "all", **row}
        for benchmark, lineup in lineups(selection).items()
        for row in _rows(lineup, within(selection, benchmark))
    ]
    aside = [f"{benchmark}: {words}" for benchmark, lineup in lineups(selection).items() for words in set_aside(lineup)]
    notes = (*NOTES, *aside, *first_run_notes(selection), *without_gold(selection))
    command = scorer_command(selection, "compare", "--upset", form=form)
    return Document(pl.DataFrame(rows, schema=RIGHT_SETS, orient="row"), provenance(selection, command, notes))


def set_aside(lineup: Lineup) -> Iterator[str]:
    """A sentence for every scorer that tried no case."""
    for column in set(range(len(lineup.names))) - set(trying(lineup)):
        why = lineup.nothing[column]
        yield f"{lineup.names[column]} tried no case{f' ({why})' if why else ''} and is set aside"


def _rows(lineup: Lineup, benchmark: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    columns = trying(lineup)
    if len(columns) < 2:
        why = f"only {lineup.names[columns[0]]} tried a case" if columns else "no scorer tried a case"
        yield from ({"side": side, "metric": "share", "n": 0, "reason": why} for side in SIDES)
        return
    left_out = lineup.left_out(columns)
    for found in right_sets(lineup, columns):
        yield {**_row(found, lineup), "left_out": left_out, "where": " AND ".join((*benchmark, found.where))}


def _row(found: RightSet, lineup: Lineup) -> dict[str, Any]:
    low, high = found.interval
    names = [lineup.names[column] for column in found.right]
    return {
        "scorer": names[0] if found.kind == "lone_right" else None,
        "side": found.side,
        "kind": found.kind,
        "right": joined(names),
        "n_right": len(names),
        "metric": "share",
        "value": found.share,
        "low": low,
        "high": high,
        "n": found.n,
        "count": found.count,
        "small": 0 < found.n < SMALL,
        "reason": None if found.n else none_of(found.side),
    }
