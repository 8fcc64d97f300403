"""Conditions over columns that are made when they are asked for, each answered once as long as its columns stay."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import polars as pl

from scoring.data.schema import Bools
from scoring.data.storage.remembered import IdentityCache
from scoring.workspace.filtering.coded_columns import (
    Categories,
    ConditionValue,
    ListedValues,
    categories,
    listed_values,
)
from scoring.workspace.filtering.facet_reading import facet_of
from scoring.workspace.filtering.filters import Facet, NumberRange, needed_columns, row_passes

KEPT = 64
"""Masks that are kept; one of a million cases takes a megabyte."""
COLUMNS_KEPT = 256
"""Columns as numbers, and counts of them, that are kept."""


class NamedColumns(Protocol):
    """Named columns of n cases."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""

    @property
    def height(self) -> int:
        """How many cases there are: n."""

    def column(self, name: str) -> pl.Series:
        """Return one of the columns. Raises polars' ColumnNotFoundError."""

    def owner(self, name: str) -> object:
        """Return what a column was made from: as long as it is the same object, so are the column's values."""

    def coded(self, name: str) -> Categories | None:
        """Return a column that is kept as numbers anyway; None: it is not."""


class ConditionMasks:
    """Which rows fulfil conditions, remembered by condition and by what its columns were made from.

    A facet is looked up in numbers, any other condition is evaluated over the columns that it names and no others.
    """

    def __init__(self) -> None:
        self._masks = IdentityCache(KEPT)
        self._columns = IdentityCache(COLUMNS_KEPT)

    def passing(self, source: NamedColumns, conditions: Sequence[str]) -> Bools:
        """Return which rows fulfil every condition, as a mask (n,) that nobody may write to.

        Raises:
            FilterError: as for `scoring.workspace.filtering.filters.passing`.
        """
        height = source.height
        first = self._masks.of(((), height), (), lambda: _locked(np.ones(height, dtype=np.bool_)))
        masks = [self._mask(source, condition) for condition in conditions]
        if len(masks) < 2:
            return masks[0] if masks else first
        return self._masks.of(tuple(conditions), tuple(masks), lambda: _locked(np.logical_and.reduce(masks)))

    def categories(self, source: NamedColumns, name: str) -> Categories | None:
        """Return a column as numbers; None where its values are no small set. Raises polars' ColumnNotFoundError."""
        if (coded := source.coded(name)) is not None:
            return coded
        owners = (source.owner(name),)
        return self._columns.of(("values", name), owners, lambda: categories(source.column(name)))

    def listed(self, source: NamedColumns, name: str) -> ListedValues:
        """Return a column of lists as numbers. Raises polars' ColumnNotFoundError."""
        owners = (source.owner(name),)
        return self._columns.of(("lists", name), owners, lambda: listed_values(source.column(name)))

    def tally(self, source: NamedColumns, name: str, within: Bools) -> dict[ConditionValue, int] | None:
        """Count how often each value that occurs does so in a column among some rows; None where they are too many.

        Args:
            source: has the column.
            name: of a column of few values, or of lists of them.
            within: (n,) a mask; whoever asks again for the same object gets the same answer without counting.
        """
        nested = isinstance(source.column(name).dtype, pl.List) if source.coded(name) is None else False
        made = self.listed(source, name) if nested else self.categories(source, name)
        if made is None:
            return None
        return self._columns.of(("tally", name, nested), (source.owner(name), within), lambda: made.tally(within))

    def _mask(self, source: NamedColumns, condition: str) -> Bools:
        names = needed_columns(condition, source.columns)
        owners = tuple(source.owner(name) for name in names)
        # One that names no column has no owners, and is as long as the columns all the same.
        return self._masks.of((condition, source.height), owners, lambda: self._made(source, condition, names))

    def _made(self, source: NamedColumns, condition: str, names: Sequence[str]) -> Bools:
        facet = facet_of(condition)
        if facet is not None and facet.column in names:
            coded = self.categories(source, facet.column)
            plain = tuple(value for value in facet.values if not isinstance(value, NumberRange))
            if coded is not None and plain == facet.values and _comparable(facet, coded):
                mask = coded.among(plain)
                return _locked(mask if facet.keep else ~mask)
        table = pl.DataFrame([source.column(name).alias(name) for name in names])
        return _locked(row_passes(table, condition, source.height, source.columns).to_numpy(writable=True))


def _locked(mask: Bools) -> Bools:
    mask.flags.writeable = False
    return mask


def _comparable(facet: Facet, coded: Categories) -> bool:
    """Whether SQL would compare all values of the facet with those of the column."""
    kinds = {type(value) for value in coded.values if value is not None}
    return {type(value) for value in facet.values if value is not None} <= kinds
