"""First-error metrics: does the scorer name the earliest wrong step, and leave clean solutions alone?

ProcessBench (arXiv 2412.06559, section 3.3): error_acc is the share of erroneous cases whose verdict equals the
earliest error, correct_acc the share of clean cases without a verdict, F1 the harmonic mean of these two accuracies
(no precision or recall), and the average is the plain mean of the subsets' F1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from scoring.evaluation import Evaluation
from scoring.metrics.accuracies import METRICS, Counted, Decided, harmonic
from scoring.metrics.first_error_means import FirstErrors
from scoring.metrics.run_means import RunMean
from scoring.step_rewards import Bools, Floats, Ints
from scoring.verdicts import CLEAN, EXACT, ON_CLEAN, ON_ERRONEOUS, OUTCOMES, REFUSED, UNPARSED, WRONG

Unparsed = Literal["wrong", "drop"]

FAILURES: dict[Unparsed, tuple[str, ...]] = {
    "wrong": tuple(OUTCOMES[code] for code in (*WRONG, UNPARSED, REFUSED)),
    "drop": tuple(OUTCOMES[code] for code in WRONG),
}
"""Outcomes that count as wrong, by what becomes of cases without a verdict."""

AVERAGING = (
    "f1 is the harmonic mean of error_acc and correct_acc; `average` is the plain mean over subsets, `all` pools cases"
)


@dataclass(frozen=True, eq=False)
class FirstError:
    """Counts in s groups of cases, each of shape (s,)."""

    exact: Ints
    erroneous: Ints
    clean_right: Ints
    clean: Ints

    @property
    def accuracies(self) -> tuple[Floats, Floats]:
        """error_acc and correct_acc; NaN for an empty group."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.exact / self.erroneous, self.clean_right / self.clean

    @property
    def f1(self) -> Floats:
        """F1 a group; NaN where a group is empty or both accuracies are 0."""
        return harmonic(*self.accuracies)


def count(evaluation: Evaluation, rows: Bools, groups: Ints, n_groups: int, unparsed: Unparsed = "wrong") -> FirstError:
    """Count outcomes by group.

    Args:
        evaluation: the decided cases.
        rows: (n,) which of them take part. Unscored cases and those without gold never do.
        groups: (n,) group number of each case, 0-based.
        n_groups: s.
        unparsed: whether refused and unparsed cases count as wrong (`wrong`) or not at all (`drop`).
    """
    member = _members(evaluation, rows, unparsed)
    erroneous = evaluation.gold.earliest >= 0
    sides = (
        member & (evaluation.codes == EXACT),
        member & erroneous,
        member & (evaluation.codes == CLEAN),
        member & ~erroneous,
    )
    return FirstError(*(np.bincount(groups[side], minlength=n_groups) for side in sides))


def first_errors(
    evaluation: Evaluation,
    rows: Bools,
    unparsed: Unparsed = "wrong",
    seed: int = 0,
    official: float | None = None,
) -> FirstErrors:
    """The metrics of a scorer by subset, over its runs.

    Args:
        evaluation: the decided cases.
        rows: (n,) which of them take part. Unscored cases and those without gold never do.
        unparsed: whether refused and unparsed cases count as wrong (`wrong`) or not at all (`drop`).
        seed: of the intervals.
        official: what is said where cases were counted and a figure is undefined; None = nothing.
    """
    gold, runs = evaluation.gold, evaluation.runs
    member = np.column_stack([_members(run, rows, unparsed) for run in runs])
    right = member & np.column_stack([(run.codes == EXACT) | (run.codes == CLEAN) for run in runs])
    names, groups = gold.subsets
    return FirstErrors(Decided(member, right, gold.earliest >= 0, gold.problems, groups, len(names)), seed, official)


def quick_first_errors(evaluation: Evaluation, rows: Bools, unparsed: Unparsed = "wrong", seed: int = 0) -> FirstErrors:
    """The same as `first_errors`, from counts of outcomes alone where these say all: many times faster."""
    gold = evaluation.gold
    if evaluation.further or gold.related:
        return first_errors(evaluation, rows, unparsed, seed)
    n_cells = 2 * len(gold.subsets[0]) + 1
    found = gold.cells * np.int32(len(OUTCOMES)) + evaluation.codes
    counted = np.bincount(found if rows.all() else found[rows], minlength=n_cells * len(OUTCOMES))
    by_outcome = counted.reshape(n_cells, len(OUTCOMES))[:-1].reshape(-1, 2, len(OUTCOMES))
    missing = () if unparsed == "drop" or evaluation.nothing else (UNPARSED, REFUSED)
    totals = by_outcome[..., [*ON_ERRONEOUS, *ON_CLEAN, *missing]].sum(axis=-1)
    hits = by_outcome[..., [EXACT, CLEAN]].sum(axis=-1)
    return FirstErrors(Counted((hits[..., None], totals[..., None])), seed)


def metric_rows(
    evaluation: Evaluation,
    rows: Bools,
    unparsed: Unparsed = "wrong",
    seed: int = 0,
    official: float | None = None,
) -> Iterator[dict[str, Any]]:
    """error_acc, correct_acc and f1 of every subset, if there are any, of `all` cases pooled and of their `average`.

    Yields dictionaries with `subset, metric, value, low, high, n, reason, small, sd, runs`: fractions, null with a
    reason where undefined; `n` is the number of cases in the denominator (for f1 both sides together). Of a scorer with
    several runs, `value` is the mean over the `runs` that tried cases in every subset of the line, `sd` the sample
    standard deviation of these (n-1), and `n` that of the first of them; of others `sd` is null and `runs` 1. `small`
    marks what fewer than SMALL cases say (for f1, on either side). Where two cases in the denominators are of one
    problem, `low` and `high` come from resampling whole problems, else from the exact stratified bootstrap; where they
    alone are missing, the reason says so.
    """
    found, names = first_errors(evaluation, rows, unparsed, seed, official), evaluation.gold.subsets[0]
    # A benchmark without subsets has nothing but `all`.
    for number in found.present if names != [None] else ():
        yield from _rows(names[number] or "", found.of_subset(number))
    last = [*_rows("all", found.pooled()), *_rows("average", found.average())]
    yield from ({**row, "reason": evaluation.nothing or row["reason"]} for row in last)


def _rows(subset: str, means: tuple[RunMean, ...]) -> Iterator[dict[str, Any]]:
    names = ("value", "low", "high", "n", "reason", "small", "sd", "runs")
    for metric, mean in zip(METRICS, means, strict=True):
        yield {"subset": subset, "metric": metric, **{name: getattr(mean, name) for name in names}}


def _members(evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> Bools:
    """The cases in the denominators. Shape (n,)."""
    there: Bools = rows & evaluation.gold.known & (evaluation.tried if unparsed == "wrong" else evaluation.answered)
    return there
