"""Why what a scorer gave a case cannot be used: the same when results are imported and when they are evaluated."""

from functools import cache

import polars as pl


@cache
def why_refused() -> pl.Expr:
    """Return why nothing that a row of results holds is usable for its case, as text; null where something is.

    It needs the columns `rewards`, `labels`, `solution` and `reason` of the row, and `n_steps` of the case.
    """
    rewards, labels, solution = pl.col("rewards"), pl.col("labels"), pl.col("solution")
    steps, either = pl.col("n_steps"), rewards.is_not_null() | labels.is_not_null()
    n_rewards = rewards.list.len().cast(pl.Int64)
    infinite = rewards.list.eval(pl.element().is_finite().not_() | pl.element().is_null()).list.any()
    return (
        pl.when(pl.col("reason").is_not_null())
        .then("reason")
        .when(either.not_() & solution.is_null())
        .then(pl.lit("the cached row holds neither rewards nor a reason"))
        .when(labels.is_null() & (n_rewards != steps))
        .then(pl.format("{} rewards for {} steps", n_rewards, steps))
        .when(either & (steps == 0))
        .then(pl.lit("the case has no steps"))
        .when(labels.list.len() == 0)
        .then(pl.format("labels for 0 of {} steps", steps))
        .when(infinite)
        .then(pl.lit("a reward is not a finite number"))
        .when(labels.list.eval(pl.element().is_null()).list.any())
        .then(pl.lit("a label is missing"))
        .when(either.not_() & solution.is_finite().not_())
        .then(pl.lit("the number of the solution is not finite"))
        .otherwise(None)
        .alias("why")
    )
