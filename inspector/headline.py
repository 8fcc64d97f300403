"""The official metric of one scorer in one line."""

from dataclasses import dataclass

import numpy as np

from scoring.benchmarks.catalogue import step_labelled
from scoring.benchmarks.step_labelled import StepLabelled
from scoring.evaluation import Evaluation
from scoring.metrics.first_error import FirstError, Unparsed, count
from scoring.metrics.intervals import percentile_interval
from scoring.metrics.step_counts import METRICS
from scoring.metrics.step_labels import pooled_figures, pooled_interval, why_nothing
from scoring.step_rewards import Bools, Floats
from scoring.step_thresholds import StepSweep, step_sweep
from scoring.thresholds import Sweep, sweep

F1, PRMSCORE = "F1", "PRMScore"


@dataclass(frozen=True)
class Headline:
    """The official metric of one scorer on one benchmark: fractions; None where undefined, and `reason` says why.

    `metric` is the name of `score`. `on_wrong` and `on_right` are the accuracies behind it: on erroneous and on clean
    cases, or on wrong and on right steps, whichever the `n` `unit` are; `over` says what the score is taken over.
    """

    metric: str
    score: float | None
    low: float | None
    high: float | None
    on_wrong: float | None
    on_right: float | None
    n: int
    unit: str
    over: str
    reason: str | None


def headline(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int, benchmark: str) -> Headline:
    """The metric as the benchmark reports it: F1 as the plain mean over its subsets, or PRMScore of all its steps."""
    facts = step_labelled(benchmark)
    if facts is not None:
        return _of_steps(evaluation, rows, facts, seed)
    counts = _counts(evaluation, rows, unparsed)
    error_acc, correct_acc = counts.accuracies
    undefined = int(np.isnan(counts.f1).sum())
    over = f"mean of {counts.f1.size} subsets" if counts.f1.size > 1 else "one subset" if counts.f1.size else "no case"
    reason = None if counts.f1.size else evaluation.nothing or "no case was scored"
    if undefined:
        reason = f"undefined in {undefined} of {counts.f1.size} subsets" if counts.f1.size > 1 else "undefined here"
    low, high = (None, None) if reason else percentile_interval(counts.resampled(seed)[2].mean(axis=0))
    return Headline(
        F1,
        _mean(counts.f1),
        low,
        high,
        _mean(error_acc),
        _mean(correct_acc),
        int((counts.erroneous + counts.clean).sum()),
        "cases",
        over,
        reason,
    )


def _of_steps(evaluation: Evaluation, rows: Bools, facts: StepLabelled, seed: int) -> Headline:
    values, sizes = pooled_figures(evaluation, rows, facts)
    found = {name: None if np.isnan(value) else float(value) for name, value in zip(METRICS, values, strict=True)}
    interval = None if found["prmscore"] is None else pooled_interval(evaluation, rows, facts, seed)
    low, high = interval or (None, None)
    n = int(sizes[0])
    over = "all steps pooled" if n else "no step"
    undefined = "undefined here" if found["prmscore"] is None else None
    return Headline(
        PRMSCORE,
        found["prmscore"],
        low,
        high,
        found["negative_acc"],
        found["positive_acc"],
        n,
        "steps",
        over,
        why_nothing(evaluation, rows) or undefined,
    )


def official_score(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, benchmark: str) -> float | None:
    """The score of the headline alone: no interval, so that many scorers are quickly compared."""
    facts = step_labelled(benchmark)
    if facts is None:
        return _mean(_counts(evaluation, rows, unparsed).f1)
    return _mean(pooled_figures(evaluation, rows, facts)[0][:1])


def score_curve(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, benchmark: str) -> Sweep | StepSweep | None:
    """The score at every distinct threshold; None where there is none to move."""
    facts = step_labelled(benchmark)
    if facts is None:
        return sweep(evaluation, rows, evaluation.gold.subsets[1], unparsed)
    return step_sweep(evaluation, rows, facts)


def _counts(evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> FirstError:
    names, groups = evaluation.gold.subsets
    return count(evaluation, rows, groups, len(names), unparsed).present()


def _mean(values: Floats) -> float | None:
    """The plain mean; None where there is nothing or one value is undefined."""
    return None if not values.size or np.isnan(values).any() else float(values.mean())
