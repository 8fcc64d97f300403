"""The official metric of one scorer in one line."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.benchmarks.registry import StepLabelled, step_labelled
from scoring.evaluation import Evaluation
from scoring.metrics.accuracies import METRICS
from scoring.metrics.first_error import Unparsed, quick_first_errors
from scoring.metrics.intervals import SMALL
from scoring.metrics.step_counts import METRICS as STEP_METRICS
from scoring.metrics.step_labels import (
    metric_rows,
    pooled_cases,
    pooled_figures,
    pooled_interval,
    pooled_runs,
    why_no_prmscore,
    why_nothing,
)
from scoring.step_rewards import Bools, Floats

F1, PRMSCORE = "F1", "PRMScore"


@dataclass(frozen=True)
class Headline:
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


def headline(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int, benchmark: str) -> Headline:
    """The metric as the benchmark reports it: F1 as the plain mean over its subsets, or PRMScore of all its steps."""
    facts = step_labelled(benchmark)
    if facts is not None:
        return _of_steps(evaluation, rows, facts, seed)
    found = quick_first_errors(evaluation, rows, unparsed, seed)
    error_acc, correct_acc, f1 = found.average()
    subsets = found.present.size
    over = f"mean of {subsets} subsets" if subsets > 1 else "one subset" if subsets else "no case"
    runs = f", mean of {f1.runs} runs" if f1.runs > 1 else ""
    reason = f1.reason if f1.value is None else None
    if subsets == 1 and reason:
        # Of one subset the average's reason only counts subsets.
        reason = found.of_subset(int(found.present[0]))[METRICS.index("f1")].reason
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
        every = (row for row in metric_rows(evaluation, rows, facts, None, seed) if row["subset"] in classes)
        return _of_classes(every, len(evaluation.runs))
    found, names = quick_first_errors(evaluation, rows, unparsed, seed), evaluation.gold.subsets[0]
    lines = {}
    for number in found.present if names != [None] else ():
        error_acc, correct_acc, f1 = found.of_subset(number)
        runs = f"mean of {f1.runs} runs" if f1.runs > 1 else "one subset"
        ends = (error_acc.value, correct_acc.value, f1.n, "cases", runs, f1.reason if f1.value is None else None)
        lines[names[number] or ""] = Headline(F1, f1.value, f1.low, f1.high, *ends, f1.sd, f1.runs, f1.small)
    return lines


def _of_classes(rows: Iterable[dict[str, Any]], runs: int) -> dict[str, Headline]:
    """The headlines of the classes, of their rows of `step_labels.metric_rows`."""
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


def _of_steps(evaluation: Evaluation, rows: Bools, facts: StepLabelled, seed: int) -> Headline:
    values, sizes = pooled_figures(evaluation, rows, facts)
    found = {name: None if np.isnan(value) else float(value) for name, value in zip(STEP_METRICS, values, strict=True)}
    interval = None if found["prmscore"] is None else pooled_interval(evaluation, rows, facts, seed)
    low, high = interval or (None, None)
    n, runs = int(sizes[0]), len(evaluation.runs)
    over = ("all steps pooled" if n else "no step") + (f", mean of {runs} runs" if runs > 1 else "")
    every = pooled_runs(evaluation, rows, facts)[:, 0]
    undefined = why_no_prmscore(evaluation, rows, facts) if found["prmscore"] is None else None
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
        float(every.std(ddof=1)) if runs > 1 and found["prmscore"] is not None else None,
        runs,
        found["prmscore"] is not None and pooled_cases(evaluation, rows, facts) < SMALL,
    )


def official_score(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, benchmark: str) -> float | None:
    """The score of the headline alone: no interval, so that many scorers are quickly compared."""
    facts = step_labelled(benchmark)
    if facts is None:
        return quick_first_errors(evaluation, rows, unparsed).score
    return _mean(pooled_figures(evaluation, rows, facts)[0][:1])


def _mean(values: Floats) -> float | None:
    """The plain mean; None where there is nothing or one value is undefined."""
    return None if not values.size or np.isnan(values).any() else float(values.mean())
