"""The columns of the list of cases."""

from collections.abc import Callable

import numpy as np

from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.text import number, squeezed
from inspector.widgets.columns import Column
from inspector.widgets.line_scroll import Part
from scoring.evaluation import Evaluation

LABELS = {
    "error_type": ("error type", 18),
    "pattern": ("pattern", 14),
    "generator": ("generator", 14),
    "error_category": ("error category", 14),
    "subset_group": ("group", 10),
    "origin": ("origin", 10),
    "language": ("language", 8),
}
"""Columns of the cases frame with titles and widths, the most telling first."""
SHOWN_LABELS = 4


def case_columns(inspection: Inspection, brush: Brush) -> list[Column]:
    """What the list shows of a case; the outcome columns are those of the scorer in focus."""
    dash = "-" if brush.ascii_only else "–"

    def index(value: int | None, _: int) -> list[Part]:
        return [
            (dash if value is None else "none" if value == -1 else str(value), "dim" if value in {None, -1} else "")
        ]

    def name(value: str, width: int) -> list[Part]:
        return [(squeezed(value, width), "")]

    # What a moving threshold changes stands at the left, with a fixed width before it: less is written again.
    columns = [
        Column("id", "case", 16, paint=name, least=10),
        Column("n_steps", "steps", 5),
        Column("earliest_error", "gold", 4, right=True, paint=index),
    ]
    if inspection.evaluation is not None:
        columns += _outcome_columns(inspection, inspection.evaluation, brush, index)
    return [*columns, *_labels(inspection)]


def _outcome_columns(
    inspection: Inspection, evaluation: Evaluation, brush: Brush, index: Callable[[int | None, int], list[Part]]
) -> list[Column]:
    """Verdict and outcome; margin, rewards and the like where the scorer has them on any case."""
    name, rewards = evaluation.scorer.name, evaluation.rewards
    low, high = inspection.span
    dash = "-" if brush.ascii_only else "–"

    def outcome(value: str | None, _: int) -> list[Part]:
        return brush.outcome(value)

    def margin(value: float | None, width: int) -> list[Part]:
        if value is None:
            return [(dash, "dim")]
        return [("never" if value == float("-inf") else number(value, 2, width, "+"), "")]

    def spark(value: tuple[list[float] | None, int | None, int | None], _: int) -> list[Part]:
        found, gold, verdict = value
        return brush.sparkline(found, low, high, gold, verdict) if found else [("", "")]

    columns = [
        Column("verdict", "pred", 4, right=True, paint=index, source=f"{name}.verdict"),
        Column("outcome", "outcome", 13, paint=outcome, source=f"{name}.outcome"),
    ]
    if evaluation.movable:
        columns.append(Column("margin", "margin", 6, right=True, paint=margin, source=f"{name}.margin", leave=1))
    if evaluation.movable or rewards.scored.any():
        source = ("rewards", "earliest_error", f"{name}.verdict")
        columns.append(Column("rewards", "rewards", 10, paint=spark, source=source, flex=2, least=7, leave=2))
        columns.append(Column("at_gold", "at gold", 7, source=f"{name}.reward_at_gold", decimals=2, leave=4))
    if np.isfinite(rewards.solutions).any():
        columns.append(Column("solution", "solution", 8, decimals=3, leave=3))
    return columns


def _labels(inspection: Inspection) -> list[Column]:
    """The benchmark's own labels that tell cases apart."""
    cases = inspection.cases
    return [Column(name, *LABELS[name], leave=5) for name in LABELS if cases[name].n_unique() > 1][:SHOWN_LABELS]
