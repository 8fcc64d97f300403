"""The official metric of one scorer in one line."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.benchmarks.registry import StepLabelled, step_labelled
from scoring.evaluation import Evaluation
from scoring.metrics.first_error import NAMES, FirstErrors
from scoring.metrics.kernel import Unparsed
from scoring.metrics.resampling import SMALL
from scoring.metrics.step_labels import NEGATIVE_ACC, POSITIVE_ACC, PooledSteps, step_rows, why_nothing
from scoring.metrics.step_labels import PRMSCORE as PRMSCORE_METRIC
from scoring.step_rewards import Bools, Floats

F1, PRMSCORE = "F1", "PRMScore"


class Headline(Struct, frozen=True):
    """The official metric of one scorer on one benchmark: fractions; None where undefined, and `reason` says why.

    `metric` is the name of `score`. `on_wrong` and `on_right` are the accuracies behind it: on erroneous and on clean
    cases, or on wrong and on right steps, whichever the `n` `unit` are; `over` says what the score is taken over. Of
    several `runs` all are means, and `sd` is the sample standard deviation (n-1) of their scores. `small` says that few
    cases say it.
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
    sd: float | None = None
    runs: int = 1
    small: bool = False


def headline(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None, benchmark: str) -> Headline:
    """Give the metric as the benchmark reports it: F1 as the plain mean over its subsets, or PRMScore of all its steps.

    Without a `seed` it has no interval, and nothing is resampled.
    """
    facts = step_labelled(benchmark)
    if facts is not None:
        return _of_steps(evaluation, rows, facts, seed)
    found = FirstErrors.of(evaluation, rows, unparsed, seed)
    error_acc, correct_acc, f1 = found.average()
    subsets = found.present.size
    over = f"mean of {subsets} subsets" if subsets > 1 else "one subset" if subsets else "no case"
    runs = f", mean of {f1.runs} runs" if f1.runs > 1 else ""
    reason = f1.reason if f1.value is None else None
    if subsets == 1 and reason:
        # Of one subset the average's reason only counts subsets.
        reason = found.of_subset(int(found.present[0]))[NAMES.index("f1")].reason
    return Headline(
        F1,
        f1.value,
        f1.low,
        f1.high,
        error_acc.value,
        correct_acc.value,
        f1.n,
        "cases",
        over + runs,
        (evaluation.nothing or reason) if not subsets else reason,
        f1.sd,
        f1.runs,
        f1.small,
    )


def subset_headlines(
    evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int, benchmark: str
) -> dict[str, Headline]:
    """The same of every subset of which anything was tried, by its name: the lines that `metrics` prints.

    Of a class of steps that holds no wrong one the score is the F1 of right steps, as in the benchmark's tables.
    """
    facts = step_labelled(benchmark)
    if facts is not None:
        classes = set(evaluation.gold.subsets[0])
        every = (row for row in step_rows(evaluation, rows, facts, None, seed) if row["subset"] in classes)
        return _of_classes(every, len(evaluation.runs))
    found, names = FirstErrors.of(evaluation, rows, unparsed, seed), evaluation.gold.subsets[0]
    lines = {}
    for number in found.present if names != [None] else ():
        error_acc, correct_acc, f1 = found.of_subset(number)
        runs = f"mean of {f1.runs} runs" if f1.runs > 1 else "one subset"
        ends = (error_acc.value, correct_acc.value, f1.n, "cases", runs, f1.reason if f1.value is None else None)
        lines[names[number] or ""] = Headline(F1, f1.value, f1.low, f1.high, *ends, f1.sd, f1.runs, f1.small)
    return lines


def _of_classes(rows: Iterable[dict[str, Any]], runs: int) -> dict[str, Headline]:
    """The headlines of the classes, of their rows of `step_rows`."""
    lines: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        # A category may have the name of one of its classes, and comes later.
        lines.setdefault(row["subset"], {}).setdefault(row["metric"], row)
    over = "steps of one class" + (f", mean of {runs} runs" if runs > 1 else "")
    return {
        name: Headline(
            PRMSCORE,
            line["prmscore"]["value"],
            line["prmscore"]["low"],
            line["prmscore"]["high"],
            line["negative_acc"]["value"],
            line["positive_acc"]["value"],
            line["prmscore"]["n"],
            "steps",
            over,
            line["prmscore"]["reason"] if line["prmscore"]["value"] is None else None,
            line["prmscore"]["sd"],
            line["prmscore"]["runs"],
            line["prmscore"]["small"],
        )
        for name, line in lines.items()
    }


def _of_steps(evaluation: Evaluation, rows: Bools, facts: StepLabelled, seed: int | None) -> Headline:
    found = PooledSteps.of(evaluation, rows, facts)
    every = found.values(PRMSCORE_METRIC)
    score, on_wrong, on_right = (
        _mean(found.values(metric)) for metric in (PRMSCORE_METRIC, NEGATIVE_ACC, POSITIVE_ACC)
    )
    low: float | None = None
    high: float | None = None
    if score is not None and seed is not None:
        low, high = found.interval(PRMSCORE_METRIC, seed) or (None, None)
    n, runs = found.size(PRMSCORE_METRIC), every.size
    return Headline(
        PRMSCORE,
        score,
        low,
        high,
        on_wrong,
        on_right,
        n,
        "steps",
        ("all steps pooled" if n else "no step") + (f", mean of {runs} runs" if runs > 1 else ""),
        why_nothing(evaluation, rows) or (found.why(PRMSCORE_METRIC) if score is None else None),
        float(every.std(ddof=1)) if runs > 1 and score is not None else None,
        runs,
        score is not None and found.cases(PRMSCORE_METRIC) < SMALL,
    )


def official_score(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, benchmark: str) -> float | None:
    """The score of the headline alone: no interval, so that many scorers are quickly compared."""
    facts = step_labelled(benchmark)
    if facts is None:
        return FirstErrors.of(evaluation, rows, unparsed, None).score
    return _mean(PooledSteps.of(evaluation, rows, facts).values(PRMSCORE_METRIC))


def _mean(values: Floats) -> float | None:
    """The plain mean; None where one value is undefined."""
    mean = float(values.mean())
    return None if np.isnan(mean) else mean
