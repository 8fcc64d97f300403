"""Where verdicts and errors lie: offsets of verdicts, positions of errors, accuracy by the place of a step.

Every function gives rows in long form with `metric, value, low, high, n, small, reason, where` and one or two columns
that name the bin; `where` is the condition that selects the cases of a bin, null where a bin holds steps and not cases.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from scoring.data.schema import Bools, Ints, RowDict
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.evaluation.judged_steps import JudgedSteps
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.first_error import NAMES
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.kernel import Decided
from scoring.metrics.metrics_by_subset import MetricsBySubset
from scoring.metrics.resampling import SMALL
from scoring.metrics.step_bins import StepBins
from scoring.metrics.step_contributions import OF_STEPS, count_steps
from scoring.metrics.step_metrics import ACC, NEGATIVE_ACC, POSITIVE_ACC, PRMSCORE
from scoring.workspace.filtering.sql_words import named

ERRONEOUS = "earliest_error >= 0"
STEP_METRICS = (ACC, POSITIVE_ACC, NEGATIVE_ACC, PRMSCORE)


def offset_rows(evaluation: Evaluation, rows: Bools, seed: int | None = 0) -> Iterator[RowDict]:
    """Yield how far verdicts lie from the earliest error: a bar for every `offset` (verdict minus gold) that occurs.

    Over the erroneous cases of `rows` (n) that have a verdict; the bars add up to `n`. Each has its `outcome`: early
    below 0, exact at 0, late above. Without an offset are cases that are missed, verdicts that name no step (early) and
    those beyond the last one (late). The share of exact ones is error_acc where every case has a verdict, and has the
    interval that error_acc of these cases has with this `seed`.
    """
    there, verdicts, gold = _erroneous(evaluation, rows)
    name = named(f"{evaluation.scorer.name}.verdict")
    inside = (verdicts >= 0) & (verdicts < evaluation.gold.n_steps[there])
    offsets, counts = np.unique((verdicts - gold)[inside], return_counts=True)
    for offset, count in zip(offsets.tolist(), counts.tolist(), strict=True):
        bar = {"outcome": "early" if offset < 0 else "late" if offset else "exact", "offset": offset}
        condition = f"{name} >= 0 AND {name} < n_steps AND {name} - earliest_error = {offset}"
        ends = _error_acc_ends(evaluation, rows, seed) if offset == 0 else None
        yield from _bar(bar, count, there.size, f"{ERRONEOUS} AND {condition}", evaluation.coverage.nothing, ends)
    for outcome, mask, condition in (
        ("missed", verdicts == -1, f"{name} = -1"),
        ("early", verdicts < -1, f"{name} < -1"),
        ("late", (verdicts >= 0) & ~inside, f"{name} >= n_steps"),
    ):
        if outcome == "missed" or mask.any():
            bar = {"outcome": outcome, "offset": None}
            where = f"{ERRONEOUS} AND {condition}"
            yield from _bar(bar, int(mask.sum()), there.size, where, evaluation.coverage.nothing)


def _error_acc_ends(evaluation: Evaluation, rows: Bools, seed: int | None) -> dict[str, float | None]:
    error_acc = MetricsBySubset(FIRST_ERRORS, (Decided(evaluation, "drop"),), rows, seed).pooled()[
        NAMES.index("error_acc")
    ]
    return {"low": error_acc.low, "high": error_acc.high}


def first_position_rows(evaluation: Evaluation, rows: Bools, bins: StepBins) -> Iterator[RowDict]:
    """Yield where the earliest errors are and where verdicts put them, by `side` (gold, predicted) and `position`.

    Both sides are over the same `n`: the erroneous cases of `rows` (n) that have a verdict.
    """
    there, verdicts, gold = _erroneous(evaluation, rows)
    n_steps = evaluation.gold.n_steps[there]
    verdict = named(f"{evaluation.scorer.name}.verdict")
    answered = f"{ERRONEOUS} AND {verdict} IS NOT NULL"
    for side, steps, column in (("gold", gold, "earliest_error"), ("predicted", verdicts, verdict)):
        counts = np.bincount(bins.of(steps, n_steps), minlength=len(bins.labels))
        for number in _shown(counts, bins):
            condition = f"{answered} AND {bins.sql(int(number), column)}"
            place = {"side": side, "position": bins.labels[number]}
            yield from _bar(place, int(counts[number]), there.size, condition, evaluation.coverage.nothing)


def all_position_rows(
    evaluation: Evaluation, rows: Bools, bins: StepBins, judged: JudgedSteps | None = None
) -> Iterator[RowDict]:
    """Yield where error steps are and where the scorer puts them, by `side` and `position`; a row counts steps.

    Both sides are over the same cases: those of `rows` (n) with an error whose steps are all labelled, and judged one
    by one; without such a case counts are null, with the reason. `n` is the number of error steps of a side. There is
    no interval, since steps of a case are not independent. `judged` is what is decided of steps, by default
    `evaluation.judged_steps`.
    """
    judged, listed = judged or evaluation.judged_steps, evaluation.gold.listed
    taken = rows & judged.rows & listed & (evaluation.gold.earliest >= 0)
    why = _why_no_steps(evaluation, judged, rows, taken, "the error steps after the first are not labelled")
    step, length, wrong, labels = _steps(evaluation, judged, taken)
    for side, mask in (("gold", labels == WRONG_STEP), ("predicted", wrong)):
        counts = np.bincount(bins.of(step[mask], length[mask]), minlength=len(bins.labels))
        for number in _shown(counts, bins):
            place = {"side": side, "position": bins.labels[number]}
            share = float(counts[number] / counts.sum()) if counts.sum() else None
            reason = None if share is not None else why or "no step is one"
            yield _row(place, "count", None if why else float(counts[number]), int(counts.sum()), reason=why)
            yield _row(place, "share", share, int(counts.sum()), reason=reason)


def step_position_rows(
    evaluation: Evaluation, rows: Bools, bins: StepBins, judged: JudgedSteps | None = None
) -> Iterator[RowDict]:
    """Yield how well single steps are judged by `position`, over the steps of `rows` (n) that are labelled and judged.

    STEP_METRICS are those of `scoring.metrics.step_labels`, over the steps of one bin. Shares have an interval where a
    bin holds at most one step a case. `judged` is what is decided of steps, by default `evaluation.judged_steps`.
    """
    judged = judged or evaluation.judged_steps
    taken = rows & judged.rows
    why = _why_no_steps(evaluation, judged, rows, taken, "no step is labelled")
    step, length, wrong, labels = _steps(evaluation, judged, taken)
    place, k = bins.of(step, length), len(bins.labels)
    alone = np.bincount(place, step == _lowest_in(place, step), minlength=k) == np.bincount(place, minlength=k)
    counts = count_steps(place, labels == WRONG_STEP, wrong, k)
    sums = {name: counts[:, at] for at, name in enumerate(OF_STEPS)}
    for number in _shown(np.bincount(place, minlength=k), bins):
        of_bin = {name: counted[number] for name, counted in sums.items()}
        bin_of = {"position": bins.labels[number]}
        for metric in STEP_METRICS:
            value, n = float(metric.score(of_bin)), int(metric.size(of_bin))
            if np.isnan(value):
                yield _row(bin_of, metric.name, None, n, why or metric.why(of_bin))
            elif alone[number] and metric is not PRMSCORE:
                yield _share_row(bin_of, metric.name, round(value * n), n)
            else:
                yield _row(bin_of, metric.name, value, n)


def _erroneous(evaluation: Evaluation, rows: Bools) -> tuple[Ints, Ints, Ints]:
    """The erroneous cases with a verdict as row ids, their verdicts and their earliest errors."""
    there = np.flatnonzero(rows & evaluation.coverage.answered & (evaluation.gold.earliest >= 0))
    return there, evaluation.verdicts[there], evaluation.gold.earliest[there]


def _steps(evaluation: Evaluation, judged: JudgedSteps, taken: Bools) -> tuple[Ints, Ints, Bools, Ints]:
    """All judged and labelled steps of the cases: 0-based index, number of its case's steps, judged wrong, label."""
    labels = judged.gold(evaluation.gold).astype(np.int64)
    those = taken[judged.cases] & (labels != UNKNOWN_STEP)
    lengths = evaluation.gold.n_steps[judged.cases[those]]
    return judged.steps[those], lengths, judged.wrong[those], labels[those]


def _lowest_in(place: Ints, step: Ints) -> Ints:
    """The lowest step of the bin that each step is in: a bin with another step as well may hold two of one case."""
    lowest = np.full(int(place.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(lowest, place, step)
    return lowest[place]


def _why_no_steps(
    evaluation: Evaluation, judged: JudgedSteps, rows: Bools, taken: Bools, unlabelled: str
) -> str | None:
    """Why there is no step to speak of; None where there is one."""
    if taken.any():
        return None
    there = bool((rows & judged.rows).any())
    return evaluation.coverage.nothing or (unlabelled if there else "no case has steps that are judged one by one")


def _shown(counts: Ints, bins: StepBins) -> Ints:
    """The bins of the preset, and of those apart the ones that hold something."""
    inside = len(bins.labels) - 4
    return np.array([number for number in range(len(bins.labels)) if number < inside or counts[number]], dtype=np.int64)


def _bar(
    place: Mapping[str, str | int | None],
    count: int,
    n: int,
    where: str,
    nothing: str | None,
    ends: Mapping[str, float | None] | None = None,
) -> Iterator[RowDict]:
    """A count and a share with its interval: `ends`, by default Wilson's."""
    yield {**_row(place, "count", float(count), n), "where": where}
    empty = _row(place, "share", None, 0, nothing or "no erroneous case has a verdict")
    yield {**(_share_row(place, "share", count, n) if n else empty), **(ends or {}), "where": where}


def _share_row(place: Mapping[str, str | int | None], metric: str, hits: int, n: int) -> RowDict:
    low, high = (float(end[0]) for end in wilson_interval(np.array([hits]), np.array([n])))
    return {**_row(place, metric, hits / n, n), "low": low, "high": high}


def _row(
    place: Mapping[str, str | int | None], metric: str, value: float | None, n: int, reason: str | None = None
) -> RowDict:
    small = metric != "count" and value is not None and n < SMALL
    row = {"metric": metric, "value": value, "low": None, "high": None, "n": n, "small": small, "reason": reason}
    return {**place, **row, "where": None}
