"""Families of metrics: metrics that are made of the same counts, and what each case adds to these.

A family says what cases contribute; sums, resamples, and what a moving threshold changes follow from that. Rows,
curves and bands are made of any family alike (`metrics_by_subset`, `threshold_curves`, `curve_bands`).
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.kernel import CasesOf, Decided, Metric, NumberArray, Tally, Unparsed
from scoring.metrics.moves import Moves
from scoring.metrics.resampling import RESAMPLES, resample_problems


class Sample(Protocol):
    """Cases of some columns (repetitions of a scorer) in groups: what figures are summed from and drawn from."""

    @property
    def related(self) -> bool:
        """Whether whole problems are drawn."""
        ...

    def pooled(self) -> "Sample":
        """Put all groups together as one."""
        ...

    def only(self, columns: Sequence[int] | Ints) -> "Sample":
        """Keep some of the columns, by place."""
        ...

    def group(self, number: int) -> "Sample":
        """Keep one group, as the only one."""
        ...

    def tally(self, seed: int | None = None, *, whole: bool | None = None) -> Tally:
        """Sum the counts by group and column; with a seed, also in resamples."""
        ...


class MetricFamily:
    """Metrics that are made of the same counts.

    A subclass gives `contributions` and `moves`. One with a faster way to sum, or another way to draw, also gives the
    others.

    Attributes:
        metrics: In the order in which they are reported.
        leading: The one of them that says how many cases a line is of.
        counts: The names of the k counts that they are made of.
        cases: Which cases they are of; None = nobody said, and their numbers open none.
        unit: What `leading` counts.
        by_problem: Whether whole problems are always drawn; else only where two cases are of one.
    """

    metrics: tuple[Metric, ...]
    leading: Metric
    counts: tuple[str, ...]
    cases: CasesOf | None
    unit: Literal["cases", "steps"] = "cases"
    by_problem: bool = True

    def contributions(self, decided: Decided) -> Floats:
        """Return what each of n cases adds to the counts, (n, k)."""
        raise NotImplementedError

    def moves(self, evaluation: Evaluation, rows: Ints, unparsed: Unparsed) -> Moves | None:
        """Return what a rising threshold changes in the counts of some cases; None where no one threshold decides.

        Args:
            evaluation: gives rewards, gold and the comparison; its threshold does not matter.
            rows: (m,) the row ids of the cases.
            unparsed: how cases without a verdict count.
        """
        raise NotImplementedError

    def members(self, decided: Decided) -> Bools:
        """Find the cases that the metrics are of; all of them where nobody said. Shape (n,)."""
        return np.ones(decided.gold.n_steps.size, dtype=np.bool_) if self.cases is None else self.cases.rows(decided)

    def sums(self, decided: Decided, rows: Bools, groups: Ints, n_groups: int) -> Mapping[str, NumberArray]:
        """Sum the counts over the cases of `rows` (n) by group (n,), each of shape (g,)."""
        parts = self.contributions(decided)
        return {
            name: np.bincount(groups[rows], part[rows], n_groups)
            for name, part in zip(self.counts, parts.T, strict=True)
        }

    def sample(self, runs: Sequence[Decided], rows: Bools, groups: Ints, n_groups: int) -> Sample:
        """Take the repetitions of a scorer on the cases of `rows` (n), in groups (n,)."""
        member = np.column_stack([rows & self.members(run) for run in runs])
        taken = np.flatnonzero(member.any(axis=1))
        parts = np.stack([self.contributions(run)[taken] for run in runs], axis=1)
        problems = runs[0].gold.problems[taken]
        return ProblemSample(self.counts, parts, member[taken], problems, groups[taken], n_groups)

    def with_draws(self, tally: Tally, seed: int) -> Tally:
        """Give sums the draws of `sample`, where these depend on the sums alone: unless whole problems are drawn."""
        raise NotImplementedError

    def resample(
        self, moves: Moves, thresholds: Floats, groups: Ints, n_groups: int, problems: Ints, seed: int
    ) -> Tally:
        """Sum what m cases add at thresholds (t,) by group (m,), with the draws that `sample` has at each threshold.

        Args:
            moves: of the cases.
            thresholds: in any order.
            groups: the group of each case, 0-based.
            n_groups: g.
            problems: (m,) the number of each case's problem.
            seed: of the draws.
        """
        by_case = moves.by_case(thresholds)
        ends = np.cumsum([parts.shape[1] for parts in by_case.values()])
        drawn = resample_problems(np.hstack([*by_case.values()]), groups, n_groups, problems, seed)
        draws = dict(zip(self.counts, np.split(drawn, ends[:-1], axis=-1), strict=True))
        return Tally(moves.at(thresholds, groups, n_groups), draws)


class ProblemSample(Struct, frozen=True, eq=False):
    """What cases add to counts, sorted into groups: whole problems are drawn.

    Attributes:
        counts: k names.
        parts: (m, s, k) what each case adds in each of s columns.
        member: (m, s) whether the case is in its denominators.
        problems: (m,) the number of its problem.
        groups: (m,) the number of its group, 0-based; negative = in none.
        n_groups: g.
        together: Whether all groups are one: fractions are added up group by group, as for means over groups.
    """

    counts: tuple[str, ...]
    parts: Floats
    member: Bools
    problems: Ints
    groups: Ints
    n_groups: int
    together: bool = False
    related: bool = True

    def pooled(self) -> "ProblemSample":
        """Put all groups together as one."""
        return replace(self, together=True)

    def only(self, columns: Sequence[int] | Ints) -> "ProblemSample":
        """Keep some of the columns, by place."""
        return replace(self, parts=self.parts[:, columns], member=self.member[:, columns])

    def group(self, number: int) -> "ProblemSample":
        """Keep one group, as the only one."""
        rows = np.flatnonzero(self.groups == number)
        taken = {name: getattr(self, name)[rows] for name in ("parts", "member", "problems")}
        return replace(self, **taken, groups=np.zeros(rows.size, dtype=np.int64), n_groups=1)

    def tally(self, seed: int | None = None, *, whole: bool | None = None) -> Tally:  # noqa: ARG002  # it always draws problems
        """Sum the counts by group and column; with a seed, also in resamples of whole problems that columns share."""
        inside = np.flatnonzero(self.groups >= 0)
        sums = {
            name: np.stack([np.bincount(self.groups[inside], part, self.n_groups) for part in parts[inside].T], axis=-1)
            for name, parts in zip(self.counts, np.moveaxis(self.parts, -1, 0), strict=True)
        }
        if seed is None:
            return Tally(sums).pooled() if self.together else Tally(sums)
        taken = np.flatnonzero(self.member.any(axis=1) & (self.groups >= 0))
        m, s, k = self.parts[taken].shape
        flat = self.parts[taken].reshape(m, s * k)
        drawn = resample_problems(flat, self.groups[taken], self.n_groups, self.problems[taken], seed)
        by_count = np.moveaxis(drawn.reshape(RESAMPLES, self.n_groups, s, k), -1, 0)
        tally = Tally(sums, dict(zip(self.counts, by_count, strict=True)))
        return tally.pooled() if self.together else tally
