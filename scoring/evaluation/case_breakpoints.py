"""Three numbers a case that give its outcome at every threshold, and how far it is from another outcome."""

import numpy as np
from msgspec import Struct

from scoring.data.rules import NamedStep
from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.step_rewards import StepRewards
from scoring.evaluation.verdicts import (
    CLEAN,
    EARLY,
    EXACT,
    FALSE_ALARM,
    LATE,
    MISSED,
    NO_GOLD,
    ByThreshold,
    Codes,
    is_lowest,
    under,
)

_BY_COUNT = np.array(
    [[MISSED, LATE, EXACT, EARLY], [CLEAN, FALSE_ALARM, FALSE_ALARM, FALSE_ALARM], [NO_GOLD] * 4], dtype=np.uint8
)
"""The outcome of an erroneous case, a clean one and one without gold by how many of its floats are under a cut."""


class CaseBreakpoints(Struct, frozen=True, eq=False):
    """The three numbers a case that decide its outcome at every threshold. Shape (n,), Float64; NaN: none does.

    Under the threshold, `all` says that a step is named, `at` that it is the gold step or an earlier one, `before` that
    it is an earlier one; +inf where no threshold names such a step. A reward is here what the threshold is compared
    with, which may be something made of the rewards.

    Where the verdict is the first step, `before` is the lowest reward before the gold step (+inf at step 0), `at` the
    lower of that and the reward at the gold step, `all` the lowest of all. Where it is the lowest step, each is the
    lowest reward of all, or +inf: there is one number at which such a case changes, and one step that is named. For
    clean cases (and those without gold) `before` and `at` equal `all`; where the gold step is beyond the last one they
    do too, so that no threshold makes such a case exact.
    """

    before: Floats
    at: Floats
    all: Floats

    def of_cases(self, rows: Ints) -> "CaseBreakpoints":
        """Take those of some cases, by their row ids."""
        return CaseBreakpoints(self.before[rows], self.at[rows], self.all[rows])

    def outcomes(self, rule: ByThreshold, gold: Ints, has_gold: Bools, fixed: Codes) -> Codes:
        """Return the codes as deciding step by step would, from the floats alone; where these are NaN, the `fixed`
        ones.
        """
        before, at, lowest = (
            under(side, rule.cut, rule.comparison).view(np.uint8) for side in (self.before, self.at, self.all)
        )
        # before >= at >= all, so that how many of the three are under the threshold says which.
        column = before + at + lowest
        kind = (gold < 0).view(np.uint8)
        kind[~has_gold] = 2
        return np.where(np.isnan(self.all), fixed, _BY_COUNT.ravel()[4 * kind + column])


def case_floats(
    rewards: StepRewards, gold: Ints, decided: Bools | None = None, step: NamedStep = "first"
) -> CaseBreakpoints:
    """Reduce step rewards to the three floats a case.

    Args:
        rewards: of n cases, or what stands in their place (`StepRewards.on`).
        gold: (n,) earliest errors, 0-based, negative where there is no error.
        decided: (n,) the cases that a threshold decides, of those with rewards; by default all of these.
        step: which step a verdict names.
    """
    n = gold.size
    lowest = np.full(n, np.nan)
    rows = np.flatnonzero(rewards.scored)
    if not rows.size:
        return CaseBreakpoints(lowest, lowest.copy(), lowest.copy())
    starts = rewards.offsets[:-1][rows]
    lengths = rewards.offsets[1:][rows] - starts
    lowest[rows] = np.minimum.reduceat(rewards.values, starts)
    before, at = lowest.copy(), lowest.copy()
    inside = (gold[rows] >= 0) & (gold[rows] < lengths)
    erroneous, wrong = rows[inside], gold[rows][inside]
    start = rewards.offsets[:-1][erroneous]
    if erroneous.size and step == "first":
        before[erroneous] = _minimum_until(rewards.values, start, start + wrong)
        at[erroneous] = np.minimum(before[erroneous], rewards.values[start + wrong])
    elif erroneous.size:
        # The first of equally low steps.
        hits = np.flatnonzero(is_lowest(rewards))
        named = hits[np.searchsorted(hits, start)] - start
        before[erroneous] = np.where(named < wrong, lowest[erroneous], np.inf)
        at[erroneous] = np.where(named <= wrong, lowest[erroneous], np.inf)
    if decided is not None:
        before[~decided] = at[~decided] = lowest[~decided] = np.nan
    return CaseBreakpoints(before, at, lowest)


def _minimum_until(values: Floats, starts: Ints, ends: Ints) -> Floats:
    """The minimum of each values[start:end]; +inf where that is empty. Starts and ends ascend together."""
    bounds = np.column_stack([starts, ends]).ravel()
    lowest = np.minimum.reduceat(np.append(values, np.inf), bounds)[::2]
    return np.where(starts == ends, np.inf, lowest)


def margins(floats: CaseBreakpoints, codes: Codes, threshold: float | Floats) -> Floats:
    """Signed distance from the threshold to the nearest one at which the case turns right or wrong. Shape (n,).

    `threshold` is one for all or one a case, shape (n,). The distance is positive for right cases, negative for wrong
    ones, minus infinity where no threshold makes the case right, NaN where there is no outcome or no threshold decides.
    """
    below, above = threshold - floats.at, floats.before - threshold
    exact = np.minimum(below, above)
    wrong = np.where(floats.at < floats.before, np.minimum(np.abs(below), np.abs(above)), np.inf)
    clean = np.abs(floats.all - threshold)
    return np.select(
        [
            np.isnan(floats.all),
            codes == EXACT,
            np.isin(codes, (EARLY, LATE, MISSED)),
            codes == CLEAN,
            codes == FALSE_ALARM,
        ],
        [np.nan, exact, -wrong, clean, -clean],
        np.nan,
    )


def decision_distances(floats: CaseBreakpoints, threshold: float | Floats) -> Floats:
    """Return how far the lowest of what is compared lies from the threshold, shape (n,); NaN where no threshold
    decides.

    `threshold` is one for all or one a case. The lowest number alone decides whether a step is judged wrong at all, so
    that this says how sure the scorer is of that, and gold labels have no part in it.
    """
    distances: Floats = np.abs(floats.all - threshold)
    return distances
