"""Facets with their counts: which columns tell cases apart, and how many cases have each value."""

from collections.abc import Callable
from typing import Any

import polars as pl

from scoring.filters import Filter, passing
from scoring.verdicts import OUTCOMES

FACETS = (
    "subset_group",
    "subset",
    "pattern",
    "error_category",
    "error_type",
    "error_kind",
    "origin",
    "language",
    "generator",
    "final_answer_correct",
)
"""Columns offered as facets beside the outcome, where they tell cases apart."""

Counts = list[tuple[str | bool | None, int]]


def facet_counts(
    frame: pl.DataFrame, within: pl.Series, outcome: str | None, base: tuple[str, ...], chosen: Filter
) -> dict[str, Counts]:
    """For every facet its values and how many cases have them under all the other conditions.

    Args:
        frame: the cases with the columns of every scorer.
        within: which of them are looked at, Boolean.
        outcome: the column of outcomes, which is the first facet; None = there is none.
        base: conditions that hold throughout.
        chosen: the filter; a facet's own condition does not count against its values.

    Values come most frequent first, outcomes in their own order. A facet with one value tells nothing and is left out,
    unless it is in use.
    """
    facets = {}
    for column in (*([outcome] if outcome else []), *FACETS):
        values = frame.select(column)
        every = values.filter(within)[column].unique().to_list()
        if len(every) > 1 or chosen.facet(column):
            others = (*base, *chosen.without(column).conditions)
            counted = values.filter(within & passing(frame, others)).group_by(column).len()
            found = dict(counted.iter_rows())
            facets[column] = [(value, found.get(value, 0)) for value in sorted(every, key=_order(column, found))]
    return facets


def _order(column: str, counts: dict[str | bool | None, int]) -> Callable[[str | bool | None], tuple[Any, ...]]:
    """The order of a facet's values: outcomes in their own, others by count, missing values last."""

    def place(value: str | bool | None) -> tuple[Any, ...]:
        if column.endswith(".outcome") and isinstance(value, str):
            return (OUTCOMES.index(value),)
        return (value is None, -counts.get(value, 0), str(value))

    return place
