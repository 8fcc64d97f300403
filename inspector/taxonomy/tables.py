"""What `taxonomy` shows on a terminal."""

import polars as pl

from inspector.text import cell

EXAMPLE = 48
"""Cells of a note that stands beside its category."""
NONE = "(in none)"


def wide_taxonomy(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a category, the notes in none last, with its first note."""
    named = rows.with_columns(pl.col("category").fill_null(NONE))
    if "example" not in rows.columns:
        return named.with_columns(_percent("share")).drop("small")
    short = [None if text is None else cell(text, EXAMPLE).rstrip() for text in rows["example"]]
    first = pl.Series("first note", short, dtype=pl.String)
    return named.select("category", "notes", "cases", _percent("share"), first, "people")


def wide_notes(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a note."""
    day = pl.col("time").str.slice(0, 10)
    return rows.select("case", "who", day, pl.col("category").fill_null(NONE), "note")


def _percent(name: str) -> pl.Expr:
    return (100 * pl.col(name)).round(1).cast(pl.String).fill_null("-").alias(name)
