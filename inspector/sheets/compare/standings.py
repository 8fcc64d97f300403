"""All scorers on the cases that all of them tried: who is best, who may be, who is right alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from inspector.paint import Brush
from inspector.sentences import counted
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.words import count, difference, percent
from inspector.text import squeezed
from scoring.metrics.agreement import lone_right, unanimous_wrong
from scoring.metrics.comparison_row import sides
from scoring.metrics.first_error import Unparsed
from scoring.metrics.lineup import Lineup
from scoring.metrics.outcome_conditions import SIDES, pattern, tried

Cells = Mapping[tuple[str, str], Mapping[str, Any]]
"""Rows of the standings by scorer and metric."""


def standing_lines(
    lineup: Lineup, unparsed: Unparsed, cells: Cells | None, focus: Sequence[str], brush: Brush, width: int
) -> Iterator[Row]:
    """The section on all scorers; `focus` are the names of A and B, `cells` None while they are computed."""
    columns = tuple(np.flatnonzero(lineup.tried.any(axis=0)).tolist())
    common = lineup.common(columns) if columns else np.zeros(lineup.rows.size, dtype=np.bool_)
    n = int(common.sum())
    yield heading(f"All {len(columns)} scorers")
    if not n:
        yield from paragraph("There is no case that all of them tried; pairs are compared on their own cases.", width)
        return
    out = lineup.left_out(columns)
    yield (Piece(f"On the {counted(n, 'case')} that all tried" + (f", {out:,} left out" if out else ""), "dim"),)
    names = [lineup.names[column] for column in columns]
    everyone = [tried(name, unparsed) for name in names]
    who, erroneous = lone_right(lineup, columns), lineup.erroneous
    order = sorted(columns, key=lambda column: _rank(cells, lineup.names[column]))
    whole = Drill(("earliest_error >= -1", *everyone), n, "tried by all scorers")
    rows: list[list[Cell]] = []
    for column in order:
        name = lineup.names[column]
        letter = next((letter for letter, other in zip("AB", focus, strict=False) if other == name), " ")
        alone = [
            count(
                int(((who == column) & members).sum()),
                _alone(name, names, side, unparsed, int(((who == column) & members).sum())),
            )
            for side, members in (("erroneous", erroneous), ("clean", ~erroneous))
        ]
        about = (
            {}
            if cells is None
            else {metric: cells.get((name, metric)) for metric in ("f1", "f1_behind_best", "tied_with_best")}
        )
        rows.append(
            [
                (
                    Piece(f"{letter} ", f"scorer-{letter.lower()} strong" if letter != " " else ""),
                    Piece(squeezed(name, 30)),
                ),
                percent(about.get("f1"), brush, whole, "strong"),
                _behind(about, name, brush, whole),
                _tied(about),
                *alone,
            ]
        )
    header = [Piece(word) for word in ("  scorer", "F1", "behind the best", "tied", "alone right: err.", "clean")]
    yield from table(header, rows, [False, False, False, False, True, True])
    yield from _unanimous(lineup, columns, names, unparsed)


def _rank(cells: Cells | None, name: str) -> float:
    value = None if cells is None else (cells.get((name, "f1")) or {}).get("value")
    return 0.0 if value is None else -value


def _alone(name: str, names: Sequence[str], side: str, unparsed: Unparsed, n: int) -> Drill:
    where = (SIDES[side], *pattern(((one, one == name) for one in names), unparsed))
    others = tuple(one for one in names if one != name)[:1]
    return Drill(where, n, f"only {name} right, {side}", name, others)


def _behind(about: Mapping[str, Any], name: str, brush: Brush, drill: Drill) -> Row:
    row = about.get("f1_behind_best")
    if row is not None and row.get("other") == name:
        return (Piece("best", "good"),)
    return difference(row, brush, drill)


def _tied(about: Mapping[str, Any]) -> Piece:
    row = about.get("tied_with_best")
    if row is None or row["value"] is None:
        return Piece("")
    return Piece("yes" if row["value"] else "no", "" if row["value"] else "dim")


def _unanimous(lineup: Lineup, columns: tuple[int, ...], names: Sequence[str], unparsed: Unparsed) -> Iterator[Row]:
    """On which cases nobody is right, and on which everybody is."""
    wrong, right = unanimous_wrong(lineup, columns), lineup.common(columns) & lineup.right[:, columns].all(axis=1)
    rows: list[list[Cell]] = []
    for side, members in sides(lineup):
        cells: list[Cell] = [Piece(side)]
        for words, marks, is_right in (("no scorer is right", wrong, False), ("all are right", right, True)):
            n = int((marks & members).sum())
            where = (SIDES[side], *pattern(((name, is_right) for name in names), unparsed))
            cells.append(count(n, Drill(where, n, f"{words}, {side}"), "strong" if not is_right else ""))
        cells.append(count(int((lineup.common(columns) & members).sum()), None, "dim"))
        rows.append(cells)
    yield ()
    yield from table([Piece(word) for word in ("", "all wrong", "all right", "n")], rows, [False, True, True, True])
