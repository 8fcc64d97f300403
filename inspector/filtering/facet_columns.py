"""Which columns are facets, in which order, and what each is called."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from inspector.selection import Selection
from scoring.filters import Span
from scoring.metrics.breakdown import LENGTHS
from scoring.scorer_columns import EVERY_COLUMN

Kind = Literal["values", "numbers", "outcomes", "steps", "lists", "benchmarks"]

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
_KINDS: dict[str, Kind] = {
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

LENGTH_SPANS = (*(Span(low, high - 1) for low, high in pairwise(LENGTHS)), Span(LENGTHS[-1], None))
"""The spans of the steps facet, which are the bins of a breakdown by steps."""


def column_words(column: str) -> str:
    """What a column is called as a facet; of a scorer's, whose it is."""
    scorer, _, name = column.rpartition(".")
    if scorer and name in EVERY_COLUMN:
        return f"{name.replace('_', ' ')} of {scorer}"
    return TITLES.get(column) or _FURTHER.get(column, column.replace("_", " "))


class FacetColumn(Struct, frozen=True):
    """A column that is offered as a facet. `aside` says that it is folded until it is asked for."""

    column: str
    title: str
    kind: Kind = "values"
    aside: bool = False


def facet_columns(
    selection: Selection, benchmark: str, scorer: str | None, used: Iterable[str] = ()
) -> list[FacetColumn]:
    """The facets of a benchmark seen through a scorer: its outcome first, metadata columns and other scorers last.

    Whether a column tells cases apart is not looked at here. Columns that a filter uses come whatever they are; else
    one that says what another says of every case, as error types do where each has a subset of its own, comes once.
    """
    there = set(selection.columns)
    if {*_SAID_BY} <= there and _SAID_BY[0] not in (used := list(used)) and _is_said_again(selection, benchmark):
        there.remove(_SAID_BY[0])
    plain = [FacetColumn(name, title, _KINDS.get(name, "values")) for name, title in TITLES.items() if name in there]
    others = [one.scorer.name for one in selection.evaluations if one.scorer.name != scorer and one.covers(benchmark)]
    outcomes = [FacetColumn(f"{name}.outcome", f"outcome of {name}", "outcomes", aside=True) for name in others]
    own = [] if scorer is None else [FacetColumn(f"{scorer}.outcome", f"outcome of {scorer}", "outcomes")]
    metadata = _metadata(selection, benchmark)
    known = {one.column for one in (*plain, *own, *metadata, *outcomes)}
    further = [FacetColumn(name, column_words(name)) for name in used if name not in known]
    return [*plain[:1], *own, *further, *plain[1:], *metadata, *outcomes]


def _is_said_again(selection: Selection, benchmark: str) -> bool:
    """Whether the error type of every case of a benchmark is its subset."""
    here = selection.column("benchmark") == benchmark
    again, said = (selection.column(name) for name in _SAID_BY)
    first = here.arg_max()
    if first is None or again[first] != said[first]:
        return False
    return again.filter(here).eq_missing(said.filter(here)).all()


def _metadata(selection: Selection, benchmark: str) -> list[FacetColumn]:
    """The metadata columns of few values that tell cases of a benchmark apart."""
    columns = selection.metadata
    found = [
        name
        for name in columns.of(benchmark)
        if selection.is_metadata(name)
        and not selection.schema[name].is_float()
        and 1 < columns.distinct(name, benchmark) <= MOST_VALUES
    ]
    return [
        FacetColumn(name, name, "numbers" if selection.schema[name].is_integer() else "values", aside=place >= OPEN)
        for place, name in enumerate(found)
    ]
