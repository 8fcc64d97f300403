"""The rows of a list of cases, made for the few that are on screen."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from inspector.filtering.searching import found_places
from inspector.selection import Selection
from scoring.evaluation import Evaluation

FOCUSED: dict[str, pl.DataType] = {"rewards": pl.List(pl.Float64()), "solution": pl.Float64()}
"""Columns of the scorer in focus alone, beside those of the selection."""
FOUND_IN = "found_in"
"""Where a search found something, in words; a column of lists alone, while something is searched for."""


class CaseRows(Struct, frozen=True, eq=False, dict=True):
    """All columns of a selection, FOCUSED of the `scorer` in focus, and FOUND_IN: a source of rows for a table."""

    selection: Selection
    scorer: str | None

    @property
    def height(self) -> int:
        """How many cases there are."""
        return self.selection.height

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """Names and dtypes of the columns."""
        searched = {FOUND_IN: pl.String()} if self.selection.found is not None else {}
        return {**self.selection.schema, **(FOCUSED if self.scorer else {}), **searched}

    def get_column(self, name: str) -> pl.Series:
        """One column of all cases. Raises polars' ColumnNotFoundError."""
        if name == FOUND_IN and self.selection.found is not None:
            places = found_places(self.selection.found, range(self.height))
            return pl.Series(name, places, dtype=pl.String)
        scorer = self.scorer if name in FOCUSED else None
        return _cell(self.selection.evaluation(scorer), name) if scorer else self.selection.column(name)

    def rows(self, names: Sequence[str], ids: npt.NDArray[np.int32]) -> list[tuple[Any, ...]]:
        """The values of some columns of the cases with these row ids. Raises polars' ColumnNotFoundError."""
        rows = ids.astype(np.int64)
        some: dict[str, Evaluation] = {}
        columns: list[Sequence[Any]] = []
        for name in names:
            if name == FOUND_IN:
                columns.append(found_places(self.selection.found, rows.tolist()))
                continue
            scorer = self._scorer(name)
            if scorer is None:
                columns.append(self.selection.column(name).gather(rows).to_list())
                continue
            if scorer not in some:
                some[scorer] = self.selection.evaluation(scorer).of_cases(rows)
            columns.append(_cells(some[scorer], name))
        return list(zip(*columns, strict=True))

    def _scorer(self, name: str) -> str | None:
        """The scorer that a column is of; None for the others."""
        return self.scorer if name in FOCUSED else self.selection.scorer_of(name)


def _cells(evaluation: Evaluation, name: str) -> list[Any]:
    if name == "rewards":
        return [evaluation.rewards.of(row) for row in range(evaluation.codes.size)]
    return _cell(evaluation, name).to_list()


def _cell(evaluation: Evaluation, name: str) -> pl.Series:
    if name == "rewards":
        return evaluation.rewards.lists
    if name == "solution":
        return pl.Series(evaluation.rewards.solutions, nan_to_null=True)
    return evaluation.column(name.removeprefix(f"{evaluation.scorer.name}."))
