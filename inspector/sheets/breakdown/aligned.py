"""The page of rewards around the earliest error: do they fall there, and do they recover?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from inspector.charts.curve import curve
from inspector.charts.mark import figure
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.render.lines import CaseLink, LineCell, Piece, Row, paragraph, table
from inspector.render.view import Series, Tick
from inspector.sheets.breakdown.grid import focused
from inspector.sheets.breakdown.title import title
from inspector.sheets.words import WAITING, count
from inspector.text import number
from scoring.metrics.aligned_rewards import aligned_rows
from scoring.metrics.resampling import SMALL

Rows = Sequence[Mapping[str, Any]]
HEIGHT = 10


def aligned_of(inspection: Inspection) -> Rows:
    """The mean rewards by offset, which takes longer."""
    return list(aligned_rows(focused(inspection), inspection.slice))


def aligned_lines(inspection: Inspection, rows: Rows | None, brush: Brush, width: int, height: int) -> Iterator[Row]:
    """The page; `rows` is None while they are computed."""
    yield from title("Mean reward around the earliest error", ", by steps before and after it", width)
    yield ()
    if rows is None:
        yield (Piece(WAITING, "dim"),)
        return
    around = [row for row in rows if row["offset"] is not None]
    clean = next(row for row in rows if row["offset"] is None)
    if all(row["value"] is None for row in rows):
        yield from paragraph(f"There is nothing to show: {clean['reason'] or around[0]['reason']}.", width)
        return
    if any(row["value"] is not None for row in around):
        yield from _chart(inspection, around, clean, brush, width, max(6, min(HEIGHT, height - 12)))
        yield ()
    yield from _table(inspection, around, clean)
    yield ()
    yield from paragraph(
        "95% intervals are of a mean over cases, those of one problem taken together. A case counts at an offset where "
        "it has such a step; clean cases count by their own mean over all steps.",
        width,
    )


def _chart(
    inspection: Inspection, around: Rows, clean: Mapping[str, Any], brush: Brush, width: int, height: int
) -> list[Row]:
    xs = np.array([float(row["offset"]) for row in around])
    ys, low, high = (
        np.array([np.nan if row[name] is None else row[name] for row in around]) for name in ("value", "low", "high")
    )
    series = [Series("erroneous cases", "e", "exact", xs, ys, low, high)]
    if clean["value"] is not None:
        level = np.full(2, clean["value"])
        series.append(Series("clean cases, all steps", "c", "clean", xs[[0, -1]], level))
    ticks = [Tick(0.0, "g", "the earliest error", "gold")]
    threshold = inspection.threshold
    if threshold is not None:
        series.append(Series("threshold", "t", "dim", xs[[0, -1]], np.full(2, threshold)))
    upward = _ends([*ys, *low, *high, *(one for other in series[1:] for one in other.ys)])
    across = float(xs[0]), float(xs[-1])
    numbers = xs.tolist()
    return curve(
        series, width, height, brush, ticks=ticks, across=across, upward=upward, form="number", numbers=numbers
    )


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """A little more than what is drawn."""
    known = [value for value in values if np.isfinite(value)]
    low, high = min(known), max(known)
    margin = 0.05 * (high - low) or 0.05
    return low - margin, high + margin


def _table(inspection: Inspection, around: Rows, clean: Mapping[str, Any]) -> list[Row]:
    rows: list[list[LineCell]] = []
    for row in (*around, clean):
        offset = row["offset"]
        name = "clean, all steps" if offset is None else "the earliest error" if not offset else f"{offset:+d}"
        drill = CaseLink((row["where"],), row["n"], f"with rewards: {name}", inspection.scorer)
        small = "dim" if row["small"] else ""
        rows.append([
            Piece(name, "gold" if offset == 0 else ""),
            Piece("" if row["value"] is None else figure(row["value"], "number"), small),
            Piece(_interval(row), "dim"),
            count(row["n"], drill, small),
            Piece("~" if row["small"] else "" if row["value"] is not None else row["reason"] or "", "dim"),
        ])  # fmt: skip
    header = [Piece(word) for word in ("offset", "mean", "95% interval", "n", "")]
    told = any(row["small"] for row in (*around, clean))
    note: list[Row] = [(Piece(f"~ fewer than {SMALL} cases", "dim"),)] if told else []
    return [*table(header, rows, [True, True, False, True, False]), *note]


def _interval(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{number(row['low'], 3, 7)}, {number(row['high'], 3, 7)}]"
