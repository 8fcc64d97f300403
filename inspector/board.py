"""The board: a row a scorer and benchmark, with the official metric, its interval and the outcomes behind it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from inspector.filtering.searching import matching
from inspector.headline import F1, Headline, headline
from inspector.paint import Brush
from inspector.selection import Selection
from inspector.sentences import counted
from inspector.text import squeezed
from inspector.widgets.columns import Column
from inspector.widgets.line_scroll import Part
from scoring.evaluation import Evaluation
from scoring.filters import Facet
from scoring.metrics.first_error import Unparsed
from scoring.remembered import Remembered
from scoring.step_rewards import Bools
from scoring.text_search import Found
from scoring.verdicts import DEV, OUTCOMES, REFUSED, UNPARSED, UNSCORED, AsGiven, Decision

BOARD = {
    "row": pl.String(),
    "scorer": pl.String(),
    "benchmark": pl.String(),
    # F1 or PRMScore, whichever `metric` says the benchmark reports, and the accuracies on what is wrong and right.
    "metric": pl.String(),
    "score": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "on_wrong": pl.Float64(),
    "on_right": pl.Float64(),
    "over": pl.String(),
    "reason": pl.String(),
    # Over the runs that the figures are means of: the sample standard deviation of the score, null for one run.
    "sd": pl.Float64(),
    "runs": pl.Int64(),
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
_LINES = Remembered(64)
"""Lines that were made, by scorer and benchmark: an evaluation with another threshold is another one."""


def board_frame(selection: Selection, base: tuple[str, ...] = (), search: Found | None = None) -> pl.DataFrame:
    """One row for every scorer and benchmark that it gave anything for, the best first within a benchmark.

    `base` and `search` are the conditions and the text search that hold for the whole app; filters of the cases screen
    do not touch the board.
    """
    rows = []
    for benchmark in selection.cases["benchmark"].unique(maintain_order=True):
        member = selection.passing((*base, Facet("benchmark", (benchmark,)).sql))
        if search is not None:
            member = member & matching(search, selection.height)
        for evaluation in selection.evaluations:
            asked = selection.unparsed(benchmark), selection.request.seed, benchmark
            made = partial(_line, evaluation, member, *asked)
            # Most lines stay when one threshold moves.
            line = _LINES.of((evaluation.scorer.name, *asked), (evaluation, member), made)
            if line is not None:
                rows.append(_row(evaluation, benchmark, *line))
    frame = pl.DataFrame(rows, schema=BOARD, orient="row")
    return frame.sort("benchmark", "score", "scorer", descending=[False, True, False], nulls_last=True)


def _source(rule: Decision) -> str:
    """Where a threshold comes from, and what it is on where that is not the rewards."""
    on_rewards = isinstance(rule, AsGiven) or rule.on == "rewards"
    return rule.source if on_rewards else f"{rule.source}, on differences"


def _row(evaluation: Evaluation, benchmark: str, line: Headline, counts: list[int]) -> dict[str, Any]:
    scorer = evaluation.scorer
    return {
        "row": f"{scorer.name}{SEPARATOR}{benchmark}",
        "scorer": scorer.name,
        "benchmark": benchmark,
        **{name: value for name, value in vars(line).items() if name in BOARD},
        "threshold": evaluation.rule.threshold,
        "threshold_source": _source(evaluation.rule),
        "scored": sum(counts) - sum(counts[code] for code in (DEV, UNPARSED, REFUSED, UNSCORED)),
        "cases": sum(counts),
        "about": scorer.about,
        **dict(zip(OUTCOMES, counts, strict=True)),
    }


def _line(
    evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int, benchmark: str
) -> tuple[Headline, list[int]] | None:
    """The metric and the outcome counts of one line, over a mask (n,) of cases; None: nothing was given for any."""
    if not (evaluation.present & rows).any():
        return None
    counts = np.bincount(evaluation.codes[rows], minlength=len(OUTCOMES)).tolist()
    return headline(evaluation, rows, unparsed, seed, benchmark), counts


def board_columns(
    brush: Brush, *, several: bool, long_names: bool = False, metrics: tuple[str, ...] = (F1,), scored_width: int = 7
) -> list[Column]:
    """The board's columns on screen, with headings that are true of all the `metrics` of its rows.

    `long_names` gives the scorers' names more of the width that is to spare; `scored_width` holds the longest of the
    texts `scored/cases` (see `scored_width`).
    """
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
        return [(_coverage(*value), "dim" if value[0] == value[1] else "strong")]

    def whose(value: str, width: int) -> list[Part]:
        return [(squeezed(value, width), "")]

    columns = [Column("scorer", "scorer", NAME_WIDTH, flex=3 if long_names else 1, paint=whose, least=10)]
    if several:
        columns.append(Column("benchmark", "benchmark", 12))
    if len(metrics) > 1:
        columns.append(Column("metric", "metric", max(map(len, metrics))))
    name = metrics[0] if len(metrics) == 1 else "score"
    wrong, right = heads(metrics)
    return [
        *columns,
        Column("score", name, max(5, len(name)), right=True, paint=strong),
        Column("interval", "95%", 7, right=True, paint=interval, source=("low", "high"), leave=1),
        Column("on_wrong", wrong, max(5, len(wrong)), right=True, paint=percent, leave=2),
        Column("on_right", right, max(5, len(right)), right=True, paint=percent, leave=2),
        Column("outcomes", "outcomes", 10, paint=outcomes, source=OUTCOMES, flex=4, least=8, leave=3),
        # Room for "0.550 optimistic" and "labels as given".
        Column("threshold", "threshold", 16, paint=cut, source=("threshold", "threshold_source"), flex=2, leave=4),
        Column("coverage", "scored", scored_width, right=True, paint=coverage, source=("scored", "cases"), leave=5),
    ]


def heads(metrics: tuple[str, ...]) -> tuple[str, str]:
    """What the columns of the two accuracies are called, true of all the metrics."""
    return ("error", "clean") if metrics == (F1,) else ("on wrong", "on right")


def scored_width(frame: pl.DataFrame) -> int:
    """Cells of the longest `scored/cases` of a board."""
    return max([7, *(len(_coverage(*pair)) for pair in frame.select("scored", "cases").iter_rows())])


def _coverage(scored: int, cases: int) -> str:
    return f"{scored:,}/{cases:,}"


def metrics_of(frame: pl.DataFrame) -> tuple[str, ...]:
    """The metrics that a board's rows are of; F1 where there is no row."""
    return tuple(frame["metric"].unique().sort()) or (F1,)


def board_lines(selection: Selection) -> Iterator[str]:
    """The board as lines of plain text, for a terminal without the app."""
    frame = board_frame(selection)
    yield f"{counted(selection.cases.height, 'case')}, {counted(frame['scorer'].n_unique(), 'scorer')}"
    width = max([len(name) for name in frame["scorer"]] + [6])
    metrics = metrics_of(frame)
    name, wrong, right = ("F1", "error_acc", "correct_acc") if metrics == (F1,) else ("score", *heads(metrics))
    yield f"{'scorer':<{width}}  {name:>5}   95% interval  {wrong:>9}  {right:>11}  threshold  outcomes"
    for row in frame.iter_rows(named=True):
        score = (
            f"{100 * row['score']:5.1f}  [{100 * row['low']:4.1f}, {100 * row['high']:4.1f}]"
            if row["score"] is not None
            else "    -                "
        )
        counts = ", ".join(f"{row[name]} {name.replace('_', ' ')}" for name in OUTCOMES if row[name])
        accuracies = f"{_percent(row['on_wrong']):>9}  {_percent(row['on_right']):>11}"
        threshold = "-" if row["threshold"] is None else f"{row['threshold']:.3f}"
        source = f"; {row['threshold_source']}" if row["threshold"] is None else ""
        reason = f"; {row['reason']}" if row["reason"] else ""
        yield f"{row['scorer']:<{width}}  {score}  {accuracies}  {threshold:>9}  {counts}{source}{reason}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"
