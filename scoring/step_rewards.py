"""Step rewards lined up with cases: flat arrays, because list columns are many times slower to decide on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from scoring.schema import REWARDS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class StepRewards:
    """One scorer's rewards for n cases, in the order of the cases.

    Row i's rewards are `values[offsets[i]:offsets[i + 1]]` (Float64); a row without usable rewards has none there.
    `scored` (n) marks rows with rewards, `refused` (n) rows that were tried and have none; a row that is neither is
    unscored. `reasons` (n) says why a row is refused.
    """

    values: Floats
    offsets: Ints
    scored: Bools
    refused: Bools
    reasons: Sequence[str | None]

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

    A row whose rewards are not as many as its steps, or not all finite, is refused with a reason: it never gets a
    number. A case without steps cannot be scored either.
    """
    first = rewards.select(list(REWARDS)).sort("vote").unique("key", keep="first", maintain_order=True)
    joined = cases.select("key", "n_steps").join(
        first.with_columns(_tried=pl.lit(value=True)), on="key", how="left", maintain_order="left"
    )
    count = pl.col("rewards").list.len().cast(pl.Int64)
    infinite = pl.col("rewards").list.eval(pl.element().is_finite().not_() | pl.element().is_null()).list.any()
    why = (
        pl.when(pl.col("_tried").is_null())
        .then(None)
        .when(pl.col("reason").is_not_null())
        .then("reason")
        .when(pl.col("rewards").is_null())
        .then(pl.lit("the cached row holds neither rewards nor a reason"))
        .when(count != pl.col("n_steps"))
        .then(pl.format("{} rewards for {} steps", count, pl.col("n_steps")))
        .when(count == 0)
        .then(pl.lit("the case has no steps"))
        .when(infinite)
        .then(pl.lit("a reward is not a finite number"))
        .otherwise(None)
    )
    joined = joined.with_columns(_why=why)
    scored = joined.select((pl.col("_tried").is_not_null() & pl.col("_why").is_null()).alias("s"))["s"].to_numpy()
    lengths = np.where(scored, joined["n_steps"].to_numpy(), 0)
    usable = joined.filter(pl.Series(scored))["rewards"]
    values = usable.explode(empty_as_null=False).to_numpy() if usable.len() else np.empty(0)
    return StepRewards(
        values=np.ascontiguousarray(values, dtype=np.float64),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        scored=scored.astype(np.bool_),
        refused=joined["_why"].is_not_null().to_numpy(),
        reasons=joined["_why"].to_list(),
    )
