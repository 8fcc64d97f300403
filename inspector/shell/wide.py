"""Long tables made wide for a person at a terminal; files keep the long form."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.metrics.intervals import SMALL
from scoring.metrics.step_counts import METRICS

OF_STEPS = METRICS[1:]
"""Figures that would make a table too wide with their intervals and reasons; files have both."""
F1, PRMSCORE = "f1", METRICS[0]
STEPS, CASES = "n (steps)", "n (cases)"
"""What is counted where a table holds figures of both."""
FEW = f"~ few: {SMALL - 1} cases or less"
_OF_A_FIGURE = ("metric", "value", "low", "high", "n", "reason", "small", "sd", "runs")


def wide_metrics(rows: pl.DataFrame) -> pl.DataFrame:
    """Metrics in percent with their intervals, a column a metric; `n` counts the cases of F1, both sides together.

    Where PRMScore is there it comes first, its steps are counted in `n (steps)` and the cases of F1 in `n (cases)`; the
    figures beside it stand without intervals. Where there are no subsets, the average over them is not told beside
    `all`, which it equals.
    """
    keys = [name for name in rows.columns if name not in set(_OF_A_FIGURE)]
    if "subset" in keys and rows.height:
        named = (~pl.col("subset").is_in(["all", "average"])).any().over([name for name in keys if name != "subset"])
        rows = rows.filter(named | (pl.col("subset") != "average"))
    stated = rows["metric"].is_in(OF_STEPS)
    cells = [
        _bare(row["value"]) if bare else _metric(row)
        for bare, row in zip(stated, rows.select(_OF_A_FIGURE).iter_rows(named=True), strict=True)
    ]
    long = rows.with_columns(pl.Series("cell", cells, dtype=pl.String))
    wide = long.pivot("metric", index=keys, values="cell", sort_columns=False)
    wide = wide.select(*keys, pl.selectors.by_name(*METRICS, require_all=False), pl.selectors.exclude(*keys, *METRICS))
    steps = (rows["metric"] == PRMSCORE).any()
    for metric, name in ((PRMSCORE, STEPS), (F1, CASES)) if steps else ((F1, "n"),):
        sizes = rows.filter(pl.col("metric") == metric).select(*keys, pl.col("n").alias(name))
        wide = wide.join(sizes, on=keys, how="left", nulls_equal=True, maintain_order="left")
    why = rows.filter(pl.col("value").is_null()).select([*keys, "reason"])
    why = why.unique([*keys, "reason"], maintain_order=True).group_by(keys, maintain_order=True).agg("reason")
    told = wide.join(why, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return told.with_columns(reason=pl.col("reason").list.drop_nulls().list.join("; "))


def wide_both(rows: pl.DataFrame) -> pl.DataFrame:
    """Metrics under both label sets in percent: a line a figure with both intervals and the difference.

    `n` counts the cases (or steps) under each set, `a / b` where they are not equally many.
    """
    told = ("metric", "original", "adjudicated", "difference", "n", "reason")
    keys = [name for name in rows.columns if not name.startswith("adjudicated_")]
    keys = [name for name in keys if name not in {*_OF_A_FIGURE, "difference"}]
    if rows.height:
        named = (~pl.col("subset").is_in(["all", "average"])).any().over([name for name in keys if name != "subset"])
        rows = rows.filter(named | (pl.col("subset") != "average"))
    lines = []
    for row in rows.iter_rows(named=True):
        other = {name: row[f"adjudicated_{name}"] for name in _OF_A_FIGURE if name != "metric"}
        sizes = dict.fromkeys((row["n"], other["n"]))
        why = dict.fromkeys(filter(None, (row["reason"], other["reason"])))
        lines.append(
            {name: row[name] for name in (*keys, "metric")}
            | {"original": _metric(row), "adjudicated": _metric(other), "reason": "; ".join(why) or None}
            | {"difference": "-" if row["difference"] is None else f"{100 * row['difference']:+.1f}"}
            | {"n": " / ".join(map(str, sizes))}
        )
    return pl.DataFrame(lines, schema=dict.fromkeys((*keys, *told), pl.String()))


def _bare(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _metric(row: Mapping[str, Any]) -> str:
    """A figure with its interval, the sd of its runs where there are several, and a mark where few cases say it."""
    if row["value"] is None:
        return "-"
    runs = "" if row["sd"] is None else f" sd {100 * row['sd']:.1f}"
    few = " ~" if row["small"] else ""
    if row["low"] is None or row["high"] is None:
        return f"{100 * row['value']:.1f}{runs}{few}"
    return f"{100 * row['value']:5.1f}{runs}  [{100 * row['low']:.1f}, {100 * row['high']:.1f}]{few}"
