"""What a critic's answers cost, in tokens, as far as its server counted them."""

import numpy as np
import polars as pl

from inspector.selection import Selection
from scoring.cache import VoteParts
from scoring.case_rows import rows_of_cases
from scoring.reward_keys import reward_keys
from scoring.step_rewards import Floats

COUNTED = ("key", "case", "vote", "run", "ballot", "verdict", "rewards", "reason", "tokens_in", "tokens_out")
"""What is read: beside the counts whatever tells one answer from a later try at it."""


def answer_costs(selection: Selection, scorer: str) -> tuple[Floats, str | None]:
    """Tokens in and out of all answers to each case in the scorer's first run, shape (n,), NaN where not counted.

    With them the reason why none is known; None where one is.
    """
    tokens = np.full(selection.height, np.nan)
    evaluation = selection.evaluation(scorer)
    if evaluation.votes is None or scorer not in selection.folders:
        return tokens, f"{scorer} gives no answers in words, whose tokens could be counted"
    votes, _ = VoteParts(selection.folders[scorer]).read(COUNTED)
    first = votes.filter(pl.col("run") == pl.col("run").min())
    counted = pl.col("tokens_in") + pl.col("tokens_out")
    keyed = reward_keys(selection.cases, selection.texts, evaluation.scorer.reads)
    sums = (
        rows_of_cases(keyed, first)
        .group_by("case_row")
        .agg(pl.when(counted.null_count() == 0).then(counted.sum()).cast(pl.Float64).alias("tokens"))
        .drop_nulls()
    )
    if sums.is_empty():
        return tokens, f"no tokens were counted of the answers of {scorer}"
    tokens[sums["case_row"].to_numpy()] = sums["tokens"].to_numpy()
    return tokens, None
