"""Bias of scorers: accuracy on what is right minus accuracy on what is wrong.

By `case` that is correct_acc minus error_acc (first errors), by `step` positive minus negative accuracy (step
labels). A scorer that calls everything right has 1, one that calls everything wrong -1, one that leans nowhere 0.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import RIGHT_STEP, WRONG_STEP
from scoring.evaluation.judged_steps import JudgedSteps
from scoring.metrics.closed_forms import difference_interval, wilson_interval
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.metrics_by_subset import MetricsBySubset
from scoring.metrics.resampling import SMALL
from scoring.metrics.shares import side_shares

NO_STEPS = "no case has steps that are judged one by one"


def bias_rows(
    evaluation: Evaluation,
    rows: Bools,
    unparsed: Unparsed = "wrong",
    judged: JudgedSteps | None = None,
    seed: int | None = 0,
) -> Iterator[dict[str, Any]]:
    """`bias`, the two accuracies it is made of and `predicted_positive_rate`, by case and by step.

    The rate by `case` is the share of the cases with a verdict that are called clean, by `step` the share of the judged
    steps that are called right, labelled or not. Accuracies have the bootstrap intervals of `metrics`, drawn with
    `seed` (None = none); that of the rate is Wilson's and that of bias Newcombe's. By step there are none, since the
    steps of a case are not independent. `judged` is what is decided of steps, by default `evaluation.judged_steps`.

    Yields dictionaries with `unit, metric, value, low, high, n, small, reason`: fractions (bias in [-1, 1]), null with
    a reason where undefined.
    """
    error_acc, correct_acc = side_shares(evaluation, unparsed)
    first_errors = MetricsBySubset(FIRST_ERRORS, (Decided(evaluation, unparsed),), rows, seed)
    wrong, clean = (
        (int((accuracy.hits & rows).sum()), int((accuracy.among & rows).sum())) for accuracy in (error_acc, correct_acc)
    )
    answered = rows & evaluation.coverage.answered
    called_clean = (int((answered & (evaluation.verdicts == -1)).sum()), int(answered.sum()))
    yield from _rows(
        "case",
        {"error_acc": wrong, "correct_acc": clean},
        called_clean,
        (error_acc.empty, correct_acc.empty, evaluation.coverage.nothing or "no case has a verdict"),
        {figure.metric: (figure.low, figure.high) for figure in first_errors.pooled()},
    )
    judged = judged or evaluation.judged_steps
    taken = rows[judged.cases]
    said_wrong, labels = judged.wrong[taken], judged.gold(evaluation.gold)[taken]
    bad, good = labels == WRONG_STEP, labels == RIGHT_STEP
    nothing = evaluation.coverage.nothing or (None if said_wrong.size else NO_STEPS)
    yield from _rows(
        "step",
        {
            "negative_acc": (int((bad & said_wrong).sum()), int(bad.sum())),
            "positive_acc": (int((good & ~said_wrong).sum()), int(good.sum())),
        },
        (int((~said_wrong).sum()), said_wrong.size),
        (nothing or "no judged step is labelled wrong", nothing or "no judged step is labelled right", nothing or ""),
        {},
    )


_Ends = tuple[float | None, float | None]
_NO_ENDS: _Ends = (None, None)


def _rows(
    unit: str,
    sides: dict[str, tuple[int, int]],
    positive: tuple[int, int],
    empty: tuple[str, str, str],
    intervals: dict[str, _Ends],
) -> Iterator[dict[str, Any]]:
    """The rows of one unit; `sides` are hits and number of what is wrong, then of what is right.

    `intervals` are those of the accuracies; without any, nothing has one.
    """
    (wrong_name, wrong), (right_name, right) = sides.items()
    yield _share(unit, wrong_name, wrong, empty[0], intervals.get(wrong_name, _NO_ENDS))
    yield _share(unit, right_name, right, empty[1], intervals.get(right_name, _NO_ENDS))
    reason = None if wrong[1] and right[1] else empty[1] if wrong[1] else empty[0]
    value = None if reason else right[0] / right[1] - wrong[0] / wrong[1]
    counts = (np.array([number]) for number in (*right, *wrong))
    ends = _of_one(difference_interval(*counts)) if intervals else _NO_ENDS
    yield _row(unit, "bias", value, ends, right[1] + wrong[1], reason, min(right[1], wrong[1]))
    of_rate = _of_one(wilson_interval(*(np.array([number]) for number in positive))) if intervals else _NO_ENDS
    yield _share(unit, "predicted_positive_rate", positive, empty[2], of_rate)


def _of_one(ends: tuple[Floats, Floats]) -> _Ends:
    return float(ends[0][0]), float(ends[1][0])


def _share(unit: str, metric: str, share: tuple[int, int], empty: str, ends: _Ends) -> dict[str, Any]:
    hits, n = share
    return _row(unit, metric, hits / n if n else None, ends, n, None if n else empty, n)


def _row(
    unit: str, metric: str, value: float | None, ends: _Ends, n: int, reason: str | None, support: int
) -> dict[str, Any]:
    return {
        "unit": unit,
        "metric": metric,
        "value": value,
        "low": None if value is None else ends[0],
        "high": None if value is None else ends[1],
        "n": n,
        "small": value is not None and support < SMALL,
        "reason": reason,
    }
