"""What a rising threshold changes in the counts of cases: the exact sums at every threshold."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.metrics.kernel import NumberArray

_DIGITS = 11
"""Digits after the point of sums of fractions: what is equal must not differ by the order in which it was added."""


class Moves(Struct, frozen=True, eq=False, dict=True):
    """What m cases add to k counts below every threshold, and the changes as a threshold passes values.

    Attributes:
        counts: The names of the k counts.
        below: (m, k) what each case adds below every threshold.
        values: (v,) the values that are passed, finite, in any order: one at least for every distinct decision.
        cases: (v,) the place of the case that is decided anew, 0-based.
        changes: (v, k) what that adds to each count; zeros where a decision changes and no count does.
        above: Whether a value is passed by thresholds above it, else by its own as well.
        trouble: Why there is no curve of it; "" if there is one.
    """

    counts: tuple[str, ...]
    below: Floats
    values: Floats
    cases: Ints
    changes: NumberArray
    above: bool
    trouble: str = ""

    @property
    def thresholds(self) -> Floats:
        """One threshold for every distinct decision, ascending: the values, and one beyond the last or the first."""
        return beyond(np.unique(self.values), above=self.above)

    def swept(self, groups: Ints, n_groups: int) -> tuple[Floats, dict[str, NumberArray]]:
        """Return `thresholds` (t,), and the sums by group (m,) at each of them: (g, t), or (g, 1) if all are equal."""
        order = np.argsort(self.values)
        values = self.values[order]
        first = np.append(True, values[1:] > values[:-1])[: values.size]
        # The first of the thresholds that has passed a value is the one after its own place.
        passed_at = np.empty(values.size, dtype=np.int64)
        passed_at[order] = np.cumsum(first)
        thresholds = beyond(values[first], above=self.above)
        sums = self._sums(passed_at, thresholds.size, groups, n_groups)
        # Where nothing moves at all, one of them has the columns.
        name = self.counts[0]
        return thresholds, {**sums, name: np.broadcast_to(sums[name], (n_groups, thresholds.size))}

    def at(self, thresholds: Floats, groups: Ints, n_groups: int) -> dict[str, NumberArray]:
        """Sum the counts by group (m,) at thresholds (t,), in any order; each (g, t)."""
        sums = self._at(thresholds, groups, n_groups)
        return {name: np.broadcast_to(counted, (n_groups, thresholds.size)) for name, counted in sums.items()}

    def by_case(self, thresholds: Floats) -> dict[str, NumberArray]:
        """Return what each case adds at thresholds (t,), in any order; each (m, t), or (m, 1) if all are equal."""
        m = len(self.below)
        return self._at(thresholds, np.arange(m), m)

    def _at(self, thresholds: Floats, groups: Ints, n_groups: int) -> dict[str, NumberArray]:
        order = np.argsort(thresholds, kind="stable")
        # From this place on a value is passed.
        passed_at = np.searchsorted(thresholds[order], self.values, side="right" if self.above else "left")
        back = np.argsort(order, kind="stable")
        sums = self._sums(passed_at, thresholds.size, groups, n_groups)
        return {name: counted if counted.shape[1] == 1 else counted[:, back] for name, counted in sums.items()}

    def _sums(self, passed_at: Ints, size: int, groups: Ints, n_groups: int) -> dict[str, NumberArray]:
        """Sums by group and sorted threshold, of which each change is counted from one on (`size` = from none on)."""
        sums: dict[str, NumberArray] = {}
        for place, name in enumerate(self.counts):
            fixed = self._exact(np.bincount(groups, self.below[:, place], n_groups)[:, None])
            moved = np.flatnonzero((self.changes[:, place] != 0) & (passed_at < size))
            if not moved.size:
                sums[name] = fixed
                continue
            cells = groups[self.cases[moved]] * size + passed_at[moved]
            changes = np.bincount(cells, self.changes[moved, place], n_groups * size).reshape(n_groups, size)
            sums[name] = self._exact(fixed + np.cumsum(changes, axis=1, dtype=None if self._whole else np.longdouble))
        return sums

    def _exact(self, sums: NumberArray) -> NumberArray:
        """Sums as whole numbers where all are, else without the error of the order in which they were added."""
        if self._whole:
            return sums.astype(np.int64)
        rounded: NumberArray = sums.round(_DIGITS).astype(np.float64)
        return rounded

    @cached_property
    def _whole(self) -> bool:
        """Whether all that is added is whole numbers, whose sums are exact in any order."""
        return all((numbers == np.rint(numbers)).all() for numbers in (self.below, self.changes))


def beyond(thresholds: Floats, *, above: bool) -> Floats:
    """Add one threshold to ascending distinct values, above the last or, unless `above`, below the first."""
    if not thresholds.size:
        return thresholds
    if above:
        return np.append(thresholds, np.nextafter(thresholds[-1], np.inf))
    return np.insert(thresholds, 0, np.nextafter(thresholds[0], -np.inf))


def moves_of(
    below: Mapping[str, NumberArray], changes: Sequence[tuple[str, Floats, int, Bools]], *, above: bool
) -> Moves:
    """Make the moves of m cases, each of which passes at most one value a change.

    Args:
        below: name of a count -> (m,) what each case adds below every threshold.
        changes: the name of a count, the values (m,) at which it changes (infinite = never), by how much, and which
            cases (m,) it is about.
        above: as that of `Moves`.
    """
    counts = tuple(below)
    there = [np.flatnonzero(np.isfinite(passed) & about) for _, passed, _, about in changes]
    each = []
    for (name, _, change, _), cases in zip(changes, there, strict=True):
        each.append(np.zeros((cases.size, len(counts)), dtype=np.int8))
        each[-1][:, counts.index(name)] = change
    return Moves(
        counts,
        np.column_stack([*below.values()]).astype(np.float64),
        np.concatenate([passed[cases] for (_, passed, _, _), cases in zip(changes, there, strict=True)]),
        np.concatenate(there),
        np.concatenate(each),
        above,
    )
