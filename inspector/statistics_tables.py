"""The statistics of a benchmark as a table for people."""

import polars as pl

COUNTS = {"cases", "erroneous", "clean", "no_gold", "steps", "max_steps", "generators", "distinct_solutions"}


def wide_statistics(rows: pl.DataFrame) -> pl.DataFrame:
    """Statistics with a column a subset, and what the benchmark's paper prints in brackets."""
    index = ["benchmark", "group", "statistic"]
    cells = [_beside(*values) for values in rows.select("statistic", "value", "published").iter_rows()]
    long = rows.select(*index, "subset").with_columns(
        pl.col("group").replace("", None), pl.Series("cell", cells, dtype=pl.String)
    )
    return long.pivot("subset", index=index, values="cell", sort_columns=False)


def _beside(name: str, value: float | None, published: float | None) -> str:
    text = statistic_text(name, value)
    return text if published is None else f"{text} (paper {statistic_text(name, published)})"


def statistic_text(name: str, value: float | None) -> str:
    """A statistic for people: counts whole, shares in percent, means with two digits."""
    if value is None:
        return "-"
    if name.partition(":")[0] in COUNTS:
        return f"{value:,.0f}"
    share = name.startswith(("share", "agreement")) or name.endswith("rate")
    return f"{100 * value:.1f}%" if share else f"{value:.2f}"
