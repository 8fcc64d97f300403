"""The value of one cell of the list, as a change of the filter: keep it or hide it."""

import math
import sys
from typing import Any

import polars as pl

from inspector.state.screen_state import ScreenState
from inspector.widgets.columns import TableColumn
from scoring.data.errors import UsageError
from scoring.workspace.filtering.filters import Filter
from scoring.workspace.filtering.sql_words import named


def with_cell(state: ScreenState, column: TableColumn, value: Any, *, keep: bool) -> Filter:
    """Return the filter with the value of a cell kept, and no other of its column; or hidden.

    A fraction stands for all that read the same on screen. Of a list every member is kept or hidden.

    Raises:
        UsageError: the cell is no column that a condition can speak of; and why.
    """
    name = _source(state, column)
    dtype, chosen = state.results.evaluated.column(name).dtype, state.filter
    if isinstance(dtype, pl.List):
        if dtype.inner != pl.String():
            raise UsageError(f"{column.title} holds lists of numbers.", "Keep or hide it with : and a condition.")
        members = list(dict.fromkeys(value)) if value else [None]
        chosen = chosen.without(name) if keep else chosen
        for member in members:
            chosen = _with(chosen, name, member, keep=keep, listed=True, first=member is members[0])
        return chosen
    if isinstance(value, float):
        return chosen.plus(_reads_the_same(name, value, column.decimals, keep=keep))
    return _with(chosen, name, value, keep=keep, listed=False, first=True)


def _with(chosen: Filter, name: str, value: Any, *, keep: bool, listed: bool, first: bool) -> Filter:
    if not keep:
        return chosen.hiding(name, value, listed=listed)
    return chosen.only(name, value, listed=listed) if first else chosen.toggled(name, value, listed=listed)


def _source(state: ScreenState, column: TableColumn) -> str:
    """The one column of the data that a cell shows."""
    if isinstance(column.source, tuple):
        raise UsageError(
            f"{column.title} is a picture of several columns, not a value to keep or hide.", "Choose another cell."
        )
    (name,) = column.sources
    if name not in state.results.evaluated.columns:
        raise UsageError(f"{column.title} is not a column that a condition can speak of.", "Choose another cell.")
    return name


def _reads_the_same(name: str, value: float, decimals: int, *, keep: bool) -> str:
    """The condition that a number reads as this one does with so many digits; or that it does not."""
    column = named(name)
    if math.isnan(value):
        return f"{column} IS {'' if keep else 'NOT '}NULL"
    if math.isinf(value):
        return _sided(column, value, keep=keep)
    low, high = _least(value, decimals), -_least(-value, decimals)
    within = f"{column} BETWEEN {low!r} AND {high!r}"
    return within if keep else f"{column} NOT BETWEEN {low!r} AND {high!r} OR {column} IS NULL"


def _sided(column: str, value: float, *, keep: bool) -> str:
    """The condition on an infinite number: beyond every finite one."""
    most = sys.float_info.max
    beyond = f"{column} < {-most!r}" if value < 0 else f"{column} > {most!r}"
    return beyond if keep else f"NOT ({beyond}) OR {column} IS NULL"


def _least(value: float, decimals: int) -> float:
    """The least float that reads as this one does."""
    reading = _reading(value, decimals)
    # Half a unit below; what rounds to even or was no tie is a few floats away.
    low = float(reading) - 0.5 * 10.0**-decimals
    while _reading(low, decimals) == reading:
        low = math.nextafter(low, -math.inf)
    while _reading(low, decimals) != reading:
        low = math.nextafter(low, math.inf)
    return low


def _reading(value: float, decimals: int) -> str:
    """A number as it reads; zero without its sign."""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text
