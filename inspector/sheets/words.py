"""Figures as sheets write them: percent, differences, intervals, counts, p-values."""

from collections.abc import Mapping
from typing import Any

from inspector.paint import Brush
from inspector.render.lines import CaseLink, Piece, Row
from scoring.export import p_words

WAITING = "..."
"""Stands for a figure that is being computed."""
Figure = Mapping[str, Any]
"""A row of a document: `value`, `low`, `high`, `n`, `reason`."""


def count(value: int, drill: CaseLink | None = None, style: str = "") -> Piece:
    """A number of cases that opens them; 0 is dim, and opens nothing."""
    return Piece(f"{value:,}", style if value else "dim", drill if value else None)


def percent(row: Figure | None, brush: Brush, drill: CaseLink | None = None, style: str = "") -> Row:
    """A share in percent with its interval; why there is none where there is none."""
    if row is None:
        return (Piece(WAITING, "dim", drill),)
    if row["value"] is None:
        return undefined(row, brush)
    shown = Piece(f"{100 * row['value']:.1f}", style, drill)
    return (shown, *interval(row, brush))


def difference(row: Figure | None, brush: Brush, drill: CaseLink | None = None) -> Row:
    """A difference in percentage points with its interval, strong where that leaves 0 out."""
    if row is None:
        return (Piece(WAITING, "dim", drill),)
    if row["value"] is None:
        return undefined(row, brush)
    low, high = row["low"], row["high"]
    apart = low is not None and high is not None and (low > 0 or high < 0)
    shown = Piece(f"{100 * row['value']:+.1f}", "strong" if apart else "", drill)
    return (shown, *interval(row, brush, "+"))


def interval(row: Figure, brush: Brush, sign: str = "") -> Row:
    """A 95% interval in percent, in brackets; nothing where there is none."""
    low, high = row.get("low"), row.get("high")
    if low is None or high is None:
        return ()
    dash = ", " if sign or brush.ascii_only else "–"
    return (Piece(f" [{100 * low:{sign}.1f}{dash}{100 * high:{sign}.1f}]", "dim"),)


def undefined(row: Figure, brush: Brush) -> Row:
    """A dash, and why."""
    dash = "-" if brush.ascii_only else "–"
    return (Piece(f"{dash} {row['reason'] or ''}".rstrip(), "dim"),)


def p_value(p: float | None, *, waiting: bool = False) -> Piece:
    """A p-value; strong below 0.05."""
    if p is None:
        return Piece(WAITING if waiting else "", "dim")
    return Piece(p_words(p) or "", "strong" if p < 0.05 else "")
