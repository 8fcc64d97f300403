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
from scoring.metrics.intervals import percentile_interval, resampled_shares
from scoring.step_rewards import Bools, Floats, Ints
from scoring.verdicts import CLEAN, EXACT, OUTCOMES, REFUSED, UNPARSED, WRONG

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

    def resampled(self, seed: int) -> tuple[Floats, Floats, Floats]:
        """error_acc, correct_acc and F1 in bootstrap resamples, each (s, resamples); F1 of two zeros counts as 0."""
        error_acc = resampled_shares(self.exact, self.erroneous, seed)
        correct_acc = resampled_shares(self.clean_right, self.clean, seed + 1)
        f1 = harmonic(error_acc, correct_acc)
        return error_acc, correct_acc, np.where((error_acc + correct_acc) == 0, 0.0, f1)

    def present(self) -> "FirstError":
        """Only the groups that have a case."""
        some = np.flatnonzero(self.erroneous + self.clean)
        return FirstError(*(side[some] for side in (self.exact, self.erroneous, self.clean_right, self.clean)))

    def pooled(self) -> "FirstError":
        """All groups as one."""
        return FirstError(
            *(np.array([side.sum()]) for side in (self.exact, self.erroneous, self.clean_right, self.clean))
        )


def harmonic(left: Floats, right: Floats) -> Floats:
    """The harmonic mean; NaN where both are 0 or either is NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * left * right / (left + right))


def count(evaluation: Evaluation, rows: Bools, groups: Ints, n_groups: int, unparsed: Unparsed = "wrong") -> FirstError:
    """Count outcomes by group.

    Args:
        evaluation: the decided cases.
        rows: (n,) which of them take part. Unscored cases and those without gold never do.
        groups: (n,) group number of each case, 0-based.
        n_groups: s.
        unparsed: whether refused and unparsed cases count as wrong (`wrong`) or not at all (`drop`).
    """
    member = rows & evaluation.gold.known & (evaluation.tried if unparsed == "wrong" else evaluation.answered)
    erroneous = evaluation.gold.earliest >= 0
    sides = (
        member & (evaluation.codes == EXACT),
        member & erroneous,
        member & (evaluation.codes == CLEAN),
        member & ~erroneous,
    )
    return FirstError(*(np.bincount(groups[side], minlength=n_groups) for side in sides))


def metric_rows(
    evaluation: Evaluation, rows: Bools, unparsed: Unparsed = "wrong", seed: int = 0
) -> Iterator[dict[str, Any]]:
    """error_acc, correct_acc and f1 of every subset, if there are any, of `all` cases pooled and of their `average`.

    Yields dictionaries with `subset, metric, value, low, high, n, reason`: fractions, null with a reason where
    undefined; `n` is the number of cases in the denominator (for f1 both sides together).
    """
    names, groups = evaluation.gold.subsets
    counts = count(evaluation, rows, groups, len(names), unparsed)
    present = np.flatnonzero(counts.erroneous + counts.clean)
    taken = FirstError(*(side[present] for side in (counts.exact, counts.erroneous, counts.clean_right, counts.clean)))
    draws = taken.resampled(seed)
    # A benchmark without subsets has nothing but `all`.
    for index, group in enumerate(present if names != [None] else ()):
        one = FirstError(
            *(side[index : index + 1] for side in (taken.exact, taken.erroneous, taken.clean_right, taken.clean))
        )
        yield from _rows(names[group] or "", one, tuple(draw[index] for draw in draws))
    pooled = taken.pooled()
    last = [*_rows("all", pooled, tuple(draw[0] for draw in pooled.resampled(seed))), *_average(taken, draws)]
    yield from ({**row, "reason": evaluation.nothing or row["reason"]} for row in last)


def _rows(subset: str, one: FirstError, draws: tuple[Floats, ...]) -> Iterator[dict[str, Any]]:
    erroneous, clean = int(one.erroneous[0]), int(one.clean[0])
    error_acc, correct_acc = (float(side[0]) for side in one.accuracies)
    no_error = None if erroneous else "no erroneous case was scored"
    no_clean = None if clean else "no clean case was scored"
    both_zero = "both accuracies are 0" if error_acc == 0 and correct_acc == 0 else None
    yield _row(subset, "error_acc", error_acc, draws[0], erroneous, no_error)
    yield _row(subset, "correct_acc", correct_acc, draws[1], clean, no_clean)
    yield _row(subset, "f1", float(one.f1[0]), draws[2], erroneous + clean, no_error or no_clean or both_zero)


def _average(taken: FirstError, draws: tuple[Floats, ...]) -> Iterator[dict[str, Any]]:
    """The plain mean over subsets; undefined as soon as one subset's value is."""
    sizes = (taken.erroneous, taken.clean, taken.erroneous + taken.clean)
    values = (*taken.accuracies, taken.f1)
    for metric, value, draw, size in zip(("error_acc", "correct_acc", "f1"), values, draws, sizes, strict=True):
        undefined = int(np.isnan(value).sum())
        reason = f"undefined in {undefined} of {value.size} subsets" if undefined else None
        if not value.size:
            reason = "no case was scored"
        mean = float("nan") if reason else float(value.mean())
        yield _row("average", metric, mean, np.empty(0) if reason else draw.mean(axis=0), int(size.sum()), reason)


def _row(subset: str, metric: str, value: float, draws: Floats, n: int, reason: str | None) -> dict[str, Any]:
    low, high = (None, None) if reason else percentile_interval(draws)
    return {
        "subset": subset,
        "metric": metric,
        "value": None if reason else value,
        "low": low,
        "high": high,
        "n": n,
        "reason": reason,
    }
