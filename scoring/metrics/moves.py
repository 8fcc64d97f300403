"""What a rising threshold changes in the counts of cases: the exact sums at every threshold."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.metrics.kernel import NumberArray

_DIGITS = 11
"""Digits after the point of sums of fractions: what is equal must not differ by the order in which it was added."""


class Moves(Struct, frozen=True, eq=False):
    """What m cases add to k counts below every threshold, and the changes as a threshold passes values.

    Attributes:
        counts: The names of the k counts.
        below: (k, m) what each case adds to each count below every threshold.
        values: (v,) the values that are passed, finite, in any order: one at least for every distinct decision.
        cases: (v,) the place of the case that is decided anew, 0-based.
        changes: (k, v) what that adds to each count; zeros where a decision changes and no count does.
        above: Whether a value is passed by thresholds above it, else by its own as well.
        trouble: Why there is no curve of it; "" if there is one.
    """

    counts: tuple[str, ...]
    below: NumberArray
    values: Floats
    cases: Ints
    changes: NumberArray
    above: bool
    trouble: str = ""

    def swept(self, groups: Ints, n_groups: int) -> tuple[Floats, dict[str, NumberArray]]:
        """Return one threshold for every distinct decision, ascending, and the sums by group (m,) at each of them.

        The thresholds (t,) are the values, and one beyond the last or the first. Sums are (g, t), or (g, 1) if all are
        equal.
        """
        # In the order of values, what changes is counted several times faster.
        order, values = np.argsort(self.values), np.sort(self.values)
        first = np.append(True, values[1:] > values[:-1])[: values.size]
        thresholds = beyond(values[first], above=self.above)
        # The first of the thresholds that has passed a value is the one after its own place.
        sums = _sums(self, order, np.cumsum(first), thresholds.size, groups, n_groups)
        # Where nothing moves at all, one of them has the columns.
        name = self.counts[0]
        return thresholds, {**sums, name: np.broadcast_to(sums[name], (n_groups, thresholds.size))}

    def at(self, thresholds: Floats, groups: Ints, n_groups: int) -> dict[str, NumberArray]:
        """Sum the counts by group (m,) at thresholds (t,), in any order; each (g, t)."""
        sums = self._at(thresholds, groups, n_groups)
        return {name: np.broadcast_to(counted, (n_groups, thresholds.size)) for name, counted in sums.items()}

    def by_case(self, thresholds: Floats) -> dict[str, NumberArray]:
        """Return what each case adds at thresholds (t,), in any order; each (m, t), or (m, 1) if all are equal."""
        m = self.below.shape[1]
        return self._at(thresholds, np.arange(m), m)

    def _at(self, thresholds: Floats, groups: Ints, n_groups: int) -> dict[str, NumberArray]:
        order = np.argsort(thresholds, kind="stable")
        # From this place on a value is passed.
        passed_at = np.searchsorted(thresholds[order], self.values, side="right" if self.above else "left")
        back = np.argsort(order, kind="stable")
        sums = _sums(self, slice(None), passed_at, thresholds.size, groups, n_groups)
        return {name: counted if counted.shape[1] == 1 else counted[:, back] for name, counted in sums.items()}


def _sums(
    moves: Moves, order: Ints | slice, passed_at: Ints, size: int, groups: Ints, n_groups: int
) -> dict[str, NumberArray]:
    """Sums by group and sorted threshold: each change, in this order, counts from one on (`size` = from none on)."""
    # Sums of whole numbers are exact in any order; those of fractions must not differ by it.
    every = (numbers for numbers in (moves.below, moves.changes) if numbers.dtype.kind == "f")
    exact = all((numbers == np.rint(numbers)).all() for numbers in every)
    sums: dict[str, NumberArray] = {}
    for name, below, changes in zip(moves.counts, moves.below, moves.changes, strict=True):
        counted = (np.bincount(groups, below, n_groups) if n_groups > 1 else below.sum(keepdims=True))[:, None]
        if changes.any():
            change = changes[order]
            moved = np.flatnonzero(change)
            cells = passed_at[moved]
            if n_groups > 1:
                # One column more is of those that no threshold passes.
                cells = cells + groups[moves.cases[order][moved]] * (size + 1)
            changed = np.bincount(cells, change[moved], n_groups * (size + 1)).reshape(n_groups, size + 1)[:, :size]
            counted = counted + np.cumsum(changed, axis=1, dtype=None if exact else np.longdouble)
        sums[name] = counted if exact else counted.round(_DIGITS).astype(np.float64)
    return sums


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
    ends = np.cumsum([cases.size for cases in there])
    by_count = np.zeros((len(counts), ends[-1]), dtype=np.int8)
    for (name, _, change, _), cases, end in zip(changes, there, ends, strict=True):
        by_count[counts.index(name), end - cases.size : end] = change
    return Moves(
        counts,
        np.stack([*below.values()]),
        np.concatenate([passed[cases] for (_, passed, _, _), cases in zip(changes, there, strict=True)]),
        np.concatenate(there),
        by_count,
        above,
    )
