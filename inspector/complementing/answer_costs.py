"""What a critic's answers cost, in tokens, as far as its server counted them."""

import numpy as np
import polars as pl

from inspector.selection import Selection
from scoring.cache import VoteParts
from scoring.reward_keys import reward_keys
from scoring.step_rewards import Floats

COUNTED = ("key", "vote", "run", "ballot", "verdict", "rewards", "reason", "tokens_in", "tokens_out")
"""What is read: beside the counts whatever tells one answer from a later try at it."""


def answer_costs(selection: Selection, scorer: str) -> tuple[Floats, str | None]:
    """Tokens in and out of all answers to each case in the scorer's first run, shape (n,), NaN where not counted.

    With them the reason why none is known; None where one is.
    """
    unknown = np.full(selection.height, np.nan)
    evaluation = selection.evaluation(scorer)
    if evaluation.votes is None or scorer not in selection.folders:
        return unknown, f"{scorer} gives no answers in words, whose tokens could be counted"
    votes, _ = VoteParts(selection.folders[scorer]).read(COUNTED)
    first = votes.filter(pl.col("run") == pl.col("run").min())
    counted = pl.col("tokens_in") + pl.col("tokens_out")
    by_key = first.group_by("key").agg(
        pl.when(counted.null_count() == 0).then(counted.sum()).cast(pl.Float64).alias("tokens")
    )
    keys = reward_keys(selection.cases, selection.texts, evaluation.scorer.reads).select("key")
    joined = keys.join(by_key, on="key", how="left", maintain_order="left")["tokens"].fill_null(float("nan")).to_numpy()
    if np.isnan(joined).all():
        return unknown, f"no tokens were counted of the answers of {scorer}"
    return joined, None
