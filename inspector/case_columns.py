"""The columns of the list of cases."""

from typing import Any

from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.widgets.columns import Column
from inspector.widgets.line_scroll import Part


def case_columns(inspection: Inspection, brush: Brush) -> list[Column]:
    """What the list shows of a case; the outcome columns are those of the scorer in focus."""
    dash = "-" if brush.ascii_only else "–"

    def index(value: int | None, _: int) -> list[Part]:
        return [
            (dash if value is None else "none" if value == -1 else str(value), "dim" if value in {None, -1} else "")
        ]

    # What a moving threshold changes stands at the left, with a fixed width before it: less is written again.
    columns = [
        Column("id", "case", 16),
        Column("n_steps", "steps", 5),
        Column("earliest_error", "gold", 4, right=True, paint=index),
    ]
    evaluation = inspection.evaluation
    if evaluation is not None:
        name = evaluation.scorer.name
        low, high = inspection.span

        def outcome(value: str | None, _: int) -> list[Part]:
            return brush.outcome(value)

        def margin(value: float | None, _: int) -> list[Part]:
            if value is None:
                return [(dash, "dim")]
            return [("never" if value == float("-inf") else f"{value:+.2f}", "")]

        def spark(value: tuple[list[float] | None, int | None, int | None], _: int) -> list[Part]:
            rewards, gold, verdict = value
            return brush.sparkline(rewards, low, high, gold, verdict) if rewards else [("", "")]

        columns += [
            Column("verdict", "pred", 4, right=True, paint=index, source=f"{name}.verdict"),
            Column("outcome", "outcome", 13, paint=outcome, source=f"{name}.outcome"),
            Column("margin", "margin", 6, right=True, paint=margin, source=f"{name}.margin"),
            Column(
                "rewards", "rewards", 10, paint=spark, source=("rewards", "earliest_error", f"{name}.verdict"), flex=2
            ),
            Column("at_gold", "at gold", 7, source=f"{name}.reward_at_gold", decimals=2),
        ]
    return [*columns, *_labels(inspection)]


def _labels(inspection: Inspection) -> list[Column]:
    """The benchmark's own labels, where it has any."""
    titles = {"error_type": ("error type", 18), "pattern": ("pattern", 14), "generator": ("generator", 14)}

    def has(name: str) -> bool:
        values: Any = inspection.cases[name]
        return bool(values.null_count() < values.len())

    return [Column(name, title, width) for name, (title, width) in titles.items() if has(name)][:2]
