"""Groups of cases by the values of columns, in the order of these values."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from scoring.data.errors import UsageError
from scoring.data.names import near_names
from scoring.data.schema import Bools
from scoring.data.storage.remembered import IdentityCache
from scoring.data.storage.stored_frame import group_numbers
from scoring.evaluation.evaluated_cases import EvaluatedCases
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.axes import DERIVED, axis

_NUMBERS = IdentityCache(4)
"""Which combination of columns' values each case has."""


def group_masks(
    cases: pl.DataFrame, by: tuple[str, ...], within: Bools | None = None
) -> Iterator[tuple[Mapping[str, str], Bools]]:
    """Yield every combination of the columns' values that occurs, with its rows as a mask (n); without columns, all
    rows.

    `within` (n) are the rows to look at, by default all.
    """
    within = np.ones(cases.height, dtype=np.bool_) if within is None else within
    if not by:
        yield {}, within
        return
    every, numbers = _NUMBERS.of(by, (cases,), lambda: group_numbers(cases, by))
    for number in pl.Series(numbers[within]).unique(maintain_order=True):
        values = zip(by, every[number], strict=True)
        yield {name: "" if value is None else str(value) for name, value in values}, within & (numbers == number)


def grouped(evaluated: EvaluatedCases, by: Sequence[str]) -> pl.DataFrame:
    """Return the cases with what they are grouped by: their own columns, DERIVED, and whatever others are asked for.

    Raises:
        UsageError: a column that is asked for is not there.
    """
    cases = evaluated.loaded.cases
    for name in by:
        if name not in {*evaluated.schema, *DERIVED}:
            if why := evaluated.why_missing(name):
                raise UsageError(f"there is no column {name!r}.", why)
            listed = ", ".join((*cases.columns, *evaluated.loaded.metadata.schema, *DERIVED))
            hint = f"There are: {listed}; and SCORER.outcome, SCORER.verdict and so on."
            columns = (*cases.columns, *evaluated.loaded.metadata.schema, *DERIVED)
            raise UsageError(f"there is no column {name!r}.", hint, instead=near_names(name, columns, "column"))
    beside = [evaluated.column(name).alias(name) for name in by if name not in {*cases.columns, *DERIVED}]
    frame = cases.with_columns(beside)
    return frame.with_columns(_derived(cases, name) for name in by if name in DERIVED)


def _derived(cases: pl.DataFrame, name: str) -> pl.Series:
    """The name of each case's bin, as an enumeration in their order; null = what is binned is missing."""
    bins = axis(cases, name)
    names = [value for value in bins.values if value is not None]
    texts = [bins.values[number] for number in bins.numbers.tolist()]
    return pl.Series(name, texts, dtype=pl.Enum(names))


def groups(frame: pl.DataFrame, by: tuple[str, ...], within: Bools) -> Iterator[tuple[Mapping[str, str], Bools]]:
    """Yield every combination of the columns' values that occurs, with its rows as a mask (n); without columns, all
    rows.

    The first column's order comes first: numbers and bins ascend, outcomes come in their own order, texts as they
    appear in `frame`; a missing value, which is called by the empty text, is last.
    """
    places = [_places(frame[name]) for name in by]

    def place(group: tuple[Mapping[str, str], Bools]) -> tuple[int, ...]:
        first = int(np.argmax(group[1]))
        return tuple(int(column_places[first]) for column_places in places)

    yield from sorted(group_masks(frame, by, within), key=place)


def _places(series: pl.Series) -> pl.Series:
    """The place of each value among those that there are."""
    if series.dtype == pl.String():
        values = series.unique(maintain_order=True).drop_nulls().to_list()
        values = [name for name in OUTCOMES if name in values] if series.name.endswith(".outcome") else values
        series = series.cast(pl.Enum(values))
    elif series.dtype.is_nested():
        return pl.Series(np.arange(series.len()))
    return series.rank("dense").fill_null(series.len() + 1)
