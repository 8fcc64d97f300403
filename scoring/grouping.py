"""The groups of `metrics --by`: cases by the values of columns, in the order of these values."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from scoring.errors import UsageError
from scoring.evaluated_cases import EvaluatedCases
from scoring.metrics.axes import DERIVED, axis
from scoring.parts import parts
from scoring.step_rewards import Bools
from scoring.verdicts import OUTCOMES


def grouped(evaluated: EvaluatedCases, by: Sequence[str]) -> pl.DataFrame:
    """The cases with what they are grouped by: their own columns, DERIVED, and whatever others are asked for.

    Raises:
        UsageError: a column that is asked for is not there.
    """
    cases = evaluated.cases
    for name in by:
        if name not in {*evaluated.schema, *DERIVED}:
            if why := evaluated.why_missing(name):
                raise UsageError(f"there is no column {name!r}.", why)
            listed = ", ".join((*cases.columns, *evaluated.metadata.schema, *DERIVED))
            told = f"There are: {listed}; and SCORER.outcome, SCORER.verdict and so on."
            raise UsageError(f"there is no column {name!r}.", told)
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
    """Every combination of the columns' values that occurs, with its rows as a mask (n); without columns, all rows.

    The first column's order comes first: numbers and bins ascend, outcomes come in their own order, texts as they
    appear in `frame`; a missing value, which is called by the empty text, is last.
    """
    places = [_places(frame[name]) for name in by]

    def place(group: tuple[Mapping[str, str], Bools]) -> tuple[int, ...]:
        first = int(np.argmax(group[1]))
        return tuple(int(one[first]) for one in places)

    yield from sorted(parts(frame, by, within), key=place)


def _places(series: pl.Series) -> pl.Series:
    """The place of each value among those that there are."""
    if series.dtype == pl.String():
        found = series.unique(maintain_order=True).drop_nulls().to_list()
        found = [name for name in OUTCOMES if name in found] if series.name.endswith(".outcome") else found
        series = series.cast(pl.Enum(found))
    elif series.dtype.is_nested():
        return pl.Series(np.arange(series.len()))
    return series.rank("dense").fill_null(series.len() + 1)
