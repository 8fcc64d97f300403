"""A cascade of two scorers: the second is asked where the first is not sure; what that costs, and what it gives.

The first scorer's verdict is kept where its decision distance
(`scoring.evaluation.case_breakpoints.decision_distances`, which never looks at gold labels) is at least m; the second
one is asked about all other cases. So it is about the cases for which the first has no distance: it has no verdict on
them, or none that a threshold decides. Where the second was asked and gives no verdict, the first's answer stays, which
needs no gold label either; the question is paid for all the same.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.aligned_conditions import EVERY, common_of, conjunction
from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.kernel import Tally
from scoring.metrics.shared_draws import SharedScores, shared_scores
from scoring.workspace.filtering.sql_words import literal, named

RULE = (
    "the first scorer's verdict is kept where its decision distance (lowest of what is compared against the threshold, "
    "no gold label) is at least m, else the second is asked; cases without a distance are always sent on, and where "
    "the second gives no verdict the first's answer stays"
)


class Cascade(Struct, frozen=True, eq=False, dict=True):
    """Two scorers on the n cases that both tried, at every m that makes a difference.

    `shared` holds these cases and the two scorers, the first one first. `distances` (n,) are the first one's, NaN where
    it has none. `cuts` (k,) are the values of m, ascending: at the lowest of them the second is asked about cases
    without a distance alone, at the highest about all. `sent` (k,) counts the cases sent on, `tally` holds the
    counts of first errors by subset and cut.
    """

    shared: AlignedScorers
    distances: Floats
    cuts: Floats
    sent: Ints
    tally: Tally

    @property
    def n(self) -> int:
        """The number of cases."""
        return int(self.shared.rows.size)

    @cached_property
    def shares(self) -> Floats:
        """The share of the cases sent on at each cut, shape (k,); NaN without a case."""
        shares: Floats = self.sent / self.n if self.n else np.full(self.sent.size, np.nan)
        return shares

    @cached_property
    def f1(self) -> Floats:
        """The mean over subsets of F1 at each cut, shape (k,); NaN where undefined."""
        return self.tally.mean(F1_SCORE)

    @property
    def best(self) -> int | None:
        """The cut (0-based) with the highest F1, of equal ones the one with the fewest cases sent; None: undefined.

        It is found on the cases that it is told of, so its F1 is optimistic.
        """
        f1 = self.f1
        return None if np.isnan(f1).all() else int(np.nanargmax(f1))

    def spread(self, points: int = 21) -> Ints:
        """Return some cuts (0-based, ascending): for as many even shares of cases the lowest cut that sends at least
        these.
        """
        wanted = np.linspace(self.sent[0], self.sent[-1], points)
        return np.unique(np.searchsorted(self.sent, wanted))

    def asks(self, cut: int) -> Bools:
        """Return the cases (n,) sent on at a cut (0-based)."""
        uncertain: Bools = np.isnan(self.distances) | (self.distances < self.cuts[cut])
        return uncertain

    def right(self, cut: int) -> Bools:
        """Return the cases (n,) that the cascade has right."""
        right: Bools = np.where(self.asks(cut), self._second, self.shared.right[:, 0])
        return right

    def where(self, cut: int) -> str:
        """Return the SQL condition that selects the cases sent on."""
        distance = named(f"{self.shared.names[0]}.decision_distance")
        unsure = f"({distance} < {literal(float(self.cuts[cut]))} OR {distance} IS NULL)"
        return conjunction((common_of(self.shared, (0, 1), EVERY), unsure))

    def spent(self, costs: Floats) -> Floats:
        """Return what the second scorer costs at each cut, shape (k,), of its costs a case (n,); NaN with an unknown
        one.
        """
        spent: Floats = _cumulated(self.distances, self.cuts, np.zeros(self.n, dtype=np.int64), 1, costs)[0]
        return spent

    def scores(self, cuts: Sequence[int], seed: int | None = 0) -> SharedScores:
        """Score the first scorer alone, the second alone, and the cascade at cuts (0-based), on shared resamples."""
        names = (*self.shared.names, *(f"cascade below {self.cuts[cut]:.4g}" for cut in cuts))
        right = np.column_stack([self.shared.right, *(self.right(cut) for cut in cuts)])
        return shared_scores(self.shared.decided_as(names, right), tuple(range(len(names))), seed)

    @property
    def _second(self) -> Bools:
        """Whether a case that is sent on ends up right."""
        return _once_asked(self.shared)


def cascade(aligned: AlignedScorers, first: int, second: int, distances: Floats) -> Cascade:
    """Simulate the cascade of two scorers.

    Args:
        aligned: n cases.
        first: the place in it of the scorer that is asked first.
        second: the place of the other one.
        distances: (n,) the first one's decision distances, in the order of these cases; NaN where it has none.
    """
    common = aligned.common((first, second))
    shared, known = aligned.only(common, (first, second)), distances[common]
    there = np.unique(known[np.isfinite(known)])
    cuts = np.append(there, np.nextafter(there[-1], np.inf)) if there.size else np.zeros(1)
    sent = _cumulated(known, cuts, np.zeros(known.size, dtype=np.int64), 1, np.ones(known.size))[0].astype(np.int64)
    numbers, subset = np.unique(shared.subsets, return_inverse=True)
    cells, shape = 2 * subset + ~shared.erroneous, (numbers.size, 2)
    alone = np.bincount(cells[shared.right[:, 0]], minlength=2 * numbers.size)
    turned = _once_asked(shared).astype(np.float64) - shared.right[:, 0]
    hits = alone[:, None] + _cumulated(known, cuts, cells, 2 * numbers.size, turned)
    totals = np.bincount(cells, minlength=2 * numbers.size).reshape(shape)
    hits = hits.reshape(*shape, cuts.size)
    sums = {
        "exact": hits[:, 0],
        "erroneous": totals[:, 0, None],
        "clean_right": hits[:, 1],
        "clean": totals[:, 1, None],
    }
    return Cascade(shared, known, cuts, sent, Tally(sums))


def _once_asked(shared: AlignedScorers) -> Bools:
    answered = shared.verdicts[:, 1] != NO_VERDICT
    return np.where(answered, shared.right[:, 1], shared.right[:, 0])


def _cumulated(distances: Floats, cuts: Floats, cells: Ints, n_cells: int, weights: Floats) -> Floats:
    """Sums of weights (n,) over the cases sent on at each cut, by cell, shape (n_cells, k)."""
    # A case is sent on at every cut above its distance; one without a distance is at all of them.
    place = np.where(np.isnan(distances), 0, np.searchsorted(cuts, distances, side="right"))
    inside = place < cuts.size
    flat = (cells * cuts.size + place)[inside]
    sums = np.bincount(flat, weights[inside], minlength=n_cells * cuts.size).reshape(n_cells, cuts.size)
    return np.cumsum(sums, axis=1)
