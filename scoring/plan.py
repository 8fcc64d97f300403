"""What a scoring run has to compute: the distinct contents among the cases that the cache has nothing usable for."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from scoring.cache import RewardParts
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


def plan(cases: pl.DataFrame, parts: RewardParts, *, retry_refused: bool = False) -> Plan:
    """What of the cases (columns `key`, `n_steps`) the cache lacks.

    A cached row that does not fit its case (another number of rewards, or one that is not finite) is computed again; a
    refusal is kept unless `retry_refused`.
    """
    rewards, notes = parts.read()
    distinct = cases.select("key", "n_steps").with_row_index("_row").unique("key", keep="first", maintain_order=True)
    scored = align(distinct, rewards).scored
    kept = rewards.filter(pl.col("reason").is_not_null() & (pl.col("vote") == 0))["key"]
    refused = distinct["key"].is_in(kept.implode()).to_numpy() & np.bool_(not retry_refused)
    rows = distinct["_row"].filter(pl.Series(~scored & ~refused)).to_list()
    return Plan(tuple(rows), cases.height, distinct.height, int(scored.sum()), int(refused.sum()), tuple(notes))
