"""Problems and steps of many cases in turn, a page of them in memory at a time."""

import polars as pl

from scoring.texts import Texts

_ROWS = 1024


class TextPages:
    """Reads `Texts` a page at a time: near rows asked for one after another cost one read."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._part, self._first, self._page = -1, 0, pl.DataFrame()

    def __call__(self, row: int) -> tuple[str, list[str]]:
        """Problem and steps of the case in this row of the cases frame.

        Raises:
            DamagedWorkspace: the file has gone or cannot be read.
        """
        part, place = int(self._texts.part[row]), int(self._texts.row_in_part[row])
        if part != self._part or not self._first <= place < self._first + self._page.height:
            first = place // _ROWS * _ROWS
            page = self._texts.page(part, first, _ROWS, ("problem", "steps"))
            if page.height <= place - first:
                # Asked for alone, it is the sentence about the missing row.
                first, page = place, self._texts.page(part, place, 1, ("problem", "steps"))
            self._part, self._first, self._page = part, first, page
        problem, steps = self._page.row(place - self._first)
        return problem, steps
