"""The columns that a scorer has beside the cases."""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from scoring.scorer_measures import MEASURES, measure
from scoring.spent import SPENT
from scoring.step_rewards import Floats
from scoring.verdicts import NO_VERDICT, outcome_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from scoring.evaluation import Evaluation

PER_SCORER: dict[str, pl.DataType] = {
    "verdict": pl.Int32(),
    "outcome": pl.String(),
    "reward_at_gold": pl.Float64(),
    "margin": pl.Float64(),
    "step_accuracy": pl.Float64(),
}
"""Names and dtypes of the columns an evaluation adds to the cases, each prefixed `<scorer>.`; undefined is null."""

EVERY_COLUMN: dict[str, pl.DataType] = {**PER_SCORER, **MEASURES, **SPENT}
"""Those, the measures, and what it took, which conditions and lists may speak of as well."""


def scorer_column(evaluation: "Evaluation", name: str) -> pl.Series:
    """One of EVERY_COLUMN as a Series called `<scorer>.<name>`, in the order of the cases."""
    if name in MEASURES:
        return measure(evaluation, name)
    if name in SPENT:
        spent = evaluation.spent
        found = pl.Series([None] * evaluation.codes.size, dtype=SPENT[name]) if spent is None else spent.column(name)
        return found.alias(f"{evaluation.scorer.name}.{name}")
    return _MADE[name](evaluation).alias(f"{evaluation.scorer.name}.{name}")


def _verdicts(evaluation: "Evaluation") -> pl.Series:
    found = evaluation.verdicts
    none = found == NO_VERDICT
    there = pl.Series(np.where(none, 0, found).astype(np.int32))
    return there.set(pl.Series(none), None) if none.any() else there


def _defined(values: Floats) -> pl.Series:
    return pl.Series(values, nan_to_null=True)


_MADE: dict[str, "Callable[[Evaluation], pl.Series]"] = {
    "verdict": _verdicts,
    "outcome": lambda one: outcome_names(one.codes),
    "reward_at_gold": lambda one: _defined(one.rewards_at_gold),
    "margin": lambda one: _defined(one.margins),
    "step_accuracy": lambda one: _defined(one.step_accuracies),
}
