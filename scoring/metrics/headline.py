"""The official metric of one scorer in one line, by family of metrics."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.first_error import F1_SCORE, NAMES, FirstErrors
from scoring.metrics.kernel import Unparsed
from scoring.metrics.own import OwnMetric
from scoring.metrics.own_figures import own_rows
from scoring.metrics.resampling import SMALL, Figure
from scoring.metrics.step_labels import PooledSteps, step_rows, why_nothing
from scoring.metrics.step_metrics import NEGATIVE_ACC, POSITIVE_ACC, PRMSCORE


class Headline(Struct, frozen=True):
    """The official metric of one scorer on one benchmark: fractions, or None with a `reason`.

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


# -- F1 of first errors: the plain mean over subsets


def first_error_headline(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None) -> Headline:
    """Return F1 as the plain mean over the subsets of the cases `rows` (n)."""
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
        F1_SCORE.title,
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


def first_error_headlines(
    evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> dict[str, Headline]:
    """Return F1 of each subset with a tried case, by name, as `metrics` prints it."""
    errors, names = FirstErrors.of(evaluation, rows, unparsed, seed), evaluation.gold.subsets[0]
    lines = {}
    for number in errors.present if evaluation.gold.has_subsets(rows) else ():
        error_acc, correct_acc, f1 = errors.of_subset(number)
        runs = f"mean of {f1.runs} runs" if f1.runs > 1 else "one subset"
        ends = (error_acc.value, correct_acc.value, f1.n, "cases", runs, f1.reason if f1.value is None else None)
        lines[names[number] or ""] = Headline(
            F1_SCORE.title, f1.value, f1.low, f1.high, *ends, f1.sd, f1.runs, f1.small
        )
    return lines


def first_error_score(evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> float | None:
    """Return the score of `first_error_headline` alone."""
    return FirstErrors.of(evaluation, rows, unparsed, None).score


# -- the leading figure of a benchmark's own: of all its cases together


def own_headline(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> Headline:
    """Return a benchmark's own figure of the cases `rows` (n), all together."""
    errors = FirstErrors.of(evaluation, rows, unparsed, None)
    ends = errors.pooled() if errors.present.size else None
    return _of_own(made, _own_lines(made, evaluation, rows, unparsed, seed)[-2], ends)


def own_headlines(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> dict[str, Headline]:
    """Return a benchmark's own figure of each subset, by name."""
    errors, names = FirstErrors.of(evaluation, rows, unparsed, None), evaluation.gold.subsets[0]
    ends = {names[number] or "": errors.of_subset(number) for number in errors.present}
    lines = _own_lines(made, evaluation, rows, unparsed, seed)[:-2]
    return {row["subset"]: _of_own(made, row, ends.get(row["subset"])) for row in lines}


def own_score(made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> float | None:
    """Return the score of `own_headline` alone."""
    value: float | None = _own_lines(made, evaluation, rows, unparsed, None)[-2]["value"]
    return value


def _own_lines(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> list[dict[str, Any]]:
    """The rows of the subsets, then that of all cases and the mean over subsets."""
    return list(own_rows(made, evaluation, rows, unparsed, seed))


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


# -- PRMScore: of all steps pooled


def step_headline(facts: StepLabelled, evaluation: Evaluation, rows: Bools, seed: int | None) -> Headline:
    """Return PRMScore of all steps of the cases `rows` (n), pooled."""
    pooled = PooledSteps.of(evaluation, rows, facts)
    every = pooled.values(PRMSCORE)
    score, on_wrong, on_right = (_mean(pooled.values(metric)) for metric in (PRMSCORE, NEGATIVE_ACC, POSITIVE_ACC))
    low: float | None = None
    high: float | None = None
    if score is not None and seed is not None:
        low, high = pooled.interval(PRMSCORE, seed) or (None, None)
    n, runs = pooled.size(PRMSCORE), every.size
    return Headline(
        PRMSCORE.title,
        score,
        low,
        high,
        on_wrong,
        on_right,
        n,
        "steps",
        ("all steps pooled" if n else "no step") + (f", mean of {runs} runs" if runs > 1 else ""),
        why_nothing(evaluation, rows) or (pooled.why(PRMSCORE) if score is None else None),
        float(every.std(ddof=1)) if runs > 1 and score is not None else None,
        runs,
        score is not None and pooled.cases(PRMSCORE) < SMALL,
    )


def step_headlines(facts: StepLabelled, evaluation: Evaluation, rows: Bools, seed: int | None) -> dict[str, Headline]:
    """Return PRMScore of each class, by name.

    The score of a class without wrong steps is the F1 of right steps, as in the benchmark's tables.
    """
    classes = set(evaluation.gold.subsets[0])
    every = (row for row in step_rows(evaluation, rows, facts, None, seed) if row["subset"] in classes)
    return _of_classes(every, len(evaluation.runs))


def step_score(facts: StepLabelled, evaluation: Evaluation, rows: Bools) -> float | None:
    """Return the score of `step_headline` alone."""
    return _mean(PooledSteps.of(evaluation, rows, facts).values(PRMSCORE))


def _of_classes(rows: Iterable[dict[str, Any]], runs: int) -> dict[str, Headline]:
    lines: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        # A category may have the name of one of its classes, and comes later.
        lines.setdefault(row["subset"], {}).setdefault(row["metric"], row)
    over = "steps of one class" + (f", mean of {runs} runs" if runs > 1 else "")
    return {
        name: Headline(
            PRMSCORE.title,
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


def _mean(values: Floats) -> float | None:
    """The plain mean; None where one value is undefined."""
    mean = float(values.mean())
    return None if np.isnan(mean) else mean
