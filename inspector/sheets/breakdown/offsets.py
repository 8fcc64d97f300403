"""The page of detection offsets: how far verdicts lie from the earliest error."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from inspector.charts.columns import Column, columns
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.render.lines import CaseLink, LineCell, Piece, Row, paragraph, table
from inspector.sentences import GLYPHS, WORDS, counted
from inspector.sheets.breakdown.grid import focused
from inspector.sheets.breakdown.title import title
from inspector.sheets.words import count
from scoring.filters import Facet
from scoring.metrics.outcome_conditions import SIDES, answered
from scoring.metrics.positions import offset_rows
from scoring.verdicts import OUTCOMES

CELL = 5
"""Cells of one column, roughly."""
HEIGHT = 8
_OUTCOMES = ("early", "exact", "late", "missed")
_STYLES = {"early": "early", "exact": "exact", "late": "late", "missed": "missed"}


def offsets_lines(inspection: Inspection, brush: Brush, width: int, height: int) -> Iterator[Row]:
    """The page."""
    evaluation = focused(inspection)
    rows = [row for row in offset_rows(evaluation, inspection.slice) if row["metric"] == "count"]
    n = rows[0]["n"]
    yield from title("How far verdicts lie from the earliest error", ", verdict minus gold, in steps", width)
    yield ()
    if not n:
        yield from paragraph(evaluation.nothing or "No erroneous case of this slice has a verdict.", width)
    else:
        entries = list(_columns(rows, str(inspection.scorer), width))
        yield from columns(entries, width, max(3, min(HEIGHT, height - 14)), brush)
    yield ()
    yield from _outcomes(inspection, n, width)


def _columns(rows: Sequence[Mapping[str, Any]], scorer: str, width: int) -> Iterator[Column]:
    """Early at the left, late at the right, missed at the end; what lies too far out is one column at either end."""
    placed = sorted((row for row in rows if row["offset"] is not None), key=lambda row: row["offset"])
    apart = [row for row in rows if row["offset"] is None]
    widest = max(len(f"{int(row['value']):,}") for row in rows) + 1
    many = max(3, (width // max(CELL, widest) - len(apart)) // 2 - 1)
    reach = max((abs(row["offset"]) for row in placed), default=0)
    yield from _apart(apart, "early", "no step", scorer)
    if reach <= many:
        low, high = (placed[0]["offset"], placed[-1]["offset"]) if placed else (0, -1)
    else:
        low, high = max(-many, placed[0]["offset"]), min(many, placed[-1]["offset"])
    for offset in range(low, high + 1):
        here = [row for row in placed if _held(row["offset"], low, high) == offset]
        more = any(row["offset"] != offset for row in here)
        sign = ("<=" if offset == low else ">=") if more else ""
        name = f"{sign}{offset:+d}" if offset else f"{sign}0"
        outcome = "early" if offset < 0 else "late" if offset else "exact"
        yield _column(name, outcome, here, scorer)
    yield from _apart(apart, "late", "beyond", scorer)
    yield from _apart(apart, "missed", "missed", scorer)


def _held(offset: int, low: int, high: int) -> int:
    return min(high, max(low, offset))


def _apart(rows: Sequence[Mapping[str, Any]], outcome: str, name: str, scorer: str) -> Iterator[Column]:
    """Of verdicts without an offset those with this outcome."""
    here = [row for row in rows if row["outcome"] == outcome]
    if here:
        yield _column(name, outcome, here, scorer)


def _column(name: str, outcome: str, rows: Sequence[Mapping[str, Any]], scorer: str) -> Column:
    total = sum(int(row["value"]) for row in rows)
    wheres = [row["where"] for row in rows if row["value"]]
    where = wheres[0] if len(wheres) == 1 else " OR ".join(f"({one})" for one in wheres)
    said = WORDS[outcome] if name in {outcome, "0"} else f"{WORDS[outcome]}, offset {name}"
    drill = CaseLink((where,), total, said, scorer) if total else None
    return Column(name, total, _STYLES[outcome], drill)


def _outcomes(inspection: Inspection, n: int, width: int) -> Iterator[Row]:
    """How many are early, exact, late and missed, which is all of `n`; and who is left out, and why."""
    evaluation, scorer = focused(inspection), str(inspection.scorer)
    erroneous = inspection.slice & (evaluation.gold.earliest >= 0)
    there = erroneous & evaluation.answered
    counts = np.bincount(evaluation.codes[there], minlength=len(OUTCOMES))
    rows: list[list[LineCell]] = []
    for name in _OUTCOMES:
        own = int(counts[OUTCOMES.index(name)])
        where = (SIDES["erroneous"], answered(scorer), Facet(f"{scorer}.outcome", (name,)).sql)
        share = f"{100 * own / n:.1f}%" if n else ""
        sign = Piece(f"{GLYPHS[name]} {WORDS[name]}", _STYLES[name])
        rows.append([sign, count(own, CaseLink(where, own, f"{WORDS[name]}", scorer)), Piece(share, "dim")])
    whole = CaseLink((SIDES["erroneous"], answered(scorer)), n, "erroneous with a verdict", scorer)
    rows.append([Piece("erroneous with a verdict", "strong"), count(n, whole, "strong")])
    left = np.bincount(evaluation.codes[erroneous & ~evaluation.answered], minlength=len(OUTCOMES)).tolist()
    for name, number in zip(OUTCOMES, left, strict=True):
        if number:
            gone = (SIDES["erroneous"], Facet(f"{scorer}.outcome", (name,)).sql)
            drill = CaseLink(gone, number, f"erroneous, {WORDS[name]}", scorer)
            rows.append([Piece(f"left out: {WORDS[name]}", "dim"), count(number, drill)])
    yield from table([], rows, [False, True, True])
    total = int(erroneous.sum())
    said = f"The columns add up to the {counted(n, 'erroneous case')} with a verdict"
    out = f"; {total - n:,} of the {total:,} erroneous cases of the slice have none" if total > n else ", which is all"
    yield from paragraph(f"{said}{out}.", width)
