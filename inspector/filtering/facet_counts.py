"""Facets with their counts: which columns tell cases apart, and how many cases have each value."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from inspector.filtering.facet_columns import LENGTH_SPANS, FacetColumn
from inspector.selection import Selection
from scoring.filters import Choice, Filter, Span
from scoring.step_rewards import Bools
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
"""Columns of the benchmark's own labels that may tell cases apart."""

Counts = list[tuple[Choice, int]]


def facet_counts(
    selection: Selection,
    within: Bools,
    columns: Sequence[FacetColumn],
    base: tuple[str, ...],
    chosen: Filter,
    matching: Bools | None = None,
) -> dict[str, Counts]:
    """For every facet its values and how many cases have them under all the other conditions.

    Args:
        selection: whose columns are counted.
        within: (n,) which of the cases are looked at; benchmarks are counted among all.
        columns: the facets to count.
        base: conditions that hold throughout.
        chosen: the filter; a facet's own condition does not count against its values.
        matching: (n,) which of the cases a text search leaves; None = all.

    Values come most frequent first, outcomes, numbers and spans in their own order, a missing value last. A facet with
    one value tells nothing and is left out, unless it is in use.
    """
    facets = {}
    rows: dict[tuple[str, ...], Bools] = {}
    inside: dict[tuple[str, ...], Bools] = {}
    everything = selection.passing(())
    for facet in columns:
        everywhere = facet.kind == "benchmarks"
        every = _tally(selection, facet, everything if everywhere else within)
        if facet.kind == "steps":
            every = _in_spans(every)
        used = [one for one in chosen.facets if one.column == facet.column]
        if len(every) > 1 or used:
            others = (*base, *chosen.without(facet.column).conditions)
            if others not in rows:
                rows[others] = selection.passing(others) if matching is None else selection.passing(others) & matching
                inside[others] = within & rows[others]
            found = _tally(selection, facet, rows[others] if everywhere else inside[others])
            asked = [] if facet.kind == "outcomes" else [value for one in used for value in one.values]
            if facet.kind == "steps":
                alone: dict[Choice, int] = {value: found.get(value, 0) for value in asked if isinstance(value, int)}
                found = {**_in_spans(found, asked), **alone}
            # Benchmarks stay where they are: one of them is looked at, whatever the others hold.
            order = _order(facet, every if everywhere else found)
            values = dict.fromkeys((*every, *asked))
            facets[facet.column] = [(value, found.get(value, 0)) for value in sorted(values, key=order)]
    return facets


def _tally(selection: Selection, facet: FacetColumn, rows: Bools) -> dict[Choice, int]:
    """The values that some of the cases have, and how many have each."""
    found = selection.masks.tally(selection, facet.column, rows)
    if found is None:
        values = selection.column(facet.column).filter(pl.Series(rows))
        return dict(values.alias("value").to_frame().group_by("value").len().iter_rows())
    return {value: count for value, count in found.items()}  # noqa: C416  # the type of its keys is wider


def _in_spans(numbers: dict[Choice, int], asked: Sequence[Choice] = ()) -> dict[Choice, int]:
    """Counts of whole numbers, put together by span: the usual ones, and those that were asked for."""
    found: dict[Choice, int] = {}
    for span in dict.fromkeys((*LENGTH_SPANS, *(value for value in asked if isinstance(value, Span)))):
        high = math.inf if span.high is None else span.high
        count = sum(n for value, n in numbers.items() if isinstance(value, int) and span.low <= value <= high)
        if count:
            found[span] = count
    return found


def _order(facet: FacetColumn, counts: dict[Choice, int]) -> Callable[[Choice], tuple[Any, ...]]:
    """The order of a facet's values: outcomes and spans in their own, others by count, missing values last."""

    def place(value: Choice) -> tuple[Any, ...]:
        if facet.kind == "outcomes" and isinstance(value, str):
            return (OUTCOMES.index(value),)
        if facet.kind == "steps" and isinstance(value, (Span, int)):
            return (value.low, 1) if isinstance(value, Span) else (value, 0)
        if facet.kind == "numbers" and isinstance(value, int):
            return (False, value, "")
        return (value is None, -counts.get(value, 0), str(value))

    return place
