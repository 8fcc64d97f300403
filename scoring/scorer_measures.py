"""What one scorer made of each case, in numbers to sort and filter by: columns beside those of `scorer_columns`."""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from scoring.step_rewards import Floats

if TYPE_CHECKING:
    from collections.abc import Callable

    from scoring.evaluation import Evaluation

MEASURES: dict[str, pl.DataType] = {
    "abs_margin": pl.Float64(),
    "lowest_reward": pl.Float64(),
    "drop_at_gold": pl.Float64(),
    "solution": pl.Float64(),
    "decision_distance": pl.Float64(),
    "lowest_compared": pl.Float64(),
    "lowest_to_gold": pl.Float64(),
    "lowest_before_gold": pl.Float64(),
}
"""Names and dtypes of further columns a scorer, each prefixed `<scorer>.`; undefined is null.

| column | what |
| --- | --- |
| `abs_margin` | how far the threshold is from the nearest one that turns the case right or wrong; infinite: none |
| `lowest_reward` | the lowest reward of all steps |
| `drop_at_gold` | the reward of the step before the earliest error less that at it; null at the first step |
| `solution` | one number for the whole solution, where the scorer gives one |
| `decision_distance` | how far `lowest_compared` is from the threshold, whatever the gold label is |
| `lowest_compared` | the lowest of what the threshold is compared with: rewards, or what is made of them |
| `lowest_to_gold` | the same of the steps up to the earliest error, that step included; on clean cases of all steps |
| `lowest_before_gold` | the same of the steps before the earliest error; infinite at the first step |

The last four are null where no threshold decides the case. A case with an error is exact iff `lowest_to_gold` is under
the threshold and `lowest_before_gold` is not; where the error is beyond the last step, both are those of all steps.
Where the verdict is the lowest step, both are `lowest_compared` if that step is among these, and infinite if it is not.
"""


def measure(evaluation: "Evaluation", name: str) -> pl.Series:
    """One of MEASURES as a Series called `<scorer>.<name>`, in the order of the cases."""
    return pl.Series(f"{evaluation.scorer.name}.{name}", _MADE[name](evaluation), nan_to_null=True)


def _lowest(evaluation: "Evaluation") -> Floats:
    rewards = evaluation.rewards
    found = np.full(rewards.scored.size, np.nan)
    rows = np.flatnonzero(rewards.scored & (np.diff(rewards.offsets) > 0))
    if rows.size:
        # Rows without rewards take no room between those that have some.
        found[rows] = np.minimum.reduceat(rewards.values, rewards.offsets[:-1][rows])
    return found


def _drops(evaluation: "Evaluation") -> Floats:
    rewards, gold = evaluation.rewards, evaluation.gold.earliest
    found = np.full(gold.size, np.nan)
    rows = np.flatnonzero(rewards.scored & (gold > 0) & (gold < np.diff(rewards.offsets)))
    at = rewards.offsets[:-1][rows] + gold[rows]
    found[rows] = rewards.values[at - 1] - rewards.values[at]
    return found


_MADE: dict[str, "Callable[[Evaluation], Floats]"] = {
    "abs_margin": lambda one: np.abs(one.margins),
    "lowest_reward": _lowest,
    "drop_at_gold": _drops,
    "solution": lambda one: one.rewards.solutions,
    "decision_distance": lambda one: one.decision_distances,
    "lowest_compared": lambda one: one.floats.all,
    "lowest_to_gold": lambda one: one.floats.at,
    "lowest_before_gold": lambda one: one.floats.before,
}
