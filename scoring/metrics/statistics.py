"""Statistics of a benchmark, without any scorer."""

from collections.abc import Iterator
from typing import Any

import polars as pl

LONG = (5, 10, 15)
"""Shares of solutions with at least this many steps."""


def statistics_rows(cases: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Statistics of every subset of every benchmark and of `all` its cases, in long form.

    Yields dictionaries with `benchmark, subset, statistic, value, n, reason`: counts, means of 0-based step indices and
    fractions; `n` is what the value was computed over; a value is null with a reason where there is nothing to compute.
    """
    for (benchmark,), part in cases.group_by("benchmark", maintain_order=True):
        for (subset,), group in part.group_by("subset", maintain_order=True):
            yield from _rows(str(benchmark), "" if subset is None else str(subset), group)
        yield from _rows(str(benchmark), "all", part)


def _rows(benchmark: str, subset: str, cases: pl.DataFrame) -> Iterator[dict[str, Any]]:
    erroneous = cases.filter(pl.col("earliest_error") >= 0)
    right = cases.filter(pl.col("final_answer_correct") & pl.col("earliest_error").is_not_null())
    values: list[tuple[str, float | int | None, int]] = [
        ("cases", cases.height, cases.height),
        ("erroneous", erroneous.height, cases.height),
        ("clean", cases.filter(pl.col("earliest_error") == -1).height, cases.height),
        ("no_gold", cases["earliest_error"].null_count(), cases.height),
        ("steps", int(cases["n_steps"].sum()), cases.height),
        ("mean_steps", _mean(cases["n_steps"]), cases.height),
        ("max_steps", _whole(cases["n_steps"].max()), cases.height),
        *((f"share_steps_ge_{n}", _mean(cases["n_steps"] >= n), cases.height) for n in LONG),
        ("mean_earliest_error", _mean(erroneous["earliest_error"]), erroneous.height),
        ("mean_error_steps", _mean(erroneous["error_steps"].drop_nulls().list.len()), _listed(erroneous)),
        ("generators", cases["generator"].drop_nulls().n_unique(), cases.height),
        ("distinct_solutions", cases["key"].n_unique(), cases.height),
        # Share of wrong processes among right answers (ProcessBench, Table 2): a property of the data.
        ("process_error_rate", _mean(right["earliest_error"] >= 0), right.height),
    ]
    for statistic, value, n in values:
        reason = None if value is not None else "no case says"
        row = {"benchmark": benchmark, "subset": subset, "statistic": statistic, "value": value, "n": n}
        yield {**row, "reason": reason}


def _mean(values: pl.Series) -> float | None:
    mean = values.cast(pl.Float64).mean()
    return float(mean) if isinstance(mean, (int, float)) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _listed(erroneous: pl.DataFrame) -> int:
    return erroneous.height - erroneous["error_steps"].null_count()
