"""The rewards of the scorer in focus by gold class, and how well they tell these apart."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.charts.axes import Tick
from inspector.charts.histogram import Bin, Classes, histogram
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.sheets.layout import heading, paragraph
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.thresholds.figures import Figures
from scoring.verdicts import AsGiven

FigureRow = Mapping[str, Any]
SIDES: Classes = (("erroneous", "missed"), ("clean", "clean"))
STEPS: Classes = (("wrong", "missed"), ("right", "clean"))
_STEP_SIDES = ({"at"}, {"clean", "before"})
"""Which classes of steps are wrong for sure, and which are right; those after the earliest error are neither."""


def reward_lines(
    inspection: Inspection, figures: Figures | None, brush: Brush, width: int, height: int
) -> Iterator[Row]:
    """Histograms of cases and of steps; `figures` is None while they are computed."""
    evaluation = inspection.evaluation
    assert evaluation is not None  # noqa: S101  # the caller has looked
    name = evaluation.scorer.name
    yield heading("Rewards by gold class")
    if figures is None:
        yield (Piece("...", "dim"),)
        return
    reason = next((row["reason"] for row in figures.cases if row["metric"] == "auroc"), None)
    if not any(row["value"] for row in figures.cases if row["metric"] == "count"):
        yield from paragraph(f"There are no rewards to lay out: {reason}.", width)
        return
    ticks = _ticks(inspection, brush)
    yield from paragraph(
        f"The lowest reward of each case: {_separation(figures.cases, 'a clean case', 'an erroneous one')}", width, ""
    )
    bins = [_bin(pair, name) for pair in _paired(figures.cases, ({"erroneous"}, {"clean"}))]
    yield from histogram(bins, SIDES, width, brush, height=_rows(height), ticks=ticks, counted="cases")
    yield ()
    said = _separation(figures.steps, "a right step", "one at an earliest error")
    yield from paragraph(f"The reward of each step before and at the earliest error: {said}", width, "")
    bins = [_bin(pair, name) for pair in _paired(figures.steps, _STEP_SIDES)]
    yield from histogram(bins, STEPS, width, brush, height=_rows(height), ticks=ticks, counted="steps")
    if not isinstance(evaluation.rule, AsGiven) and evaluation.rule.on == "differences":
        yield from paragraph(
            "The threshold is on differences of rewards, so that it has no place on these axes.", width
        )


def _rows(height: int) -> int:
    return min(7, max(3, height // 8))


def _ticks(inspection: Inspection, brush: Brush) -> tuple[Tick, ...]:
    evaluation = inspection.evaluation
    if evaluation is None or isinstance(evaluation.rule, AsGiven) or evaluation.rule.on != "rewards":
        return ()
    if inspection.threshold is None:
        return ()
    return (Tick(inspection.threshold, "^" if brush.ascii_only else "▲", "present threshold"),)


def _separation(rows: Sequence[FigureRow], high: str, low: str) -> str:
    """The AUROC in words, with its interval, or why there is none."""
    row = next(row for row in rows if row["metric"] == "auroc")
    if row["value"] is None:
        return f"no AUROC: {row['reason']}."
    ends = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    few = " ~" if row["small"] else ""
    return f"AUROC {row['value']:.3f}{ends}{few}: how often that of {high} is above that of {low}."


def _paired(
    rows: Sequence[FigureRow], sides: tuple[set[str], set[str]]
) -> Iterator[tuple[tuple[float, float], tuple[list[FigureRow], list[FigureRow]]]]:
    """By bin its rows of either class."""
    counts = [row for row in rows if row["metric"] == "count"]
    edges = dict.fromkeys((row["reward_from"], row["reward_to"]) for row in counts)
    for ends in edges:
        here = [row for row in counts if (row["reward_from"], row["reward_to"]) == ends]
        yield ends, ([row for row in here if row["side"] in sides[0]], [row for row in here if row["side"] in sides[1]])


def _bin(pair: tuple[tuple[float, float], tuple[list[FigureRow], list[FigureRow]]], name: str) -> Bin:
    (low, high), sides = pair
    counts = [int(sum(row["value"] or 0 for row in side)) for side in sides]
    drills: list[Drill | None] = []
    for side, count in zip(sides, counts, strict=True):
        where = side[0]["where"] if len(side) == 1 else None
        words = f"lowest reward {low:.3g} to {high:.3g}, {side[0]['side']}" if side else ""
        drills.append(None if where is None else Drill((where,), count, words, name))
    return Bin(low, high, (counts[0], counts[1]), (drills[0], drills[1]))
