"""Metadata columns: what a file of cases holds beside the fields that its reader claims.

They are scalars, named as in the file (`meta.difficulty` where one stands inside an object), and lie beside a
benchmark's index. Most of them are never asked for, so that each is read when it is.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct, field

from scoring.data.errors import DamagedWorkspace
from scoring.data.schema import CASES
from scoring.data.storage.parquet import read_parquet
from scoring.data.storage.remembered import IdentityCache

PREFIX = "column:"
"""What stands before the name of a metadata column in a benchmark's index, so that no column of ours can clash."""
OURS = "meta."
"""What stands before the name of a metadata column whose own name means something else here."""
COLUMNS_KEPT = 8
"""Columns that stay in memory once they were read; one of a million texts may take 30 megabytes."""

_OF_SCORERS = frozenset(
    {
        *("verdict", "outcome", "reward_at_gold", "margin", "step_accuracy", "abs_margin", "drop_at_gold"),
        *("lowest_reward", "decision_distance", "lowest_compared", "lowest_to_gold", "lowest_before_gold"),
        *("seconds", "tokens_in", "tokens_out", "cost", "currency"),
        *("rewards", "solution"),
    }
)
RESERVED = _OF_SCORERS | {
    *CASES,
    *("tags", "note", "ruling", "category", "our_error_type", "adjudication", "disagreement"),
    *("instructive", "found_in", "position", "scorer", "other", "metric", "value", "low", "high", "n", "small"),
    *("where", "sd", "runs", "difference", "original", "adjudicated", "slice", "_row", "_cell"),
}
"""Names that mean something here already: columns of cases, scorers and triage, of tables by groups, keys, axes."""

_WHOLE = 2**53
"""From here on a float is not every whole number."""


class ColumnFates(Struct, frozen=True):
    """What became of every column of a file of cases.

    `claimed` are the names that the reader takes, `kept` maps the names of the metadata columns in the file to those
    that they have here, `left_out` says of every other name why it is left out, and `uncounted` is how many more were
    left out without looking at them.
    """

    claimed: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    uncounted: int = 0

    def report(self) -> dict[str, Any]:
        """Make the document of an import's report: texts, and objects of texts."""
        return {
            "claimed": list(self.claimed),
            "kept": dict(self.kept),
            "left_out": dict(self.left_out),
            "uncounted": self.uncounted,
        }


def metadata_name(name: str) -> str:
    """Give a column of a file the name that it has here: its own, with `meta.` before it where that is reserved.

    One that polars would read as a pattern gets it too, and one that ends like a scorer's column: `judge.margin`
    becomes `meta.judge_margin`. Upper and lower case differ, as in conditions.
    """
    before, dot, last = name.rpartition(".")
    if dot and last in _OF_SCORERS and name != f"{OURS}{last}":
        return f"{OURS}{before.removeprefix(OURS)}_{last}"
    pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
    return f"{OURS}{name}" if pattern or name in RESERVED else name


def number_text(value: float) -> str:
    """Write a number as JSON text; a whole float without its fraction, so that 1 and 1.0 are one value."""
    return json.dumps(int(value) if abs(value) < _WHOLE and value == int(value) else value)


def reconciled(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Bring columns of one name to one dtype: Int64 and Float64 become Float64, other mixtures String by JSON text.

    Columns of nulls fit every dtype. Whole numbers too large to be floats become texts as well.
    """
    dtypes = {column.dtype for column in columns if column.null_count() < column.len()}
    target = reduce(_common, sorted(dtypes, key=str)) if dtypes else (columns[0].dtype if columns else pl.String())
    if target == pl.Float64() and any(map(is_wide, columns)):
        target = pl.String()
    return [_as(column, target) for column in columns]


def _common(left: pl.DataType, other: pl.DataType) -> pl.DataType:
    return pl.Float64() if {left, other} == {pl.Int64(), pl.Float64()} else pl.String()


def is_wide(column: pl.Series) -> bool:
    """Return whether some whole numbers of a column are too large to be floats."""
    return column.dtype == pl.Int64() and bool(((column >= _WHOLE) | (column <= -_WHOLE)).any())


def _as(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    if column.dtype == dtype:
        return column
    if dtype != pl.String() or column.dtype == pl.Null() or column.null_count() == column.len():
        return column.cast(dtype)
    if column.dtype == pl.Float64():
        return pl.Series(
            column.name, [None if value is None else number_text(value) for value in column], dtype=pl.String
        )
    return column.cast(pl.String)


def together(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put frames of metadata columns one below the other, with the columns of all; null where one has none.

    Frames must have their rows: see `columns_frame`.
    """
    names = dict.fromkeys(name for frame in frames for name in frame.columns)
    series = []
    for name in names:
        parts = [
            frame[name] if name in frame.columns else pl.Series(name, [None] * frame.height, dtype=pl.Null)
            for frame in frames
        ]
        series.append(pl.concat(reconciled(parts)).alias(name))
    return columns_frame(series, sum(frame.height for frame in frames))


def columns_frame(columns: Sequence[pl.Series], height: int) -> pl.DataFrame:
    """Make a frame of columns; it has so many rows where there is no column, too."""
    return pl.DataFrame(columns, height=height) if columns else pl.DataFrame(height=height)


class StoredColumns(Struct, frozen=True, eq=False):
    """The metadata columns of one benchmark, in a file.

    `dtypes` are those of its columns, `values` how many different values each has (missing counts as one), `wide` names
    those of whole numbers too large to be floats. `rows` are the rows of the file that are listed (n,), None = all
    `height` of them.
    """

    benchmark: str
    path: Path
    dtypes: Mapping[str, pl.DataType]
    values: Mapping[str, int]
    height: int
    wide: frozenset[str] = frozenset()
    rows: npt.NDArray[np.int64] | None = None

    def column(self, name: str) -> pl.Series:
        """Read one column of the listed rows.

        Raises:
            DamagedWorkspace: the file has gone or cannot be read.
        """
        values = self._read([name], None)[name]
        return values if self.rows is None else values.gather(self.rows)

    def row(self, index: int) -> dict[str, Any]:
        """Read all columns of one listed row. Raises DamagedWorkspace as `column` does."""
        place = index if self.rows is None else int(self.rows[index])
        return self._read(list(self.dtypes), (place, 1)).row(0, named=True)

    def _read(self, names: Sequence[str], rows: tuple[int, int] | None) -> pl.DataFrame:
        try:
            frame = read_parquet(self.path, [PREFIX + name for name in names], rows)
        except OSError as error:
            raise DamagedWorkspace(
                f"{self.path} cannot be read: {error}.", "Open the workspace again, or import again."
            ) from None
        return frame.rename({PREFIX + name: name for name in names})


class MetadataColumns:
    """The metadata columns of n cases, each read when it is asked for."""

    def __init__(self, parts: Sequence[StoredColumns | int] = ()) -> None:
        """For cases that stand one part below the other; a number is that of cases without any such column."""
        self._parts = tuple(parts)
        self._read = IdentityCache(COLUMNS_KEPT)
        self._rows = IdentityCache(1)

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """Names and dtypes, in the order in which the benchmarks have them."""
        dtypes: dict[str, pl.DataType] = {}
        for part in self._stored:
            for name, dtype in part.dtypes.items():
                dtypes[name] = dtype if dtypes.get(name, dtype) == dtype else _common(dtypes[name], dtype)
        wide = {name for part in self._stored for name in part.wide}
        return {
            name: pl.String() if dtype == pl.Float64() and name in wide else dtype for name, dtype in dtypes.items()
        }

    def of(self, benchmark: str) -> tuple[str, ...]:
        """Return the names of the columns of one benchmark's cases."""
        return tuple(name for part in self._stored if part.benchmark == benchmark for name in part.dtypes)

    def distinct(self, name: str, benchmark: str) -> int:
        """Describe how many different values a column has in a benchmark, without reading it; missing counts as one."""
        return sum(part.values.get(name, 0) for part in self._stored if part.benchmark == benchmark)

    def column(self, name: str) -> pl.Series:
        """Read a column of all cases, or give what was read before.

        Raises:
            KeyError: there is none of that name.
            DamagedWorkspace: its file has gone or cannot be read.
        """
        if name not in self.schema:
            raise KeyError(name)
        return self._read.of(name, (), lambda: self._column(name))

    def row(self, index: int) -> dict[str, Any]:
        """Read the values of one case (0-based), without those that are missing."""
        return self._rows.of(index, (), lambda: self._row(index))

    def _row(self, index: int) -> dict[str, Any]:
        for part in self._parts:
            height = part if isinstance(part, int) else part.height
            if index < height:
                row = {} if isinstance(part, int) else part.row(index)
                return {name: value for name, value in row.items() if value is not None}
            index -= height
        raise IndexError(index)

    @property
    def _stored(self) -> Iterator[StoredColumns]:
        return (part for part in self._parts if isinstance(part, StoredColumns))

    def _column(self, name: str) -> pl.Series:
        columns = []
        for part in self._parts:
            if isinstance(part, StoredColumns) and name in part.dtypes:
                columns.append(part.column(name))
            else:
                height = part if isinstance(part, int) else part.height
                columns.append(pl.Series(name, [None], dtype=pl.Null).new_from_index(0, height))
        dtype = self.schema[name]
        return pl.concat([_as(column, dtype) for column in columns]).alias(name)
