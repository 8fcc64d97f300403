"""What a scorer gave, lined up with cases: flat arrays, because list columns are many times slower to decide on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class StepLabels:
    """One label a step, as the scorer gave it, for n cases in their order: whether the step is right (or redundant).

    Row i's labels are `values[offsets[i]:offsets[i + 1]]`; `given` (n) marks the rows that have them.
    """

    values: Bools
    offsets: Ints
    given: Bools

    def of(self, row: int) -> list[bool] | None:
        """The labels of one case, or None."""
        if not self.given[row]:
            return None
        found: list[bool] = self.values[self.offsets[row] : self.offsets[row + 1]].tolist()
        return found


@dataclass(frozen=True, eq=False)
class StepNumbers:
    """One number a step beside the rewards (Float64), for n cases in their order.

    Row i's numbers are `values[offsets[i]:offsets[i + 1]]`; `given` (n) marks the rows that have them.
    """

    values: Floats
    offsets: Ints
    given: Bools


class JudgedSteps(NamedTuple):
    """What is decided of single steps of n cases.

    `rows` (n) marks the cases whose steps are judged one by one. Whether each step of row i is judged wrong is
    `wrong[offsets[i]:offsets[i + 1]]`; a row that is not marked has nothing there.
    """

    rows: Bools
    wrong: Bools
    offsets: Ints


@dataclass(frozen=True, eq=False)
class StepRewards:
    """One scorer's rewards for n cases, in the order of the cases.

    Row i's rewards are `values[offsets[i]:offsets[i + 1]]` (Float64); a row without usable rewards has none there.
    `labels` are judgements that came with no threshold, `solutions` (n, Float64) one number a solution, NaN where there
    is none. `scored` (n) marks rows with rewards, `refused` (n) rows that were tried and have nothing usable; a row
    with none of all these is unscored. `reasons` (n) says why a row is refused. `redundancy` and `redundant` are a
    second number a step and labels for it, where there are as many as steps; without them a row is not refused.
    """

    values: Floats
    offsets: Ints
    labels: StepLabels
    solutions: Floats
    scored: Bools
    refused: Bools
    reasons: Sequence[str | None]
    redundancy: StepNumbers
    redundant: StepLabels

    @property
    def present(self) -> Bools:
        """Where there is a row at all, usable or not. Shape (n,)."""
        rows: Bools = self.scored | self.refused | self.labels.given | ~np.isnan(self.solutions)
        return rows

    def of(self, row: int) -> list[float] | None:
        """The rewards of one case, or None."""
        if not self.scored[row]:
            return None
        found: list[float] = self.values[self.offsets[row] : self.offsets[row + 1]].tolist()
        return found

    @cached_property
    def lists(self) -> pl.Series:
        """The rewards as a List(Float64) column, null where there are none."""
        lengths = np.diff(self.offsets)
        rows = np.repeat(np.arange(lengths.size), lengths)
        grouped = pl.DataFrame({"row": rows, "rewards": self.values}).group_by("row", maintain_order=True).all()
        frame = pl.DataFrame({"row": np.arange(lengths.size)}).join(
            grouped, on="row", how="left", maintain_order="left"
        )
        return frame["rewards"]


def align(cases: pl.DataFrame, rewards: pl.DataFrame) -> StepRewards:
    """Join a scorer's rewards to cases on content.

    Args:
        cases: with columns `key` and `n_steps`.
        rewards: a rewards frame, one row an identity. Where there are several votes the lowest counts.

    A row whose rewards or labels are not as many as its steps, or not all there and finite, is refused with a reason:
    it never gets a number. A case without steps cannot be scored either.
    """
    first = rewards.sort("vote", maintain_order=True).unique("key", keep="first", maintain_order=True)
    joined = cases.select("key", "n_steps").join(
        first.with_columns(_tried=pl.lit(value=True)), on="key", how="left", maintain_order="left"
    )
    joined = joined.with_columns(_why=_why_refused())
    usable = (joined["_tried"].is_not_null() & joined["_why"].is_null()).to_numpy()
    scored, labelled = (usable & joined[name].is_not_null().to_numpy() for name in ("rewards", "labels"))
    values, offsets = _flat(joined, "rewards", scored)
    labels, label_offsets = _flat(joined, "labels", labelled)
    solutions = joined["solution"].fill_null(float("nan")).to_numpy()
    numbered, redundant = (usable & _whole(joined, name) for name in ("redundancy", "redundancy_labels"))
    numbers, number_offsets = _flat(joined, "redundancy", numbered)
    said, said_offsets = _flat(joined, "redundancy_labels", redundant)
    return StepRewards(
        values=np.ascontiguousarray(values, dtype=np.float64),
        offsets=offsets,
        labels=StepLabels(np.ascontiguousarray(labels, dtype=np.bool_), label_offsets, labelled),
        solutions=np.where(usable, solutions, np.nan),
        scored=scored,
        refused=joined["_why"].is_not_null().to_numpy(),
        reasons=joined["_why"].to_list(),
        redundancy=StepNumbers(np.ascontiguousarray(numbers, dtype=np.float64), number_offsets, numbered),
        redundant=StepLabels(np.ascontiguousarray(said, dtype=np.bool_), said_offsets, redundant),
    )


def _whole(joined: pl.DataFrame, name: str) -> Bools:
    """The rows whose list holds something usable for each step."""
    column, element = pl.col(name), pl.element()
    if joined[name].null_count() == joined.height:
        return np.zeros(joined.height, dtype=np.bool_)
    bad = element.is_null() | element.cast(pl.Float64).is_finite().not_()
    whole = (column.list.len() == pl.col("n_steps")) & column.list.eval(bad).list.any().not_()
    return joined.select(whole.fill_null(value=False))[name].to_numpy()


def _why_refused() -> pl.Expr:
    """Why a joined row can have no number, as text; null where it can, and where there is no row."""
    rewards, labels, solution = pl.col("rewards"), pl.col("labels"), pl.col("solution")
    steps, either = pl.col("n_steps"), rewards.is_not_null() | labels.is_not_null()
    n_rewards, n_labels = (column.list.len().cast(pl.Int64) for column in (rewards, labels))
    infinite = rewards.list.eval(pl.element().is_finite().not_() | pl.element().is_null()).list.any()
    return (
        pl.when(pl.col("_tried").is_null())
        .then(None)
        .when(pl.col("reason").is_not_null())
        .then("reason")
        .when(either.not_() & solution.is_null())
        .then(pl.lit("the cached row holds neither rewards nor a reason"))
        .when(n_rewards != steps)
        .then(pl.format("{} rewards for {} steps", n_rewards, steps))
        .when(n_labels != steps)
        .then(pl.format("{} labels for {} steps", n_labels, steps))
        .when(either & (steps == 0))
        .then(pl.lit("the case has no steps"))
        .when(infinite)
        .then(pl.lit("a reward is not a finite number"))
        .when(labels.list.eval(pl.element().is_null()).list.any())
        .then(pl.lit("a label is missing"))
        .when(either.not_() & solution.is_finite().not_())
        .then(pl.lit("the number of the solution is not finite"))
        .otherwise(None)
    )


def _flat(joined: pl.DataFrame, name: str, rows: Bools) -> tuple[np.ndarray[Any, Any], Ints]:
    """The lists of the chosen rows one after the other, and where each row's begin and end, shape (n + 1,)."""
    lengths = np.where(rows, joined["n_steps"].to_numpy(), 0)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    if not rows.any():
        return np.empty(0), offsets
    return joined[name].filter(pl.Series(rows)).explode(empty_as_null=False).to_numpy(), offsets
