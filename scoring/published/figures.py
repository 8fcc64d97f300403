"""The printed figures of scorers as a frame, and what else a paper prints for the same cell."""

from functools import cache
from importlib.resources import files

import polars as pl

from scoring.published.names import NO_SCORERS, model_of

KEY = ("paper", "domain", "model", "setting", "subset", "metric")
"""What says which quantity a figure is. Several tables may print it."""


@cache
def figures() -> pl.DataFrame:
    """Every printed figure, in the papers' order.

    Columns: those of `figures.csv` with null for empty, where `value` (Float64) is a fraction, and
    `model`: see `model_of`; `row`: position; `printed`: the text as printed, in percent;
    `tolerance`: half a unit of the last printed digit, as a fraction;
    `elsewhere`: other values that the same paper prints for the same quantity, with their tables; null where none is.
    Rows of standard deviations are percentage points like the others; Somers' D is no percentage and is as printed.
    """
    text = files("scoring.published").joinpath("figures.csv").read_bytes()
    frame = pl.read_csv(text, schema_overrides={"value": pl.String, "table": pl.Int64}, infer_schema_length=0)
    digits = pl.col("value").str.extract(r"\.(\d+)$").str.len_chars().fill_null(0).cast(pl.Float64)
    scale = pl.when(pl.col("scorer").str.starts_with("Somers")).then(1.0).otherwise(100.0)
    models = {name: model_of(name) for name in frame["scorer"].unique()}
    frame = frame.with_row_index("row").with_columns(
        pl.col("table").cast(pl.Int64),
        pl.col("scorer").replace_strict(models, return_dtype=pl.String).alias("model"),
        pl.col("value").alias("printed"),
        (pl.col("value").cast(pl.Float64) / scale).alias("value"),
        # One row of a table has one number of digits, and a last 0 may be lost.
        (0.5 * 10.0 ** -digits.max().over("paper", "table", "scorer") / scale).alias("tolerance"),
    )
    return frame.join(_conflicts(frame), on="row", how="left", maintain_order="left")


def _conflicts(frame: pl.DataFrame) -> pl.DataFrame:
    """`row` and `elsewhere` of the figures that are printed with several values."""
    # An average over whatever benchmarks a table has is that table's own.
    comparable = ~pl.col("scorer").is_in(list(NO_SCORERS)) & ~(
        (pl.col("metric") == "best_of_n_acc") & (pl.col("subset") == "average")
    )
    cells = frame.filter(comparable).select("row", "table", "printed", *KEY)
    printed = cells.group_by(*KEY, "printed", maintain_order=True).agg(
        pl.col("table").unique().sort().cast(pl.String).str.join(", ").alias("tables")
    )
    several = cells.join(printed, on=list(KEY), nulls_equal=True, suffix="_other").filter(
        pl.col("printed") != pl.col("printed_other")
    )
    told = pl.format("{} in Table {}", "printed_other", "tables")
    return several.group_by("row", maintain_order=True).agg(told.str.join("; ").alias("elsewhere"))


def other_values(elsewhere: str | None) -> list[float]:
    """The values of `elsewhere` as fractions."""
    return [] if not elsewhere else [float(part.partition(" ")[0]) / 100 for part in elsewhere.split("; ")]
