"""Facets: which columns tell cases apart, in which order, what each is called, and its values with counts."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

import polars as pl
from msgspec import Struct

from inspector.state.screen_state import ScreenState
from scoring.data.schema import Bools
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.axes import LENGTHS
from scoring.selection.result_set import ResultSet
from scoring.selection.searching import matching
from scoring.workspace.filtering.filters import FacetChoice, Filter, NumberRange

# -- which columns are facets, in which order, and what each is called


FacetKind = Literal["values", "numbers", "outcomes", "steps", "lists", "benchmarks"]

TITLES = {
    "benchmark": "benchmark (one at a time)",
    "final_answer_correct": "final answer right",
    "subset_group": "group of subsets",
    "subset": "subset",
    "error_type": "error type",
    "error_category": "error category",
    "error_kind": "error kind",
    "pattern": "reasoning pattern",
    "generator": "generator",
    "n_steps": "steps",
    "ruling": "ruling",
    "adjudication": "adjudicated label",
    "category": "category (ours)",
    "our_error_type": "error type (ours)",
    "tags": "tags",
    "language": "language",
    "origin": "taken from",
}
"""The facets beside the outcomes, in their order on screen."""
_FURTHER = {"earliest_error": "gold step", "id": "case"}
"""What other columns are called where a cell of them was kept or hidden."""
_KINDS: dict[str, FacetKind] = {
    "n_steps": "steps",
    "benchmark": "benchmarks",
    "tags": "lists",
    "category": "lists",
    "our_error_type": "lists",
}

MOST_VALUES = 100
"""Different values from which on a metadata column is no facet."""
OPEN = 4
"""Metadata columns that are open facets; further ones are folded until they are asked for."""

_SAID_BY = ("error_type", "subset")
"""A column that may say what another one says."""

LENGTH_SPANS = (*(NumberRange(low, high - 1) for low, high in pairwise(LENGTHS)), NumberRange(LENGTHS[-1], None))
"""The spans of the steps facet, which are the bins of a breakdown by steps."""


def column_words(column: str) -> str:
    """Name a column as a facet; of a scorer's, whose it is."""
    scorer, _, name = column.rpartition(".")
    if scorer and name in EVERY_COLUMN:
        return f"{name.replace('_', ' ')} of {scorer}"
    return TITLES.get(column) or _FURTHER.get(column, column.replace("_", " "))


class FacetColumn(Struct, frozen=True):
    """A column that is offered as a facet. `aside` says that it is folded until it is asked for."""

    column: str
    title: str
    kind: FacetKind = "values"
    aside: bool = False


def facet_columns(
    results: ResultSet, benchmark: str, scorer: str | None, used: Iterable[str] = ()
) -> list[FacetColumn]:
    """Return the facets of a benchmark through a scorer: its outcome first, metadata columns and other scorers last.

    Whether a column tells cases apart is not looked at here. Columns that a filter uses come whatever they are; else
    one that says what another says of every case, as error types do where each has a subset of its own, comes once.
    """
    there = set(results.evaluated.columns)
    if {*_SAID_BY} <= there and _SAID_BY[0] not in (used := list(used)) and _is_said_again(results, benchmark):
        there.remove(_SAID_BY[0])
    plain = [FacetColumn(name, title, _KINDS.get(name, "values")) for name, title in TITLES.items() if name in there]
    others = [
        evaluation.scorer.name
        for evaluation in results.evaluations
        if evaluation.scorer.name != scorer and evaluation.coverage.covers(benchmark)
    ]
    outcomes = [FacetColumn(f"{name}.outcome", f"outcome of {name}", "outcomes", aside=True) for name in others]
    own = [] if scorer is None else [FacetColumn(f"{scorer}.outcome", f"outcome of {scorer}", "outcomes")]
    metadata = _metadata(results, benchmark)
    known = {facet.column for facet in (*plain, *own, *metadata, *outcomes)}
    further = [FacetColumn(name, column_words(name)) for name in used if name not in known]
    return [*plain[:1], *own, *further, *plain[1:], *metadata, *outcomes]


def _is_said_again(results: ResultSet, benchmark: str) -> bool:
    """Whether the error type of every case of a benchmark is its subset."""
    here = results.evaluated.column("benchmark") == benchmark
    again, subsets = (results.evaluated.column(name) for name in _SAID_BY)
    first = here.arg_max()
    if first is None or again[first] != subsets[first]:
        return False
    return again.filter(here).eq_missing(subsets.filter(here)).all()


def _metadata(results: ResultSet, benchmark: str) -> list[FacetColumn]:
    """The metadata columns of few values that tell cases of a benchmark apart."""
    columns = results.loaded.metadata
    names = [
        name
        for name in columns.of(benchmark)
        if results.evaluated.is_metadata(name)
        and not results.evaluated.schema[name].is_float()
        and 1 < columns.distinct(name, benchmark) <= MOST_VALUES
    ]
    return [
        FacetColumn(
            name, name, "numbers" if results.evaluated.schema[name].is_integer() else "values", aside=place >= OPEN
        )
        for place, name in enumerate(names)
    ]


# -- facets with their counts: which columns tell cases apart, and how many cases have each value


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

Counts = list[tuple[FacetChoice, int]]


def facet_counts(
    results: ResultSet,
    within: Bools,
    columns: Sequence[FacetColumn],
    base: tuple[str, ...],
    chosen: Filter,
    matching: Bools | None = None,
) -> dict[str, Counts]:
    """Count for every facet how many cases have each of its values under all the other conditions.

    Args:
        results: whose columns are counted.
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
    everything = results.evaluated.passing(())
    for facet in columns:
        everywhere = facet.kind == "benchmarks"
        every = _tally(results, facet, everything if everywhere else within)
        if facet.kind == "steps":
            every = _in_spans(every)
        used = [chosen_facet for chosen_facet in chosen.facets if chosen_facet.column == facet.column]
        if len(every) > 1 or used:
            others = (*base, *chosen.without(facet.column).conditions)
            if others not in rows:
                kept = results.evaluated.passing(others)
                rows[others] = kept if matching is None else kept & matching
                inside[others] = within & rows[others]
            counts = _tally(results, facet, rows[others] if everywhere else inside[others])
            wanted = (
                [] if facet.kind == "outcomes" else [value for chosen_facet in used for value in chosen_facet.values]
            )
            if facet.kind == "steps":
                alone: dict[FacetChoice, int] = {
                    value: counts.get(value, 0) for value in wanted if isinstance(value, int)
                }
                counts = {**_in_spans(counts, wanted), **alone}
            # Benchmarks stay where they are: one of them is looked at, whatever the others hold.
            order = _order(facet, every if everywhere else counts)
            values = dict.fromkeys((*every, *wanted))
            facets[facet.column] = [(value, counts.get(value, 0)) for value in sorted(values, key=order)]
    return facets


def offered_facets(state: ScreenState) -> list[FacetColumn]:
    """Return the facets that are offered, and those in use."""
    used = dict.fromkeys(facet.column for facet in state.filter.facets)
    return facet_columns(state.results, state.focus.benchmark, state.focus.scorer, used)


def offered_counts(state: ScreenState, columns: Sequence[FacetColumn] | None = None) -> dict[str, Counts]:
    """Count for every offered facet (or some) how many cases have each of its values under all the other conditions."""
    columns = offered_facets(state) if columns is None else columns
    left_by_search = matching(state.results.matches, state.cases.height)
    return facet_counts(state.results, state.benchmark_rows, columns, state.base, state.filter, left_by_search)


def _tally(results: ResultSet, facet: FacetColumn, rows: Bools) -> dict[FacetChoice, int]:
    """The values that some of the cases have, and how many have each."""
    counts = results.evaluated.masks.tally(results.evaluated, facet.column, rows)
    if counts is None:
        values = results.evaluated.column(facet.column).filter(pl.Series(rows))
        return dict(values.alias("value").to_frame().group_by("value").len().iter_rows())
    return {value: count for value, count in counts.items()}  # noqa: C416  # the type of its keys is wider


def _in_spans(numbers: dict[FacetChoice, int], wanted: Sequence[FacetChoice] = ()) -> dict[FacetChoice, int]:
    """Counts of whole numbers, put together by span: the usual ones, and those that were asked for."""
    by_span: dict[FacetChoice, int] = {}
    for span in dict.fromkeys((*LENGTH_SPANS, *(value for value in wanted if isinstance(value, NumberRange)))):
        high = math.inf if span.high is None else span.high
        count = sum(n for value, n in numbers.items() if isinstance(value, int) and span.low <= value <= high)
        if count:
            by_span[span] = count
    return by_span


def _order(facet: FacetColumn, counts: dict[FacetChoice, int]) -> Callable[[FacetChoice], tuple[Any, ...]]:
    """The order of a facet's values: outcomes and spans in their own, others by count, missing values last."""

    def place(value: FacetChoice) -> tuple[Any, ...]:
        if facet.kind == "outcomes" and isinstance(value, str):
            return (OUTCOMES.index(value),)
        if facet.kind == "steps" and isinstance(value, (NumberRange, int)):
            return (value.low, 1) if isinstance(value, NumberRange) else (value, 0)
        if facet.kind == "numbers" and isinstance(value, int):
            return (False, value, "")
        return (value is None, -counts.get(value, 0), str(value))

    return place
