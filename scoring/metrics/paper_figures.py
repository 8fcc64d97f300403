"""A scorer's own figures for the cells of a paper's table, by the paper's conventions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import stdev

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.twins import originals_by_run
from scoring.formats.benchmarks import grben, mrmath_redundant, prmbench, socratic
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.first_error import METRICS as FIRST_ERROR_METRICS
from scoring.metrics.first_error import NAMES as FIRST_ERROR_NAMES
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.metrics_by_subset import metric_rows
from scoring.metrics.own_family import family_of
from scoring.metrics.published.papers import PrintedTable, TableKind
from scoring.metrics.reasoneval_figures import reasoneval_figures
from scoring.metrics.resampling import reason_over_runs
from scoring.metrics.shares import error_type_shares
from scoring.metrics.step_contributions import OF_STEPS, step_contributions
from scoring.metrics.step_labels import why_nothing
from scoring.metrics.step_metrics import F1_POSITIVE, METRICS, NAMES, OFFICIAL_UNDEFINED, PRMSCORE, sums_of
from scoring.metrics.threshold_curves import metric_curve
from scoring.metrics.whole_subsets import subsets_of

ELSEWHERE = "ProcessBench's average, which is not a figure of this benchmark: see paper processbench 3"


class ComputedCell(Struct, frozen=True):
    """One figure: a fraction, null with a reason where undefined; `n` is the size of its denominator.

    Of several `runs` it is the mean, `sd` their sample standard deviation (n-1) and `n` that of the first.
    """

    value: float | None
    n: int
    reason: str | None = None
    sd: float | None = None
    runs: int = 1


CellPlace = tuple[str, str]
"""Subset and metric of a printed figure, by their names here."""
Values = dict[CellPlace, ComputedCell]


class TableScope(Struct, frozen=True, eq=False):
    """What a table is computed from: the cases shown, (n,), of one benchmark; `twins` is the scorer on the originals.

    `unparsed` is what becomes of cases without a readable verdict.
    """

    benchmark: str
    table: PrintedTable
    within: Bools
    unparsed: Unparsed
    twins: Evaluation | None = None

    @property
    def subsets(self) -> tuple[str, ...]:
        """Return the official subsets that the table is about."""
        return subsets_of(self.benchmark, self.table.domain)


def values_of(evaluation: Evaluation, scope: TableScope, wanted: Iterable[CellPlace]) -> Values | None:
    """Compute the wanted cells of a scorer; None for tables whose figures need more than these cases."""
    make = _BY_KIND.get(scope.table.kind)
    if make is None:
        return None
    beside = originals_by_run(evaluation, scope.twins)
    values = _over_runs(
        [make(run, replace(scope, twins=twins)) for run, twins in zip(evaluation.runs, beside, strict=True)]
    )
    missing = ComputedCell(None, 0, evaluation.coverage.nothing or "no case of this is here")
    return {
        cell: ComputedCell(None, 0, ELSEWHERE) if cell[0] == "processbench" else values.get(cell, missing)
        for cell in wanted
    }


def _over_runs(runs: Sequence[Values]) -> Values:
    """The mean of each cell over the runs; undefined as soon as it is so in one."""
    if len(runs) == 1:
        return runs[0]
    return {cell: _of_runs([run[cell] for run in runs]) for cell in runs[0]}


def _of_runs(parts: Sequence[ComputedCell]) -> ComputedCell:
    values = [part.value for part in parts if part.value is not None]
    reason = reason_over_runs([part.reason for part in parts])
    if len(values) < len(parts):
        return ComputedCell(None, parts[0].n, reason, None, len(parts))
    return ComputedCell(sum(values) / len(values), parts[0].n, reason, stdev(values), len(parts))


def _first_errors(evaluation: Evaluation, scope: TableScope) -> Values:
    values: Values = {}
    for subset in scope.subsets:
        values |= _counted(evaluation, scope, subset)
    return values | _averages(values, scope.subsets)


def _best_thresholds(evaluation: Evaluation, scope: TableScope) -> Values:
    """The same, each subset at the threshold that is best there."""
    values: Values = {}
    for subset in scope.subsets:
        rows = scope.within & _in_subset(evaluation, subset)
        curve = metric_curve(FIRST_ERRORS, evaluation, rows, scope.unparsed, "all")
        best = None if curve is None else curve.best
        if best is None:
            why = (
                "F1 is undefined at every threshold"
                if evaluation.rule.is_movable
                else f"no threshold: {evaluation.rule.source}"
            )
            values |= {(subset, metric): ComputedCell(None, 0, why) for metric in FIRST_ERROR_NAMES}
        else:
            values |= _counted(evaluation.at(best[0]), scope, subset)
    return values


def _in_subset(evaluation: Evaluation, subset: str) -> Bools:
    cases = evaluation.gold.cases
    return (cases["subset"] == subset).fill_null(value=False).to_numpy()


def _counted(evaluation: Evaluation, scope: TableScope, subset: str) -> Values:
    rows = scope.within & _in_subset(evaluation, subset)
    decided = Decided(evaluation, scope.unparsed)
    counts = decided.sums(decided.outcomes(rows, np.zeros(rows.size, dtype=np.int64), 1))
    sums = {name: counted[0] for name, counted in counts.items()}
    values = {}
    for metric in FIRST_ERROR_METRICS:
        reason = metric.why(sums) or None
        value = None if reason else float(metric.score(sums))
        values[subset, metric.name] = ComputedCell(value, int(metric.size(sums)), reason)
    return values


def _averages(values: Values, subsets: Sequence[str]) -> Values:
    """The plain means over all of the paper's subsets; undefined as soon as one is."""
    return {
        ("average", metric): _mean([values[subset, metric] for subset in subsets], subsets)
        for metric in FIRST_ERROR_NAMES
    }


def _mean(parts: Sequence[ComputedCell], names: Sequence[str]) -> ComputedCell:
    n = sum(part.n for part in parts)
    values = [part.value for part in parts if part.value is not None]
    if len(values) == len(parts) > 0:
        return ComputedCell(sum(values) / len(values), n)
    lacking = [name for name, part in zip(names, parts, strict=True) if part.value is None]
    return ComputedCell(None, n, f"undefined on {', '.join(lacking)}")


def _error_types(evaluation: Evaluation, scope: TableScope) -> Values:
    types = evaluation.gold.cases["error_type"]
    masks = {name: (types == name).fill_null(value=False).to_numpy() for name in grben.ERROR_TYPES}
    masks["all"] = np.ones(types.len(), dtype=np.bool_)
    values: Values = {}
    for share in error_type_shares(evaluation, scope.unparsed):
        for name, mask in masks.items():
            n = int((share.among & scope.within & mask).sum())
            hits = int((share.hits & scope.within & mask).sum())
            values[name, f"{share.name}_rate"] = ComputedCell(hits / n, n) if n else ComputedCell(None, 0, share.empty)
    return values


def _macro_f1(evaluation: Evaluation, scope: TableScope) -> Values:
    of_redundancy = scope.benchmark == mrmath_redundant.NAME
    by_metric = reasoneval_figures(evaluation, scope.within, redundancy=of_redundancy, unparsed=scope.unparsed)
    return {("all", metric): ComputedCell(*figure) for metric, figure in by_metric.items()}


def _of_its_own(evaluation: Evaluation, scope: TableScope) -> Values:
    """Each of the benchmark's FIGURES by subset and of all cases together; never an average over subsets."""
    values: Values = {}
    for made in metrics_of(scope.benchmark).own:
        for row in metric_rows(family_of(made), evaluation, scope.within, scope.unparsed, None):
            if row["subset"] != "average":
                values[row["subset"], row["metric"]] = ComputedCell(row["value"], row["n"], row["reason"])
    return values


class _Sums(Struct, frozen=True, eq=False):
    """What the figures of a benchmark of step labels are summed from: COUNTS a case, (n, len(COUNTS))."""

    parts: Floats
    facts: StepLabelled
    cases: pl.DataFrame
    rows: Bools

    def of(self, error_class: str | None, nothing: str | None) -> Iterator[ComputedCell]:
        """The figures of METRICS of a class (None = all steps), as the official toolkit says them.

        That is -1 and a reason where a denominator is empty, but for the similarity without a scored twin. `nothing`
        says why no step is judged, where none is.
        """
        mask = self.rows
        if error_class is not None:
            mask = mask & (self.cases["error_type"] == error_class).fill_null(value=False).to_numpy()
        sums = {name: counted[mask].sum() for name, counted in sums_of(self.parts).items()}
        alone = error_class in self.facts.without_errors
        judged = any(sums[name] for name in OF_STEPS)
        for metric in METRICS:
            scored = F1_POSITIVE if alone and metric is PRMSCORE else metric
            why = scored.why(sums)
            there = judged and not (why and metric.name == "similarity")
            value = float(scored.score(sums, OFFICIAL_UNDEFINED)) if there else None
            reason = (nothing if not judged and nothing else why) if why else None
            yield ComputedCell(value, int(metric.size(sums)), reason)


def _step_labels(evaluation: Evaluation, scope: TableScope) -> Values:
    facts, groups = _STEP_LABELLED[scope.benchmark]
    cases, subsets = evaluation.gold.cases, scope.subsets
    rows = scope.within & cases["subset"].is_in(subsets).fill_null(value=False).to_numpy()
    sums = _Sums(step_contributions(evaluation, facts, scope.twins, official=True), facts, cases, rows)
    nothing = why_nothing(evaluation, rows)
    values: Values = {}
    for name in [*(member for members in groups.values() for member in members), None]:
        values |= {(name or "all", metric): ours for metric, ours in zip(NAMES, sums.of(name, nothing), strict=True)}
    for group, members in groups.items():
        here = [name for name in members if not (scope.table.domain and name in facts.without_errors)]
        values[group, "prmscore"] = _mean([values[name, "prmscore"] for name in here], here)
    return values


def _grouped(classes: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, group in classes:
        groups.setdefault(group, []).append(name)
    return groups


_STEP_LABELLED: Mapping[str, tuple[StepLabelled, dict[str, list[str]]]] = {
    prmbench.NAME: (
        prmbench.STEP_LABELLED,
        _grouped((name, error_class.category) for name, error_class in prmbench.CLASSES.items()),
    ),
    socratic.NAME: (
        socratic.STEP_LABELLED,
        _grouped((name, pattern_class.pattern) for name, pattern_class in socratic.CLASSES.items()),
    ),
}
_BY_KIND: Mapping[TableKind, Callable[[Evaluation, TableScope], Values]] = {
    "first errors": _first_errors,
    "best thresholds": _best_thresholds,
    "error types": _error_types,
    "step labels": _step_labels,
    "macro f1": _macro_f1,
    "figures of its own": _of_its_own,
}
