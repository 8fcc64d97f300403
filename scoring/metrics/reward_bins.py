"""Bins of rewards: closed on the left, the last one on both sides, so that SQL can say of a case which it is in."""

from itertools import pairwise

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import DEV
from scoring.workspace.filtering.sql_words import literal, named


class RewardBins(Struct, frozen=True, eq=False):
    """k bins between `edges` (k + 1,), which ascend and are finite."""

    edges: Floats

    @property
    def size(self) -> int:
        """How many bins there are: k."""
        return self.edges.size - 1

    def of(self, rewards: Floats) -> Ints:
        """Return the bin (0-based) of each reward, in their shape; each lies between the first and the last edge."""
        bins: Ints = np.searchsorted(self.edges[1:-1], rewards, side="right")
        return bins

    def counts(self, rewards: Floats) -> Ints:
        """Count the rewards in each bin. Shape (k,)."""
        return np.bincount(self.of(rewards), minlength=self.size)

    def ends(self) -> list[tuple[float, float]]:
        """Return the lower and the upper edge of each bin."""
        return list(pairwise(self.edges.tolist()))

    def sql(self, number: int, column: str) -> str:
        """Return the condition that a column (as it stands in SQL) is in a bin."""
        low, high = self.ends()[number]
        upper = "<=" if number == self.size - 1 else "<"
        return f"{column} >= {literal(low)} AND {column} {upper} {literal(high)}"


def even_bins(low: float, high: float, bins: int) -> RewardBins:
    """Equally wide bins between two finite numbers; tenths of [0, 1] begin at 0.1, 0.2, 0.3 as these are written."""
    parts = np.arange(bins + 1) / bins
    edges = low * parts[::-1] + high * parts
    # Rounding must neither leave the range nor turn two edges round.
    return RewardBins(np.maximum.accumulate(np.clip(np.append(edges[:-1], high), low, high)))


def reward_bins(evaluation: Evaluation, bins: int = 20) -> RewardBins:
    """Equally wide bins over the scorer's range, widened to rewards beyond it; one unit in all where that is empty."""
    own = evaluation.scorer.low, evaluation.scorer.high
    there = evaluation.rewards.range or own
    low, high = min(own[0], there[0]), max(own[1], there[1])
    return even_bins(low, high, bins) if low < high else even_bins(low - 0.5, low + 0.5, bins)


def with_rewards(evaluation: Evaluation, rows: Bools) -> Bools:
    """Return which of the cases (n,) have gold labels and a reward for every step, dev cases apart. Shape (n,)."""
    whole = evaluation.rewards.scored & (evaluation.gold.n_steps > 0)
    there: Bools = rows & evaluation.gold.known & whole & (evaluation.coverage.missing != DEV)
    return there


def has_rewards(evaluation: Evaluation) -> str:
    """Return the condition that selects these cases; of gold labels it says nothing."""
    name = evaluation.scorer.name
    return f"{named(f'{name}.lowest_reward')} IS NOT NULL AND {named(f'{name}.outcome')} <> 'dev'"


def why_none(evaluation: Evaluation, rows: Bools) -> str:
    """Return why there is no case with rewards and gold labels among some."""
    if not rows.any():
        return "no case is shown"
    if not (rows & evaluation.rewards.scored).any():
        return evaluation.coverage.nothing or f"{evaluation.scorer.name} gives no step rewards for these cases"
    return "no case has both step rewards and gold labels"
