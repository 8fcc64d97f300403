"""Which columns the cases of a benchmark can be broken down by, and what would give those that they have not."""

from collections.abc import Iterator

import polars as pl

from inspector.breakdown import axis_of, usual_columns
from inspector.filtering.facet_columns import column_words
from inspector.filtering.facet_counts import FACETS
from inspector.inspection import Inspection
from inspector.subject import covering
from scoring.metrics.axes import DERIVED, Axis
from scoring.remembered import Remembered

MOST = 60
"""More values than this are not laid out on a screen."""
GIVEN_BY = {
    "pattern": "Socratic-PRMBench",
    "error_type": "GR-Ben, PRMBench and Socratic-PRMBench",
    "error_kind": "Socratic-PRMBench",
}
"""The taxonomies that many ask for, and the benchmarks that have them."""
_WORDS = {"steps": "steps in bins", "position": "gold step", "n_steps": "number of steps"}
_OFFERED, _AXES = Remembered(8), Remembered(24)


def words(column: str) -> str:
    """What a column is called here."""
    return _WORDS.get(column) or column_words(column)


def value_words(value: str | None) -> str:
    """What a value of a column is called."""
    return "(none)" if value is None else value or "(empty)"


def offered(inspection: Inspection) -> tuple[str, ...]:
    """The columns that tell the cases of the benchmark in focus apart, those of scorers last."""
    there = inspection.benchmark_rows
    own: tuple[str, ...] = _OFFERED.of(
        inspection.benchmark, (inspection.cases,), lambda: tuple(_own(inspection.cases.filter(pl.Series(there))))
    )
    names = [name for name in covering(inspection) if name != inspection.scorer]
    focus = [inspection.scorer] if inspection.scorer else []
    return (*own, *_metadata(inspection), *(f"{name}.outcome" for name in (*focus, *names)))


def _metadata(inspection: Inspection) -> Iterator[str]:
    """The metadata columns of few values."""
    selection, columns = inspection.selection, inspection.selection.metadata
    for name in columns.of(inspection.benchmark):
        few = 1 < columns.distinct(name, inspection.benchmark) <= MOST
        if few and selection.is_metadata(name) and not selection.schema[name].is_float():
            yield name


def _own(cases: pl.DataFrame) -> Iterator[str]:
    for name in (*FACETS, "n_steps"):
        if 1 < cases[name].n_unique() <= MOST:
            yield name
    lengths, errors = cases["n_steps"], cases["earliest_error"]
    if lengths.n_unique() > 1:
        yield DERIVED[0]
    if errors.n_unique() > 1:
        yield DERIVED[1]


def axis(inspection: Inspection, column: str) -> Axis:
    """The values of a column; of one and the same column they are made once."""
    selection = inspection.selection
    owner = selection.cases if column in {*DERIVED, *selection.cases.columns} else selection.owner(column)
    found: Axis = _AXES.of(column, (owner,), lambda: axis_of(selection, column))
    return found


def usual(inspection: Inspection) -> tuple[str, str]:
    """The columns of the map until others are chosen; the second is "" where there is one alone."""
    there = offered(inspection)
    default = [name for name in usual_columns(inspection.selection, inspection.benchmark) if name in there]
    rows = default[0] if default else next(iter(there), "")
    return rows, default[1] if len(default) > 1 else ""


def usual_types(inspection: Inspection) -> str:
    """The column of kinds of errors; "" where the cases have none."""
    there = offered(inspection)
    return next((name for name in ("error_type", "error_category", "error_kind", "pattern") if name in there), "")


def missing_words(inspection: Inspection) -> str:
    """Which taxonomies the cases have not, and what would give them; "" where they have all."""
    there = offered(inspection)
    told = [
        f"{words(name)} ({given} {'have' if ' and ' in given else 'has'} it)"
        for name, given in GIVEN_BY.items()
        if name not in there
    ]
    if not told:
        return ""
    return (
        f"The cases of {inspection.benchmark} are not told apart by {'; '.join(told)}. Cases of your own have it "
        "where their file has a field of this name."
    )
