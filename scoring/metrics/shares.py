"""Shares of cases as pairs of masks, the conditions that select the cases behind them, and bias, made of two."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.judged_steps import JudgedSteps
from scoring.evaluation.step_rewards import RIGHT_STEP, WRONG_STEP
from scoring.evaluation.verdicts import EXACT, ON_CLEAN, ON_ERRONEOUS, OUTCOMES, REFUSED, RIGHT, UNPARSED
from scoring.metrics.closed_forms import difference_interval, wilson_interval
from scoring.metrics.first_error import FAILURES, NO_CLEAN, NO_ERRONEOUS, NOTHING, FirstErrors
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.resampling import SMALL
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.sql_words import named

BY_TYPE = {
    "fp": ("early",),
    "fn": ("late", "missed"),
    "late": ("late",),
    "missed": ("missed",),
    "exact": ("exact",),
    "unanswered": ("unparsed", "refused"),
}
"""Metric of erroneous cases by type of error -> the outcomes it counts, as GR-Ben does (its table by error type).

FP is a verdict before the earliest error, FN none or one after it; the official table leaves it there. Here FN is also
told apart into late (after it) and missed (no step at all). fp, fn, exact and unanswered add up to 1.
"""


class Share(Struct, frozen=True, eq=False):
    """`hits` among `among`, both (n,); every hit is among them. `empty` says why there is no share without any."""

    name: str
    hits: Bools
    among: Bools
    empty: str


def side_shares(evaluation: Evaluation, unparsed: Unparsed) -> tuple[Share, Share]:
    """Return error_acc and correct_acc (arXiv 2412.06559, section 3.3)."""
    decided = Decided(evaluation, unparsed)
    # A scorer that gives no verdict at all says so itself.
    nothing = evaluation.coverage.nothing
    return (
        Share("error_acc", decided.count("exact"), decided.count("erroneous"), nothing or NO_ERRONEOUS),
        Share("correct_acc", decided.count("clean_right"), decided.count("clean"), nothing or NO_CLEAN),
    )


def outcome_shares(evaluation: Evaluation, unparsed: Unparsed) -> Iterator[Share]:
    """Give `share_<outcome>` of all cases in the denominators, erroneous and clean alike; they add up to 1."""
    members = Decided(evaluation, unparsed).members
    for code in (*ON_ERRONEOUS, *ON_CLEAN, UNPARSED, REFUSED):
        hits = members & (evaluation.codes == np.uint8(code))
        yield Share(f"share_{OUTCOMES[code]}", hits, members, evaluation.coverage.nothing or NOTHING)


def error_type_shares(evaluation: Evaluation, unparsed: Unparsed) -> Iterator[Share]:
    """Yield the metrics of BY_TYPE, each among the erroneous cases in the denominators.

    An answer that names no step (-2) counts as early and one beyond the last step as late, as their outcomes do. With
    `drop`, which is what GR-Ben does, cases without a verdict are left out and `unanswered` is 0.
    """
    decided = Decided(evaluation, unparsed)
    among = decided.count("erroneous")
    for name, outcomes in BY_TYPE.items():
        hits = among & np.isin(evaluation.codes, [OUTCOMES.index(outcome) for outcome in outcomes])
        yield Share(name, hits, among, evaluation.coverage.nothing or NO_ERRONEOUS)


def process_error_shares(evaluation: Evaluation, unparsed: Unparsed) -> tuple[Share, Share]:
    """Return wrong processes among right final answers (arXiv 2412.06559, Table 2 and Figure 4), and those found
    exactly.

    `process_error_rate` is a property of the data: every case whose gold and final answer are known counts, scored or
    not. `process_error_exact` is the scorer's: among the cases with a right final answer and a wrong process.
    """
    gold = evaluation.gold
    right = gold.cases["final_answer_correct"].fill_null(value=False).to_numpy() & gold.known
    wrong_process = right & (gold.earliest >= 0)
    scored = wrong_process & Decided(evaluation, unparsed).members
    nothing = evaluation.coverage.nothing
    return (
        Share("process_error_rate", wrong_process, right, "no case is known to end in the right answer"),
        Share(
            "process_error_exact",
            scored & (evaluation.codes == np.uint8(EXACT)),
            scored,
            nothing or "no erroneous case that ends in the right answer was scored",
        ),
    )


# -- SQL conditions on what a scorer made of a case: right, wrong, tried; and on which side a case is


RIGHT_OUTCOMES = tuple(OUTCOMES[code] for code in RIGHT)
SIDES = {"erroneous": "earliest_error >= 0", "clean": "earliest_error = -1"}
"""By the name of a side the condition that selects its cases."""


def right(scorer: str) -> str:
    """Return the condition for the cases that it has right: `exact` or `clean`."""
    return _outcome(scorer, RIGHT_OUTCOMES)


def wrong(scorer: str, unparsed: Unparsed = "wrong") -> str:
    """Return the condition for the cases that count as wrong, refused and unparsed ones among them where they count."""
    return _outcome(scorer, FAILURES[unparsed])


def tried(scorer: str, unparsed: Unparsed = "wrong") -> str:
    """Return the condition for the cases in its denominators."""
    return _outcome(scorer, (*RIGHT_OUTCOMES, *FAILURES[unparsed]))


def answered(scorer: str) -> str:
    """Return the condition for the cases with a verdict."""
    return f"{named(f'{scorer}.verdict')} IS NOT NULL"


def _outcome(scorer: str, outcomes: tuple[str, ...]) -> str:
    return Facet(f"{scorer}.outcome", outcomes).sql


# -- which cases stand behind a figure of a breakdown, as SQL conditions beside those of its cell


LABELLED = "earliest_error >= -1"
"""The cases whose earliest error is known, `none` being known as well."""
ENDS_RIGHT = "final_answer_correct"
COUNTS = ("cases", *(f"count_{outcome}" for outcome in OUTCOMES))
"""The metrics that are counts of cases."""
OF_ERRONEOUS = ("error_acc", *BY_TYPE)
"""Those that are shares of the erroneous cases tried."""
OF_CLEAN = ("correct_acc",)


def behind(metric: str, scorer: str, unparsed: Unparsed = "wrong") -> tuple[str, ...]:
    """Return the conditions for the cases of a cell that a metric of `scoring.metrics.breakdown` counts: its `n`, and
    of a count its value.

    Raises:
        KeyError: there is no such metric.
    """
    if metric == "cases":
        return ()
    if metric in COUNTS:
        return (Facet(f"{scorer}.outcome", (metric.removeprefix("count_"),)).sql,)
    if metric == "process_error_rate":
        return (ENDS_RIGHT, LABELLED)
    if metric == "step_accuracy":
        return (f"{named(f'{scorer}.step_accuracy')} IS NOT NULL",)
    return (*_OF[_kind(metric)], tried(scorer, unparsed))


_OF = {
    "all": (LABELLED,),
    "erroneous": (SIDES["erroneous"],),
    "clean": (SIDES["clean"],),
    "process_error_exact": (ENDS_RIGHT, SIDES["erroneous"]),
}


def _kind(metric: str) -> str:
    if metric in OF_ERRONEOUS:
        return "erroneous"
    if metric in OF_CLEAN:
        return "clean"
    return "all" if metric == "f1" or metric.startswith("share_") else metric


# -- does a scorer lean towards calling things right? Accuracy on what is right minus accuracy on what is wrong.
#
# By `case` that is correct_acc minus error_acc (first errors), by `step` positive minus negative accuracy (step
# labels). A scorer that calls everything right has 1, one that calls everything wrong -1, one that leans nowhere 0.


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
    first_errors = FirstErrors((Decided(evaluation, unparsed),), rows, seed)
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
