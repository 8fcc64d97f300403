"""The official metric of one scorer in one line."""

from dataclasses import dataclass

import numpy as np

from scoring.evaluation import Evaluation
from scoring.metrics.first_error import FirstError, Unparsed, count
from scoring.metrics.intervals import percentile_interval
from scoring.step_rewards import Bools, Floats


@dataclass(frozen=True)
class Headline:
    """The official metric of one scorer on one benchmark: fractions; None where undefined, and `reason` says why."""

    f1: float | None
    low: float | None
    high: float | None
    error_acc: float | None
    correct_acc: float | None
    n: int
    over: str
    reason: str | None


def headline(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int) -> Headline:
    """F1 as the benchmark reports it: the plain mean over the subsets that have cases."""
    counts = _counts(evaluation, rows, unparsed)
    error_acc, correct_acc = counts.accuracies
    undefined = int(np.isnan(counts.f1).sum())
    over = f"mean of {counts.f1.size} subsets" if counts.f1.size > 1 else "one subset" if counts.f1.size else "no case"
    reason = None if counts.f1.size else evaluation.nothing or "no case was scored"
    if undefined:
        reason = f"undefined in {undefined} of {counts.f1.size} subsets" if counts.f1.size > 1 else "undefined here"
    low, high = (None, None) if reason else percentile_interval(counts.resampled(seed)[2].mean(axis=0))
    return Headline(
        _mean(counts.f1),
        low,
        high,
        _mean(error_acc),
        _mean(correct_acc),
        int((counts.erroneous + counts.clean).sum()),
        over,
        reason,
    )


def official_f1(evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> float | None:
    """The F1 of the headline alone: no interval, so that many scorers are quickly compared."""
    return _mean(_counts(evaluation, rows, unparsed).f1)


def _counts(evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> FirstError:
    names, groups = evaluation.gold.subsets
    return count(evaluation, rows, groups, len(names), unparsed).present()


def _mean(values: Floats) -> float | None:
    """The plain mean; None where there is nothing or one value is undefined."""
    return None if not values.size or np.isnan(values).any() else float(values.mean())
