"""The page of error positions: where the errors are, and where verdicts put them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from inspector.breakdown import judged_steps
from inspector.charts.paired_bars import Place, paired_bars
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.render.lines import CaseLink, Row, paragraph
from inspector.sheets.breakdown.choice import Choice
from inspector.sheets.breakdown.grid import focused
from inspector.sheets.breakdown.title import title
from scoring.metrics.positions import all_position_rows, first_position_rows
from scoring.metrics.step_bins import PRESETS, StepBins

CLASSES = (("gold", "gold"), ("predicted", "predicted"))


def bins_of(inspection: Inspection, choice: Choice) -> StepBins:
    """How positions are put in bins: as chosen, else as the benchmark's paper does."""
    own = inspection.benchmark if inspection.benchmark in PRESETS else "processbench"
    return PRESETS[choice.preset or own]


def errors_of(inspection: Inspection, choice: Choice) -> Literal["first", "all"]:
    """Which errors are counted: as chosen, else as the paper whose bins these are."""
    return choice.errors or bins_of(inspection, choice).errors


def places_lines(inspection: Inspection, choice: Choice, brush: Brush, width: int) -> Iterator[Row]:
    """The page."""
    evaluation, bins = focused(inspection), bins_of(inspection, choice)
    first = errors_of(inspection, choice) == "first"
    what = "earliest errors" if first else "all error steps"
    yield from title("Where errors are, and where the scorer puts them", f", {what}", width)
    yield ()
    if first:
        rows = list(first_position_rows(evaluation, inspection.slice, bins))
    else:
        judged = judged_steps(evaluation, inspection.benchmark)
        rows = list(all_position_rows(evaluation, inspection.slice, bins, judged))
    counts = [row for row in rows if row["metric"] == "count"]
    if not any(row["value"] for row in counts):
        why = next((row["reason"] for row in rows if row["reason"]), None)
        yield from paragraph(f"There is nothing to show: {why or 'no such case'}.", width)
        return
    counted = "cases" if first else "steps"
    yield from paired_bars(list(_places(counts, bins, inspection)), CLASSES, width, brush, counted=counted)
    yield ()
    yield from paragraph(f"{bins.words[0].upper()}{bins.words[1:]}.", width)
    if first:
        yield from paragraph("Both sides are the erroneous cases with a verdict.", width)
    else:
        yield from paragraph(
            "Counts are steps of the cases whose error steps are all labelled and that are judged step by step; steps "
            "have no list of cases.",
            width,
        )


def _places(rows: Sequence[Mapping[str, Any]], bins: StepBins, inspection: Inspection) -> Iterator[Place]:
    found = {(row["side"], row["position"]): row for row in rows}
    for label in bins.labels:
        pair = [found.get((side, label)) for side, _ in CLASSES]
        if not any(pair):
            continue
        counts = [int(row["value"] or 0) if row else 0 for row in pair]
        drills = [
            CaseLink((row["where"],), count, f"{side} {label}", inspection.scorer) if row and row["where"] else None
            for (side, _), row, count in zip(CLASSES, pair, counts, strict=True)
        ]
        yield Place(label, (counts[0], counts[1]), (drills[0], drills[1]))
