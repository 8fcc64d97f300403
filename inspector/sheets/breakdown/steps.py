"""The page of single steps: how well they are judged by where they stand."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.breakdown import judged_steps
from inspector.charts.bars import Bar, bars
from inspector.charts.mark import Mark
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.render.lines import Piece, Row, paragraph
from inspector.sheets.breakdown.choice import Choice
from inspector.sheets.breakdown.grid import focused
from inspector.sheets.breakdown.places import bins_of
from inspector.sheets.breakdown.title import title
from inspector.sheets.words import WAITING
from scoring.metrics.positions import step_position_rows

Rows = Sequence[Mapping[str, Any]]
STEP_FIGURES = {
    "acc": "accuracy on steps",
    "positive_acc": "accuracy on right steps",
    "negative_acc": "accuracy on wrong steps",
    "prmscore": "PRMScore",
}


def step_figure(choice: Choice) -> str:
    """The figure in the bars."""
    return choice.step_figure if choice.step_figure in STEP_FIGURES else "acc"


def steps_of(inspection: Inspection, choice: Choice) -> Rows:
    """The rows of `step_position` through the scorer in focus."""
    evaluation = focused(inspection)
    judged = judged_steps(evaluation, inspection.benchmark)
    return list(step_position_rows(evaluation, inspection.slice, bins_of(inspection, choice), judged))


def steps_lines(inspection: Inspection, choice: Choice, rows: Rows | None, brush: Brush, width: int) -> Iterator[Row]:
    """The page; `rows` is None while they are computed."""
    bins, figure = bins_of(inspection, choice), step_figure(choice)
    yield from title(STEP_FIGURES[figure], ", by position of the step", width)
    yield ()
    if rows is None:
        yield (Piece(WAITING, "dim"),)
        return
    here = [row for row in rows if row["metric"] == figure]
    if not any(row["value"] is not None for row in here):
        why = next((row["reason"] for row in here if row["reason"]), "no step is labelled and judged")
        yield from paragraph(f"There is nothing to show: {why}.", width)
        return
    last = max(at for at, row in enumerate(here) if row["n"])
    entries = [Bar(row["position"], Mark(row["value"], row["low"], row["high"], row["n"])) for row in here[: last + 1]]
    yield from bars(entries, width, brush, span=(0.0, 1.0), counted="steps")
    yield ()
    yield from paragraph(f"{bins.words[0].upper()}{bins.words[1:]}.", width)
    yield from paragraph(
        "Counts are steps, labelled and judged one by one, which have no list of cases; an interval stands where a bin "
        "holds one step of a case at most.",
        width,
    )
