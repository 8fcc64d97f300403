"""Paired comparison: by how much one scorer is better than another on the cases that both tried, and is it chance?

The headline is the difference of the official first-error metric (ProcessBench, arXiv 2412.06559, section 3.3) with a
percentile bootstrap interval (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). Beside it
stands McNemar's test in its exact form, for erroneous and for clean cases apart, adjusted by Holm (Scandinavian Journal
of Statistics 6, 1979) over a family that whoever tests has to state.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from scoring.metrics.accuracies import harmonic
from scoring.metrics.figure import Figure, with_interval
from scoring.metrics.intervals import RESAMPLES, SMALL
from scoring.metrics.lineup import Lineup
from scoring.metrics.resampling import resampled_counts
from scoring.step_rewards import Bools, Floats, Ints

METRICS = ("f1", "error_acc", "correct_acc")
SIDES = ("erroneous", "clean")


@dataclass(frozen=True, eq=False)
class SharedScores:
    """The official metric of some scorers on cases that all of them tried, and in resamples that they share.

    `columns` (k) are the scorers' places in the lineup. `totals` (u, 2) counts erroneous and clean cases of the u
    subsets that take part, `hits` (u, 2, k) those that are decided right. `draws` (3, r, k) hold METRICS in r
    resamples as means over subsets, `pooled_draws` those of all subsets counted together.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    totals: Ints
    hits: Ints
    draws: Floats
    pooled_draws: Floats

    @property
    def values(self) -> Floats:
        """METRICS of every scorer, plain means over the subsets, shape (3, k); NaN where undefined."""
        return subset_means(self.hits, self.totals)

    @property
    def n(self) -> int:
        """The number of cases."""
        return int(self.totals.sum())

    @property
    def pooled(self) -> "SharedScores":
        """The same with the cases of all subsets counted together, as one subset."""
        return replace(
            self,
            totals=self.totals.sum(axis=0, keepdims=True),
            hits=self.hits.sum(axis=0, keepdims=True),
            draws=self.pooled_draws,
        )

    def estimate(self, metric: str, column: int) -> Figure:
        """The metric of one scorer (its place in the lineup), with its interval."""
        at, place = METRICS.index(metric), self.columns.index(column)
        return self._figure(metric, float(self.values[at, place]), self.draws[at, :, place], (place,))

    def difference(self, metric: str, left: int, right: int) -> Figure:
        """The metric of one scorer minus that of another (their places in the lineup)."""
        at, places = METRICS.index(metric), (self.columns.index(left), self.columns.index(right))
        value, draws = (side[at, ..., places[0]] - side[at, ..., places[1]] for side in (self.values, self.draws))
        return self._figure(metric, float(value), draws, places)

    def _figure(self, metric: str, value: float, draws: Floats, places: tuple[int, ...]) -> Figure:
        """A value with the interval of its draws (r,); `places` are those of the scorers it is about."""
        sides = _sides(metric)
        n = int(self.totals[:, sides].sum())
        if not np.isfinite(value):
            return Figure(metric, None, None, None, n, self._reason(sides, places))
        words = f"small n: fewer than {SMALL} {' or '.join(SIDES[side] for side in sides)} cases"
        few = words if self.totals.sum(axis=0)[list(sides)].min() < SMALL else None
        return with_interval(metric, value, draws, n, "value" if len(places) == 1 else "difference", few)

    def _reason(self, sides: tuple[int, ...], places: tuple[int, ...]) -> str:
        """Why a metric is undefined here."""
        if not self.n:
            return "no case in common"
        for side in sides:
            if (self.totals[:, side] == 0).any():
                return f"no {SIDES[side]} case in common" + self._where(self.totals[:, side] == 0)
        zero = [(place, self.hits[:, :, place].sum(axis=1) == 0) for place in places]
        place, empty = next((place, empty) for place, empty in zero if empty.any())
        return f"both accuracies of {self.names[place]} are 0" + self._where(empty)

    def _where(self, empty: Bools) -> str:
        return "" if empty.all() else f" in {int(empty.sum())} of {empty.size} subsets"


def _sides(metric: str) -> tuple[int, ...]:
    """The sides, 0 erroneous and 1 clean, whose cases are in a metric's denominator."""
    return {"error_acc": (0,), "correct_acc": (1,)}.get(metric, (0, 1))


def shared_scores(lineup: Lineup, rows: Bools, columns: tuple[int, ...], seed: int = 0) -> SharedScores:
    """Score and resample some scorers together.

    Args:
        lineup: n cases.
        rows: mask over them; all of these scorers tried every one of these cases.
        columns: the scorers' places in the lineup.
        seed: of the resamples.
    """
    right, cells, totals, hits = _counted(lineup, rows, columns)
    shape = totals.shape
    drawn = resampled_counts(right, cells, totals.size, lineup.problems[rows], seed)
    drawn_hits, drawn_totals = drawn[0].reshape(RESAMPLES, *shape, len(columns)), drawn[1].reshape(RESAMPLES, *shape)
    draws = subset_means(drawn_hits, drawn_totals, both_zero=0.0)
    together = drawn_hits.sum(axis=1, keepdims=True), drawn_totals.sum(axis=1, keepdims=True)
    pooled_draws = subset_means(*together, both_zero=0.0)
    names = tuple(lineup.names[column] for column in columns)
    return SharedScores(names, columns, totals, hits, draws, pooled_draws)


def shared_values(lineup: Lineup, columns: tuple[int, ...]) -> Floats:
    """METRICS of some scorers on the cases that all of them tried, shape (3, k); NaN where undefined."""
    _, _, totals, hits = _counted(lineup, lineup.common(columns), columns)
    return subset_means(hits, totals)


def _counted(lineup: Lineup, rows: Bools, columns: tuple[int, ...]) -> tuple[Bools, Ints, Ints, Ints]:
    """Who is right on `rows` (m, k), the cell of each (m,), and counts by cell: cases (u, 2) and right ones (u, 2, k).

    A cell is one side of one of the u subsets that take part: twice the subset's number, and 1 more for clean cases.
    """
    numbers, subset = np.unique(lineup.subsets[rows], return_inverse=True)
    cells = 2 * subset + ~lineup.erroneous[rows]
    right = lineup.right[rows][:, list(columns)]
    shape = (numbers.size, 2)
    totals = np.bincount(cells, minlength=2 * numbers.size).reshape(shape)
    hits = np.zeros((*shape, len(columns)), dtype=np.int64)
    for place, marks in enumerate(right.T):
        hits[..., place] = np.bincount(cells[marks], minlength=2 * numbers.size).reshape(shape)
    return right, cells, totals, hits


def subset_means(hits: Ints | Floats, totals: Ints | Floats, both_zero: float = np.nan) -> Floats:
    """METRICS (3, ..., k) from counts (..., u, 2, k) and (..., u, 2); `both_zero` is the F1 of two accuracies of 0."""
    if not totals.shape[-2]:
        return np.full((3, *hits.shape[:-3], hits.shape[-1]), np.nan)
    shares = np.divide(hits, totals[..., None], out=np.full(hits.shape, np.nan), where=totals[..., None] > 0)
    error_acc, correct_acc = shares[..., 0, :], shares[..., 1, :]
    f1 = np.where(error_acc + correct_acc == 0, both_zero, harmonic(error_acc, correct_acc))
    return np.stack([side.mean(axis=-2) for side in (f1, error_acc, correct_acc)])


def scores_of_pairs(lineup: Lineup, seed: int = 0) -> dict[tuple[int, int], SharedScores]:
    """For every two scorers (left before right in the lineup) the scores on the cases that both tried.

    Pairs with the same common cases share one set of resamples.
    """
    found: dict[tuple[int, int], SharedScores] = {}
    for group, columns in pairs_alike(len(lineup.names), lineup.common):
        found |= dict.fromkeys(group, shared_scores(lineup, lineup.common(group[0]), columns, seed))
    return {pair: found[pair] for pair in sorted(found)}


def pairs_alike(
    scorers: int, common: Callable[[Sequence[int]], Bools]
) -> Iterator[tuple[list[tuple[int, int]], tuple[int, ...]]]:
    """All pairs of scorers in groups with the same cases in common, each with the places of the scorers in it.

    Args:
        scorers: how many there are.
        common: the cases (n,) that scorers, by their places, have in common.
    """
    alike: dict[bytes, list[tuple[int, int]]] = {}
    for pair in combinations(range(scorers), 2):
        alike.setdefault(np.packbits(common(pair)).tobytes(), []).append(pair)
    for group in alike.values():
        yield group, tuple(sorted({column for pair in group for column in pair}))


def best_of(scores: SharedScores) -> int | None:
    """The place in the lineup of the scorer with the highest F1, of equal ones the first; None if all are undefined."""
    f1 = scores.values[0]
    return None if np.isnan(f1).all() else scores.columns[int(np.nanargmax(f1))]


def mcnemar(only_left: Ints, only_right: Ints) -> Floats:
    """Exact two-sided p of as uneven a split of the discordant pairs or a more uneven one, were each side as likely.

    McNemar, Psychometrika 12 (1947), with the binomial in place of its approximation: twice the smaller tail, at most
    1; without discordant pairs 1. Arrays of one shape.
    """
    from scipy.special import bdtr

    fewer, all_of_them = np.minimum(only_left, only_right), np.add(only_left, only_right)
    p: Floats = np.minimum(1.0, 2 * bdtr(fewer.astype(np.float64), all_of_them, 0.5))
    return p


def holm(p: Floats) -> Floats:
    """Holm's step-down adjustment over the family of all values that are no NaN; NaN stays. Shape (m,)."""
    adjusted = np.full(p.shape, np.nan)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]
    stepped = p[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return adjusted
