"""Columns of few values as small numbers: looked up and counted many times faster than texts."""

from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.data.schema import Bools, Ints

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
