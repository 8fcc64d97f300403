"""Which cases are of one problem: what is resampled as a whole, and what a case and its unharmed twin share."""

import polars as pl

from scoring.step_rewards import Ints


def problems(cases: pl.DataFrame) -> pl.Series:
    """A name for each case's problem, equal within a benchmark for cases of one problem.

    It is `problem_id`, or else the id less its error type: PRMBench and Socratic-PRMBench call a case
    `{classification}_{idx}` and put several classes of error into the solution of one idx. The name of a case that
    shares its problem with none is its own.
    """
    bare = pl.coalesce(pl.col("id").str.strip_prefix(pl.format("{}_", pl.col("error_type"))), pl.col("id"))
    return cases.select(pl.format("{}/{}", "benchmark", pl.coalesce("problem_id", bare)).alias("problem"))["problem"]


def problem_numbers(names: pl.Series) -> Ints:
    """A number (0-based) for each of the names, equal for equal ones. Shape (n,)."""
    return (names.rank("dense").cast(pl.Int64) - 1).to_numpy()
