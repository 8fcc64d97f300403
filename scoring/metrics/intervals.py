"""Bootstrap intervals of the official metric itself."""

import numpy as np

from scoring.step_rewards import Floats, Ints

RESAMPLES = 1000
LEVEL = 0.95


def resampled_shares(hits: Ints, totals: Ints, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Shares of hits in bootstrap resamples of each group, shape (groups, resamples); NaN for an empty group.

    Drawing n cases with replacement out of n of which h are hits gives Binomial(n, h / n) hits, so no case is touched:
    this is the bootstrap stratified by group, exactly.
    """
    rng = np.random.default_rng(seed)
    safe = np.maximum(totals, 1)
    drawn = rng.binomial(safe[:, None], (hits / safe)[:, None], size=(hits.size, resamples))
    return np.where(totals[:, None] > 0, drawn / safe[:, None], np.nan)


def percentile_interval(values: Floats) -> tuple[float, float]:
    """The central 95% of the values."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
