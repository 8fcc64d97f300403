"""Columns that a table is broken down by: each case's value, and the condition that selects a value's cases."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.schema import Ints
from scoring.data.storage.stored_frame import frame_blocks
from scoring.evaluation.verdicts import OUTCOMES
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.sql_words import named

LIMIT = 500
"""More values than this are no breakdown but a list."""

LENGTHS = (0, 5, 10, 15)
"""Where the bins of `steps` begin; the last is open."""
POSITIONS = 15
"""From this step (0-based) on, `position` puts all in one bin."""
DERIVED = ("steps", "position")
"""Columns made here: the number of steps in bins, and the earliest error with an open last bin."""


class Axis(Struct, frozen=True, eq=False):
    """One column of n cases. `numbers` (n, int64) says which of the `values` each case has.

    `values` are texts, None = the value is missing; `conditions` select the same cases in SQL.
    """

    column: str
    values: tuple[str | None, ...]
    conditions: tuple[str, ...]
    numbers: Ints


def axis(frame: pl.DataFrame, column: str) -> Axis:
    """Return the axis of a column of cases, or of one of DERIVED.

    Numbers ascend, outcomes come in their own order, texts as they appear; a missing value is last.

    Raises:
        UsageError: there is no such column, or none to break down by: lists, fractions, or more than LIMIT values.
    """
    if column == "steps":
        return _binned(column, frame["n_steps"], "n_steps", _length_bins())
    if column == "position":
        return _binned(column, frame["earliest_error"], "earliest_error", _position_bins())
    if column not in frame.columns:
        known = [name for name, dtype in frame.schema.items() if not dtype.is_nested() and not dtype.is_float()]
        raise UsageError(f"there is no column {column!r}.", f"There are: {', '.join((*DERIVED, *known))}.")
    series = frame[column]
    if series.dtype.is_nested() or series.dtype.is_float():
        raise UsageError(
            f"column {column!r} holds {series.dtype}, which is not a small set of values.", "Take another."
        )
    values = _in_order(column, series)
    if len(values) > LIMIT:
        raise UsageError(f"column {column!r} has {len(values):,} values, and a table at most {LIMIT}.", "Take another.")
    places = pl.DataFrame({"value": pl.Series(values, dtype=series.dtype), "number": np.arange(len(values))})
    numbers = [
        block.join(places, on="value", how="left", nulls_equal=True, maintain_order="left")["number"].cast(pl.Int64)
        for block in frame_blocks(series.alias("value").to_frame(), ("value",))
    ]
    texts = tuple(None if value is None else _text(value) for value in values)
    conditions = tuple(Facet(column, (value,)).sql for value in values)
    return Axis(column, texts, conditions, np.concatenate([np.empty(0, dtype=np.int64), *numbers]))


def _in_order(column: str, series: pl.Series) -> list[Any]:
    values = series.drop_nulls().unique(maintain_order=True).to_list()
    if column.endswith(".outcome"):
        values.sort(key=OUTCOMES.index)
    elif series.dtype != pl.String():
        values.sort()
    return [*values, None] if series.null_count() else values


def _text(value: str | bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Bin(Struct, frozen=True):
    """Whole numbers from `low` to `high`, both within; None = and above."""

    text: str
    low: int
    high: int | None

    def sql(self, column: str) -> str:
        name = named(column)
        if self.low == self.high:
            return f"{name} = {self.low}"
        return f"{name} >= {self.low}" + ("" if self.high is None else f" AND {name} <= {self.high}")


def _length_bins() -> list[_Bin]:
    closed = [_Bin(f"{low} to {high - 1}", low, high - 1) for low, high in pairwise(LENGTHS)]
    return [*closed, _open(LENGTHS[-1])]


def _position_bins() -> list[_Bin]:
    return [*(_Bin(str(step), step, step) for step in range(POSITIONS)), _open(POSITIONS), _Bin("no error", -1, -1)]


def _open(low: int) -> _Bin:
    return _Bin(f"{low} or more", low, None)


def _binned(name: str, series: pl.Series, column: str, bins: Sequence[_Bin]) -> Axis:
    """An axis of bins that hold every number of the series; the last place is that of a missing value."""
    values = series.cast(pl.Int64).fill_null(0).to_numpy()
    numbers = np.select(
        [(values >= span.low) & (values <= (np.inf if span.high is None else span.high)) for span in bins],
        list(range(len(bins))),
        len(bins),
    )
    numbers = np.where(series.is_null().to_numpy(), len(bins), numbers)
    conditions = (*(span.sql(column) for span in bins), f"{named(column)} IS NULL")
    return Axis(name, (*(span.text for span in bins), None), conditions, numbers)
