"""Figures of several scorers on shared draws: their differences, with paired intervals."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats
from scoring.metrics.aligned import OF_STEPS, AlignedScorers, AlignedSums, pairs_alike
from scoring.metrics.first_error import CORRECT_ACC, ERROR_ACC, F1_SCORE, sides_of
from scoring.metrics.first_error_draws import first_error_sums, with_draws
from scoring.metrics.kernel import Metric, Tally
from scoring.metrics.resampling import RESAMPLES, SMALL, Figure, resample_marks, resample_problems, with_interval

Aligned = AlignedScorers | AlignedSums
OF_CASES: tuple[Metric, ...] = (F1_SCORE, ERROR_ACC, CORRECT_ACC)
"""What is compared of first errors."""


class Shared(Struct, frozen=True, eq=False):
    """Figures of some scorers on cases that all of them have, and in resamples that they share.

    Attributes:
        names: Of k scorers.
        columns: Their places among all that are compared.
        tally: Sums in groups and k columns; a figure is the plain mean over the groups.
        n: How many cases there are.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    tally: Tally
    n: int

    def values(self, metric: Metric) -> Floats:
        """Return a figure of every scorer, shape (k,); NaN where undefined."""
        return self.tally.mean(metric)

    def best(self, metric: Metric) -> int | None:
        """Find the scorer with the highest figure, of equal ones the first, by its place among all; None: undefined."""
        values = self.values(metric)
        return None if np.isnan(values).all() else self.columns[int(np.nanargmax(values))]

    def estimate(self, metric: Metric, column: int) -> Figure:
        """Return the figure of one scorer (its place among all), with its interval where there are draws.

        It is the interval that the scorer has on these cases without the others, as on every other page.
        """
        return self._figure(self.alone, metric, (self.columns.index(column),), "value")

    def difference(self, metric: Metric, left: int, right: int) -> Figure:
        """Return the figure of one scorer minus that of another (their places among all), likewise with an interval."""
        return self._figure(self.tally, metric, (self.columns.index(left), self.columns.index(right)), "difference")

    @property
    def alone(self) -> Tally:
        """The same sums with the draws of each scorer by itself, which tell nothing of differences."""
        return self.tally

    def _figure(self, tally: Tally, metric: Metric, places: tuple[int, ...], what: str) -> Figure:
        n, value = self.size(metric), _less(self.values(metric), places)
        if not np.isfinite(value):
            return Figure(metric.name, None, None, None, n, self.why(metric, places))
        if tally.draws is None:
            return Figure(metric.name, float(value), None, None, n)
        draws = _less(tally.drawn_mean(metric), places)
        return with_interval(metric.name, float(value), draws, n, what, self.few(metric))

    def size(self, metric: Metric) -> int:  # noqa: ARG002
        """Count the cases behind a figure."""
        return self.n

    def few(self, metric: Metric) -> str | None:
        """Note that the cases are few; None where they are not."""
        raise NotImplementedError

    def why(self, metric: Metric, places: tuple[int, ...]) -> str:
        """Return why a figure is undefined of scorers, by their places among these."""
        raise NotImplementedError


def _less(values: Floats, places: tuple[int, ...]) -> Floats:
    """The values at one place along the last axis, less those at another."""
    differences: Floats = (
        values[..., places[0]] if len(places) == 1 else values[..., places[0]] - values[..., places[1]]
    )
    return differences


class SharedScores(Shared, frozen=True, eq=False, dict=True):
    """Figures of first errors; the groups are subsets.

    Attributes:
        seed: Of the draws; None = there are none.
        whole: Whether whole problems were drawn; else the cases of each side of a subset.
    """

    seed: int | None = None
    whole: bool = False

    @cached_property
    def alone(self) -> Tally:
        """The same sums with the draws of each scorer by itself, which tell nothing of differences."""
        # Whole problems are the same ones, whoever is scored on them.
        return self.tally if self.seed is None or self.whole else with_draws(self.tally, self.seed)

    @property
    def pooled(self) -> "SharedScores":
        """The same with the cases of all subsets counted together."""
        return replace(self, tally=self.tally.pooled())

    def size(self, metric: Metric) -> int:
        """Count the cases of the sides that a figure is of."""
        return int(sum(self.tally.sums[side].sum() for side in sides_of(metric)))

    def few(self, metric: Metric) -> str | None:
        """Note that a side is small."""
        sides = sides_of(metric)
        if min(self.tally.sums[side].sum() for side in sides) >= SMALL:
            return None
        return f"small n: fewer than {SMALL} {' or '.join(sides)} cases"

    def why(self, metric: Metric, places: tuple[int, ...]) -> str:
        """Return which side is empty, or whose accuracies are both 0, and in how many subsets."""
        if not self.n:
            return "no case in common"
        for side in sides_of(metric):
            empty = self.tally.sums[side][:, 0] == 0
            if empty.any():
                return f"no {side} case in common{_in_some(empty)}"
        hits = self.tally.sums["exact"] + self.tally.sums["clean_right"]
        place = next(place for place in places if (hits[:, place] == 0).any())
        return f"both accuracies of {self.names[place]} are 0{_in_some(hits[:, place] == 0)}"


def _in_some(empty: Bools) -> str:
    return "" if empty.all() else f" in {int(empty.sum())} of {empty.size} subsets"


class SharedSums(Shared, frozen=True, eq=False):
    """Official figures other than F1, of all subsets together."""

    def few(self, metric: Metric) -> str | None:  # noqa: ARG002
        """Note that the cases are few."""
        return f"small n: fewer than {SMALL} cases" if self.n < SMALL else None

    def why(self, metric: Metric, places: tuple[int, ...]) -> str:
        """Return for whom there is nothing that counts."""
        if not self.n:
            return f"no case in common{' whose steps are judged' if metric in OF_STEPS else ''}"
        place = next(place for place in places if np.isnan(self.values(metric)[place]))
        sums = {name: counted[0, place] for name, counted in self.tally.sums.items()}
        return f"{self.names[place]}: {metric.why(sums)}"


def shared_scores(aligned: AlignedScorers, columns: tuple[int, ...], seed: int | None = 0) -> SharedScores:
    """Score and resample some scorers (their places) together, on the cases that all of them tried.

    `seed` is that of the resamples; None = there are none.
    """
    rows = np.flatnonzero(aligned.common(columns))
    if aligned.order is not None:
        rows = rows[np.argsort(aligned.order[rows])]
    right = aligned.right[rows][:, list(columns)]
    subsets, subset = np.unique(aligned.subsets[rows], return_inverse=True)
    cells, shape = 2 * subset + ~aligned.erroneous[rows], (subsets.size, 2)
    totals = np.bincount(cells, minlength=2 * subsets.size).reshape(shape)
    hits = np.zeros((*shape, len(columns)), dtype=np.int64)
    for place, marks in enumerate(right.T):
        hits[..., place] = np.bincount(cells[marks], minlength=2 * subsets.size).reshape(shape)
    draws = None
    if seed is not None:
        drawn = resample_marks(right, cells, totals.size, aligned.problems[rows], seed)
        hit, of = drawn[0].reshape(RESAMPLES, *shape, len(columns)), drawn[1].reshape(RESAMPLES, *shape, 1)
        draws = first_error_sums(hit, of)
    names = tuple(aligned.names[column] for column in columns)
    tally = Tally(first_error_sums(hits, totals[..., None]), draws)
    whole = seed is not None and np.unique(aligned.problems[rows]).size < rows.size
    return SharedScores(names, columns, tally, int(totals.sum()), seed, whole)


def shared_sums(aligned: AlignedSums, columns: tuple[int, ...], seed: int | None = 0) -> SharedSums:
    """Score and resample some scorers (their places) together, on the cases that all of them have."""
    rows = aligned.common(columns)
    parts = aligned.parts[rows][:, list(columns)]
    n, shape = parts.shape[0], parts.shape[1:]
    # Subset by subset, and then together: fractions add up as in `metrics`, to the last digit; whole numbers always do.
    apart = aligned.subsets[rows] * bool((parts % 1).any())
    subsets, subset = np.unique(apart, return_inverse=True)
    sums = np.zeros((subsets.size, *shape))
    np.add.at(sums, subset, parts)
    draws = None
    if seed is not None:
        # Equal seeds draw the same problems for every scorer.
        drawn = np.zeros((RESAMPLES, 1, *shape))
        for place in range(shape[0]):
            by_subset = resample_problems(parts[:, place], subset, subsets.size, aligned.problems[rows], seed)
            drawn[:, 0, place] = by_subset.sum(axis=1)
        draws = _named(aligned, drawn)
    names = tuple(aligned.names[column] for column in columns)
    return SharedSums(names, columns, Tally(_named(aligned, sums.sum(axis=0, keepdims=True)), draws), n)


def _named(aligned: AlignedSums, parts: Floats) -> dict[str, Floats]:
    """Sums by the name of their count, which lie along the last axis."""
    return dict(zip(aligned.counts, np.moveaxis(parts, -1, 0), strict=True))


def shared(aligned: Aligned, columns: tuple[int, ...], seed: int | None = 0) -> Shared:
    """Score and resample some scorers together, by first errors or by the sums of their official figure."""
    if isinstance(aligned, AlignedSums):
        return shared_sums(aligned, columns, seed)
    return shared_scores(aligned, columns, seed)


def shared_by_pairs(aligned: Aligned, seed: int | None = 0) -> Iterator[tuple[tuple[int, int], Shared]]:
    """Score every two scorers (left before right); pairs with the same common cases share one set of resamples."""
    by_pair: dict[tuple[int, int], Shared] = {}
    for group, columns in pairs_alike(len(aligned.names), aligned.common):
        by_pair |= dict.fromkeys(group, shared(aligned, columns, seed))
    yield from sorted(by_pair.items(), key=lambda item: item[0])


def compared_metrics(aligned: Aligned) -> tuple[Metric, ...]:
    """Return what is compared of scorers side by side, their official figure first."""
    return aligned.metrics if isinstance(aligned, AlignedSums) else OF_CASES


def official_values(aligned: Aligned) -> dict[str, float]:
    """Return the official figure of the scorers that have any case, on those that all of them have; NaN: undefined."""
    columns = aligned.trying
    if not columns:
        return {}
    values = shared(aligned, columns, None).values(compared_metrics(aligned)[0]).tolist()
    return dict(zip((aligned.names[column] for column in columns), values, strict=True))
