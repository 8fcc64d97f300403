"""Problems and steps of many cases in turn, a page of them in memory at a time."""

from itertools import accumulate

import polars as pl

from scoring.errors import DamagedWorkspace
from scoring.parquet import read_parquet
from scoring.texts import Texts

_ROWS = 1024


class TextPages:
    """Reads `Texts` a page at a time: near rows asked for one after another cost one read."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._starts = list(accumulate(texts.heights, initial=0))
        self._first, self._page = 0, pl.DataFrame()

    def __call__(self, row: int) -> tuple[str, list[str]]:
        """Problem and steps of the case in this row of the cases frame.

        Raises:
            DamagedWorkspace: the file has gone or cannot be read.
        """
        if not self._first <= row < self._first + self._page.height:
            self._turn_to(row)
        problem, steps = self._page.row(row - self._first)
        return problem, steps

    def _turn_to(self, row: int) -> None:
        part = next(part for part, end in enumerate(self._starts[1:]) if row < end)
        source, start = self._texts.sources[part], self._starts[part]
        offset = (row - start) // _ROWS * _ROWS
        columns = ["problem", "steps"]
        if isinstance(source, pl.DataFrame):
            page = source.select(columns).slice(offset, _ROWS)
        else:
            try:
                page = read_parquet(source, columns, (offset, _ROWS))
            except OSError as error:
                raise DamagedWorkspace(f"{source} cannot be read: {error}.", "Import the benchmark again.") from None
        if page.height <= row - start - offset:
            raise DamagedWorkspace(f"{source} has no row {row - start}, 0-based.", "Import the benchmark again.")
        self._first, self._page = start + offset, page
