"""Conditions over columns that are made when they are asked for, each answered once as long as its columns stay."""

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.data.schema import Bools, Ints
from scoring.data.storage.remembered import IdentityCache
from scoring.workspace.filtering.facet_reading import facet_of
from scoring.workspace.filtering.filters import Facet, NumberRange, needed_columns, row_passes

# -- columns of few values as small numbers: looked up and counted many times faster than texts


LIMIT = 1 << 16
"""More values than this are no small set."""

CodeArray = npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
ConditionValue = str | int | None


class Categories(Struct, frozen=True, eq=False, dict=True):
    """The values of a column of n cases: row i has `values[numbers[i]]`; a missing value is None.

    Each value stands once, `numbers` are unsigned and as narrow as they can be. Some values may be in no row.
    """

    values: tuple[ConditionValue, ...]
    numbers: CodeArray

    def among(self, wanted: tuple[ConditionValue, ...]) -> Bools:
        """Return which rows have one of the values, as a mask (n,)."""
        table = np.zeros(max(1, len(self.values)), dtype=np.bool_)
        # True is 1 to Python and not to a column.
        typed_values = {(type(value), value) for value in wanted}
        for number, value in enumerate(self.values):
            table[number] = (type(value), value) in typed_values
        mask: Bools = table.take(self.numbers)
        return mask

    def counts(self, within: Bools | None = None) -> Ints:
        """Count the rows that have each value: of all, or of a mask (n,)."""
        if within is None:
            return self._everywhere
        if 2 * np.count_nonzero(within) > within.size:
            # The fewer rows are looked at, the sooner it is done.
            return self._everywhere - self._among(~within)
        return self._among(within)

    @cached_property
    def _everywhere(self) -> Ints:
        return np.bincount(self.numbers, minlength=len(self.values))

    def _among(self, within: Bools) -> Ints:
        return np.bincount(self.numbers[within], minlength=len(self.values))

    def tally(self, within: Bools) -> dict[ConditionValue, int]:
        """Count how many rows have each value that some have."""
        counts = self.counts(within)
        return {self.values[number]: int(counts[number]) for number in np.flatnonzero(counts)}


class ListedValues(Struct, frozen=True, eq=False):
    """The values of a column of lists of n cases: each case that lists a value stands once in `rows` for it.

    `coded` says which value, row by row; `holders` (ascending row ids) are the cases that list any.
    """

    rows: Ints
    coded: Categories
    holders: Ints

    def tally(self, within: Bools) -> dict[ConditionValue, int]:
        """Count how many rows list each value that some list; None stands for listing nothing."""
        counts = self.coded.tally(within[self.rows])
        nothing = int(np.count_nonzero(within)) - int(np.count_nonzero(within[self.holders]))
        return {**counts, **({None: nothing} if nothing else {})}


def categories(column: pl.Series) -> Categories | None:
    """Code the values of a text, Boolean or integer column, texts as they appear; None for others and for too many."""
    dtype = column.dtype
    if not (dtype == pl.String() or dtype == pl.Boolean() or dtype.is_integer()):
        return None
    # A sample tells the columns that hold a name a case without going through all of them.
    if column.head(2 * LIMIT).n_unique() > LIMIT or column.n_unique() > LIMIT:
        return None
    distinct = column.unique(maintain_order=True).drop_nulls()
    if dtype == pl.String():
        numbers = column.cast(pl.Enum(distinct)).to_physical()
    else:
        places = pl.DataFrame({"value": distinct, "number": np.arange(distinct.len(), dtype=np.uint32)})
        frame = column.alias("value").to_frame()
        numbers = frame.join(places, on="value", how="left", maintain_order="left")["number"]
    values: list[ConditionValue] = distinct.to_list()
    if column.null_count():
        numbers = numbers.cast(pl.UInt32).fill_null(len(values))
        values.append(None)
    wide = numbers.to_numpy()
    return Categories(tuple(values), wide.astype(np.uint8) if len(values) <= 1 << 8 else wide.astype(np.uint32))


def listed_values(column: pl.Series) -> ListedValues:
    """Code the values of a column of lists; what is missing in a list is none."""
    rows = np.flatnonzero((column.list.len().fill_null(0) > 0).to_numpy())
    pairs = pl.DataFrame({"row": rows, "value": column.gather(rows)}).explode("value").drop_nulls().unique()
    pairs = pairs.sort("row", "value")
    values = pairs["value"].unique(maintain_order=True)
    places = pl.DataFrame({"value": values, "number": np.arange(values.len(), dtype=np.uint32)})
    numbers = pairs.join(places, on="value", how="left", maintain_order="left")["number"].to_numpy()
    owners = pairs["row"].cast(pl.Int64).to_numpy()
    return ListedValues(owners, Categories(tuple(values.to_list()), numbers.astype(np.uint32)), np.unique(owners))


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
