"""Which columns cases can be broken down by, how these and their values are called, and their cases."""

from collections.abc import Iterator, Sequence

import polars as pl

from inspector.state.filtering.facets import FACETS, column_words
from scoring.data.errors import UsageError
from scoring.data.schema import METADATA
from scoring.data.storage.remembered import IdentityCache
from scoring.metrics.axes import DERIVED, Axis, axis
from scoring.metrics.breakdown import DEFAULTS
from scoring.selection.result_set import ResultSet

MOST = 60
"""A column of more values than this is not offered."""
GIVEN_BY = {
    "pattern": "Socratic-PRMBench",
    "error_type": "GR-Ben, PRMBench and Socratic-PRMBench",
    "error_kind": "Socratic-PRMBench",
}
"""The taxonomies that many ask for, and the benchmarks that have them."""
OF_ERRORS = ("error_type", "error_category", "error_kind", "pattern")
"""Columns of kinds of errors, the usual one first."""
_TITLES = {"steps": "steps in bins", "position": "gold step", "n_steps": "number of steps"}
_OFFERED, _AXES = IdentityCache(16), IdentityCache(24)


def column_title(column: str) -> str:
    """Write the name of a column."""
    return _TITLES.get(column) or column_words(column)


def value_title(value: str | None) -> str:
    """Write a value of a column."""
    return "(none)" if value is None else value or "(empty)"


def axis_of(results: ResultSet, column: str) -> Axis:
    """Return the values of a column of the cases or a scorer, or of one of DERIVED; those of a column are made once.

    Raises:
        UsageError: there is no such column, or none to break down by.
    """
    of_cases = column in {*METADATA, *DERIVED}
    if not of_cases and column not in results.evaluated.schema:
        if why := results.evaluated.why_missing(column):
            raise UsageError(f"there is no column {column!r}.", why)
        # One that is not there is told with all that are.
        return axis(pl.DataFrame(schema=results.evaluated.schema), column)
    owner = results.cases if of_cases else results.evaluated.owner(column)
    made: Axis = _AXES.of(
        column, (owner,), lambda: axis(results.cases if of_cases else results.evaluated.table((column,)), column)
    )
    return made


def usual_axes(results: ResultSet) -> Sequence[Axis]:
    """Return the columns that tell cases apart by themselves: every facet, lengths and positions."""
    limited = [name for name in FACETS if 1 < results.cases[name].n_unique() <= 100]
    return [axis_of(results, name) for name in (*limited, *DERIVED)]


def usual_columns(results: ResultSet, benchmark: str) -> tuple[str, ...]:
    """Name the one or two columns that a benchmark is usually broken down by."""
    if benchmark in DEFAULTS:
        return DEFAULTS[benchmark]
    cases = results.cases.filter(pl.col("benchmark") == benchmark)
    return next(((name,) for name in FACETS if cases[name].n_unique() > 1), ("steps",))


def usual_error_column(results: ResultSet, benchmark: str) -> str:
    """Name the column of kinds of errors that a benchmark's cases have; "" where they have none."""
    own = columns_of_cases(results, benchmark)
    return next((name for name in OF_ERRORS if name in own), "")


def columns_of_cases(results: ResultSet, benchmark: str) -> tuple[str, ...]:
    """Name the columns that tell the cases of a benchmark apart, those of its file that nobody claims last."""
    named: tuple[str, ...] = _OFFERED.of(
        benchmark,
        (results.cases,),
        lambda: tuple(_of_cases(results.cases.filter(pl.col("benchmark") == benchmark))),
    )
    return (*named, *_of_metadata(results, benchmark))


def columns_offered(results: ResultSet, benchmark: str) -> tuple[str, ...]:
    """Name these columns, and the outcomes of all scorers, those of the chosen ones first."""
    covering = [evaluation.scorer.name for evaluation in results.evaluations if evaluation.coverage.covers(benchmark)]
    names = dict.fromkeys((*(name for name in results.chosen if name in covering), *covering))
    return (*columns_of_cases(results, benchmark), *(f"{name}.outcome" for name in names))


def _of_cases(cases: pl.DataFrame) -> Iterator[str]:
    for name in (*FACETS, "n_steps"):
        if 1 < cases[name].n_unique() <= MOST:
            yield name
    if cases["n_steps"].n_unique() > 1:
        yield DERIVED[0]
    if cases["earliest_error"].n_unique() > 1:
        yield DERIVED[1]


def _of_metadata(results: ResultSet, benchmark: str) -> Iterator[str]:
    columns = results.loaded.metadata
    for name in columns.of(benchmark):
        few = 1 < columns.distinct(name, benchmark) <= MOST
        if few and results.evaluated.is_metadata(name) and not results.evaluated.schema[name].is_float():
            yield name


def lacking_columns(results: ResultSet, benchmark: str) -> str:
    """Name the taxonomies that the cases lack, and what would give them; "" where they have all."""
    there = columns_of_cases(results, benchmark)
    lacking = [
        f"{column_title(name)} ({makers} {'have' if ' and ' in makers else 'has'} it)"
        for name, makers in GIVEN_BY.items()
        if name not in there
    ]
    if not lacking:
        return ""
    return (
        f"The cases of {benchmark} are not told apart by {'; '.join(lacking)}. Cases of your own have it where their "
        "file has a field of this name."
    )
