"""Whether the rewards of the scorer in focus are the probabilities that they look like."""

from collections.abc import Iterator, Sequence

from inspector.charts.mark import Mark
from inspector.charts.reliability import Bin, reliability
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.sheets.layout import heading, paragraph
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.thresholds.figures import FigureRow, Figures


def reliability_lines(
    inspection: Inspection, figures: Figures | None, brush: Brush, width: int, height: int
) -> Iterator[Row]:
    """Diagrams of steps and of cases, or why there is none; `figures` is None while they are computed."""
    name = str(inspection.scorer)
    yield heading("Are rewards probabilities?")
    if figures is None:
        yield (Piece("...", "dim"),)
        return
    yield from _shares(figures.step_shares, "Share of right steps", "steps", name, brush, width, height)
    if any(row["metric"] == "share_right" for row in figures.step_shares):
        title = "Share of clean cases by the lowest reward"
        yield ()
        yield from _shares(figures.case_shares, title, "cases", name, brush, width, height)


def _shares(
    rows: Sequence[FigureRow], title: str, unit: str, name: str, brush: Brush, width: int, height: int
) -> Iterator[Row]:
    """A reliability diagram with its calibration error, or why there is none."""
    ece = next(row for row in rows if row["metric"] == "ece")
    if ece["value"] is None:
        yield from paragraph(f"There is no reliability diagram: {ece['reason']}.", width)
        return
    told = f"{title}: expected calibration error {ece['value']:.3f} (how far it is from what was given, on average)."
    yield from paragraph(told, width, "")
    means = {row["reward_from"]: row["value"] for row in rows if row["metric"] == "mean_reward"}
    bins = []
    for row in rows:
        if row["metric"] != "share_right":
            continue
        low, high, where = row["reward_from"], row["reward_to"], row["where"]
        words = f"lowest reward {low:.1f} to {high:.1f}"
        drill = Drill((where,), row["n"], words, name) if where is not None and row["n"] else None
        mark = Mark(row["value"], row["low"], row["high"], row["n"], drill)
        bins.append(Bin(low, high, means[low], mark))
    intervals = any(one.mark.interval for one in bins)
    yield from reliability(bins, width, min(14, max(7, height // 3)), brush, counted=unit)
    if not intervals:
        yield from paragraph("No interval: steps of a case are not independent of each other.", width)
