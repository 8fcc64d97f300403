"""Scorers by one or two columns of the cases: in each cell its counts, shares and metrics, and in `all` the totals."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain, product
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.axes import Axis
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.first_error import METRICS, NAMES, sides_of
from scoring.metrics.first_error_draws import Marks, with_draws
from scoring.metrics.kernel import Tally, Unparsed
from scoring.metrics.resampling import SMALL, percentile_intervals, related
from scoring.metrics.shares import Share, error_type_shares, outcome_shares, process_error_shares, side_shares

TOTAL = "all"
"""Stands for every value of a column, missing ones included."""

DEFAULTS: dict[str, tuple[str, ...]] = {
    "processbench": ("subset", "generator"),
    "prmbench": ("error_type", "position"),
    "socratic": ("pattern", "error_kind"),
    "grben": ("subset", "error_type"),
    "mrmath": ("generator",),
    "demo": ("pattern", "error_kind"),
}
"""Benchmark -> the columns that its cases are usually told apart by."""

SCHEMA = {
    "metric": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
    "small": pl.Boolean(),
    "reason": pl.String(),
    "where": pl.String(),
}


class Cells(Struct, frozen=True, eq=False, dict=True):
    """n cases sorted into the k cells of a table with totals; only cells that hold a case are there.

    `axes` are one or more, `rows` (n,) marks the cases that take part, `within` are conditions that hold for all of
    them and belong to those of each cell.
    """

    axes: tuple[Axis, ...]
    rows: Bools
    within: tuple[str, ...] = ()

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        return tuple(len(of_axis.values) + 1 for of_axis in self.axes)

    @cached_property
    def _flat(self) -> Ints:
        """The place of each case in the flattened table, shape (n,)."""
        return np.ravel_multi_index([of_axis.numbers for of_axis in self.axes], self._shape)

    def _table(self, rows: Bools, weights: Floats | None = None) -> Floats | Ints:
        taken = np.flatnonzero(rows & self.rows)
        weighed = None if weights is None else weights[taken]
        table = np.bincount(self._flat[taken], weighed, minlength=int(np.prod(self._shape))).reshape(self._shape)
        for place in range(len(self._shape)):
            total = np.expand_dims(table.sum(axis=place), place)
            table = np.concatenate([table.take(range(self._shape[place] - 1), axis=place), total], axis=place)
        return table.ravel()

    @cached_property
    def _there(self) -> Ints:
        """The places of the cells that hold a case, row by row, totals last."""
        return np.flatnonzero(self._table(self.rows))

    @cached_property
    def places(self) -> tuple[Ints, ...]:
        """For every axis the number (0-based) of each cell's value, that of values for all. Each of shape (k,)."""
        return tuple(np.unravel_index(self._there, self._shape))

    def counts(self, rows: Bools) -> Ints:
        """Count the marked cases in each cell. Shape (k,)."""
        return self._table(rows)[self._there].astype(np.int64)

    def sums(self, rows: Bools, weights: Floats) -> Floats:
        """Sum the weights (n,) of the marked cases in each cell. Shape (k,)."""
        return self._table(rows, weights)[self._there].astype(np.float64)

    def pairs(self) -> tuple[Ints, Ints]:
        """Return every pair of a case that takes part and a cell that it is in, totals included: row ids, numbers of
        cells.
        """
        taken = np.flatnonzero(self.rows)
        cells = []
        for known in product((True, False), repeat=len(self.axes)):
            pairs = zip(self.axes, known, strict=True)
            places = [
                of_axis.numbers[taken] if own else np.full(taken.size, len(of_axis.values)) for of_axis, own in pairs
            ]
            cells.append(np.searchsorted(self._there, np.ravel_multi_index(places, self._shape)))
        return np.tile(taken, len(cells)), np.concatenate(cells)

    def frame(self) -> pl.DataFrame:
        """Return a row a cell: the value of every column, TOTAL for all, and `where`, the condition that selects its
        cases.
        """
        rows = list(zip(*(place.tolist() for place in self.places), strict=True))
        columns = {
            of_axis.column: pl.Series([(*of_axis.values, TOTAL)[row[at]] for row in rows], dtype=pl.String)
            for at, of_axis in enumerate(self.axes)
        }
        return pl.DataFrame({**columns, "where": pl.Series([self._where(row) for row in rows], dtype=pl.String)})

    def _where(self, place: Sequence[int]) -> str:
        own = [of_axis.conditions[at] for of_axis, at in zip(self.axes, place, strict=True) if at < len(of_axis.values)]
        return " AND ".join(f"({condition})" for condition in (*self.within, *own)) or "true"


class CellFigures(Struct, frozen=True, eq=False):
    """One metric in k cells: NaN where undefined, and `reasons` says why."""

    metric: str
    value: Floats
    low: Floats
    high: Floats
    n: Ints
    small: Bools
    reasons: list[str | None]


def breakdown(
    evaluation: Evaluation,
    cells: Cells,
    unparsed: Unparsed = "wrong",
    seed: int = 0,
    metrics: Collection[str] = (),
    *,
    bootstrap: bool = True,
) -> pl.DataFrame:
    """Compute every metric of one scorer in every cell: the columns of `cells` and SCHEMA, a row a cell and metric.

    `cases` and `count_<outcome>` are counts of cases; everything else is a fraction, null with a reason where it is
    undefined. `n` is the denominator. f1 and both accuracies (and `exact`, which is error_acc) have the bootstrap
    interval that `metrics` gives to the cell's cases: of whole problems where two cases in its denominators are of
    one, else stratified by erroneous and clean. Other shares have Wilson intervals; `step_accuracy`, the mean over
    cases, has none. Of several runs this is the first. `small` marks what fewer than SMALL cases say.

    Args:
        evaluation: of the cases of `cells`.
        cells: the table.
        unparsed: whether cases without a verdict count as wrong.
        seed: of the bootstrap.
        metrics: these alone, by name; () = all.
        bootstrap: whether f1 and both accuracies have their intervals, which take longest.
    """
    metric_names = MetricNames(frozenset(metrics))
    return long_form(cells, list(_figures(evaluation, cells, unparsed, seed if bootstrap else None, metric_names)))


class MetricNames(Struct, frozen=True):
    """The names of the metrics that are asked for; of none: all are."""

    names: frozenset[str] = frozenset()

    def __contains__(self, name: str) -> bool:
        return not self.names or name in self.names


def long_form(cells: Cells, figures: Sequence["CellFigures"]) -> pl.DataFrame:
    """Return the columns of `cells` and SCHEMA, a row a cell and metric, cell by cell."""
    names = cells.frame()

    def in_turn(arrays: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.stack(arrays).T.ravel()

    floats = {name: in_turn([getattr(of, name) for of in figures]) for name in ("value", "low", "high")}
    long = names.select(pl.all().gather(np.repeat(np.arange(names.height), len(figures)))).with_columns(
        pl.Series("metric", [of.metric for of in figures] * names.height, dtype=pl.String),
        *(pl.Series(name, values, nan_to_null=True) for name, values in floats.items()),
        pl.Series("n", in_turn([of.n for of in figures])),
        pl.Series("small", in_turn([of.small for of in figures])),
        pl.Series("reason", chain.from_iterable(zip(*(of.reasons for of in figures), strict=True)), dtype=pl.String),
    )
    return long.select(*[of_axis.column for of_axis in cells.axes], *SCHEMA)


def _figures(
    evaluation: Evaluation, cells: Cells, unparsed: Unparsed, seed: int | None, metric_names: MetricNames
) -> Iterator["CellFigures"]:
    n = cells.counts(cells.rows)
    if "cases" in metric_names:
        yield _count("cases", n, n)
    for code, outcome in enumerate(OUTCOMES):
        if (name := f"count_{outcome}") in metric_names:
            yield _count(name, cells.counts(evaluation.codes == code), n)
    accuracies = side_shares(evaluation, unparsed)
    of_first_errors = _first_errors(evaluation, accuracies, cells, seed)
    yield from (of_first_errors[name] for name in NAMES if name in metric_names)
    if "step_accuracy" in metric_names:
        yield _step_accuracy(evaluation, cells)
    for share in chain(
        outcome_shares(evaluation, unparsed),
        error_type_shares(evaluation, unparsed),
        process_error_shares(evaluation, unparsed),
    ):
        if share.name in metric_names:
            figures = _of_share(share, cells)
            for accuracy in accuracies:
                _take_interval(figures, share, of_first_errors[accuracy.name], accuracy, cells)
            yield figures


def _count(metric: str, counts: Ints, n: Ints) -> CellFigures:
    nothing = np.full(n.size, np.nan)
    value = counts.astype(np.float64)
    return CellFigures(metric, value, nothing, nothing, n, np.zeros(n.size, dtype=np.bool_), [None] * n.size)


def _of_share(share: Share, cells: Cells) -> CellFigures:
    hits, n = cells.counts(share.hits), cells.counts(share.among)
    value = np.divide(hits, n, out=np.full(n.size, np.nan), where=n > 0)
    low, high = wilson_interval(hits, n)
    return CellFigures(share.name, value, low, high, n, few(n), [None if size else share.empty for size in n])


def _take_interval(figures: "CellFigures", share: Share, known: "CellFigures", accuracy: Share, cells: Cells) -> None:
    """Give a share the interval of an accuracy in each cell where it is this accuracy, or 1 less it."""
    alike = (figures.n > 0) & (figures.n == known.n) & (figures.n == cells.counts(share.among & accuracy.among))
    hits, right = cells.counts(share.hits), cells.counts(accuracy.hits)
    both = cells.counts(share.hits & accuracy.hits)
    same, rest = alike & (both == hits) & (both == right), alike & (both == 0) & (hits + right == figures.n)
    figures.low[rest], figures.high[rest] = 1 - known.high[rest], 1 - known.low[rest]
    figures.low[same], figures.high[same] = known.low[same], known.high[same]


def _first_errors(
    evaluation: Evaluation, shares: tuple[Share, Share], cells: Cells, seed: int | None
) -> dict[str, CellFigures]:
    """METRICS of `scoring.metrics.first_error` in every cell, with the intervals that they have on its cases alone."""
    tally = f1_tally(shares, cells)
    if seed is not None:
        tally = _drawn(evaluation, tally, shares, cells, seed)
    figures = {}
    for metric in METRICS:
        value, n = tally.values(metric)[:, 0], metric.size(tally.sums)[:, 0]
        low, high = np.full((2, value.size), np.nan)
        defined = np.flatnonzero(np.isfinite(value))
        if tally.draws is not None and defined.size:
            low[defined], high[defined] = percentile_intervals(tally.drawn(metric)[:, defined, 0])
        reasons = []
        for place, figure in enumerate(value):
            why = evaluation.coverage.nothing or metric.why({name: of[place, 0] for name, of in tally.sums.items()})
            reasons.append(None if np.isfinite(figure) else why)
        support = np.min([tally.sums[side][:, 0] for side in sides_of(metric)], axis=0)
        figures[metric.name] = CellFigures(metric.name, value, low, high, n, few(support) & np.isfinite(value), reasons)
    return figures


def f1_tally(shares: tuple[Share, Share], cells: Cells) -> Tally:
    """Sum the counts of f1 in every cell, of error_acc and correct_acc."""
    counted = {"exact": shares[0].hits, "erroneous": shares[0].among}
    counted |= {"clean_right": shares[1].hits, "clean": shares[1].among}
    return Tally({name: cells.counts(rows)[:, None] for name, rows in counted.items()})


def _drawn(evaluation: Evaluation, tally: Tally, shares: tuple[Share, Share], cells: Cells, seed: int) -> Tally:
    """The sums of every cell with draws of it alone."""
    member, gold = (shares[0].among | shares[1].among), evaluation.gold
    if not (gold.related and related(gold.problems, member & cells.rows)):
        return with_draws(tally, seed, apart=True)
    right, (cases, numbers) = (shares[0].hits | shares[1].hits), cells.pairs()
    of_cases = right[cases, None], member[cases, None], (gold.earliest >= 0)[cases], gold.problems[cases]
    n_cells = tally.sums["exact"].shape[0]
    return replace(tally, draws=Marks(*of_cases, numbers, n_cells).apart(seed).draws)


def _step_accuracy(evaluation: Evaluation, cells: Cells) -> CellFigures:
    accuracies = evaluation.step_accuracies
    there = ~np.isnan(accuracies)
    n, total = cells.counts(there), cells.sums(there, accuracies)
    value = np.divide(total, n, out=np.full(n.size, np.nan), where=n > 0)
    nothing = np.full(n.size, np.nan)
    why = evaluation.coverage.nothing or "no case has steps that are both labelled and judged"
    return CellFigures("step_accuracy", value, nothing, nothing, n, few(n), [None if size else why for size in n])


def few(n: Ints) -> Bools:
    """Return where a figure rests on few cases; not where it rests on none."""
    small: Bools = (n > 0) & (n < SMALL)
    return small
