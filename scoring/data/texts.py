"""The texts of cases, read on demand: they are most of a benchmark's bytes and a screen shows one case."""

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.data.errors import DamagedWorkspace
from scoring.data.schema import LATER_TEXTS, TEXTS
from scoring.data.storage.parquet import read_parquet

TextPlaces = npt.NDArray[np.integer[Any]]

ROW_GROUP = 1024
"""Rows of a group in a file of texts: as many are read to show one case, which takes a millisecond. In smaller groups
all of a million texts take twice as long to read, and compressed ones as well."""

_MEASURED = 64 * ROW_GROUP
"""Rows that are in memory at a time while all are measured."""


class Texts(Struct, frozen=True, eq=False):
    """Texts of n cases: those of case i are row `row_in_part[i]` of `sources[part[i]]`, a Parquet file or a frame.

    `part` and `row_in_part` have shape (n,) and count from 0. A source may hold rows that no case uses any more.
    """

    sources: tuple[Path | pl.DataFrame, ...]
    part: TextPlaces
    row_in_part: TextPlaces

    @classmethod
    def whole(cls, sources: Sequence[Path | pl.DataFrame], heights: Sequence[int]) -> "Texts":
        """Take the texts of sources one after the other, every row of them; `heights` are their numbers of rows."""
        part = np.repeat(np.arange(len(sources)), np.asarray(heights, dtype=np.int64))
        rows = [np.arange(height) for height in heights]
        return cls(tuple(sources), part, np.concatenate([np.empty(0, dtype=np.int64), *rows]))

    @classmethod
    def together(cls, parts: Sequence["Texts"]) -> "Texts":
        """Join the texts of several frames of cases that are put one below the other."""
        sources = [source for texts in parts for source in texts.sources]
        before = np.cumsum([0, *(len(texts.sources) for texts in parts)])
        part = [texts.part + start for texts, start in zip(parts, before[:-1], strict=True)]
        nothing = np.empty(0, dtype=np.int64)
        rows = [texts.row_in_part for texts in parts]
        return cls(tuple(sources), np.concatenate([nothing, *part]), np.concatenate([nothing, *rows]))

    def gather(self, rows: TextPlaces) -> "Texts":
        """Take the texts of some of the cases, by their rows in the cases frame."""
        return Texts(self.sources, self.part[rows], self.row_in_part[rows])

    def row(self, index: int) -> dict[str, Any]:
        """Read the texts of one case; `index` is its row in the cases frame.

        Raises:
            DamagedWorkspace: the file has gone or cannot be read.
        """
        return self.page(int(self.part[index]), int(self.row_in_part[index]), 1).row(0, named=True)

    def page(self, part: int, first: int, rows: int, columns: Sequence[str] = tuple(TEXTS)) -> pl.DataFrame:
        """Read rows of one source from row `first` on, as many as there are but at most `rows`; at least one.

        Raises:
            DamagedWorkspace: the file has gone, cannot be read or has no such row.
        """
        source = self.sources[part]
        if isinstance(source, pl.DataFrame):
            page = source.select(columns).slice(first, rows)
        else:
            page = _read(source, tuple(columns), (first, rows))
        if not page.height:
            raise _damaged(source, f"it has no row {first}, 0-based")
        return page

    def frame(self, columns: Sequence[str] = tuple(TEXTS)) -> pl.DataFrame:
        """Read all texts, or some columns of them, in the order of the cases frame.

        Raises:
            DamagedWorkspace: a file has gone, cannot be read or has too few rows for the cases.
        """
        frames, start, starts = [], 0, []
        last = np.full(len(self.sources), -1, dtype=np.int64)
        np.maximum.at(last, self.part, self.row_in_part)
        for source, last_row in zip(self.sources, last.tolist(), strict=True):
            starts.append(start)
            if last_row < 0:
                continue
            frame = source.select(columns) if isinstance(source, pl.DataFrame) else _read(source, columns)
            if last_row >= frame.height:
                raise _damaged(source, f"{frame.height} rows, and a case uses row {last_row}, 0-based")
            frames.append(frame)
            start += frame.height
        if not frames:
            return pl.DataFrame(schema={name: TEXTS[name] for name in columns})
        every = pl.concat(frames)
        rows = np.asarray(starts, dtype=np.int64)[self.part] + self.row_in_part if starts else self.row_in_part
        in_order = rows.size == every.height and bool((rows == np.arange(rows.size)).all())
        return every if in_order else every[rows]

    def sizes(self) -> npt.NDArray[np.int64]:
        """Measure the bytes of problem and steps of each case, shape (n,); a part of the texts is in memory at a time.

        Raises:
            DamagedWorkspace: as for `frame`.
        """
        sizes = np.zeros(self.part.size, dtype=np.int64)
        steps = pl.col("steps").list.eval(pl.element().str.len_bytes()).list.sum()
        for number in range(len(self.sources)):
            own = np.flatnonzero(self.part == number)
            height = int(self.row_in_part[own].max()) + 1 if own.size else 0
            pages = [
                self.page(number, first, _MEASURED, ("problem", "steps"))
                .select(pl.col("problem").str.len_bytes() + steps)
                .to_series()
                for first in range(0, height, _MEASURED)
            ]
            if pages:
                sizes[own] = pl.concat(pages).to_numpy()[self.row_in_part[own]]
        return sizes


def in_groups(texts: pl.DataFrame) -> pl.DataFrame:
    """Copy texts into pieces of `ROW_GROUP` rows, to be written as such groups in a third of the processor time.

    polars encodes for every group all lists of the piece that the group is of.
    """
    rows = np.arange(texts.height)
    pieces = [texts[rows[start : start + ROW_GROUP]] for start in range(0, texts.height, ROW_GROUP)]
    return pl.concat(pieces, rechunk=False) if pieces else texts


def rest_digests(texts: pl.DataFrame) -> pl.Series:
    """Hash the texts that a case's `key` does not cover to hex digests, null where there are none. Shape (n,)."""
    others = texts.drop("problem", "steps", strict=False)
    # What a column that came later lacks must not change the digests of what was imported before.
    others = others.drop(name for name in LATER_TEXTS if name in others.columns and not others[name].count())
    some = others.select(pl.any_horizontal(pl.all().is_not_null()).alias("some"))["some"]
    if not some.any():
        return pl.Series([None] * texts.height, dtype=pl.String)
    # Nor may the tools of a case change the digest of another that has none.
    tools = others["tools"].to_list() if "tools" in others.columns else [None] * others.height
    rows = zip(some.to_list(), others.drop("tools", strict=False).iter_rows(), tools, strict=True)
    digests = [
        blake2b(json.dumps(row if own is None else (*row, own)).encode(), digest_size=8).hexdigest()
        if has_texts
        else None
        for has_texts, row, own in rows
    ]
    return pl.Series(digests, dtype=pl.String)


def _read(source: Path, columns: Sequence[str], rows: tuple[int, int] | None = None) -> pl.DataFrame:
    try:
        return read_parquet(source, columns, rows, absent={name: TEXTS[name] for name in LATER_TEXTS})
    except OSError as error:
        raise _damaged(source, str(error)) from None


def _damaged(source: Path | pl.DataFrame, why: str) -> DamagedWorkspace:
    name = source if isinstance(source, Path) else "a frame of texts"
    return DamagedWorkspace(f"{name} cannot be read: {why}.", "Open the workspace again, or import again.")
