"""How several answers of a critic label one step: right (1), neutral (0) or wrong (-1), counted answer by answer.

Votes of one run and answers of several runs count alike. Labels are no verdict: which one most answers give is told
beside, and enters no figure.
"""

from typing import Any

import polars as pl

from scoring.workspace.rows_of_cases import rows_of_cases

LABELS = {"right": 1.0, "neutral": 0.0, "wrong": -1.0}
"""Column of the counts -> the label that is counted in it."""
NONE = "none"
"""Column of the answers that give a step no label: they never came, could not be read, or label other steps."""
TIE = "tie"

LABEL_VOTES: dict[str, pl.DataType] = {
    # The case's place in the frame of cases, and the step, both 0-based.
    "case_row": pl.UInt32(),
    "step": pl.Int64(),
    # All answers to the case; they are the sum of the four behind.
    "answers": pl.Int64(),
    **dict.fromkeys((*LABELS, NONE), pl.Int64()),
    # The label that more answers give than any other; `tie` where two lead, null where no answer gives any.
    "majority": pl.String(),
}


def label_votes(cases: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Count for every step of the cases that were answered how many answers give it which label.

    Args:
        cases: with `key`, perhaps `case`, and `n_steps`; keys are those that the critic's answers are joined on.
        rows: its answers, with `key`, `case`, `rewards` (labels, one a step) and `reason` (null = the answer was read).

    Returns:
        LABEL_VOTES, in the order of cases and steps. An answer whose labels are not one a step gives none to any.
    """
    own = rows_of_cases(cases, rows)
    n_steps = cases["n_steps"].gather(own["case_row"]).alias("n_steps")
    fits = pl.col("reason").is_null() & (pl.col("rewards").list.len() == pl.col("n_steps"))
    labels = pl.when(fits).then("rewards").alias("label")
    answered = own.select("case_row", "rewards", "reason").with_columns(n_steps).select("case_row", "n_steps", labels)
    step = pl.int_ranges(pl.col("n_steps").cast(pl.Int64)).alias("step")
    every = answered.group_by("case_row", "n_steps").agg(answers=pl.len().cast(pl.Int64))
    every = every.with_columns(step).explode("step").drop_nulls("step")
    single = answered.drop_nulls("label").with_columns(step).explode("step", "label")
    counts = single.group_by("case_row", "step").agg(
        (pl.col("label") == value).sum().cast(pl.Int64).alias(name) for name, value in LABELS.items()
    )
    counted = every.join(counts, on=["case_row", "step"], how="left").with_columns(pl.col(LABELS.keys()).fill_null(0))
    most = pl.max_horizontal(LABELS.keys())
    leading: Any = pl.lit(TIE)
    for name in LABELS:
        others = [pl.col(other) for other in LABELS if other != name]
        leading = pl.when(pl.col(name) > pl.max_horizontal(others)).then(pl.lit(name)).otherwise(leading)
    return counted.with_columns(
        (pl.col("answers") - pl.sum_horizontal(LABELS.keys())).alias(NONE),
        pl.when(most > 0).then(leading).alias("majority"),
    ).select(pl.col(name).cast(dtype) for name, dtype in LABEL_VOTES.items()).sort("case_row", "step")  # fmt: skip
