"""The texts of cases, read on demand: problems and steps are most of a benchmark's bytes and a screen shows one case."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl

from scoring.errors import DamagedWorkspace
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
        return _collect(pl.scan_parquet(source).slice(offset, 1), source).row(0, named=True)

    def frame(self, columns: Sequence[str] = tuple(TEXTS)) -> pl.DataFrame:
        """All texts, or some columns of them, in the order of the cases frame."""
        frames = [
            source.select(columns)
            if isinstance(source, pl.DataFrame)
            else _collect(pl.scan_parquet(source).select(columns), source)
            for source in self.sources
        ]
        return pl.concat(frames) if frames else pl.DataFrame(schema={name: TEXTS[name] for name in columns})


def _collect(lazy: pl.LazyFrame, source: Path) -> pl.DataFrame:
    try:
        return lazy.collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        first = str(error).splitlines()[0]
        raise DamagedWorkspace(f"{source} cannot be read ({first}).", "Open the workspace again.") from None
