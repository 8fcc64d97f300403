"""The printed statistics of the benchmarks as a frame."""

from functools import cache
from importlib.resources import files

import polars as pl

from scoring.published.papers import PAPERS

_SHARES = r"^(share_|agreement_|process_error_rate)"


@cache
def published_statistics() -> pl.DataFrame:
    """Every printed statistic, in the papers' order.

    Columns: those of `statistics.csv`, where `value` (Float64) is a fraction if it is a share, steps are 0-based, and
    `tolerance`: half a unit of the last printed digit, in the units of the value; `source`: where it stands.
    """
    text = files("scoring.published").joinpath("statistics.csv").read_bytes()
    frame = pl.read_csv(text, infer_schema_length=0).with_columns(pl.col("table").cast(pl.Int64))
    digits = pl.col("value").str.extract(r"\.(\d+)$").str.len_chars().fill_null(0).cast(pl.Float64)
    scale = pl.when(pl.col("statistic").str.contains(_SHARES)).then(100.0).otherwise(1.0)
    sources = pl.Series(
        "source",
        [PAPERS[paper].source(table) for paper, table in frame.select("paper", "table").iter_rows()],
        dtype=pl.String,
    )
    return frame.with_columns(
        (pl.col("value").cast(pl.Float64) / scale).alias("value"),
        pl.col("group").fill_null(""),
        (0.5 * 10.0 ** -digits.max().over("paper", "table", "statistic") / scale).alias("tolerance"),
        sources,
    )


def beside(rows: pl.DataFrame) -> pl.DataFrame:
    """Computed statistics with `published` and `source` beside them, null where the papers print none.

    Args:
        rows: with `benchmark, subset, group, statistic`. A statistic that several tables print is that of the first. A
            figure of `all` cases is laid beside ours only where the benchmark here has no subset that the paper lacks.
    """
    known = published_statistics().unique(["paper", "subset", "group", "statistic"], keep="first", maintain_order=True)
    subsets = rows.select("benchmark", "subset").filter(pl.col("subset") != "all").unique()
    foreign = subsets.join(known, left_on=["benchmark", "subset"], right_on=["paper", "subset"], how="anti")
    wider = (pl.col("subset") == "all") & pl.col("benchmark").is_in(foreign["benchmark"].to_list())
    keys = ["benchmark", "subset", "group", "statistic"]
    known = known.select(
        pl.col("paper").alias("benchmark"), *keys[1:], pl.col("value").alias("published"), "source"
    ).filter(~wider)
    return rows.join(known, on=keys, how="left", maintain_order="left")
