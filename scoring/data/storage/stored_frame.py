"""A frame in Parquet files whose columns are read when they are asked for.

Of ten million cases the texts of identity and content alone take a gigabyte and more, and most questions look at
neither. What a question does look at stays, as in any other frame.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

RowNumbers = npt.NDArray[np.int64]

BLOCK = 250_000
"""Rows of a block, where rows are gone through: of these all columns may be in memory, and those of a smaller frame."""


def is_small(rows: int) -> bool:
    """Return whether a frame of so many rows is no more than a block."""
    return rows <= BLOCK


def row_blocks(rows: int) -> Iterator[RowNumbers]:
    """Yield the numbers of so many rows, BLOCK at a time."""
    return (np.arange(first, min(first + BLOCK, rows)) for first in range(0, rows, BLOCK))


class StoredPart(Struct, frozen=True, eq=False):
    """Some rows of one file.

    Attributes:
        read: Gives columns of the file by name, of all rows or of (the first, 0-based; how many); raises what its
            owner says of a file that cannot be read.
        rows: The rows that count (m,), ascending; None = all `height` of them.
        height: How many count.
    """

    read: Callable[[Sequence[str], tuple[int, int] | None], pl.DataFrame]
    height: int
    rows: RowNumbers | None = None

    def columns(self, names: Sequence[str], first: int = 0, count: int | None = None) -> pl.DataFrame:
        """Read columns of the rows that count, from the first-th on; `count` None = all."""
        last = self.height if count is None else min(self.height, first + count)
        if first == 0 and last == self.height:
            frame = self.read(names, None)
            return frame if self.rows is None else frame[self.rows]
        if self.rows is None:
            return self.read(names, (first, last - first))
        wanted = self.rows[first:last]
        if not wanted.size:
            return self.read(names, (0, 0))
        start = int(wanted[0])
        return self.read(names, (start, int(wanted[-1]) + 1 - start))[wanted - start]

    def only(self, rows: RowNumbers) -> "StoredPart":
        """Keep some of the rows that count, by their places among these, ascending."""
        return StoredPart(self.read, rows.size, rows if self.rows is None else self.rows[rows])


def held_part(frame: pl.DataFrame) -> StoredPart:
    """Make a part of a frame that is in memory."""

    def read(names: Sequence[str], rows: tuple[int, int] | None) -> pl.DataFrame:
        some = frame.select(names)
        return some if rows is None else some.slice(*rows)

    return StoredPart(read, frame.height)


class StoredFrame(pl.DataFrame):
    """The rows of files one below the other, as a frame.

    A column that is asked for by its name, or by an expression that names it, is read alone. Whatever needs every
    column gets the whole frame as polars would hold it; it is then as large as it always was.
    """

    # Polars' own methods go to what it holds in `_df`: here it is made when the first of them does.

    def __init__(
        self,
        schema: Mapping[str, pl.DataType],
        parts: Sequence[StoredPart],
        known: Mapping[str, pl.Series] | None = None,
    ) -> None:
        """Stand for these columns of the parts; `known` are columns that are there already, other ones too."""
        self.parts = tuple(parts)
        self._dtypes = {**schema, **{name: column.dtype for name, column in (known or {}).items()}}
        self._known = dict(known or {})
        self._height = sum(part.height for part in parts)

    @cached_property
    def _df(self) -> Any:  # type: ignore[override]
        return pl.DataFrame([self.get_column(name) for name in self._dtypes])._df  # noqa: SLF001

    @classmethod
    def _from_pydf(cls, py_df: Any) -> pl.DataFrame:
        """What polars' own methods make of it is a frame as any other."""
        return pl.DataFrame._from_pydf(py_df)  # noqa: SLF001

    # -- what is known without reading

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self._height

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self._dtypes)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return self.height, self.width

    @property  # type: ignore[misc]
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._dtypes)

    @property
    def dtypes(self) -> list[pl.DataType]:
        """Their dtypes."""
        return list(self._dtypes.values())

    def __len__(self) -> int:
        return self.height

    def is_empty(self) -> bool:
        """Return whether there is no row."""
        return not self.height

    # -- what is read

    def get_column(self, name: str, *, default: Any = None) -> Any:
        """Return one column, read if it was not before; `default`, where given, stands for one that is not there."""
        if name not in self._known:
            if name not in self._dtypes:
                if default is not None:
                    return default
                raise pl.exceptions.ColumnNotFoundError(name)
            read = [part.columns([name])[name] for part in self.parts]
            self._known[name] = pl.concat([pl.Series(name, dtype=self._dtypes[name]), *read], rechunk=False)
        return self._known[name]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.get_column(key)
        return super().__getitem__(key)

    def select(self, *exprs: Any, **named_exprs: Any) -> pl.DataFrame:
        """Select as polars does, of the columns that are named."""
        every = _one_by_one(exprs)
        return self._naming(every, named_exprs).select(*every, **named_exprs)

    def with_columns(self, *exprs: Any, **named_exprs: Any) -> pl.DataFrame:
        """Put further columns beside these, or in the place of some."""
        every = _one_by_one(exprs)
        if not every and not named_exprs:
            return self
        made = self._naming(every, named_exprs).with_columns(*every, **named_exprs)
        return StoredFrame(self._dtypes, self.parts, {**self._known, **{column.name: column for column in made}})

    def filter(self, *predicates: Any, **constraints: Any) -> pl.DataFrame:
        """Keep the rows that fulfil all of it; of the columns those that are asked for are read."""
        every = [*_one_by_one(predicates), *(pl.col(name) == value for name, value in constraints.items())]
        places = self._naming(every, {}).with_row_index("_place").filter(*every)["_place"]
        return self.only(places.cast(pl.Int64).to_numpy())

    def row(self, index: Any = None, **options: Any) -> Any:
        """Read one row by itself."""
        if not isinstance(index, int) or "by_predicate" in options or "_df" in vars(self):
            return super().row(index, **options)
        place = index % self.height if -self.height <= index < self.height else index
        row = next(self.blocks(self.columns, 1, place), None)
        if row is None or not row.height:
            raise pl.exceptions.OutOfBoundsError(f"index {index} is out of bounds")
        return row.row(0, **options)

    def only(self, rows: RowNumbers) -> "StoredFrame":
        """Keep some rows, by their places, ascending."""
        if rows.size == self.height:
            return self
        parts, start = [], 0
        for part in self.parts:
            first, last = np.searchsorted(rows, (start, start + part.height))
            parts.append(part.only(rows[first:last] - start))
            start += part.height
        return StoredFrame(self._dtypes, parts, {name: column.gather(rows) for name, column in self._known.items()})

    def blocks(self, names: Sequence[str], size: int, first: int = 0) -> Iterator[pl.DataFrame]:
        """Yield some columns, so many rows at a time from one on; what is read for it is not kept."""
        beside = [name for name in names if name in self._known]
        stored = [name for name in names if name not in self._known]
        while first < self.height:
            count = min(size, self.height - first)
            columns = [self._known[name].slice(first, count) for name in beside]
            if stored:
                columns += self._read(stored, first, count).get_columns()
            yield pl.DataFrame(columns).select(names)
            first += count

    def _read(self, names: Sequence[str], first: int, count: int) -> pl.DataFrame:
        frames, start = [], 0
        for part in self.parts:
            lower, upper = max(first, start), min(first + count, start + part.height)
            if lower < upper:
                frames.append(part.columns(names, lower - start, upper - lower))
            start += part.height
        return pl.concat(frames)

    def _naming(self, exprs: Sequence[Any], named: Mapping[str, Any]) -> pl.DataFrame:
        """The columns that some expressions name, or all of them where that cannot be told."""
        wanted: dict[str, None] = {}
        for expression in (*exprs, *named.values()):
            if isinstance(expression, str):
                wanted[expression] = None
            elif isinstance(expression, pl.Expr):
                names = self._dtypes if expression.meta.has_multiple_outputs() else expression.meta.root_names()
                wanted.update(dict.fromkeys(names))
        columns = [self.get_column(name) for name in wanted]
        return pl.DataFrame(columns) if columns else pl.DataFrame(height=self.height)


def _one_by_one(exprs: Sequence[Any]) -> list[Any]:
    """Expressions, and those of lists and iterators of them."""
    nested = (
        item if isinstance(item, Iterable) and not isinstance(item, str | pl.Series) else (item,) for item in exprs
    )
    return list(chain.from_iterable(nested))


def group_numbers(frame: pl.DataFrame, by: Sequence[str]) -> tuple[list[tuple[Any, ...]], npt.NDArray[np.int32]]:
    """Number the combinations of some columns' values in order of appearance.

    Returns:
        The values of each combination, None = missing; and the number (0-based) of each row's, shape (n,).
    """
    values: list[tuple[Any, ...]] = []
    places: dict[str, int] = {}
    numbers = np.zeros(frame.height, dtype=np.int32)
    first = 0
    for block in frame_blocks(frame, by):
        for key, part in block.with_row_index("_row").group_by(list(by), maintain_order=True):
            # By its words: a list is no key.
            words = repr(key)
            if words not in places:
                places[words] = len(values)
                values.append(key)
            numbers[part["_row"].to_numpy() + first] = places[words]
        first += block.height
    return values, numbers


def frame_blocks(frame: pl.DataFrame, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield some columns of a frame, BLOCK rows at a time; of a stored one nothing that is read for it is kept."""
    if isinstance(frame, StoredFrame):
        yield from frame.blocks(names, BLOCK)
        return
    some = frame.select(names)
    yield from (some.slice(first, BLOCK) for first in range(0, frame.height, BLOCK))
