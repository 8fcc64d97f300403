"""Long tables made wide for a person at a terminal; files keep the long form."""

import polars as pl

COUNTS = {"cases", "erroneous", "clean", "no_gold", "steps", "max_steps", "generators", "distinct_solutions"}


def wide_statistics(rows: pl.DataFrame) -> pl.DataFrame:
    """Statistics with a column a subset: counts whole, shares in percent, means with two digits."""
    cells = [_statistic(name, value) for name, value in rows.select("statistic", "value").iter_rows()]
    long = rows.select("benchmark", "statistic", "subset").with_columns(pl.Series("cell", cells, dtype=pl.String))
    return long.pivot("subset", index=["benchmark", "statistic"], values="cell", sort_columns=False)


def _statistic(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    if name in COUNTS:
        return f"{value:,.0f}"
    return f"{100 * value:.1f}%" if name.startswith("share") or name.endswith("rate") else f"{value:.2f}"


def wide_metrics(rows: pl.DataFrame) -> pl.DataFrame:
    """Metrics in percent with their intervals, a column a metric; `n` is that of F1, both sides together."""
    keys = [name for name in rows.columns if name not in {"metric", "value", "low", "high", "n", "reason"}]
    cells = [_metric(*values) for values in rows.select("value", "low", "high", "reason").iter_rows()]
    long = rows.with_columns(pl.Series("cell", cells, dtype=pl.String))
    wide = long.pivot("metric", index=keys, values="cell", sort_columns=False)
    sizes = rows.filter(pl.col("metric") == "f1").select([*keys, "n"])
    return wide.join(sizes, on=keys, how="left", nulls_equal=True, maintain_order="left")


def _metric(value: float | None, low: float | None, high: float | None, reason: str | None) -> str:
    if value is None:
        return f"- ({reason})"
    if low is None or high is None:
        return f"{100 * value:.1f}"
    return f"{100 * value:5.1f}  [{100 * low:.1f}, {100 * high:.1f}]"
