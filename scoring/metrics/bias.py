"""Does a scorer lean towards calling things right? Accuracy on what is right minus accuracy on what is wrong.

By `case` that is correct_acc minus error_acc (first errors), by `step` positive minus negative accuracy (step labels).
A scorer that calls everything right has 1, one that calls everything wrong -1, one that leans nowhere 0.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.evaluation import Evaluation
from scoring.given import JudgedSteps
from scoring.gold import RIGHT_STEP, WRONG_STEP
from scoring.metrics.closed_forms import difference_interval, wilson_interval
from scoring.metrics.kernel import Unparsed
from scoring.metrics.resampling import SMALL
from scoring.metrics.shares import side_shares
from scoring.step_rewards import Bools

NO_STEPS = "no case has steps that are judged one by one"


def bias_rows(
    evaluation: Evaluation, rows: Bools, unparsed: Unparsed = "wrong", judged: JudgedSteps | None = None
) -> Iterator[dict[str, Any]]:
    """`bias`, the two accuracies it is made of and `predicted_positive_rate`, by case and by step.

    The rate by `case` is the share of the cases with a verdict that are called clean, by `step` the share of the judged
    steps that are called right, labelled or not. Intervals are Wilson's and, for bias, Newcombe's; by step there are
    none, since the steps of a case are not independent. `judged` is what is decided of steps, by default
    `evaluation.judged_steps`.

    Yields dictionaries with `unit, metric, value, low, high, n, small, reason`: fractions (bias in [-1, 1]), null with
    a reason where undefined.
    """
    error_acc, correct_acc = side_shares(evaluation, unparsed)
    wrong, clean = ((int((one.hits & rows).sum()), int((one.among & rows).sum())) for one in (error_acc, correct_acc))
    answered = rows & evaluation.answered
    called_clean = (int((answered & (evaluation.verdicts == -1)).sum()), int(answered.sum()))
    yield from _rows(
        "case",
        {"error_acc": wrong, "correct_acc": clean},
        called_clean,
        (error_acc.empty, correct_acc.empty, evaluation.nothing or "no case has a verdict"),
    )
    judged = judged or evaluation.judged_steps
    taken = rows[judged.cases]
    said_wrong, labels = judged.wrong[taken], judged.gold(evaluation.gold)[taken]
    bad, good = labels == WRONG_STEP, labels == RIGHT_STEP
    nothing = evaluation.nothing or (None if said_wrong.size else NO_STEPS)
    yield from _rows(
        "step",
        {
            "negative_acc": (int((bad & said_wrong).sum()), int(bad.sum())),
            "positive_acc": (int((good & ~said_wrong).sum()), int(good.sum())),
        },
        (int((~said_wrong).sum()), said_wrong.size),
        (nothing or "no judged step is labelled wrong", nothing or "no judged step is labelled right", nothing or ""),
    )


def _rows(
    unit: str, sides: dict[str, tuple[int, int]], positive: tuple[int, int], empty: tuple[str, str, str]
) -> Iterator[dict[str, Any]]:
    """The rows of one unit; `sides` are hits and number of what is wrong, then of what is right."""
    (wrong_name, wrong), (right_name, right) = sides.items()
    yield _share(unit, wrong_name, wrong, empty[0])
    yield _share(unit, right_name, right, empty[1])
    reason = None if wrong[1] and right[1] else empty[1] if wrong[1] else empty[0]
    value = None if reason else right[0] / right[1] - wrong[0] / wrong[1]
    counts = (np.array([number]) for number in (*right, *wrong))
    ends = tuple(float(end[0]) for end in difference_interval(*counts))
    yield _row(unit, "bias", value, ends, right[1] + wrong[1], reason, min(right[1], wrong[1]))
    yield _share(unit, "predicted_positive_rate", positive, empty[2])


def _share(unit: str, metric: str, share: tuple[int, int], empty: str) -> dict[str, Any]:
    hits, n = share
    ends = tuple(float(end[0]) for end in wilson_interval(np.array([hits]), np.array([n])))
    return _row(unit, metric, hits / n if n else None, ends, n, None if n else empty, n)


def _row(
    unit: str, metric: str, value: float | None, ends: tuple[float, ...], n: int, reason: str | None, support: int
) -> dict[str, Any]:
    low, high = ends if unit == "case" and value is not None else (None, None)
    small = value is not None and support < SMALL
    return {
        "unit": unit,
        "metric": metric,
        "value": value,
        "low": low,
        "high": high,
        "n": n,
        "small": small,
        "reason": reason,
    }
