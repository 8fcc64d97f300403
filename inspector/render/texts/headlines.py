"""The official metric of one scorer in one line."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from inspector.render.texts.sentences import F1, PRMSCORE
from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.benchmark_figures import leading_figure, leading_figures
from scoring.metrics.first_error import NAMES, FirstErrors
from scoring.metrics.kernel import Unparsed
from scoring.metrics.own import OwnMetric
from scoring.metrics.own_figures import own_rows
from scoring.metrics.resampling import SMALL, Figure
from scoring.metrics.step_labels import PooledSteps, step_rows, why_nothing
from scoring.metrics.step_metrics import NEGATIVE_ACC, POSITIVE_ACC
from scoring.metrics.step_metrics import PRMSCORE as PRMSCORE_METRIC


def official_title(benchmark: str) -> str:
    """Write the name of the figure that a benchmark reports: F1, PRMScore, or the leading one of its own."""
    if step_labelled(benchmark) is not None:
        return PRMSCORE
    made = leading_figure(benchmark)
    return F1 if made is None else made.title


def unit_of(title: str) -> str:
    """Name what the `n` of an official figure counts, `cases` or `steps`, by its title."""
    known = {F1: "cases", PRMSCORE: "steps"}
    return known[title] if title in known else leading_figures()[title].unit


class Headline(Struct, frozen=True):
    """The official metric of one scorer on one benchmark: fractions; None where undefined, and `reason` says why.

    `metric` is the title of `score`. `on_wrong` and `on_right` are accuracies beside it: on wrong and on right steps
    where it is PRMScore, else on erroneous and on clean cases. `n` counts `unit`, and `over` says what the score is
    taken over. Of several `runs` all are means, and `sd` is the sample standard deviation (n-1) of their scores.
    `small` says that few cases say it.
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
    """Return the metric as the benchmark reports it: F1 as plain mean over its subsets, PRMScore of all its steps, or
    the leading figure of its own, of all cases together.

    Without a `seed` it has no interval, and nothing is resampled.
    """
    facts = step_labelled(benchmark)
    if facts is not None:
        return _of_steps(evaluation, rows, facts, seed)
    made = leading_figure(benchmark)
    if made is not None:
        errors = FirstErrors.of(evaluation, rows, unparsed, None)
        ends = errors.pooled() if errors.present.size else None
        return _of_own(made, _own_lines(made, evaluation, rows, unparsed, seed)[-2], ends)
    errors = FirstErrors.of(evaluation, rows, unparsed, seed)
    error_acc, correct_acc, f1 = errors.average()
    subsets = errors.present.size
    over = f"mean of {subsets} subsets" if subsets > 1 else "one subset" if subsets else "no case"
    runs = f", mean of {f1.runs} runs" if f1.runs > 1 else ""
    reason = f1.reason if f1.value is None else None
    if subsets == 1 and reason:
        # Of one subset the average's reason only counts subsets.
        reason = errors.of_subset(int(errors.present[0]))[NAMES.index("f1")].reason
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
        (evaluation.coverage.nothing or reason) if not subsets else reason,
        f1.sd,
        f1.runs,
        f1.small,
    )


def subset_headlines(
    evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int, benchmark: str
) -> dict[str, Headline]:
    """Return the headline of every subset of which anything was tried, by its name: the lines that `metrics` prints.

    Of a class of steps that holds no wrong one the score is the F1 of right steps, as in the benchmark's tables.
    """
    facts = step_labelled(benchmark)
    if facts is not None:
        classes = set(evaluation.gold.subsets[0])
        every = (row for row in step_rows(evaluation, rows, facts, None, seed) if row["subset"] in classes)
        return _of_classes(every, len(evaluation.runs))
    made = leading_figure(benchmark)
    if made is not None:
        return _own_subsets(made, evaluation, rows, unparsed, seed)
    errors, names = FirstErrors.of(evaluation, rows, unparsed, seed), evaluation.gold.subsets[0]
    lines = {}
    for number in errors.present if evaluation.gold.has_subsets(rows) else ():
        error_acc, correct_acc, f1 = errors.of_subset(number)
        runs = f"mean of {f1.runs} runs" if f1.runs > 1 else "one subset"
        ends = (error_acc.value, correct_acc.value, f1.n, "cases", runs, f1.reason if f1.value is None else None)
        lines[names[number] or ""] = Headline(F1, f1.value, f1.low, f1.high, *ends, f1.sd, f1.runs, f1.small)
    return lines


# The lines of a benchmark's own figure are those of its subsets, then that of all cases and the mean over subsets.


def _own_lines(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> list[dict[str, Any]]:
    return list(own_rows(made, evaluation, rows, unparsed, seed))


def _own_subsets(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int
) -> dict[str, Headline]:
    errors, names = FirstErrors.of(evaluation, rows, unparsed, None), evaluation.gold.subsets[0]
    ends = {names[number] or "": errors.of_subset(number) for number in errors.present}
    lines = _own_lines(made, evaluation, rows, unparsed, seed)[:-2]
    return {row["subset"]: _of_own(made, row, ends.get(row["subset"])) for row in lines}


def _of_own(made: OwnMetric, row: Mapping[str, Any], ends: Sequence[Figure] | None) -> Headline:
    """One line of a benchmark's own figure; `ends` are the figures of first errors on the same cases."""
    over = (
        (f"all {made.unit} pooled" if made.unit == "steps" else "all cases together")
        if row["n"]
        else (f"no {made.unit.removesuffix('s')}")
    )
    return Headline(
        made.title,
        row["value"],
        row["low"],
        row["high"],
        None if ends is None else ends[NAMES.index("error_acc")].value,
        None if ends is None else ends[NAMES.index("correct_acc")].value,
        row["n"],
        made.unit,
        over + (f", mean of {row['runs']} runs" if row["runs"] > 1 else ""),
        row["reason"] if row["value"] is None else None,
        row["sd"],
        row["runs"],
        row["small"],
    )


def _of_classes(rows: Iterable[dict[str, Any]], runs: int) -> dict[str, Headline]:
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
    pooled = PooledSteps.of(evaluation, rows, facts)
    every = pooled.values(PRMSCORE_METRIC)
    score, on_wrong, on_right = (
        _mean(pooled.values(metric)) for metric in (PRMSCORE_METRIC, NEGATIVE_ACC, POSITIVE_ACC)
    )
    low: float | None = None
    high: float | None = None
    if score is not None and seed is not None:
        low, high = pooled.interval(PRMSCORE_METRIC, seed) or (None, None)
    n, runs = pooled.size(PRMSCORE_METRIC), every.size
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
        why_nothing(evaluation, rows) or (pooled.why(PRMSCORE_METRIC) if score is None else None),
        float(every.std(ddof=1)) if runs > 1 and score is not None else None,
        runs,
        score is not None and pooled.cases(PRMSCORE_METRIC) < SMALL,
    )


def official_score(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, benchmark: str) -> float | None:
    """Return the score of the headline alone: no interval, so that many scorers are quickly compared."""
    facts, made = step_labelled(benchmark), leading_figure(benchmark)
    if made is not None:
        value: float | None = _own_lines(made, evaluation, rows, unparsed, None)[-2]["value"]
        return value
    if facts is None:
        return FirstErrors.of(evaluation, rows, unparsed, None).score
    return _mean(PooledSteps.of(evaluation, rows, facts).values(PRMSCORE_METRIC))


def _mean(values: Floats) -> float | None:
    """The plain mean; None where one value is undefined."""
    mean = float(values.mean())
    return None if np.isnan(mean) else mean
