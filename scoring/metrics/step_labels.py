"""Figures of single steps: by class, by group of classes, pooled over all steps, and as the mean of classes.

PRMBench (arXiv 2501.03124, section 4.2, Tables 3 and 10 to 23) and Socratic-PRMBench (arXiv 2505.23474, Tables 3 and 4,
Figure 3): a class's counts are pooled over its steps; a category's (a pattern's) figure is the plain mean of its
classes'; the overall figure is that of all steps pooled, not a mean of classes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from scoring.benchmarks.registry import StepLabelled
from scoring.evaluation import Evaluation
from scoring.metrics.intervals import RESAMPLES, SMALL, percentile_intervals
from scoring.metrics.problem_bootstrap import resampled_sums
from scoring.metrics.run_means import over_runs
from scoring.metrics.step_counts import (
    METRICS,
    OF_WRONG_STEPS,
    PARTS,
    case_parts,
    cells,
    denominators,
    figures,
    sums_by,
    why_undefined,
)
from scoring.step_rewards import Bools, Floats, Ints

AVERAGING = (
    "prmscore is the mean of f1_positive and f1_negative, where a right step is positive; `all` pools steps and is the "
    "official overall figure, a category or pattern is the plain mean of its classes, `average` that of all classes"
)
_TRIED = PARTS.index("tried")
_VALIDITY = METRICS.index("validity_rate")
_NO_INTERVAL = "no interval: cases without a result count in it, as in the benchmark's toolkit"


@dataclass(frozen=True, eq=False)
class _Part:
    """The figures of one line of the table: of pooled counts, or a plain mean over classes.

    `values`, `n` and `cases` have one number a metric, the last how many cases are in the denominator; `draws`
    (resamples, metrics), `reasons` says why a figure is undefined.
    """

    subset: str
    values: Floats
    n: Floats
    cases: Floats
    draws: Floats
    reasons: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of some cases: `names`, which of them hold no wrong step (`alone`), sums of PARTS and their draws.

    `cases` (s, metrics) counts the cases in each denominator. `missing` (s,) are cases without a result that count in
    the denominator of validity_rate and in no draw.
    """

    names: list[str]
    alone: Bools
    sums: Floats
    cases: Floats
    drawn: Floats
    official: bool
    missing: Floats

    def values(self) -> Floats:
        """The figure of every class's cell, shape (s, metrics)."""
        return cells(figures(self.sums, "official" if self.official else "nan"), self.alone)

    def lines(self) -> Iterator[_Part]:
        """A line a class."""
        plain, values = cells(figures(self.sums), self.alone), self.values()
        draws = cells(figures(self.drawn, "resampled"), self.alone)
        for place, name in enumerate(self.names):
            pooled = self.sums[place]
            reasons = _reasons(plain[place], pooled, alone=bool(self.alone[place]))
            if self.missing[place]:
                reasons["validity_rate"] = _NO_INTERVAL
            yield _Part(name, values[place], denominators(pooled), self.cases[place], draws[:, place], reasons)

    def mean(self, subset: str, members: Ints) -> _Part:
        """The plain mean over some of the classes; over those with a wrong step for figures that need one."""
        plain, values = cells(figures(self.sums), self.alone), self.values()
        draws = cells(figures(self.drawn, "resampled"), self.alone)
        sizes = denominators(self.sums)
        means, drawn = np.full(len(METRICS), np.nan), np.full(draws.shape[::2], np.nan)
        n, cases = np.zeros((2, len(METRICS)))
        reasons = {}
        for place, metric in enumerate(METRICS):
            taken = members[~self.alone[members]] if metric in OF_WRONG_STEPS else members
            undefined = int(np.isnan(plain[taken, place]).sum())
            if not taken.size:
                reasons[metric] = "no class with a wrong step was scored" if members.size else "no case has a class"
                continue
            if undefined:
                reasons[metric] = f"undefined in {undefined} of {taken.size} classes"
            means[place], n[place] = values[taken, place].mean(), sizes[taken, place].sum()
            cases[place] = self.cases[taken, place].sum()
            drawn[:, place] = draws[:, taken, place].mean(axis=1)
        if self.missing[members].any():
            reasons["validity_rate"] = _NO_INTERVAL
        return _Part(subset, means, n, cases, drawn, reasons)


def metric_rows(
    evaluation: Evaluation,
    rows: Bools,
    facts: StepLabelled,
    twins: Evaluation | None = None,
    seed: int = 0,
    *,
    official: bool = False,
) -> Iterator[dict[str, Any]]:
    """Every figure of METRICS of every class, every group of classes, `all` steps pooled and the classes' `average`.

    Args:
        evaluation: the decided cases of one benchmark, and perhaps of others.
        rows: (n,) which cases take part. Those that were not tried never do.
        facts: how the benchmark makes its figures.
        twins: the same scorer on the unharmed originals, for `similarity` (1 - the mean difference of rates).
        seed: of the intervals: 95%, whole problems resampled, no strata.
        official: say -1 where the benchmarks' toolkit does, and go on counting with it; and count what has no result
            at all (of cases, and of `twins` in `all`) in the denominator of validity_rate, as the toolkit does, unless
            nothing has one. Such figures have no interval.

    Yields dictionaries with `subset, metric, value, low, high, n, reason, small, sd, runs`: fractions, null with a
    reason where undefined; `small` marks what fewer than SMALL cases say. Of a scorer with several runs, `value` is the
    mean over the `runs` that judged steps of the line, `sd` their sample standard deviation (n-1), and all else that of
    the first of them; others have no `sd`. `n` counts steps, or cases for `first`, `validity_rate` and `similarity`. In
    a class that holds no wrong step `prmscore` is `f1_positive`, as in the benchmark's tables, and means of what needs
    a wrong step leave it out.
    """
    nothing = why_nothing(evaluation, rows)
    runs = evaluation.runs
    beside = (
        [None] * len(runs) if twins is None else twins.runs if len(twins.runs) == len(runs) else [twins] * len(runs)
    )
    every = [_lines(run, rows, facts, other, seed, official) for run, other in zip(runs, beside, strict=True)]
    alike = all(np.array_equal(taken, every[0][0]) for taken, _ in every)
    for line in every[0][1]:
        same = [one for _, lines in every for one in lines if one.subset == line.subset]
        yield from _rows(same, nothing, twins=facts.twins, alike=alike)


def _lines(
    evaluation: Evaluation,
    rows: Bools,
    facts: StepLabelled,
    twins: Evaluation | None,
    seed: int,
    official: bool,
) -> tuple[Ints, list[_Part]]:
    """The rows that one run is counted in, and the lines of its table."""
    parts = case_parts(evaluation, facts, twins)
    tried = parts[:, _TRIED] > 0
    taken = np.flatnonzero(rows & tried)
    cases, parts = evaluation.gold.cases[taken], parts[taken]
    numbers = evaluation.gold.problems[taken]
    there = (denominators(parts) > 0).astype(np.float64)
    untried = evaluation.gold.cases.filter(pl.Series(rows & ~tried)) if official and taken.size else cases.clear()

    def classes_of(names: list[str], alone: Bools, groups: Ints, missing: Floats) -> _Classes:
        # Of no group at all, bincount gives integers.
        sums, counted = (sums_by(each, groups, len(names)).astype(np.float64) for each in (parts, there))
        sums[:, _TRIED] += missing
        counted[:, _VALIDITY] += missing
        drawn = resampled_sums(parts, groups, len(names), numbers, seed)
        return _Classes(names, alone, sums, counted, drawn, official, missing)

    def grouped(column: str) -> _Classes:
        names, groups = _numbered(cases[column])
        alone = np.array([name in facts.without_errors for name in names], dtype=np.bool_)
        missing = np.array([untried[column].eq(name).sum() for name in names], dtype=np.float64)
        return classes_of(names, alone, groups, missing)

    subsets = grouped("subset")
    # Where the subset is the class, as in PRMBench, there is no need to count twice.
    same = cases["subset"].equals(cases["error_type"])
    classes = subsets if same else grouped("error_type")
    twins_missing = _without_result(twins, evaluation.gold.cases.filter(pl.Series(rows))) if official else 0
    missing = np.array([untried.height + (twins_missing if taken.size else 0)], dtype=np.float64)
    pooled = classes_of(["all"], np.zeros(1, np.bool_), np.zeros(len(taken), dtype=np.int64), missing)
    return taken, [
        *subsets.lines(),
        *(classes.mean(name, members) for name, members in _categories(cases, classes.names, facts.group)),
        *pooled.lines(),
        subsets.mean("average", np.arange(len(subsets.names))),
    ]


def _without_result(twins: Evaluation | None, cases: pl.DataFrame) -> int:
    """How many of the twins of these cases have no result at all."""
    if twins is None:
        return 0
    of_these = twins.gold.cases["twin_of"].is_in(cases["case"].implode()).to_numpy()
    return int((of_these & ~twins.present).sum())


def pooled_figures(evaluation: Evaluation, rows: Bools, facts: StepLabelled) -> tuple[Floats, Floats]:
    """Every figure of METRICS of all steps pooled but `similarity`, and its denominator. Shapes (len(METRICS),).

    The figures are means over the scorer's runs, the denominators those of the first.
    """
    found = pooled_runs(evaluation, rows, facts)
    return found.mean(axis=0), denominators(case_parts(evaluation, facts)[rows].sum(axis=0))


def pooled_cases(evaluation: Evaluation, rows: Bools, facts: StepLabelled) -> int:
    """How many cases have a step in the denominator of PRMScore over all steps."""
    return int(counted_cases(evaluation, rows, facts).sum())


def counted_cases(evaluation: Evaluation, rows: Bools, facts: StepLabelled, metric: str = "prmscore") -> Bools:
    """Which of the cases `rows` (n) have a step, or are a case, in the denominator of one of METRICS. Shape (n,)."""
    there: Bools = rows & (denominators(case_parts(evaluation, facts))[:, METRICS.index(metric)] > 0)
    return there


def pooled_runs(evaluation: Evaluation, rows: Bools, facts: StepLabelled) -> Floats:
    """The same figures of each of the scorer's runs. Shape (runs, len(METRICS))."""
    return np.array([figures(case_parts(run, facts)[rows].sum(axis=0)) for run in evaluation.runs])


def why_no_prmscore(evaluation: Evaluation, rows: Bools, facts: StepLabelled) -> str:
    """Why PRMScore over all steps is undefined, in the words of `metric_rows`."""
    return why_undefined("prmscore", case_parts(evaluation, facts)[rows].sum(axis=0))


def pooled_interval(evaluation: Evaluation, rows: Bools, facts: StepLabelled, seed: int) -> tuple[float, float] | None:
    """The interval of PRMScore over all steps, the same as in `metric_rows`; None where it is undefined."""
    drawn = []
    first = None
    for run in evaluation.runs:
        parts = case_parts(run, facts)
        taken = np.flatnonzero(rows & (parts[:, _TRIED] > 0))
        if first is not None and not np.array_equal(taken, first):
            return None
        first = taken
        sums = resampled_sums(parts[taken], np.zeros(taken.size, dtype=np.int64), 1, run.gold.problems[taken], seed)
        drawn.append(figures(sums, "resampled")[:, 0, :1])
    low, high = _interval(np.mean(drawn, axis=0))
    return None if low[0] is None or high[0] is None else (low[0], high[0])


def why_nothing(evaluation: Evaluation, rows: Bools) -> str | None:
    """Why no step of the cases is judged by itself; None where one is."""
    if (evaluation.judged_steps.rows & rows).any():
        return None
    if evaluation.nothing:
        return evaluation.nothing
    judged = (evaluation.answered & rows).any()
    return "a verdict names one step and says nothing of the others" if judged else "no case was scored"


def _numbered(column: pl.Series) -> tuple[list[str], Ints]:
    """The values in order of appearance, and the number (0-based) of each row's; -1 for null."""
    names = column.drop_nulls().unique(maintain_order=True)
    numbers = column.to_frame("name").join(
        names.to_frame("name").with_row_index("number"), on="name", how="left", maintain_order="left"
    )
    return names.to_list(), numbers["number"].cast(pl.Int64).fill_null(-1).to_numpy()


def _categories(cases: pl.DataFrame, names: list[str], column: str) -> Iterator[tuple[str, Ints]]:
    """Every value of the column, with the places of its classes among `names`."""
    pairs = cases.select(column, "error_type").unique(maintain_order=True).drop_nulls()
    for (category,), part in pairs.group_by(column, maintain_order=True):
        yield str(category), np.array([names.index(name) for name in part["error_type"]], dtype=np.int64)


def _reasons(values: Floats, sums: Floats, *, alone: bool) -> dict[str, str]:
    undefined = [metric for metric, value in zip(METRICS, values, strict=True) if np.isnan(value)]
    told = {metric: "f1_positive" if alone and metric == "prmscore" else metric for metric in undefined}
    return {metric: why_undefined(source, sums) for metric, source in told.items()}


def _interval(draws: Floats) -> tuple[list[float | None], list[float | None]]:
    """The central 95% of each column of draws, None where there is none."""
    low, high = percentile_intervals(draws)
    return _nulls(low), _nulls(high)


def _nulls(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _rows(runs: list[_Part], nothing: str | None, *, twins: bool, alike: bool) -> Iterator[dict[str, Any]]:
    """A row a metric of one line; there is one of it in each run, and `alike` says that all count the same cases."""
    line, values = runs[0], np.array([run.values for run in runs])
    draws = np.mean([run.draws for run in runs], axis=0)
    low, high = _interval(draws)
    for place, metric in enumerate(METRICS):
        if metric == "similarity" and not twins:
            continue
        reason = over_runs([run.reasons.get(metric) for run in runs])
        if reason and nothing and metric != "validity_rate":
            reason = nothing
        value = float(values[:, place].mean())
        if reason is None and not alike:
            reason = "no interval: the runs are counted in different cases"
        if reason is None and low[place] is None:
            lost = int(np.isnan(draws[:, place]).sum())
            reason = f"no interval: undefined in {lost} of {RESAMPLES} resamples"
        yield {
            "subset": line.subset,
            "metric": metric,
            "value": None if np.isnan(value) else value,
            "low": None if reason else low[place],
            "high": None if reason else high[place],
            "n": int(line.n[place]),
            "reason": reason,
            "small": not np.isnan(value) and line.cases[place] < SMALL,
            "sd": None if len(runs) == 1 or np.isnan(value) else float(values[:, place].std(ddof=1)),
            "runs": len(runs),
        }
