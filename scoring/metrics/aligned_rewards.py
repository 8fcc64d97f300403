"""Step rewards around the earliest error: do they fall where the solution goes wrong, and do they recover?"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.closed_forms import Z
from scoring.metrics.resampling import SMALL
from scoring.metrics.reward_bins import has_rewards, why_none, with_rewards

AlignedRow = dict[str, Any]
REACH = 5
"""Steps before and after the earliest error that are looked at."""
BAND = (
    "low and high: 95%, normal interval of a mean over cases, cases of one problem taken together (cluster-robust "
    "standard error); `clean` is the mean over clean cases of each one's mean step reward"
)


def aligned_rows(evaluation: Evaluation, rows: Bools, reach: int = REACH) -> Iterator[AlignedRow]:
    """Yield the mean reward at each `offset` from the earliest error (step minus earliest error), and of clean cases.

    Over the erroneous cases of `rows` (n) that have a reward for every step and whose earliest error is one of their
    steps; at an offset count those that have a step there, one reward each. The last row (`side` clean, no offset) is
    the mean over clean cases of each one's mean reward. Bands are as BAND says; of a single case, or of cases of a
    single problem, there is none.

    Yields dictionaries with `side, offset, metric, value, low, high, n, small, reason, where`, in the units of the
    scorer's rewards; `where` selects the `n` cases. Null with a reason where there is no case.
    """
    there, gold = with_rewards(evaluation, rows), evaluation.gold
    values, offsets = evaluation.rewards.values, evaluation.rewards.offsets
    erroneous = np.flatnonzero(there & (gold.earliest >= 0) & (gold.earliest < gold.n_steps))
    nothing = None if there.any() else why_none(evaluation, rows)
    name = has_rewards(evaluation)
    for offset in range(-reach, reach + 1):
        step = gold.earliest[erroneous] + offset
        taken = erroneous[(step >= 0) & (step < gold.n_steps[erroneous])]
        rewards = values[offsets[taken] + gold.earliest[taken] + offset]
        place = {"side": "erroneous", "offset": offset}
        at = "earliest_error" if not offset else f"earliest_error {'+' if offset > 0 else '-'} {abs(offset)}"
        within = "" if not offset else f" AND {at} >= 0 AND {at} < n_steps"
        where = f"earliest_error >= 0 AND earliest_error < n_steps{within} AND {name}"
        reason = nothing or ("no such step in any case" if erroneous.size else "no erroneous case has rewards")
        yield _aligned_row(place, rewards, gold.problems[taken], reason, where)
    clean = np.flatnonzero(there & (gold.earliest < 0))
    # Rows without rewards take no room between those that have some.
    scored = np.flatnonzero(np.diff(offsets))
    sums = np.add.reduceat(values, offsets[:-1][scored]) if scored.size else values
    means = sums[np.searchsorted(scored, clean)] / gold.n_steps[clean]
    reason = nothing or "no clean case has rewards"
    yield _aligned_row(
        {"side": "clean", "offset": None}, means, gold.problems[clean], reason, f"earliest_error = -1 AND {name}"
    )


def mean_interval(values: Floats, problems: Ints) -> tuple[float, float] | None:
    """Low and high end of the 95% normal interval of a mean over cases; None where all are of one problem.

    The standard error is robust to cases of one problem being alike (Liang and Zeger, Biometrika 73, 1986), with the
    factor G / (G - 1) of G problems; where each has one case it is the usual one.

    Args:
        values: (m,) a number a case.
        problems: (m,) a number of each case's problem.
    """
    _, group = np.unique(problems, return_inverse=True)
    n_groups = int(group.max(initial=-1)) + 1
    if n_groups < 2:
        return None
    mean = values.mean()
    residuals = np.bincount(group, values - mean)
    half = Z * np.sqrt(np.square(residuals).sum() * n_groups / (n_groups - 1)) / values.size
    return float(mean - half), float(mean + half)


def _aligned_row(place: AlignedRow, values: Floats, problems: Ints, reason: str, where: str) -> AlignedRow:
    n = int(values.size)
    low, high = (mean_interval(values, problems) if n else None) or (None, None)
    value = float(values.mean()) if n else None
    figures = {"metric": "mean_reward", "value": value, "low": low, "high": high, "n": n, "small": 0 < n < SMALL}
    return {**place, **figures, "reason": None if n else reason, "where": where}
