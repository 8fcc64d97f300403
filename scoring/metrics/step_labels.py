"""Figures of single steps: by class, by group of classes, pooled over all steps, and as the mean of classes.

PRMBench (arXiv 2501.03124, section 4.2, Tables 3 and 10 to 23) and Socratic-PRMBench (arXiv 2505.23474, Tables 3 and 4,
Figure 3): a step is positive if it is right, so that tp counts right steps judged right and tn wrong ones judged wrong.
PRMScore is the mean of the F1s of positive and of negative steps, each the harmonic mean of its precision and recall.
A class's counts are pooled over its steps; a category's (a pattern's) figure is the plain mean of its classes'; the
overall figure is that of all steps pooled, not a mean of classes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.twins import originals_by_run
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.kernel import Empty, Metric, NumberArray, Tally
from scoring.metrics.metrics_by_subset import figure_rows
from scoring.metrics.resampling import SMALL, figure_over_runs, reason_over_runs, resample_apart, resample_problems
from scoring.metrics.step_contributions import COUNTS, step_contributions
from scoring.metrics.step_metrics import (
    F1_POSITIVE,
    METRICS,
    NO_INTERVAL,
    OFFICIAL_UNDEFINED,
    PRMSCORE,
    VALIDITY_RATE,
    sums_of,
)


class StepRun(Struct, frozen=True, eq=False, dict=True):
    """What one run of a scorer contributes on some cases: `parts` (n, len(COUNTS)), and the rows that take part.

    Cases that were not tried never do.
    """

    evaluation: Evaluation
    parts: Floats
    taken: Ints

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        rows: Bools,
        facts: StepLabelled,
        originals: Evaluation | None = None,
        *,
        official: bool = False,
    ) -> "StepRun":
        """Count one run on the cases of `rows` (n); `official` as for `step_contributions`."""
        parts = step_contributions(evaluation, facts, originals, official=official)
        return cls(evaluation, parts, np.flatnonzero(rows & (parts[:, COUNTS.index("tried")] > 0)))

    def tally(self, groups: Ints, n_groups: int, seed: int | None, *, apart: bool = False) -> Tally:
        """Sum by group (of each case taken, negative = in none); with a seed, also in resamples of whole problems.

        Problems are drawn from all groups together, for means over them; or, where `apart`, from each group alone.
        """
        parts, inside = self.parts[self.taken], groups >= 0
        sums = np.column_stack([np.bincount(groups[inside], part[inside], n_groups) for part in parts.T])
        tally = Tally(_columns(sums.astype(np.float64)))
        if seed is None:
            return tally
        resample, problems = resample_apart if apart else resample_problems, self.evaluation.gold.problems[self.taken]

        def draw(cases: Bools) -> dict[str, NumberArray]:
            return _columns(resample(parts[cases], groups[cases], n_groups, problems[cases], seed))

        judged = inside & (parts[:, COUNTS.index("judged")] > 0)
        draws = draw(judged)
        if not judged[inside].all():
            # What was tried and has no judged step counts in validity_rate alone.
            draws |= {name: drawn for name, drawn in draw(inside).items() if name in VALIDITY_RATE.counts}
        return replace(tally, draws=draws)

    @cached_property
    def pooled(self) -> Tally:
        """The sums of all steps."""
        return self.drawn(None)

    def drawn(self, seed: int | None) -> Tally:
        """Return the same with draws."""
        return self.tally(np.zeros(self.taken.size, dtype=np.int64), 1, seed)

    def cases(self, metric: Metric) -> Bools:
        """Find the cases taken that have something in the denominator of a metric."""
        there: Bools = metric.size(sums_of(self.parts[self.taken])) > 0
        return there


def _columns(parts: Floats) -> dict[str, NumberArray]:
    """Sums (..., g, len(COUNTS)) of one column, by name."""
    return {name: counted[..., None] for name, counted in sums_of(parts).items()}


class _Line(Struct, frozen=True, eq=False):
    """One line of a run's table: figures of pooled counts, or plain means over classes; by metric's name.

    `whole` says that it is of all cases together, however a subset is called. `cases` counts the cases in each
    denominator, `reasons` says why a figure, or its interval, is not there.
    """

    subset: str
    whole: bool
    values: Mapping[str, float]
    n: Mapping[str, int]
    cases: Mapping[str, int]
    draws: Mapping[str, Floats]
    reasons: Mapping[str, str]


class _Classes(Struct, frozen=True, eq=False, dict=True):
    """The classes of some cases: which of them hold no wrong step (`alone`), their sums, and the cases behind them.

    The draws of `tally` are for means over classes, those of `apart` for each class.
    `missing` (g,) are cases without a result that count in the denominator of validity_rate and in no draw.
    """

    names: Sequence[str]
    alone: Bools
    tally: Tally
    apart: Tally
    cases: Mapping[str, Ints]
    missing: Ints
    empty: float
    metrics: Sequence[Metric]

    @cached_property
    def _scores(self) -> dict[tuple[str, str], Floats]:
        """What was computed so far: every group of classes asks for its own of the same figures."""
        return {}

    def values(self, metric: Metric, empty: Empty) -> Floats:
        """The figure of every class, shape (g,): of one without a wrong step f1_positive in the place of prmscore."""
        key = metric.name, str(empty)
        if key not in self._scores:
            self._scores[key] = self._without_errors(metric, empty, self.tally.values)[:, 0]
        return self._scores[key]

    def draws(self, metric: Metric, *, apart: bool = False) -> Floats:
        """The same in resamples, (RESAMPLES, g); of none where nothing was drawn."""
        key, tally = (metric.name, f"drawn {apart}"), self.apart if apart else self.tally
        if tally.draws is None:
            return np.zeros((0, len(self.names)))
        if key not in self._scores:
            drawn = self._without_errors(metric, "resampled", lambda sums_metric, _: tally.drawn(sums_metric))
            self._scores[key] = drawn[..., 0]
        return self._scores[key]

    def _without_errors(self, metric: Metric, empty: Empty, score: Any) -> Floats:
        scores: Floats = score(metric, empty)
        if metric is PRMSCORE and self.alone.any():
            scores = np.where(self.alone[:, None], score(F1_POSITIVE, empty), scores)
        return scores

    def lines(self, *, whole: bool = False) -> Iterator[_Line]:
        """A line a class."""
        values = {metric.name: self.values(metric, self.empty) for metric in self.metrics}
        draws = {metric.name: self.draws(metric, apart=True) for metric in self.metrics}
        for place, name in enumerate(self.names):
            sums = {count: counted[place, 0] for count, counted in self.tally.sums.items()}
            empty_reasons = {
                metric.name: (F1_POSITIVE if metric is PRMSCORE and self.alone[place] else metric).why(sums)
                for metric in self.metrics
            }
            reasons = {metric: why for metric, why in empty_reasons.items() if why}
            if self.missing[place]:
                reasons[VALIDITY_RATE.name] = NO_INTERVAL
            yield _Line(
                name,
                whole,
                {metric: float(each[place]) for metric, each in values.items()},
                {metric.name: int(metric.size(sums)) for metric in self.metrics},
                {metric: int(each[place]) for metric, each in self.cases.items()},
                {metric: each[:, place] for metric, each in draws.items()},
                reasons,
            )

    def mean(self, subset: str, members: Ints, *, whole: bool = False) -> _Line:
        """The plain mean over some of the classes; over those with a wrong step for figures that need one."""
        values, n, cases, draws, reasons = {}, {}, {}, {}, {}
        for metric in self.metrics:
            taken = members[~self.alone[members]] if metric.needs_errors else members
            undefined = int(np.isnan(self.values(metric, np.nan)[taken]).sum())
            values[metric.name], draws[metric.name] = float("nan"), np.zeros(0)
            n[metric.name] = int(metric.size(self.tally.sums)[taken].sum())
            cases[metric.name] = int(self.cases[metric.name][taken].sum())
            if not taken.size:
                why = "no class with a wrong step was scored" if members.size else "no case has a class"
                reasons[metric.name] = why
                continue
            if undefined:
                reasons[metric.name] = f"undefined in {undefined} of {taken.size} classes"
            values[metric.name] = float(self.values(metric, self.empty)[taken].mean())
            draws[metric.name] = self.draws(metric)[:, taken].mean(axis=1)
        if self.missing[members].any():
            reasons[VALIDITY_RATE.name] = NO_INTERVAL
        return _Line(subset, whole, values, n, cases, draws, reasons)


def step_rows(
    evaluation: Evaluation,
    rows: Bools,
    facts: StepLabelled,
    originals: Evaluation | None = None,
    seed: int | None = 0,
    *,
    official: bool = False,
    only: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield every figure of every class, every group of classes, `all` steps pooled and the classes' `average`.

    Args:
        evaluation: the decided cases of one benchmark, and perhaps of others.
        rows: (n,) which cases take part. Those that were not tried never do.
        facts: how the benchmark makes its figures.
        originals: the same scorer on the unharmed originals, for `similarity` (1 - the mean difference of rates).
        seed: of the intervals: 95%, whole problems resampled, no strata; None = there are none.
        official: say -1 where the benchmarks' toolkit does, and go on counting with it; and count what has no result
            at all (of cases, and of `originals` in `all`) in the denominator of validity_rate, as the toolkit does,
            unless nothing has one. Such figures have no interval.
        only: the one figure that is asked for; None = all.

    Yields dictionaries with `subset, metric, value, low, high, n, reason, small, sd, runs`: fractions, null with a
    reason where undefined; `small` marks what fewer than SMALL cases say. Of a scorer with several runs, `value` is the
    mean over the `runs` that judged steps of the line, `sd` their sample standard deviation (n-1), and all else that of
    the first of them; others have no `sd`. `n` counts steps, or cases for `first`, `validity_rate` and `similarity`. In
    a class that holds no wrong step `prmscore` is `f1_positive`, as in the benchmark's tables, and means of what needs
    a wrong step leave it out.
    """
    runs, beside = evaluation.runs, originals_by_run(evaluation, originals)
    counted = [StepRun.of(run, rows, facts, other, official=official) for run, other in zip(runs, beside, strict=True)]
    metrics = [
        metric for metric in METRICS if only in {None, metric.name} and (facts.twins or metric.name != "similarity")
    ]
    tables = [
        {(line.subset, line.whole): line for line in _lines(run, rows, facts, other, seed, metrics, official=official)}
        for run, other in zip(counted, beside, strict=True)
    ]
    alike = all(np.array_equal(run.taken, counted[0].taken) for run in counted)
    nothing = why_nothing(evaluation, rows)
    for key, line in tables[0].items():
        same = [table[key] for table in tables if key in table]
        figures = []
        for metric in metrics:
            reason = reason_over_runs([figures.reasons.get(metric.name) for figures in same])
            if reason and nothing and metric is not VALIDITY_RATE:
                reason = nothing
            if reason is None and not alike:
                reason = "no interval: the runs are counted in different cases"
            values = np.array([figures.values[metric.name] for figures in same])
            draws = (
                None if seed is None or reason else np.column_stack([figures.draws[metric.name] for figures in same])
            )
            small = line.cases[metric.name] < SMALL
            n = line.n[metric.name]
            figures.append(figure_over_runs(metric.name, values, draws, n, small=small, reason=reason))
        yield from figure_rows(line.subset, tuple(figures))


def _lines(
    run: StepRun,
    rows: Bools,
    facts: StepLabelled,
    originals: Evaluation | None,
    seed: int | None,
    metrics: Sequence[Metric],
    *,
    official: bool,
) -> Iterator[_Line]:
    gold = run.evaluation.gold
    cases = gold.cases[run.taken]
    without = np.zeros_like(rows)
    if official and run.taken.size:
        without = rows.copy()
        without[run.taken] = False
    there = {metric.name: run.cases(metric) for metric in metrics}

    def classes_of(names: Sequence[str], groups: Ints, alone: Bools, missing: Ints, *, lines: bool = True) -> _Classes:
        tally = run.tally(groups, len(names), seed)
        apart = run.tally(groups, len(names), seed, apart=True) if lines and len(names) > 1 else tally
        sums = {**tally.sums, "tried": tally.sums["tried"] + missing[:, None]}
        inside = groups >= 0
        counted = {name: np.bincount(groups[inside & has], minlength=len(names)) for name, has in there.items()}
        if VALIDITY_RATE.name in counted:
            counted[VALIDITY_RATE.name] = counted[VALIDITY_RATE.name] + missing
        empty = OFFICIAL_UNDEFINED if official else np.nan
        return _Classes(names, alone, replace(tally, sums=sums), apart, counted, missing, empty, metrics)

    def grouped(column: str, taken: Collection[str] | None = None) -> _Classes:
        """The classes in a column; with `taken`, drawn from the cases of these alone."""
        names, groups = _numbered(cases[column])
        if taken is not None:
            groups = np.where(np.isin(groups, [names.index(name) for name in taken]), groups, -1)
        alone = np.array([name in facts.without_errors for name in names], dtype=np.bool_)
        untried = gold.cases[column].filter(pl.Series(without))
        missing = np.array([untried.eq(name).sum() for name in names], dtype=np.int64)
        return classes_of(names, groups, alone, missing, lines=taken is None)

    subsets = grouped("subset")
    # Where the subset is the class, as in PRMBench, there is no need to count twice.
    classes = subsets if cases["subset"].equals(cases["error_type"]) else grouped("error_type")
    beside = _without_result(originals, gold.cases.filter(pl.Series(rows))) if official and run.taken.size else 0
    everything = np.zeros(run.taken.size, dtype=np.int64)
    missing = np.array([int(without.sum()) + beside])
    pooled = classes_of(["all"], everything, np.zeros(1, np.bool_), missing)
    yield from subsets.lines()
    for name, members in _categories(cases, classes.names, facts.group):
        # Where subsets are such groups, one name has one line.
        if name not in subsets.names:
            yield grouped("error_type", [classes.names[number] for number in members]).mean(name, members)
    yield from pooled.lines(whole=True)
    yield subsets.mean("average", np.arange(len(subsets.names)), whole=True)


def _without_result(originals: Evaluation | None, cases: pl.DataFrame) -> int:
    """How many of the originals of these cases have no result at all."""
    if originals is None:
        return 0
    of_these = originals.gold.cases["twin_of"].is_in(cases["case"].implode()).to_numpy()
    return int((of_these & ~originals.coverage.present).sum())


def why_nothing(evaluation: Evaluation, rows: Bools) -> str | None:
    """Return why no step of the cases is judged by itself; None where one is."""
    if (evaluation.judged_steps.rows & rows).any():
        return None
    if evaluation.coverage.nothing:
        return evaluation.coverage.nothing
    judged = (evaluation.coverage.answered & rows).any()
    return "a verdict names one step and says nothing of the others" if judged else "no case was scored"


def _numbered(column: pl.Series) -> tuple[list[str], Ints]:
    """The values in order of appearance, and the number (0-based) of each row's; -1 for null."""
    names = column.drop_nulls().unique(maintain_order=True)
    numbers = column.to_frame("name").join(
        names.to_frame("name").with_row_index("number"), on="name", how="left", maintain_order="left"
    )
    return names.to_list(), numbers["number"].cast(pl.Int64).fill_null(-1).to_numpy()


def _categories(cases: pl.DataFrame, names: Sequence[str], column: str) -> Iterator[tuple[str, Ints]]:
    """Every value of the column, with the places of its classes among `names`."""
    pairs = cases.select(column, "error_type").unique(maintain_order=True).drop_nulls()
    for (category,), part in pairs.group_by(column, maintain_order=True):
        yield str(category), np.array([names.index(name) for name in part["error_type"]], dtype=np.int64)


class PooledSteps(Struct, frozen=True, eq=False):
    """The official overall figures of a scorer: of all steps of some cases pooled, the means over its runs."""

    runs: tuple[StepRun, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, rows: Bools, facts: StepLabelled) -> "PooledSteps":
        """Count every run on the cases of `rows` (n)."""
        return cls(tuple(StepRun.of(run, rows, facts) for run in evaluation.runs))

    def values(self, metric: Metric) -> Floats:
        """Return a figure in each run, shape (r,); NaN where undefined."""
        return np.array([run.pooled.values(metric)[0, 0] for run in self.runs])

    def size(self, metric: Metric) -> int:
        """Count what is in the first run's denominator."""
        return int(metric.size(self.runs[0].pooled.sums)[0, 0])

    def cases(self, metric: Metric) -> int:
        """Count the cases in the first run's denominator."""
        return int(self.runs[0].cases(metric).sum())

    def why(self, metric: Metric) -> str:
        """Return why a figure is undefined in the first run."""
        return metric.why({name: counted[0, 0] for name, counted in self.runs[0].pooled.sums.items()})

    def interval(self, metric: Metric, seed: int) -> tuple[float, float] | None:
        """Return the interval of `step_rows`; None where there is none, or the runs are counted in different cases."""
        first = self.runs[0].taken
        if not all(np.array_equal(run.taken, first) for run in self.runs):
            return None
        draws = np.column_stack([run.drawn(seed).drawn(metric)[:, 0, 0] for run in self.runs])
        values = self.values(metric)
        figure = figure_over_runs(metric.name, values, draws, 0, small=False, reason=None)
        return None if figure.low is None or figure.high is None else (figure.low, figure.high)


def counted_cases(evaluation: Evaluation, rows: Bools, facts: StepLabelled, metric: Metric = PRMSCORE) -> Bools:
    """Find which of the cases `rows` (n) have a step, or are a case, in the denominator of a metric. Shape (n,)."""
    there: Bools = rows & (metric.size(sums_of(step_contributions(evaluation, facts))) > 0)
    return there
