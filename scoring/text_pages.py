"""The texts that a scorer reads of many cases in turn, a page of them in memory at a time."""

from collections.abc import Sequence

import polars as pl

from scoring.texts import Texts

_ROWS = 1024


class TextPages:
    """Reads `Texts` a page at a time: near rows asked for one after another cost one read.

    `reads` are the columns (String) that are wanted beside problem and steps.
    """

    def __init__(self, texts: Texts, reads: Sequence[str] = ()) -> None:
        self._texts, self._columns = texts, ("problem", "steps", *reads)
        self._part, self._first, self._page = -1, 0, pl.DataFrame()

    def __call__(self, row: int) -> tuple[str, list[str], *tuple[str | None, ...]]:
        """Problem, steps and what else is wanted of the case in this row of the cases frame.

        Raises:
            DamagedWorkspace: the file has gone or cannot be read.
        """
        part, place = int(self._texts.part[row]), int(self._texts.row_in_part[row])
        if part != self._part or not self._first <= place < self._first + self._page.height:
            first = place // _ROWS * _ROWS
            page = self._texts.page(part, first, _ROWS, self._columns)
            if page.height <= place - first:
                # Asked for alone, it is the sentence about the missing row.
                first, page = place, self._texts.page(part, place, 1, self._columns)
            self._part, self._first, self._page = part, first, page
        problem, steps, *further = self._page.row(place - self._first)
        return problem, steps, *further
