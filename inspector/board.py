"""The board: a row a scorer and benchmark, with the official metric, its interval and the outcomes behind it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from inspector.headline import Headline, headline
from inspector.paint import Brush
from inspector.selection import Selection
from inspector.widgets.columns import Column
from inspector.widgets.line_scroll import Part
from scoring.evaluation import Evaluation
from scoring.filters import passing
from scoring.metrics.first_error import Unparsed
from scoring.verdicts import OUTCOMES, REFUSED, UNPARSED, UNSCORED

BOARD = {
    "row": pl.String(),
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "f1": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "error_acc": pl.Float64(),
    "correct_acc": pl.Float64(),
    "over": pl.String(),
    "reason": pl.String(),
    "threshold": pl.Float64(),
    "threshold_source": pl.String(),
    "scored": pl.Int64(),
    "cases": pl.Int64(),
    "about": pl.String(),
    **{outcome: pl.Int64() for outcome in OUTCOMES},
}
NAME_WIDTH = 14
"""Cells of a scorer's name where there is no room to spare."""
SEPARATOR = "\n"
"""Between scorer and benchmark in the column `row`; no name holds a line break."""


def board_frame(selection: Selection, base: tuple[str, ...] = ()) -> pl.DataFrame:
    """One row for every scorer and benchmark that it gave anything for, best F1 first within a benchmark.

    `base` are the conditions that hold for the whole app; filters of the cases screen do not touch the board.
    """
    rows = []
    # Conditions may speak of any scorer, so they are read beside all of them.
    within = passing(selection.frame() if base else selection.cases, base)
    for benchmark in selection.cases["benchmark"].unique(maintain_order=True):
        member = (within & (selection.cases["benchmark"] == benchmark)).to_numpy()
        for evaluation in selection.evaluations:
            if (evaluation.present & member).any():
                line, counts = _line(evaluation, member.tobytes(), selection.request.unparsed, selection.request.seed)
                rows.append(_row(evaluation, benchmark, line, counts))
    frame = pl.DataFrame(rows, schema=BOARD, orient="row")
    return frame.sort("benchmark", "f1", "scorer", descending=[False, True, False], nulls_last=True)


def _row(evaluation: Evaluation, benchmark: str, line: Headline, counts: list[int]) -> dict[str, Any]:
    scorer = evaluation.scorer
    return {
        "row": f"{scorer.name}{SEPARATOR}{benchmark}",
        "scorer": scorer.name,
        "benchmark": benchmark,
        **{name: getattr(line, name) for name in ("f1", "low", "high", "error_acc", "correct_acc", "over", "reason")},
        "threshold": evaluation.rule.threshold,
        "threshold_source": evaluation.rule.source,
        "scored": sum(counts) - sum(counts[code] for code in (UNPARSED, REFUSED, UNSCORED)),
        "cases": sum(counts),
        "about": scorer.about,
        **dict(zip(OUTCOMES, counts, strict=True)),
    }


@lru_cache(maxsize=64)
def _line(evaluation: Evaluation, member: bytes, unparsed: Unparsed, seed: int) -> tuple[Headline, list[int]]:
    """The metric and the outcome counts of one line; remembered, because most lines stay when one threshold moves.

    `member` are the bytes of a mask over the cases.
    """
    rows = np.frombuffer(member, dtype=np.bool_)
    counts = np.bincount(evaluation.codes[rows], minlength=len(OUTCOMES)).tolist()
    return headline(evaluation, rows, unparsed, seed), counts


def board_columns(brush: Brush, *, several: bool, long_names: bool = False) -> list[Column]:
    """The board's columns on screen; `long_names` gives the scorers' names more of the width that is to spare."""
    dash = "-" if brush.ascii_only else "–"

    def percent(value: float | None, _: int) -> list[Part]:
        return [(dash if value is None else f"{100 * value:.1f}", "" if value is not None else "dim")]

    def strong(value: float | None, _: int) -> list[Part]:
        return [(dash if value is None else f"{100 * value:.1f}", "strong" if value is not None else "dim")]

    def interval(value: tuple[float | None, float | None], _: int) -> list[Part]:
        low, high = value
        return [("" if low is None or high is None else f"{100 * low:.0f}{dash}{100 * high:.0f}", "dim")]

    def outcomes(value: tuple[int, ...], width: int) -> list[Part]:
        return brush.outcome_bar(dict(zip(OUTCOMES, value, strict=True)), width)

    def cut(value: tuple[float | None, str], _: int) -> list[Part]:
        threshold, source = value
        return [(source, "dim")] if threshold is None else [(f"{threshold:.3f} ", ""), (source, "dim")]

    def coverage(value: tuple[int, int], _: int) -> list[Part]:
        return [(f"{value[0]:,}/{value[1]:,}", "dim" if value[0] == value[1] else "late")]

    columns = [Column("scorer", "scorer", NAME_WIDTH, flex=3 if long_names else 1)]
    if several:
        columns.append(Column("benchmark", "benchmark", 12))
    return [
        *columns,
        Column("f1", "F1", 5, right=True, paint=strong),
        Column("interval", "95%", 7, right=True, paint=interval, source=("low", "high")),
        Column("error_acc", "error", 5, right=True, paint=percent),
        Column("correct_acc", "clean", 5, right=True, paint=percent),
        Column("outcomes", "outcomes", 10, paint=outcomes, source=OUTCOMES, flex=4),
        # Room for "0.550 optimistic" and "labels as given".
        Column("threshold", "threshold", 16, paint=cut, source=("threshold", "threshold_source"), flex=1),
        Column("coverage", "scored", 7, right=True, paint=coverage, source=("scored", "cases")),
    ]


def board_lines(selection: Selection) -> Iterator[str]:
    """The board as lines of plain text, for a terminal without the app."""
    frame = board_frame(selection)
    yield f"{selection.cases.height} cases, {frame.height} scorers"
    width = max([len(name) for name in frame["scorer"]] + [6])
    yield f"{'scorer':<{width}}     F1   95% interval  error_acc  correct_acc  threshold  outcomes"
    for row in frame.iter_rows(named=True):
        f1 = (
            f"{100 * row['f1']:5.1f}  [{100 * row['low']:4.1f}, {100 * row['high']:4.1f}]"
            if row["f1"] is not None
            else "    -                "
        )
        counts = ", ".join(f"{row[name]} {name.replace('_', ' ')}" for name in OUTCOMES if row[name])
        accuracies = f"{_percent(row['error_acc']):>9}  {_percent(row['correct_acc']):>11}"
        threshold = "-" if row["threshold"] is None else f"{row['threshold']:.3f}"
        source = f"; {row['threshold_source']}" if row["threshold"] is None else ""
        reason = f"; {row['reason']}" if row["reason"] else ""
        yield f"{row['scorer']:<{width}}  {f1}  {accuracies}  {threshold:>9}  {counts}{source}{reason}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"
