"""Whether a difference is a regression: the default rule of a check, and what its results mean."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

Result = Literal["regression", "no evidence", "improvement", "undefined"]
RESULTS: tuple[Result, ...] = ("regression", "no evidence", "improvement", "undefined")
"""The whole interval is below 0; it holds 0, its ends included; it is above 0; there is no interval."""
CLEAR = "a regression: the whole 95% interval of the official figure's difference is below 0, on any benchmark"
MISSING = (
    "no evidence: the interval holds 0. That is no proof of equality: a drop as large as its low end cannot be ruled "
    "out. To fail unless a drop of two points is ruled out: --fail-if 'low < -0.02'"
)


def result_of(row: Mapping[str, Any]) -> Result:
    """What the interval of a row of figures says."""
    if row["low"] is None or row["high"] is None:
        return "undefined"
    if row["high"] < 0:
        return "regression"
    return "improvement" if row["low"] > 0 else "no evidence"


def default_rule(figures: pl.DataFrame) -> list[bool | None]:
    """Whether each row of figures is a regression; None where there is no interval to say so."""
    rows = figures.select("low", "high").iter_rows(named=True)
    return [None if (result := result_of(row)) == "undefined" else result == "regression" for row in rows]
