"""Measures of each case by the rewards of its steps."""

import numpy as np

from scoring.data.schema import Floats
from scoring.evaluation.gold import Gold
from scoring.evaluation.step_rewards import StepRewards


def rewards_at_gold(rewards: StepRewards, gold: Gold) -> Floats:
    """Return the reward of the earliest wrong step; NaN on clean cases and without rewards. Shape (n,)."""
    earliest = gold.earliest
    rewards_at = np.full(earliest.size, np.nan)
    rows = np.flatnonzero(rewards.scored & (earliest >= 0) & (earliest < gold.n_steps))
    rewards_at[rows] = rewards.values[rewards.offsets[rows] + earliest[rows]]
    return rewards_at


def lowest_rewards(rewards: StepRewards) -> Floats:
    """Return the lowest reward of each case; NaN without rewards. Shape (n,)."""
    lowest = np.full(rewards.scored.size, np.nan)
    rows = np.flatnonzero(rewards.scored & (np.diff(rewards.offsets) > 0))
    if rows.size:
        # Rows without rewards take no room between those that have some.
        lowest[rows] = np.minimum.reduceat(rewards.values, rewards.offsets[:-1][rows])
    return lowest


def drops_at_gold(rewards: StepRewards, gold: Gold) -> Floats:
    """Return the reward of the step before the earliest wrong one less that at it; NaN if either is missing. (n,)."""
    earliest = gold.earliest
    drops = np.full(earliest.size, np.nan)
    rows = np.flatnonzero(rewards.scored & (earliest > 0) & (earliest < np.diff(rewards.offsets)))
    at = rewards.offsets[:-1][rows] + earliest[rows]
    drops[rows] = rewards.values[at - 1] - rewards.values[at]
    return drops
