"""The rows of a list of cases, made for the few that are on screen."""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from inspector.render.charts.glyphs import reward_levels
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.single_case import reward_threshold
from scoring.selection.result_set import ResultSet
from scoring.selection.searching import found_places

LEVELS = "levels of rewards"
"""Distance of each reward of a case from the threshold (see `reward_levels`); null without a reward threshold."""
FOCUSED: dict[str, pl.DataType] = {
    "rewards": pl.List(pl.Float64()),
    "solution": pl.Float64(),
    LEVELS: pl.String(),
}
"""Columns of the scorer in focus alone, beside those of the result set."""
FIRST_LOOK = 256
"""Cases that are asked first whether a column has values."""
FOUND_IN = "found_in"
"""Where a search found something, in words; a column of lists alone, while something is searched for."""


class CaseRows(Struct, frozen=True, eq=False, dict=True):
    """All columns of a result set, FOCUSED of the `scorer` in focus, and FOUND_IN: a source of rows for a table."""

    results: ResultSet
    scorer: str | None

    @property
    def height(self) -> int:
        """How many cases there are."""
        return self.results.evaluated.height

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """Names and dtypes of the columns."""
        searched = {FOUND_IN: pl.String()} if self.results.matches is not None else {}
        return {**self.results.evaluated.schema, **(FOCUSED if self.scorer else {}), **searched}

    def get_column(self, name: str) -> pl.Series:
        """Return one column of all cases. Raises polars' ColumnNotFoundError."""
        if name == FOUND_IN and self.results.matches is not None:
            places = found_places(self.results.matches, range(self.height))
            return pl.Series(name, places, dtype=pl.String)
        scorer = self.scorer if name in FOCUSED else None
        return _cell(self.results.evaluation(scorer), name) if scorer else self.results.evaluated.column(name)

    def rows(self, names: Sequence[str], ids: npt.NDArray[np.int32]) -> list[tuple[Any, ...]]:
        """Return the values of some columns of the cases with these row ids. Raises polars' ColumnNotFoundError."""
        rows = ids.astype(np.int64)
        some: dict[str, Evaluation] = {}
        columns: list[Sequence[Any]] = []
        for name in names:
            if name == FOUND_IN:
                columns.append(found_places(self.results.matches, rows.tolist()))
                continue
            scorer = self._scorer(name)
            if scorer is None:
                columns.append(self.results.evaluated.column(name).gather(rows).to_list())
                continue
            if scorer not in some:
                some[scorer] = self.results.evaluation(scorer).of_cases(rows)
            columns.append(_cells(some[scorer], name))
        return list(zip(*columns, strict=True))

    def without_values(self, names: Collection[str], rows: Ints) -> frozenset[str]:
        """Return the columns that have nothing in any of the cases with these row ids: null, NaN, "" or no item.

        None where there is no case. The first cases tell of most columns; of the others all are asked.
        """
        first = self.rows(list(names), rows[:FIRST_LOOK].astype(np.int32))
        silent = [
            name for name, values in zip(names, zip(*first, strict=True), strict=False) if not any(map(_says, values))
        ]
        return frozenset(name for name in silent if rows.size <= FIRST_LOOK or self._nothing(name)[rows].all())

    def _nothing(self, name: str) -> Bools:
        """The cases in which a column has nothing, as a mask (n,)."""
        scorer = self._scorer(name)
        if name == "rewards" and scorer is not None:
            return ~self.results.evaluation(scorer).rewards.scored
        values = self.get_column(name)
        nothing = values.is_null()
        if values.dtype.is_float():
            nothing |= values.is_nan().fill_null(True)
        elif isinstance(values.dtype, pl.List):
            nothing |= values.list.len().fill_null(0) == 0
        elif values.dtype == pl.String:
            nothing |= values.str.len_bytes().fill_null(0) == 0
        return nothing.to_numpy()

    def _scorer(self, name: str) -> str | None:
        """The scorer that a column is of; None for the others."""
        if name in FOCUSED:
            return self.scorer
        evaluation = self.results.evaluated.evaluation_of(name)
        return evaluation.scorer.name if evaluation else None


def _says(value: Any) -> bool:
    """Whether a value of a cell is anything."""
    return value is not None and value not in ("", []) and value == value  # noqa: PLR0124  # NaN is not


def _cells(evaluation: Evaluation, name: str) -> list[Any]:
    if name == "rewards":
        return [evaluation.rewards.of(row) for row in range(evaluation.codes.size)]
    if name == LEVELS:
        return [_levels(evaluation, row) for row in range(evaluation.codes.size)]
    return _cell(evaluation, name).to_list()


def _cell(evaluation: Evaluation, name: str) -> pl.Series:
    if name == "rewards":
        return evaluation.rewards.lists
    if name == LEVELS:
        return pl.Series(_cells(evaluation, name), dtype=pl.String)
    if name == "solution":
        return pl.Series(evaluation.rewards.solutions, nan_to_null=True)
    return evaluation.column(name.removeprefix(f"{evaluation.scorer.name}."))


def _levels(evaluation: Evaluation, row: int) -> str | None:
    """Return the levels of a case's rewards, one digit each; they change less often than the threshold."""
    rewards, threshold, scorer = evaluation.rewards.of(row), reward_threshold(evaluation, row), evaluation.scorer
    if rewards is None or threshold is None:
        return None
    return reward_levels(rewards, threshold, scorer.high - scorer.low)
