"""Numbers a sub-step become numbers a step, where a benchmark's gold labels are coarser than what was judged."""

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import polars as pl

from scoring.reading.findings import Severity

# A step is as good as its worst sub-step, and as redundant as its most redundant one.
_HOW = {"rewards": min, "redundancy": max, "labels": all, "redundancy_labels": any}


def grouped(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[tuple[Severity, str, str]]]:
    """The rows with their numbers grouped where they are one a sub-step and not one a step; and what to say of it.

    Args:
        rows: columns of RESULT_COLUMNS and of the case (`key`, `n_steps`, `sub_steps`), and `_numbers`, how many
            numbers a row has.
    """
    by_sub_step = (
        pl.col("sub_steps").is_not_null()
        & (pl.col("_numbers") != pl.col("n_steps"))
        & (pl.col("_numbers") == pl.col("sub_steps").list.sum())
    ).fill_null(value=False)
    where = rows.select(by_sub_step.alias("_grouped"))["_grouped"]
    if not where.any():
        return rows, []
    changed = rows.filter(where)
    sizes = changed["sub_steps"].to_list()
    for name, how in _HOW.items():
        values = [_group(row, size, how) for row, size in zip(changed[name].to_list(), sizes, strict=True)]
        changed = changed.with_columns(pl.Series(name, values, dtype=changed.schema[name]))
    changed = changed.with_columns(_numbers=pl.col("n_steps").cast(pl.Int64))
    whole = pl.concat([rows.filter(~where), changed]).sort("_row")
    message = (
        f"{changed['key'].n_unique():,} cases have one number a sub-step: each step takes the lowest of its sub-steps' "
        "rewards (of redundancy the highest)"
    )
    return whole, [("note", "grouped-sub-steps", message)]


def _group(values: Sequence[Any] | None, sizes: Sequence[int], how: Any) -> list[Any] | None:
    if values is None or len(values) != sum(sizes):
        return None if values is None else list(values)
    bounds = pairwise(accumulate(sizes, initial=0))
    return [_one(values[start:end], how) for start, end in bounds]


def _one(values: Sequence[Any], how: Any) -> Any:
    """One number for several; one that is absent or not finite must not hide behind its neighbours."""
    if None in values or not values:
        # A step without any sub-step was not judged.
        return None
    return how(values) if all(map(math.isfinite, values)) else math.nan
