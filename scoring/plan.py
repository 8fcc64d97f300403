"""What a scoring run has to compute: the distinct contents among the cases that the cache has nothing usable for."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from scoring.cache import RewardParts
from scoring.prms.base import OVER_LENGTH
from scoring.step_rewards import align


@dataclass(frozen=True)
class Plan:
    """Which distinct contents are to be computed. `rows`: their first rows in the cases frame, in order."""

    rows: tuple[int, ...]
    cases: int
    contents: int
    cached: int
    refused: int
    notes: tuple[str, ...]


def plan(cases: pl.DataFrame, parts: RewardParts, *, retry_refused: bool = False, truncate: bool = False) -> Plan:
    """What of the cases (columns `key`, `n_steps`) the cache lacks.

    A cached row that does not fit its case (another number of rewards, or one that is not finite) is computed again; a
    refusal is kept unless `retry_refused`, or with `truncate` if the case was too long and has not been truncated.
    """
    rewards, notes = parts.read()
    # What a file said of one case is none of what a model computes of a content.
    rewards = rewards.filter(pl.col("case").is_null())
    distinct = cases.select("key", "n_steps").with_row_index("_row").unique("key", keep="first", maintain_order=True)
    scored = align(distinct, rewards).scored
    kept = pl.col("reason").is_not_null() & (pl.col("vote") == 0)
    if truncate:
        kept &= pl.col("reason").str.contains(OVER_LENGTH).not_()
    refused = distinct["key"].is_in(rewards.filter(kept)["key"].implode()).to_numpy() & np.bool_(not retry_refused)
    rows = distinct["_row"].filter(pl.Series(~scored & ~refused)).to_list()
    return Plan(tuple(rows), cases.height, distinct.height, int(scored.sum()), int(refused.sum()), tuple(notes))
