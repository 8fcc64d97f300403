"""Cases of a scoring run: their texts, read a page at a time, and the rows computed for each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from scoring.data.reward_keys import further_texts, text_columns
from scoring.data.texts import Texts
from scoring.runs.plan import MissingAnswers

_ROWS = 1024


class RunCase(Struct, frozen=True):
    """A case with its texts; `further` are those that the scorer reads beside problem and steps."""

    case: str
    key: str
    problem: str
    steps: list[str]
    further: tuple[str | None, ...] = ()
    benchmark: str = ""
    subset: str | None = None


Work = Iterator[tuple[MissingAnswers, RunCase]]
"""What is missing, with the case it is about."""


class RowsToSave(Struct, frozen=True):
    """Rows that are ready to be saved, with every column that has a value but for `engine`.

    `last` says that nothing more comes of what was missing. `reason`, where there is one, is why the case has no
    verdict, lacks a vote, or has rewards for its first `scored_steps` steps alone.
    """

    missing: MissingAnswers
    case: RunCase
    rows: tuple[Mapping[str, Any], ...]
    last: bool = True
    reason: str | None = None
    scored_steps: int = 0


def run_cases(wanted: pl.DataFrame, numbers: pl.Series, rows: Sequence[int], pages: "TextPages") -> Iterator[RunCase]:
    """Yield these `rows` of `wanted` with their texts; `numbers` are its rows in the frame the texts belong to."""
    names = ("case", "key", "benchmark", "subset", "step_messages")
    picked = pl.Series("row", rows, dtype=pl.UInt32)
    chosen = wanted.select(pl.col([name for name in names if name in wanted.columns]).gather(picked))
    for number, case in zip(numbers.gather(picked), chosen.iter_rows(named=True), strict=True):
        texts = pages(number)
        further = tuple(text for _, text in further_texts(pages.reads, case, texts))
        group = case.get("benchmark", ""), case.get("subset")
        yield RunCase(case["case"], case["key"], texts["problem"], texts["steps"], further, *group)


class TextPages:
    """Reads `Texts` a page at a time: near rows asked for one after another cost one read.

    `reads` are the columns that are wanted beside problem and steps.
    """

    def __init__(self, texts: Texts, reads: Sequence[str] = ()) -> None:
        self.reads = tuple(reads)
        self._texts, self._columns = texts, ("problem", "steps", *text_columns(reads))
        self._part, self._first, self._page = -1, 0, pl.DataFrame()

    def __call__(self, row: int) -> dict[str, Any]:
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
        return self._page.row(place - self._first, named=True)
