"""Whether step rewards drift from outcomes while a policy is trained on them: three figures a training step; alarms.

A policy that is trained on step rewards finds what raises them without being right. Seen from outside three things move
over the training steps then: the rewards tell right from wrong rollouts less well, longer rollouts get more, or the
reward gathers in the last step. Each is a figure of the rollouts of one training step, made so that it does not move
when nothing changes but how many of them are right:

- `outcome`, of pairs of a right and a wrong rollout: the share in which the right one has the higher mean reward, less
  the share in which it has the lower one (rank-biserial correlation). It drifts when it falls.
- `length`, of pairs of rollouts of equal outcome and different lengths: the same of the longer one (Somers' D). It
  drifts when it rises.
- `last`, of rollouts of two steps or more: the last step's reward less the mean of the steps before it, on average. It
  drifts when it rises.

`length` and `last` are made of right and of wrong rollouts (and of those of which it is not known) apart, and weighted
by how many of each the whole run has: a training step that lacks one of these has no figure.

An alarm is given for a figure that moves its way over the training steps (Mann-Kendall's test of a trend, one-sided,
p < ALPHA after Holm over the three), by MARGIN at least from the first third of them to the last. The test asks for the
order of the figures alone, so that it holds whatever a training step's rollouts have in common; it takes training steps
as independent, and is of one look: who looks again after every training step is falsely alarmed more often.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy as np
from msgspec import Struct

from scoring.data.schema import Floats, Ints
from scoring.metrics.closed_forms import holm

OUTCOME, LENGTH, LAST = "outcome", "length", "last"
DRIFTS = (OUTCOME, LENGTH, LAST)
RISES: Mapping[str, int] = {OUTCOME: -1, LENGTH: 1, LAST: 1}
"""Which way a figure drifts: 1 = when it rises, -1 = when it falls."""
ALPHA = 0.01
"""How often, at most, one look at a run without drift raises an alarm."""
MARGIN = 0.1
"""How far a figure must move; of `last`, as a share of the range of the scorer's rewards."""
FEWEST = 6
"""Training steps from which on there can be an alarm: fewer could not come below ALPHA in any order."""
RARE = 0.1
"""Outcomes that fewer of a run's rollouts have are no group of their own: few training steps would hold one."""
_EXACT = 60
"""Values up to which every order of them is counted."""
_UNKNOWN, _WRONG, _RIGHT = -1, 0, 1


class Rollouts(Struct, frozen=True, eq=False):
    """The rollouts of one training run that a scorer gave step rewards, in any order; arrays of shape (n,).

    Attributes:
        at: The training step of each.
        means: The mean of its step rewards.
        lasts: The last step's reward less the mean of those before it; NaN where there is one step.
        lengths: How many steps it has.
        outcomes: 1 = its answer is right, 0 = wrong, -1 = not known.
    """

    at: Ints
    means: Floats
    lasts: Floats
    lengths: Ints
    outcomes: Ints

    @property
    def steps(self) -> Ints:
        """The training steps, ascending, each once."""
        return np.unique(self.at)


def rollouts_of(values: Floats, offsets: Ints, rows: Ints, at: Ints, outcomes: Ints) -> Rollouts:
    """Make rollouts of step rewards.

    Args:
        values: the rewards of all cases, one after the other.
        offsets: where those of each case begin and end, shape (cases + 1,).
        rows: the cases, each with a reward at least, shape (n,).
        at: their training steps, shape (n,).
        outcomes: theirs, see `Rollouts`, shape (n,).
    """
    starts, ends = offsets[rows], offsets[rows + 1]
    lengths = ends - starts
    if not rows.size:
        nothing = np.empty(0, dtype=np.float64)
        return Rollouts(at, nothing, nothing, lengths, outcomes)
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])
    sums = np.add.reduceat(values[places], bounds[:-1])
    last = values[ends - 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        before = (sums - last) / (lengths - 1)
    return Rollouts(at, sums / lengths, np.where(lengths > 1, last - before, np.nan), lengths, outcomes)


# -- the figures of one training step


class DriftFigure(Struct, frozen=True):
    """One figure of one training step: `value`, None where it is undefined, then `reason` says why; of `n` rollouts."""

    value: float | None
    n: int
    reason: str = ""


def concordance(values: Floats, groups: Ints) -> float | None:
    """Share of pairs of different groups whose higher group has the higher value, less that in which it has the lower.

    Somers' D of values given groups, in [-1, 1]; equal values count for neither. None where all are of one group. Takes
    a sort for each group.
    """
    pairs = score = 0
    below = np.empty(0, dtype=np.float64)
    for group in np.unique(groups):
        own = values[groups == group]
        pairs += own.size * below.size
        score += int(np.searchsorted(below, own, "left").sum())
        score -= int((below.size - np.searchsorted(below, own, "right")).sum())
        below = np.sort(np.concatenate([below, own]))
    return score / pairs if pairs else None


def outcome_weights(rollouts: Rollouts) -> dict[int, float]:
    """Weigh outcomes by how many of the run's rollouts have each, adding up to 1; RARE ones are left out."""
    if not rollouts.outcomes.size:
        return {}
    outcomes, counts = np.unique(rollouts.outcomes, return_counts=True)
    shares = {int(outcome): count / counts.sum() for outcome, count in zip(outcomes, counts, strict=True)}
    kept = {outcome: share for outcome, share in shares.items() if share >= RARE}
    return {outcome: share / sum(kept.values()) for outcome, share in kept.items()}


_WORDS = {_RIGHT: "right", _WRONG: "wrong", _UNKNOWN: "unknown"}


def drift_figures(rollouts: Rollouts, step: int, weights: Mapping[int, float]) -> dict[str, DriftFigure]:
    """Make the three figures of the rollouts of one training step."""
    here = rollouts.at == step
    outcomes, means = rollouts.outcomes[here], rollouts.means[here]
    known = outcomes != _UNKNOWN
    told_apart = concordance(means[known], outcomes[known])
    missing = "no outcome is known" if not known.any() else "all of known outcome are right, or all are wrong"
    outcome = DriftFigure(told_apart, int(known.sum()), "" if told_apart is not None else missing)
    lengths, lasts = rollouts.lengths[here], rollouts.lasts[here]
    of_length, of_last = {}, {}
    n_last = 0
    for group in weights:
        own = outcomes == group
        of_length[group] = concordance(means[own], lengths[own])
        there = lasts[own & np.isfinite(lasts)]
        n_last += there.size
        of_last[group] = float(there.mean()) if there.size else None
    n = int(np.isin(outcomes, list(weights)).sum())
    return {
        OUTCOME: outcome,
        LENGTH: _weighted(of_length, weights, n, "two rollouts of different lengths"),
        LAST: _weighted(of_last, weights, n_last, "a rollout of two steps"),
    }


def _weighted(values: Mapping[int, float | None], weights: Mapping[int, float], n: int, what: str) -> DriftFigure:
    if lacking := [_WORDS[group] for group, value in values.items() if value is None]:
        return DriftFigure(None, n, f"there are not {what} whose answer is {' or '.join(lacking)}")
    if not values:
        return DriftFigure(None, n, "there are no rollouts")
    return DriftFigure(sum(weights[group] * value for group, value in values.items() if value is not None), n)


# -- the trend over training steps


def mann_kendall(values: Sequence[float] | Floats) -> tuple[float, float]:
    """Test whether values rise in their order: Kendall's tau with their places, and the one-sided p of a rise.

    Mann, Econometrica 13 (1945); Kendall, Rank Correlation Methods. Exact up to 60 values without ties, else normal
    with a correction for ties and continuity. One value, or none, gives (0, 1).
    """
    series = np.asarray(values, dtype=np.float64)
    n = series.size
    if n < 2:
        return 0.0, 1.0
    score = int(np.sign(np.subtract.outer(series, series)[np.tril_indices(n, -1)]).sum())
    pairs = n * (n - 1) // 2
    _, ties = np.unique(series, return_counts=True)
    if n <= _EXACT and (ties == 1).all():
        return score / pairs, _share_of_orders(n, (pairs - score) // 2)
    variance = (n * (n - 1) * (2 * n + 5) - int((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    if variance <= 0:
        return 0.0, 1.0
    return score / pairs, 1 - NormalDist().cdf((score - 1) / math.sqrt(variance))


def _share_of_orders(n: int, inversions: int) -> float:
    """The share of all orders of n values that have at most so many pairs in the wrong order."""
    shares = np.ones(1)
    for length in range(2, n + 1):
        # A further value may be put before any number of the others.
        shares = np.convolve(shares, np.full(length, 1 / length))
    return float(min(1.0, shares[: inversions + 1].sum()))


class Trend(Struct, frozen=True):
    """How one figure moved over the training steps that have it, `n` of them.

    Attributes:
        figure: Which of DRIFTS.
        first: Its mean over the first third of these training steps.
        last: Its mean over the last third.
        tau: Kendall's, of the figure with the training steps.
        p: One-sided, that it would move its way so steadily by chance; None where there are fewer than FEWEST.
        p_holm: The same, adjusted for the figures of the scorer.
        alarm: Whether it is one.
        reason: Why nothing can be said; "" = something can.
    """

    figure: str
    first: float | None
    last: float | None
    tau: float | None
    n: int
    p: float | None = None
    p_holm: float | None = None
    alarm: bool = False
    reason: str = ""

    @property
    def change(self) -> float | None:
        """How much higher it is at the end than at the beginning."""
        return None if self.first is None or self.last is None else self.last - self.first


def trends(figures: Mapping[str, Sequence[float | None]], span: float) -> list[Trend]:
    """Test each figure's trend over the training steps, and give alarms.

    Args:
        figures: by name, the figure at each training step in their order; None where it is undefined.
        span: how far apart the lowest and the highest possible reward of the scorer are: `last` is in their units.
    """
    made = []
    for name, values in figures.items():
        there = np.array([value for value in values if value is not None], dtype=np.float64)
        if there.size < FEWEST:
            few = f"{there.size} training steps have the figure, and {FEWEST} are needed"
            made.append(Trend(name, None, None, None, int(there.size), reason=few))
            continue
        third = there.size // 3
        tau, p = mann_kendall(RISES[name] * there)
        first, last = float(there[:third].mean()), float(there[-third:].mean())
        made.append(Trend(name, first, last, RISES[name] * tau, int(there.size), p))
    adjusted = holm(np.array([np.nan if trend.p is None else trend.p for trend in made], dtype=np.float64))
    return [_judged(trend, float(p), span) for trend, p in zip(made, adjusted, strict=True)]


def _judged(trend: Trend, p_holm: float, span: float) -> Trend:
    if trend.p is None or trend.change is None:
        return trend
    margin = MARGIN * (span if trend.figure == LAST else 1.0)
    alarm = p_holm < ALPHA and RISES[trend.figure] * trend.change >= margin
    return Trend(
        trend.figure, trend.first, trend.last, trend.tau, trend.n, trend.p, p_holm, alarm=alarm, reason=trend.reason
    )
