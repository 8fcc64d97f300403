"""Bootstrap intervals: how cases, or whole problems, are drawn again and again, and what the draws say of a figure.

Three ways to draw, and each figure has one. `resample_hits` draws the cases of a stratum of which only how many are
right counts: Binomial(n, h / n), exactly the stratified bootstrap without touching a case. `resample_marks` draws the
cases of each stratum together for several scorers or runs, so that these are compared on the same draws. Where cases
share a problem their steps are nearly the same, so that `resample_problems` draws whole problems, without strata. Equal
seeds give equal draws, whoever is scored on them.

A figure of one scorer on a set of cases has one interval: its draws depend on these cases and the seed, not on the
order of rows, on other groups in a table, or on other scorers. Differences are drawn in pairs and are other figures.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from scoring.data.progress import tell
from scoring.data.schema import Bools, Floats, Ints

RESAMPLES = 1000
LEVEL = 0.95
SMALL = 20
"""With fewer cases than this on a side, a figure is marked."""
UNDEFINED = 0.05
"""Up to this share of the resamples may leave a figure undefined before its interval is not given."""

FloatArray = npt.NDArray[np.floating[Any]]
"""float32 or float64."""
_PRODUCTS = 1 << 18
"""Multiplications made at a time: draws stay in the processor's cache, and a product this small is not shared out to
threads, which takes longer than the product wherever other programs run."""
_EXACT = 1 << 24
"""Whole numbers below this are exact as float32, and so are their sums in whatever order they are added."""
_BATCH = 1 << 21
"""Numbers drawn at a time, so that memory does not grow with the cases."""
_RESAMPLES_AT_A_TIME = 256


class Figure(Struct, frozen=True):
    """A value or a difference, as a fraction, with its 95% interval.

    Attributes:
        metric: Its name.
        value: None where it is undefined; the mean over `runs` where there are several.
        low: None where there is no interval.
        high: likewise.
        n: What is in its denominator: cases, or steps.
        reason: Why there is no value, or no interval of it.
        note: What to keep in mind about the interval.
        sd: The sample standard deviation (n-1) of the runs' values; None of one run.
        runs: How many independent repetitions it is the mean of.
        small: Whether few cases say it.
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None = None
    note: str | None = None
    sd: float | None = None
    runs: int = 1
    small: bool = False

    @property
    def holds_zero(self) -> bool | None:
        """Whether 0 lies in the interval, its ends included; None without an interval."""
        return None if self.low is None or self.high is None else self.low <= 0 <= self.high


def with_interval(metric: str, value: float, draws: Floats, n: int, what: str, few: str | None) -> Figure:
    """Give a defined value the central 95% of its draws, shape (r,), NaN where a resample leaves it undefined.

    Args:
        metric: its name.
        value: a fraction.
        draws: the same in r resamples; where more than UNDEFINED of them are undefined there is no interval.
        n: cases in its denominator.
        what: `value` or `difference`, for the note.
        few: a note that the cases are few; None where they are not.
    """
    defined = draws[np.isfinite(draws)]
    lost = draws.size - defined.size
    if lost > UNDEFINED * draws.size:
        note = f"no interval: the {what} is undefined in {lost} of {draws.size} resamples"
        return Figure(metric, value, None, None, n, note=note)
    notes = [f"{lost} of {draws.size} resamples are undefined and left out"] if lost else []
    low, high = percentile_interval(defined)
    return Figure(metric, value, low, high, n, note="; ".join([*notes, *([few] if few else [])]) or None)


def figure_over_runs(
    metric: str, values: Floats, draws: Floats | None, n: int, *, small: bool, reason: str | None
) -> Figure:
    """Return the mean of a figure over r runs, with the interval of the mean under resampling of the cases.

    The interval says nothing of how runs differ, which is what `sd` is for.

    Args:
        metric: its name.
        values: (r,) the figure in each run; NaN where it is undefined.
        draws: (resamples, r) the same in resamples that the runs share, NaN where undefined; None = no interval is
            asked for.
        n: what is in the first run's denominator.
        small: whether few cases say it.
        reason: why there is no figure, or no interval of it; None = there are both.
    """
    value = float(values.mean()) if values.size else float("nan")
    if np.isnan(value):
        return Figure(metric, None, None, None, n, reason, runs=values.size)
    sd = float(values.std(ddof=1)) if values.size > 1 else None
    low = high = None
    if reason is None and draws is not None:
        means = draws.mean(axis=1)
        defined = means[~np.isnan(means)]
        lost = means.size - defined.size
        if lost > UNDEFINED * means.size:
            reason = f"no interval: undefined in {lost} of {means.size} resamples"
        else:
            low, high = percentile_interval(defined)
    return Figure(metric, value, low, high, n, reason, sd=sd, runs=values.size, small=small)


def reason_over_runs(reasons: Sequence[str | None]) -> str | None:
    """Return why a mean over runs is undefined, of the reasons of each run; None where no run has one."""
    undefined = [reason for reason in reasons if reason]
    if not undefined or len({*reasons}) == 1:
        return undefined[0] if undefined else None
    return f"undefined in {len(undefined)} of {len(reasons)} runs"


def percentile_intervals(draws: Floats) -> tuple[Floats, Floats]:
    """Return low and high end of the central 95% of k figures, each (k,); `draws` (r, k) are NaN where undefined.

    Undefined resamples are left out; where they are more than UNDEFINED of all, the ends are NaN.
    """
    ends = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    low, high = np.full((2, draws.shape[1]), np.nan)
    lost = np.isnan(draws).mean(axis=0)
    whole = lost == 0
    low[whole], high[whole] = np.quantile(draws[:, whole], ends, axis=0)
    for column in np.flatnonzero((lost > 0) & (lost <= UNDEFINED)):
        low[column], high[column] = np.nanquantile(draws[:, column], ends)
    return low, high


def percentile_interval(values: Floats) -> tuple[float, float]:
    """Return the central 95% of the values, of which there is at least one: what `np.quantile` gives, sooner."""
    ordered = np.sort(values)
    low, high = (_between(ordered, share * (ordered.size - 1)) for share in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return low, high


def _between(ordered: Floats, place: float) -> float:
    below = int(place)
    weight, start, end = place - below, float(ordered[below]), float(ordered[min(below + 1, ordered.size - 1)])
    # From the nearer of the two, as numpy does it.
    return end - (end - start) * (1 - weight) if weight >= 0.5 else start + (end - start) * weight


def related(problems: Ints, rows: Bools) -> bool:
    """Return whether two of the cases are of one problem, so that whole problems have to be resampled.

    Args:
        problems: (n,) a number (0-based) of each case's problem.
        rows: (n,) which cases are meant.
    """
    return bool((np.bincount(problems[rows]) > 1).any())


# -- strata


def resample_hits(hits: Ints, totals: Ints, seed: int) -> Ints:
    """Draw how many hits each group has in bootstrap resamples of its cases, shape (groups, RESAMPLES)."""
    rng = np.random.default_rng(seed)
    safe = np.maximum(totals, 1)
    return rng.binomial(safe[:, None], (hits / safe)[:, None], size=(hits.size, RESAMPLES))


def resample_marks(marks: Bools, cells: Ints, n_cells: int, problems: Ints, seed: int) -> tuple[Floats, Floats]:
    """Draw how many cases are marked in each cell, in bootstrap resamples that all columns of marks share.

    Where every problem has one case, each cell is resampled by itself, so that its size stays (stratified). Where cases
    share a problem, whole problems are drawn and sizes vary. Draws depend on the sizes of the cells, or on the
    problems, and on the seed, never on who else is compared.

    Args:
        marks: (n, s) of s scorers, or runs.
        cells: (n,) the cell of each case, 0-based.
        n_cells: c.
        problems: (n,) a number a problem.
        seed: of the draws.

    Returns:
        (RESAMPLES, c, s) cases marked and (RESAMPLES, c) cases drawn; whole numbers, as floats.
    """
    if np.unique(problems).size < problems.size:
        parts = np.column_stack([marks, np.ones(cells.size)]).astype(np.float64)
        sums = resample_problems(parts, cells, n_cells, problems, seed)
        return sums[..., :-1], sums[..., -1]
    rng = np.random.default_rng(seed)
    sizes = np.bincount(cells, minlength=n_cells)
    sums = np.zeros((RESAMPLES, n_cells, marks.shape[1]))
    for cell in range(n_cells):
        sums[:, cell] = _drawn_marks(marks[cells == cell], rng, (cell, n_cells))
    return sums, np.broadcast_to(sizes.astype(np.float64), (RESAMPLES, n_cells))


def _drawn_marks(marks: Bools, rng: np.random.Generator, part: tuple[int, int]) -> Floats:
    """Sums over as many rows of (m, s) as there are, drawn with replacement. Shape (RESAMPLES, s).

    `part` says which part (0-based) of how many this is, for whoever hears how far it is.
    """
    size = marks.shape[0]
    sums = np.zeros((RESAMPLES, marks.shape[1]))
    if not size:
        return sums
    # Many rows of many scorers leave the processor's cache, but scorers are right together in few ways: then what is
    # drawn of a case is which of these it is of.
    many = size * max(16, marks.shape[1]) > _PRODUCTS
    kinds, kind = _kinds(marks) if many else (marks, None)
    weights = _exactly(kinds.astype(np.float64), size)
    step = max(1, _PRODUCTS // max(size, kinds.shape[0] * max(16, marks.shape[1])))
    for start in range(0, RESAMPLES, step):
        count = min(step, RESAMPLES - start)
        tell(RESAMPLES * part[0] + start, RESAMPLES * part[1], "intervals", "resamples")
        drawn = times_drawn(size, count, rng) if kind is None else _kinds_drawn(kind, kinds.shape[0], count, rng)
        times: FloatArray = drawn.astype(weights.dtype)
        sums[start : start + count] = times @ weights
    return sums


def _kinds(marks: Bools) -> tuple[Bools, Ints]:
    """The different ones of (m, s) rows, and which of them each row is, shape (m,)."""
    packed = np.packbits(marks, axis=1)
    if packed.shape[1] > 8:
        _, first, kind = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    else:
        # A number a row, in the order of the rows: these are sorted in a sixth of the time, and other threads go on.
        numbers = np.zeros((packed.shape[0], 8), dtype=np.uint8)
        numbers[:, : packed.shape[1]] = packed
        in_order = numbers.view(">u8").ravel().astype(np.uint64)
        _, first, kind = np.unique(in_order, return_index=True, return_inverse=True)
    return marks[first], kind.reshape(marks.shape[0])


def _kinds_drawn(kind: Ints, kinds: int, resamples: int, rng: np.random.Generator) -> Ints:
    """How often each of the kinds comes up where as many rows as there are are drawn, shape (resamples, kinds)."""
    drawn = kind[rng.integers(0, kind.size, size=(resamples, kind.size))]
    drawn += kinds * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * kinds).reshape(resamples, kinds)


# -- whole problems


def resample_problems(parts: Floats, groups: Ints, n_groups: int, problems: Ints, seed: int) -> Floats:
    """Draw sums over cases by group in bootstrap resamples of whole problems, shape (RESAMPLES, n_groups, k).

    Every resample draws as many problems as there are, with replacement, from all groups together: a problem's cases
    come or stay away in all of them.

    Args:
        parts: (n, k) what is summed of each case.
        groups: (n,) numbers of groups, 0-based; a negative one is in none.
        n_groups: how many groups there are.
        problems: (n,) a number of each case's problem, any whole numbers.
        seed: of the draws.
    """
    names, numbers = np.unique(problems, return_inverse=True)
    sums = np.zeros((RESAMPLES, n_groups, parts.shape[1]))
    if not sums.size or not names.size:
        return sums
    inside = np.flatnonzero(groups >= 0)
    # What a problem adds to a group is one row, however many of its cases are in it.
    pairs, place = np.unique(groups[inside] * names.size + numbers[inside], return_inverse=True)
    by_problem = np.column_stack([np.bincount(place, part, pairs.size) for part in parts[inside].T]).astype(np.float64)
    together, rows = _exactly(by_problem, names.size), pairs % names.size
    bounds = np.searchsorted(pairs, names.size * np.arange(n_groups + 1))
    done = 0
    for drawn in _problems_drawn(names.size, seed):
        size = drawn.shape[1]
        tell(done, RESAMPLES, "intervals", "resamples")
        for group in range(n_groups):
            within = slice(bounds[group], bounds[group + 1])
            sums[done : done + size, group] = weighted_sums(drawn, rows[within], together[within])
        done += size
    return sums


def resample_apart(parts: Floats, groups: Ints, n_groups: int, problems: Ints, seed: int) -> Floats:
    """Draw sums as `resample_problems`, each group as if its cases were the only ones: for figures of single groups.

    A figure of one group so has the same interval whatever other groups are shown; groups may not share a mean.
    """
    sums = np.zeros((RESAMPLES, n_groups, parts.shape[1]))
    rows = np.argsort(groups, kind="stable")
    bounds = np.searchsorted(groups[rows], np.arange(n_groups + 1))
    for group in range(n_groups):
        own = rows[bounds[group] : bounds[group + 1]]
        alone = np.zeros(own.size, dtype=np.int64)
        sums[:, group] = resample_problems(parts[own], alone, 1, problems[own], seed)[:, 0]
    return sums


def _problems_drawn(n_problems: int, seed: int) -> Iterator[FloatArray]:
    """How often each problem is in each resample: batches of shape (n_problems, resamples of the batch)."""
    size = min(RESAMPLES, max(1, _BATCH // n_problems))
    for first in range(0, RESAMPLES, size):
        yield _problem_draws(n_problems, seed, first, min(size, RESAMPLES - first))


@lru_cache(maxsize=8)
def _problem_draws(n_problems: int, seed: int, first: int, size: int) -> FloatArray:
    """One batch; remembered, because scorers and thresholds are many and problems are the same."""
    times = times_drawn(n_problems, size, np.random.default_rng([seed, first]))
    return np.ascontiguousarray(times.T, dtype=np.float32)


def times_drawn(n: int, resamples: int, rng: np.random.Generator) -> Ints:
    """Draw how often each of n things comes up in n draws, shape (resamples, n).

    Multinomial counts, got by counting draws, which is several times faster than drawing the counts.
    """
    drawn = rng.integers(0, n, size=(resamples, n))
    drawn += n * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n)


def weighted_sums(drawn: FloatArray, rows: Ints, parts: FloatArray) -> FloatArray:
    """Sum parts, each as often as it was drawn, shape (resamples, k).

    Args:
        drawn: (n, resamples) how often each thing was drawn.
        rows: (m,) which thing each of the parts belongs to.
        parts: (m, k).
    """
    (m, k), resamples = parts.shape, drawn.shape[1]
    sums = np.zeros((k, resamples), dtype=parts.dtype)
    step = max(1, _PRODUCTS // (_RESAMPLES_AT_A_TIME * max(1, k)))
    for first in range(0, resamples, _RESAMPLES_AT_A_TIME):
        columns = slice(first, first + _RESAMPLES_AT_A_TIME)
        for start in range(0, m, step):
            within = slice(start, start + step)
            times: FloatArray = drawn[rows[within], columns].astype(parts.dtype, copy=False)
            sums[:, columns] += parts[within].T @ times
    return sums.T


def _exactly(parts: Floats, n: int) -> FloatArray:
    """The parts as float32 if sums over n draws of their rows are exact so, which is twice as fast, else unchanged."""
    whole = parts.size == 0 or (bool((parts == np.rint(parts)).all()) and n * float(np.abs(parts).max()) < _EXACT)
    return parts.astype(np.float32) if whole else parts
