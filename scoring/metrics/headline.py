"""The official metric of one scorer in one line, by family of metrics."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.first_error import NAMES
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.kernel import Unparsed, WholeRow
from scoring.metrics.metric_family import MetricFamily
from scoring.metrics.metrics_by_subset import MetricsBySubset
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


# -- metrics of a family: the plain mean over subsets, or of all cases together


def headline_of(
    family: MetricFamily, whole: WholeRow, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> Headline:
    """Return the leading metric of the cases `rows` (n)."""
    lines = MetricsBySubset.of(family, evaluation, rows, unparsed, seed)
    figures = lines.average() if whole == "average" else lines.pooled()
    figure, subsets = figures[family.metrics.index(family.leading)], lines.present.size
    if whole == "average":
        over = f"mean of {subsets} subsets" if subsets > 1 else "one subset" if subsets else "no case"
    else:
        together = "all steps pooled" if family.unit == "steps" else "all cases together"
        over = together if figure.n else f"no {family.unit.removesuffix('s')}"
    accuracies = _accuracies(figures if family is FIRST_ERRORS else _first_errors_of(evaluation, rows, unparsed))
    nothing = evaluation.coverage.nothing if figure.value is None else None
    return _line(family, figure, accuracies, over, nothing)


def headlines_of(
    family: MetricFamily, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> dict[str, Headline]:
    """Return the leading metric of each subset with a tried case, by name, as `metrics` prints it."""
    if not evaluation.gold.has_subsets(rows):
        return {}
    lines, names = MetricsBySubset.of(family, evaluation, rows, unparsed, seed), evaluation.gold.subsets[0]
    beside = lines if family is FIRST_ERRORS else MetricsBySubset.of(FIRST_ERRORS, evaluation, rows, unparsed, None)
    headlines = {}
    for number in lines.present.tolist():
        figures = lines.of_subset(number)
        if family is FIRST_ERRORS:
            accuracies, over = _accuracies(figures), "one subset"
        else:
            accuracies = _accuracies(beside.of_subset(number) if number in beside.present else None)
            over = "all steps pooled" if family.unit == "steps" else "all cases together"
        figure = figures[family.metrics.index(family.leading)]
        headlines[names[number] or ""] = _line(family, figure, accuracies, over, None)
    return headlines


def score_of(
    family: MetricFamily, whole: WholeRow, evaluation: Evaluation, rows: Bools, unparsed: Unparsed
) -> float | None:
    """Return the score of `headline_of` alone."""
    lines = MetricsBySubset.of(family, evaluation, rows, unparsed, None)
    return lines.score if whole == "average" else lines.pooled_score


def _line(
    family: MetricFamily,
    figure: Figure,
    accuracies: tuple[float | None, float | None],
    over: str,
    nothing: str | None,
) -> Headline:
    return Headline(
        family.leading.title,
        figure.value,
        figure.low,
        figure.high,
        *accuracies,
        figure.n,
        family.unit,
        over + (f", mean of {figure.runs} runs" if figure.runs > 1 else ""),
        nothing or (figure.reason if figure.value is None else None),
        figure.sd,
        figure.runs,
        figure.small,
    )


def _first_errors_of(evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> tuple[Figure, ...] | None:
    """The metrics of first errors of all cases together; None where none was tried."""
    lines = MetricsBySubset.of(FIRST_ERRORS, evaluation, rows, unparsed, None)
    return lines.pooled() if lines.present.size else None


def _accuracies(figures: Sequence[Figure] | None) -> tuple[float | None, float | None]:
    """The accuracies on erroneous and on clean cases, of the metrics of first errors."""
    if figures is None:
        return None, None
    return figures[NAMES.index("error_acc")].value, figures[NAMES.index("correct_acc")].value


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
