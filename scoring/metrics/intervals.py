"""Bootstrap intervals of the official metric itself."""

import numpy as np

from scoring.step_rewards import Floats, Ints

RESAMPLES = 1000
LEVEL = 0.95
SMALL = 20
"""With fewer cases than this on a side, a figure is marked."""
UNDEFINED = 0.05
"""Up to this share of the resamples may leave a figure undefined before its interval is not given."""


def resampled_shares(hits: Ints, totals: Ints, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Shares of hits in bootstrap resamples of each group, shape (groups, resamples); NaN for an empty group.

    Drawing n cases with replacement out of n of which h are hits gives Binomial(n, h / n) hits, so no case is touched:
    this is the bootstrap stratified by group, exactly.
    """
    rng = np.random.default_rng(seed)
    safe = np.maximum(totals, 1)
    drawn = rng.binomial(safe[:, None], (hits / safe)[:, None], size=(hits.size, resamples))
    return np.where(totals[:, None] > 0, drawn / safe[:, None], np.nan)


def percentile_intervals(draws: Floats) -> tuple[Floats, Floats]:
    """Low and high end of the central 95% of each of k figures, each (k,); `draws` (resamples, k) are NaN if undefined.

    Undefined resamples are left out; where they are more than UNDEFINED of all, the ends are NaN.
    """
    ends = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    low, high = np.full((2, draws.shape[1]), np.nan)
    lost = np.isnan(draws).mean(axis=0)
    whole = lost == 0
    low[whole], high[whole] = np.quantile(draws[:, whole], ends, axis=0)
    for column in np.flatnonzero((lost > 0) & (lost <= UNDEFINED)):
        low[column], high[column] = np.nanquantile(draws[:, column], ends)
    return low, high


def percentile_interval(values: Floats) -> tuple[float, float]:
    """The central 95% of the values."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
