"""Where verdicts and errors lie: offsets of verdicts, positions of errors, accuracy by the place of a step.

Every function gives rows in long form with `metric, value, low, high, n, small, reason, where` and one or two columns
that name the bin; `where` is the condition that selects the cases of a bin, null where a bin holds steps and not cases.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints, RowDict
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.judged_steps import JudgedSteps
from scoring.evaluation.step_rewards import UNKNOWN_STEP, WRONG_STEP
from scoring.metrics.calibration import has_rewards, why_none, with_rewards
from scoring.metrics.closed_forms import Z, wilson_interval
from scoring.metrics.first_error import NAMES, FirstErrors
from scoring.metrics.kernel import Decided
from scoring.metrics.resampling import SMALL
from scoring.metrics.step_labels import ACC, NEGATIVE_ACC, OF_STEPS, POSITIVE_ACC, PRMSCORE, count_steps
from scoring.workspace.filtering.sql_words import named

# -- where steps stand in their solutions, in bins: absolute with a stated last bin, or relative to the length


LEFT_OUT, BEYOND, NO_STEP_WRONG, NAMES_NO_STEP = "left out", "beyond the last step", "no step", "names no step"
"""Bins of what has no place: outside the preset's range, in no solution, a verdict of -1, a verdict of -2."""
TENTHS = 10


class StepBins(Struct, frozen=True, dict=True):
    """How steps are put into bins.

    `first` and `last` (0-based, both within) are the steps that have a bin; with `rest` the last bin holds all later
    ones too, without it they are LEFT_OUT. `base` is what the first step is called in a bin's name. With `relative`
    the bins are tenths of the solution, and the rest of this does not matter. `errors` says whether the paper's figure
    is of the earliest errors or of all error steps.
    """

    name: str
    base: Literal[0, 1] = 0
    first: int = 0
    last: int = 16
    rest: bool = True
    relative: bool = False
    errors: Literal["first", "all"] = "first"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of all bins; the last four are LEFT_OUT, BEYOND, NO_STEP_WRONG and NAMES_NO_STEP."""
        apart = (LEFT_OUT, BEYOND, NO_STEP_WRONG, NAMES_NO_STEP)
        if self.relative:
            return (*(f"{10 * tenth}% to {10 * tenth + 10}%" for tenth in range(TENTHS)), *apart)
        names = [str(step + self.base) for step in range(self.first, self.last + 1)]
        return (*names[:-1], f"{names[-1]} or more" if self.rest else names[-1], *apart)

    @property
    def words(self) -> str:
        """The binning in a sentence."""
        if self.relative:
            return "positions are relative: 0-based step / number of steps, in tenths"
        beyond = "in the last bin" if self.rest else f"{LEFT_OUT!r}, and in the denominator of shares"
        return f"positions of preset {self.name} count from {self.base}; steps outside its bins are {beyond}"

    def of(self, steps: Ints, n_steps: Ints) -> Ints:
        """Return the number of each step's bin.

        Args:
            steps: 0-based; -1 no step is wrong, -2 an answer that names none. Any shape.
            n_steps: of their cases, the same shape.
        """
        outside = len(self.labels) - 4
        if self.relative:
            place = TENTHS * steps // np.maximum(n_steps, 1)
        else:
            within = np.minimum(steps, self.last) if self.rest else steps
            place = np.where((within >= self.first) & (within <= self.last), within - self.first, outside)
        apart = [steps < -1, steps == -1, steps >= n_steps]
        return np.select(apart, [outside + 3, outside + 2, outside + 1], place).astype(np.int64)

    def sql(self, number: int, column: str) -> str:
        """Return the condition that puts a case into a bin by a column (as it stands in SQL) that names a step."""
        place = number - (len(self.labels) - 4)
        apart = (None, f"{column} >= n_steps", f"{column} = -1", f"{column} < -1")
        if place > 0:
            return str(apart[place])
        inside = f"{column} >= 0 AND {column} < n_steps"
        if self.relative:
            return f"{inside} AND {column} * 10 >= {number} * n_steps AND {column} * 10 < {number + 1} * n_steps"
        if place == 0:
            later = "" if self.rest else f" OR {column} > {self.last}"
            return f"{inside} AND ({column} < {self.first}{later})"
        step = number + self.first
        if self.rest and step == self.last:
            return f"{inside} AND {column} >= {step}"
        return f"{column} = {step} AND {column} < n_steps"


PRESETS = {
    bins.name: bins
    for bins in (
        # arXiv 2412.06559, Figure 3.
        StepBins("processbench"),
        # arXiv 2501.03124, Figures 3 and 4: steps 1 to 16, and 2 to 11.
        StepBins("prmbench", base=1, last=15, rest=False, errors="all"),
        StepBins("prmbench-figure4", base=1, first=1, last=10, rest=False, errors="all"),
        # Socratic-PRMBench, Figure 4: steps 1 to 12.
        StepBins("socratic", base=1, last=11, rest=False, errors="all"),
        StepBins("relative", relative=True),
    )
}
"""The bins of each paper's figures, and tenths of the solution."""


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
    error_acc = FirstErrors((Decided(evaluation, "drop"),), rows, seed).pooled()[NAMES.index("error_acc")]
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


# -- step rewards around the earliest error: do they fall where the solution goes wrong, and do they recover?


AlignedRow = dict[str, Any]
REACH = 5
"""Steps before and after the earliest error that are looked at."""
BAND = (
    "low and high: 95%, normal interval of a mean over cases, cases of one problem taken together (cluster-robust "
    "standard error); `clean` is the mean over clean cases of each one's mean step reward"
)


def aligned_rows(evaluation: Evaluation, rows: Bools, reach: int = REACH) -> Iterator[AlignedRow]:
    """Yield the mean reward at each `offset` from the earliest error (step minus earliest error), and of clean cases.

    Over the erroneous cases of `rows` (n) that have a reward for every step and whose earliest error is one of their
    steps; at an offset count those that have a step there, one reward each. The last row (`side` clean, no offset) is
    the mean over clean cases of each one's mean reward. Bands are as BAND says; of a single case, or of cases of a
    single problem, there is none.

    Yields dictionaries with `side, offset, metric, value, low, high, n, small, reason, where`, in the units of the
    scorer's rewards; `where` selects the `n` cases. Null with a reason where there is no case.
    """
    there, gold = with_rewards(evaluation, rows), evaluation.gold
    values, offsets = evaluation.rewards.values, evaluation.rewards.offsets
    erroneous = np.flatnonzero(there & (gold.earliest >= 0) & (gold.earliest < gold.n_steps))
    nothing = None if there.any() else why_none(evaluation, rows)
    name = has_rewards(evaluation)
    for offset in range(-reach, reach + 1):
        step = gold.earliest[erroneous] + offset
        taken = erroneous[(step >= 0) & (step < gold.n_steps[erroneous])]
        rewards = values[offsets[taken] + gold.earliest[taken] + offset]
        place = {"side": "erroneous", "offset": offset}
        at = "earliest_error" if not offset else f"earliest_error {'+' if offset > 0 else '-'} {abs(offset)}"
        within = "" if not offset else f" AND {at} >= 0 AND {at} < n_steps"
        where = f"earliest_error >= 0 AND earliest_error < n_steps{within} AND {name}"
        reason = nothing or ("no such step in any case" if erroneous.size else "no erroneous case has rewards")
        yield _aligned_row(place, rewards, gold.problems[taken], reason, where)
    clean = np.flatnonzero(there & (gold.earliest < 0))
    # Rows without rewards take no room between those that have some.
    scored = np.flatnonzero(np.diff(offsets))
    sums = np.add.reduceat(values, offsets[:-1][scored]) if scored.size else values
    means = sums[np.searchsorted(scored, clean)] / gold.n_steps[clean]
    reason = nothing or "no clean case has rewards"
    yield _aligned_row(
        {"side": "clean", "offset": None}, means, gold.problems[clean], reason, f"earliest_error = -1 AND {name}"
    )


def mean_interval(values: Floats, problems: Ints) -> tuple[float, float] | None:
    """Low and high end of the 95% normal interval of a mean over cases; None where all are of one problem.

    The standard error is robust to cases of one problem being alike (Liang and Zeger, Biometrika 73, 1986), with the
    factor G / (G - 1) of G problems; where each has one case it is the usual one.

    Args:
        values: (m,) a number a case.
        problems: (m,) a number of each case's problem.
    """
    _, group = np.unique(problems, return_inverse=True)
    n_groups = int(group.max(initial=-1)) + 1
    if n_groups < 2:
        return None
    mean = values.mean()
    residuals = np.bincount(group, values - mean)
    half = Z * np.sqrt(np.square(residuals).sum() * n_groups / (n_groups - 1)) / values.size
    return float(mean - half), float(mean + half)


def _aligned_row(place: AlignedRow, values: Floats, problems: Ints, reason: str, where: str) -> AlignedRow:
    n = int(values.size)
    low, high = (mean_interval(values, problems) if n else None) or (None, None)
    value = float(values.mean()) if n else None
    figures = {"metric": "mean_reward", "value": value, "low": low, "high": high, "n": n, "small": 0 < n < SMALL}
    return {**place, **figures, "reason": None if n else reason, "where": where}
