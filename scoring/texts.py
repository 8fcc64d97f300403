"""The texts of cases, read on demand: they are most of a benchmark's bytes and a screen shows one case."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl

from scoring.errors import DamagedWorkspace
from scoring.parquet import read_parquet
from scoring.schema import TEXTS


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts row by row beside a cases frame: each source is a Parquet file or a frame, `heights` their rows."""

    sources: tuple[Path | pl.DataFrame, ...]
    heights: tuple[int, ...]

    def row(self, index: int) -> dict[str, Any]:
        """The texts of one case; `index` is its row in the cases frame.

        Raises:
            DamagedWorkspace: the file has gone or cannot be read.
        """
        starts = list(accumulate(self.heights, initial=0))
        part = bisect_right(starts, index) - 1
        source, offset = self.sources[part], index - starts[part]
        if isinstance(source, pl.DataFrame):
            return source.row(offset, named=True)
        found = _read(source, tuple(TEXTS), (offset, 1))
        if not found.height:
            raise _damaged(source, f"it has no row {offset}, 0-based")
        return found.row(0, named=True)

    def frame(self, columns: Sequence[str] = tuple(TEXTS)) -> pl.DataFrame:
        """All texts, or some columns of them, in the order of the cases frame.

        Raises:
            DamagedWorkspace: a file has gone, cannot be read or has another number of rows than the cases.
        """
        frames = []
        for source, height in zip(self.sources, self.heights, strict=True):
            if isinstance(source, pl.DataFrame):
                frames.append(source.select(columns))
                continue
            frames.append(_read(source, columns))
            if frames[-1].height != height:
                raise _damaged(source, f"{frames[-1].height} rows for {height} cases")
        return pl.concat(frames) if frames else pl.DataFrame(schema={name: TEXTS[name] for name in columns})


def _read(source: Path, columns: Sequence[str], rows: tuple[int, int] | None = None) -> pl.DataFrame:
    try:
        return read_parquet(source, columns, rows)
    except OSError as error:
        raise _damaged(source, str(error)) from None


def _damaged(source: Path, why: str) -> DamagedWorkspace:
    return DamagedWorkspace(f"{source} cannot be read: {why}.", "Open the workspace again, or import again.")
