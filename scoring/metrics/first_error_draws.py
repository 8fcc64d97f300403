"""First errors, summed by groups of cases and drawn again and again."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Ints
from scoring.metrics.kernel import FIRST_ERROR, Decided, NumberArray, Tally
from scoring.metrics.resampling import RESAMPLES, related, resample_hits, resample_marks, resample_problems


class Marks(Struct, frozen=True, eq=False, dict=True):
    """Who is right on cases, sorted into groups: what figures of first errors are summed from and drawn from.

    Attributes:
        right: (m, s) whether each of s columns (repetitions, or scorers) is right.
        member: (m, s) whether the case is in its denominators; a right one always is.
        erroneous: (m,) which side a case is on.
        problems: (m,) the number of its problem.
        groups: (m,) the number of its group, 0-based; negative = in none.
        n_groups: g.
        order: (m,) its rank in an order that does not depend on the rows: cases are drawn by it. None = as they come,
            which matters where there are several columns and cases are drawn one by one.
    """

    right: Bools
    member: Bools
    erroneous: Bools
    problems: Ints
    groups: Ints
    n_groups: int
    order: Ints | None = None

    @classmethod
    def of(cls, runs: Sequence[Decided], rows: Bools, groups: Ints, n_groups: int) -> "Marks":
        """Take the repetitions of a scorer on the cases of `rows` (n), in groups (n,)."""
        gold = runs[0].gold
        member = np.column_stack([rows & run.members for run in runs])
        right = np.column_stack([rows & run.right for run in runs])
        order = gold.order if len(runs) > 1 else None
        return cls(right, member, gold.earliest >= 0, gold.problems, groups, n_groups, order)

    @cached_property
    def related(self) -> bool:
        """Whether two cases in the denominators are of one problem, so that whole problems are resampled."""
        return related(self.problems, self.member.any(axis=1) & (self.groups >= 0))

    def pooled(self) -> "Marks":
        """Put all groups together as one."""
        return replace(self, groups=np.where(self.groups >= 0, 0, -1), n_groups=1)

    def only(self, columns: Sequence[int] | Ints) -> "Marks":
        """Keep some of the columns, by place."""
        return replace(self, right=self.right[:, columns], member=self.member[:, columns])

    def group(self, number: int) -> "Marks":
        """Keep one group, as the only one."""
        rows = np.flatnonzero(self.groups == number)
        taken = {name: getattr(self, name)[rows] for name in ("right", "member", "erroneous", "problems")}
        order = None if self.order is None else self.order[rows]
        return replace(self, **taken, groups=np.zeros(rows.size, dtype=np.int64), n_groups=1, order=order)

    def apart(self, seed: int) -> Tally:
        """Sum FIRST_ERROR by group and column, with the draws that each group has alone: it may share no mean."""
        tallies = [self.group(number).tally(seed) for number in range(self.n_groups)]
        return Tally(
            {name: np.concatenate([tally.sums[name] for tally in tallies]) for name in FIRST_ERROR},
            {name: np.concatenate([_drawn(tally, name) for tally in tallies], axis=1) for name in FIRST_ERROR},
        )

    def tally(self, seed: int | None = None, *, whole: bool | None = None) -> Tally:
        """Sum FIRST_ERROR by group and column; with a seed, also in bootstrap resamples.

        All columns share the draws, which are equal for equal cases and seed, whoever decided them.

        Args:
            seed: of the draws; None = none.
            whole: whether whole problems are drawn, from all groups together and without strata; else each side of a
                group is drawn by itself. None = where two cases are of one problem.
        """
        hits, totals = self._by_cell(self.right), self._by_cell(self.member)
        tally = Tally(first_error_sums(hits, totals))
        if seed is None:
            return tally
        whole = self.related if whole is None else whole
        if not whole and self.member.shape[1] == 1:
            return replace(tally, draws=draw_sides(hits, totals, seed))
        taken = np.flatnonzero(self.member.any(axis=1) & (self.groups >= 0))
        if self.order is not None:
            taken = taken[np.argsort(self.order[taken])]
        marks, cells, n_cells = np.hstack([self.right, self.member])[taken], self._cells[taken], 2 * self.n_groups
        if whole:
            drawn = resample_problems(marks.astype(np.float64), cells, n_cells, self.problems[taken], seed)
        else:
            drawn = resample_marks(marks, cells, n_cells, taken, seed)[0]
        shape = (RESAMPLES, self.n_groups, 2, self.member.shape[1])
        return replace(tally, draws=first_error_sums(*(side.reshape(shape) for side in np.split(drawn, 2, axis=-1))))

    @cached_property
    def _cells(self) -> Ints:
        """Twice the group and one more for clean cases; negative for no group."""
        return 2 * self.groups + ~self.erroneous

    def _by_cell(self, marks: Bools) -> Ints:
        n_cells, inside = 2 * self.n_groups, self.groups >= 0
        counted = [np.bincount(self._cells[column & inside], minlength=n_cells) for column in marks.T]
        return np.stack(counted, axis=-1).reshape(self.n_groups, 2, marks.shape[1])


def first_error_sums(hits: NumberArray, totals: NumberArray) -> dict[str, NumberArray]:
    """Name FIRST_ERROR of cases decided right and in the denominators, (..., g, 2, s): erroneous, then clean."""
    return {
        "exact": hits[..., 0, :],
        "erroneous": totals[..., 0, :],
        "clean_right": hits[..., 1, :],
        "clean": totals[..., 1, :],
    }


def draw_sides(hits: Ints, totals: Ints, seed: int, *, apart: bool = False) -> dict[str, NumberArray]:
    """Draw FIRST_ERROR of cases that share no problem, each side of a group by itself: (RESAMPLES, g, s).

    A column's draws depend on its own counts and the seed alone. This and whole problems (`Marks.tally`) are the two
    ways in which a figure of one scorer gets its interval: every page that shows one takes it from here.

    Args:
        hits: (g, 2, s) cases decided right, erroneous and clean.
        totals: (g, 2, s) or (g, 2, 1) cases in the denominators.
        seed: of the draws; each side has one of its own, so that the two are independent.
        apart: whether each group is drawn as if it were the only one, for figures of single groups; else groups are
            independent of each other, for means over them, and have to come in an order that no row decides.
    """
    totals = np.broadcast_to(totals, hits.shape)
    drawn = [_draw_hits(hits[:, side], totals[:, side], seed + side, apart=apart) for side in (0, 1)]
    sizes = [totals[None, :, side] for side in (0, 1)]
    return {"exact": drawn[0], "erroneous": sizes[0], "clean_right": drawn[1], "clean": sizes[1]}


def with_draws(tally: Tally, seed: int, *, apart: bool = False) -> Tally:
    """Give sums of FIRST_ERROR the draws of `draw_sides`."""
    hits, totals = (
        np.stack([tally.sums[name] for name in names], axis=1)
        for names in (("exact", "clean_right"), ("erroneous", "clean"))
    )
    return replace(tally, draws=draw_sides(hits, totals, seed, apart=apart))


def _draw_hits(hits: Ints, totals: Ints, seed: int, *, apart: bool) -> Ints:
    """Draw (RESAMPLES, g, s) hits of (g, s); equal columns, or groups of one if these are drawn apart, once."""
    if not hits.size:
        return np.zeros((RESAMPLES, *hits.shape), dtype=np.int64)
    counts = np.stack([hits, totals])
    columns, column = np.unique(counts.reshape(2 * (1 if apart else hits.shape[0]), -1), axis=1, return_inverse=True)
    drawn = [resample_hits(hit, total, seed).T for hit, total in (np.split(each, 2) for each in columns.T)]
    return np.stack(drawn, axis=-1)[..., column.ravel()].reshape(RESAMPLES, *hits.shape)


def _drawn(tally: Tally, name: str) -> NumberArray:
    """The draws of one group, (RESAMPLES, 1, s)."""
    sums, draws = tally.sums[name], tally.draws
    assert draws is not None  # noqa: S101  # asked for with a seed
    return np.broadcast_to(draws[name], (RESAMPLES, *sums.shape))
