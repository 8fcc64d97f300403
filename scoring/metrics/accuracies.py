"""The two accuracies of first errors and their harmonic mean, of one scorer's runs and in resamples of the cases."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from scoring.metrics.intervals import RESAMPLES, resampled_shares
from scoring.metrics.problem_bootstrap import related, resampled_sums
from scoring.metrics.resampling import resampled_counts
from scoring.step_rewards import Bools, Floats, Ints

METRICS = ("error_acc", "correct_acc", "f1")
"""ProcessBench's metrics, in the order of `figures`."""


def harmonic(left: Floats, right: Floats) -> Floats:
    """The harmonic mean; NaN where both are 0 or either is NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * left * right / (left + right))


def figures(accuracies: Floats, both_zero: float = np.nan) -> Floats:
    """METRICS of accuracies, shape (..., 3, r) of (..., 2, r); F1 is `both_zero` where both are 0."""
    error_acc, correct_acc = accuracies[..., 0, :], accuracies[..., 1, :]
    f1 = np.where(error_acc + correct_acc == 0, both_zero, harmonic(error_acc, correct_acc))
    return np.stack([error_acc, correct_acc, f1], axis=-2)


@dataclass(frozen=True, eq=False)
class Decided:
    """What r runs of a scorer made of n cases.

    `member` and `right` (n, r): who stands in the denominators of a run, and who of these is decided right.
    `erroneous` (n,) tells the sides apart, `problems` (n,) numbers each case's problem, 0-based. `groups` (n,) are
    numbers of groups below `n_groups`; a negative one is in none.
    """

    member: Bools
    right: Bools
    erroneous: Bools
    problems: Ints
    groups: Ints
    n_groups: int

    @cached_property
    def related(self) -> bool:
        """Whether two cases in the denominators are of one problem, so that whole problems are resampled."""
        return related(self.problems, self.member.any(axis=1) & (self.groups >= 0))

    @cached_property
    def counts(self) -> tuple[Ints, Ints]:
        """Cases decided right and cases in the denominators, each of shape (n_groups, 2, r): erroneous, then clean."""
        return self._by_cell(self.right), self._by_cell(self.member)

    @property
    def accuracies(self) -> Floats:
        """error_acc and correct_acc of every group and run, shape (n_groups, 2, r); NaN for an empty side."""
        return _shares(*self.counts)

    def pooled(self) -> "Decided":
        """All groups as one."""
        return replace(self, groups=np.where(self.groups >= 0, 0, -1), n_groups=1)

    def only(self, runs: Ints) -> "Decided":
        """Some of the runs."""
        return replace(self, member=self.member[:, runs], right=self.right[:, runs])

    def drawn(self, seed: int, *, whole: bool) -> Floats:
        """The accuracies in bootstrap resamples of the cases, shape (RESAMPLES, n_groups, 2, r); NaN for an empty side.

        All runs share the draws. With `whole`, whole problems are drawn from all groups together, without strata; else
        every side of a group is drawn by itself. Equal draws for equal cases and seed, whoever decided them.
        """
        if not whole and self.member.shape[1] == 1:
            return _drawn_by_side(*self.counts, seed)
        taken = np.flatnonzero(self.member.any(axis=1) & (self.groups >= 0))
        marks, cells, n_cells = np.hstack([self.right, self.member])[taken], self._cells[taken], 2 * self.n_groups
        if whole:
            drawn = resampled_sums(marks.astype(np.float64), cells, n_cells, self.problems[taken], seed)
        else:
            drawn = resampled_counts(marks, cells, n_cells, taken, seed)[0]
        shape = (RESAMPLES, self.n_groups, 2, self.member.shape[1])
        return _shares(*(side.reshape(shape) for side in np.split(drawn, 2, axis=-1)))

    @cached_property
    def _cells(self) -> Ints:
        """Twice the group and one more for clean cases; negative for no group."""
        return 2 * self.groups + ~self.erroneous

    def _by_cell(self, marks: Bools) -> Ints:
        n_cells, inside = 2 * self.n_groups, self.groups >= 0
        counted = [np.bincount(self._cells[run & inside], minlength=n_cells) for run in marks.T]
        return np.stack(counted, axis=-1).reshape(self.n_groups, 2, marks.shape[1])


@dataclass(frozen=True, eq=False)
class Counted:
    """What one run made of cases of which no two are of one problem: counts say all that `Decided` says.

    `counts` are as there: decided right and in the denominators, each of shape (n_groups, 2, 1).
    """

    counts: tuple[Ints, Ints]
    related: ClassVar[bool] = False

    @property
    def accuracies(self) -> Floats:
        """error_acc and correct_acc of every group, shape (n_groups, 2, 1); NaN for an empty side."""
        return _shares(*self.counts)

    def pooled(self) -> "Counted":
        """All groups as one."""
        hits, totals = (side.sum(axis=0, keepdims=True) for side in self.counts)
        return Counted((hits, totals))

    def only(self, runs: Ints) -> "Counted":
        """Some of the runs: the one, or none."""
        hits, totals = (side[..., runs] for side in self.counts)
        return Counted((hits, totals))

    def drawn(self, seed: int, *, whole: bool) -> Floats:
        """The accuracies in bootstrap resamples, shape (RESAMPLES, n_groups, 2, 1); `whole` is not asked of it."""
        assert not whole  # noqa: S101  # no two cases are of one problem
        return _drawn_by_side(*self.counts, seed)


def _drawn_by_side(hits: Ints, totals: Ints, seed: int) -> Floats:
    """Each side of a group drawn by itself, of one run."""
    # Each side has a seed of its own, so that the two are independent.
    sides = [resampled_shares(hits[:, side, 0], totals[:, side, 0], seed + side).T for side in (0, 1)]
    return np.stack(sides, axis=-1)[..., None]


def _shares(hits: Floats | Ints, totals: Floats | Ints) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(hits / totals)
