"""First-error metrics: does the scorer name the earliest wrong step, and leave clean solutions alone?

ProcessBench (arXiv 2412.06559, section 3.3): error_acc is the share of erroneous cases whose verdict equals the
earliest error, correct_acc the share of clean cases without a verdict, F1 the harmonic mean of these two accuracies
(no precision or recall), and the average is the plain mean of the subsets' F1.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES, REFUSED, UNPARSED, WRONG
from scoring.metrics.first_error_draws import Marks, with_draws
from scoring.metrics.kernel import (
    FIRST_ERROR,
    Decided,
    Empty,
    Metric,
    NumberArray,
    Ratio,
    Sums,
    Tally,
    Unparsed,
    harmonic,
)
from scoring.metrics.resampling import SMALL, Figure, figure_over_runs, reason_over_runs

FAILURES: dict[Unparsed, tuple[str, ...]] = {
    "wrong": tuple(OUTCOMES[code] for code in (*WRONG, UNPARSED, REFUSED)),
    "drop": tuple(OUTCOMES[code] for code in WRONG),
}
"""Outcomes that count as wrong, by what becomes of cases without a verdict."""

AVERAGING = (
    "f1 is the harmonic mean of error_acc and correct_acc; `average` is the plain mean over subsets, `all` pools cases"
)
NO_ERRONEOUS, NO_CLEAN = "no erroneous case was scored", "no clean case was scored"
BOTH_ZERO = "both accuracies are 0"
NOTHING = "no case was scored"
NO_GOLD = "no case that was scored has a gold label"


class F1(Metric):
    """The harmonic mean of the two accuracies; undefined where both are 0, which in a resample counts as 0."""

    name = "f1"
    title = "F1"
    counts = FIRST_ERROR

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:
        """Divide twice, and take the harmonic mean."""
        error_acc, correct_acc = ERROR_ACC.score(sums), CORRECT_ACC.score(sums)
        f1 = harmonic(error_acc, correct_acc)
        if empty == "resampled":
            return np.where(error_acc + correct_acc == 0, 0.0, f1)
        return f1 if np.isnan(empty) else np.where(np.isnan(f1), empty, f1)

    def size(self, sums: Sums) -> NumberArray:
        """Count the cases of both sides."""
        return sums["erroneous"] + sums["clean"]

    def why(self, sums: Sums) -> str:
        """Return which side is empty, or that both accuracies are 0."""
        if not np.isnan(self.score(sums)):
            return ""
        return ERROR_ACC.why(sums) or CORRECT_ACC.why(sums) or BOTH_ZERO


ERROR_ACC = Ratio("error_acc", "accuracy on erroneous cases", ("exact",), ("erroneous",), NO_ERRONEOUS)
CORRECT_ACC = Ratio("correct_acc", "accuracy on clean cases", ("clean_right",), ("clean",), NO_CLEAN)
F1_SCORE = F1()
METRICS: tuple[Metric, ...] = (ERROR_ACC, CORRECT_ACC, F1_SCORE)
"""In the order in which they are reported."""
NAMES = tuple(metric.name for metric in METRICS)
SIDES = ("erroneous", "clean")


def sides_of(metric: Metric) -> tuple[str, ...]:
    """Name the sides whose cases are in the denominator of one of METRICS."""
    return tuple(side for side in SIDES if side in metric.counts)


class FirstErrors(Struct, frozen=True, eq=False, dict=True):
    """METRICS of a scorer by subset, pooled, and averaged over subsets; each the mean over the scorer's runs.

    Of several runs those count in a line that tried cases in every subset of it, each with its own denominators.

    Attributes:
        runs: The scorer's repetitions, decided alike.
        rows: (n,) which cases take part; unscored ones and those without gold never do.
        seed: Of the intervals: where two cases in the denominators of a line are of one problem, whole problems are
            resampled, else its sides, and for the average those of every subset; None = there are none.
        official: What a figure is called that is undefined although cases were counted, and averages go on with it;
            such a figure keeps its reason and has no interval. None = it is null.
    """

    runs: tuple[Decided, ...]
    rows: Bools
    seed: int | None = 0
    official: float | None = None

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed = "wrong",
        seed: int | None = 0,
        official: float | None = None,
    ) -> "FirstErrors":
        """Take all runs of an evaluation."""
        return cls(tuple(Decided(run, unparsed) for run in evaluation.runs), rows, seed, official)

    @cached_property
    def present(self) -> Ints:
        """The numbers of the subsets in which some run tried a case."""
        return np.flatnonzero(self._tried.any(axis=1))

    @property
    def pooled_runs(self) -> Ints:
        """The numbers (0-based) of the runs that tried a case in every subset: those of pooled figures and averages."""
        return self._trying(self.present)

    @property
    def sizes(self) -> Ints:
        """The number of cases in the denominators of each run. Shape (r,)."""
        return np.asarray(F1_SCORE.size(self._counted.sums).sum(axis=0))

    @cached_property
    def related(self) -> bool:
        """Whether two cases in the denominators are of one problem."""
        return self.runs[0].gold.related and self._marks.related

    def of_subset(self, number: int) -> tuple[Figure, ...]:
        """Return METRICS of one subset: what `pooled` returns where its cases are the only ones."""
        runs = self._trying(np.array([number]))
        if self._by_case:
            marks = self._marks.group(int(self._ranks[number]))
            return self._figures(marks.only(runs).tally(self.seed))
        return self._figures(self._by_sides(self._counted.within([number])))

    def pooled(self) -> tuple[Figure, ...]:
        """Return METRICS of all cases together."""
        runs = self.pooled_runs
        if not runs.size:
            return self._nothing("no run tried cases of every subset")
        if self._by_case:
            return self._figures(self._marks.pooled().only(runs).tally(self.seed, whole=self.related))
        return self._figures(self._by_sides(self._counted.pooled()))

    def average(self) -> tuple[Figure, ...]:
        """Return the plain mean over subsets of each of METRICS; undefined as soon as one subset's value is."""
        if not self.present.size:
            scored = any((run.evaluation.coverage.tried & self.rows).any() for run in self.runs)
            return self._nothing(NO_GOLD if scored else NOTHING)
        runs = self.pooled_runs
        if not runs.size:
            return self._nothing("no run tried cases of every subset")
        if self._by_case:
            drawn = self._marks.tally(self.seed, whole=self.related).within(np.sort(self._ranks[self.present]))
        else:
            drawn = self._by_sides(self._counted.within(self._in_order))
        return self._figures(drawn.only(runs), mean=True)

    @property
    def score(self) -> float | None:
        """The average of F1 alone, without an interval."""
        f1 = self._counted.within(self._in_order).only(self.pooled_runs).values(F1_SCORE)
        return None if not f1.size or np.isnan(f1).any() else float(f1.mean())

    @cached_property
    def _counted(self) -> Tally:
        names, groups = self.runs[0].gold.subsets
        sums = [run.sums(run.outcomes(self.rows, groups, len(names))) for run in self.runs]
        return Tally({name: np.column_stack([tally[name] for tally in sums]) for name in FIRST_ERROR})

    @property
    def _tried(self) -> Bools:
        tried: Bools = F1_SCORE.size(self._counted.sums) > 0
        return tried

    @cached_property
    def _marks(self) -> Marks:
        """The cases in groups that are subsets by rank."""
        groups = self._ranks[self.runs[0].gold.subsets[1]]
        return Marks.of(self.runs, self.rows, groups, self._ranks.size)

    @property
    def _ranks(self) -> Ints:
        return self.runs[0].gold.subset_ranks

    @property
    def _in_order(self) -> Ints:
        """The numbers of the subsets in which some run tried a case, in an order that no row decides."""
        return self.present[np.argsort(self._ranks[self.present])]

    @property
    def _by_case(self) -> bool:
        """Whether draws are of cases or problems: of several runs, or where problems are shared; else of counts."""
        return self.related or len(self.runs) > 1

    def _by_sides(self, counted: Tally) -> Tally:
        """The counts of one run with draws of each side by itself."""
        return counted if self.seed is None else with_draws(counted, self.seed)

    def _trying(self, subsets: Ints) -> Ints:
        """The runs that tried a case in each of the subsets."""
        return np.flatnonzero(self._tried[subsets].all(axis=0))

    def _nothing(self, why: str) -> tuple[Figure, ...]:
        return tuple(Figure(metric.name, None, None, None, 0, why) for metric in METRICS)

    def _figures(self, tally: Tally, *, mean: bool = False) -> tuple[Figure, ...]:
        """METRICS of one group, or means over groups."""
        first = {name: counted[:, 0].sum() for name, counted in tally.sums.items()}
        # Of nothing at all there is no official figure.
        official = self.official if F1_SCORE.size(first) else None
        figures = []
        for metric in METRICS:
            undefined = np.isnan(tally.values(metric))
            reasons = [
                _why_undefined(metric, tally.sums, run, np.flatnonzero(column), column.size if mean else None)
                for run, column in enumerate(undefined.T)
            ]
            values = tally.values(metric, np.nan if official is None else official).mean(axis=0)
            draws = None if tally.draws is None else tally.drawn(metric).mean(axis=1)
            few = min(int(first[side]) for side in sides_of(metric)) < SMALL
            reason = reason_over_runs(reasons)
            figures.append(
                figure_over_runs(metric.name, values, draws, int(metric.size(first)), small=few, reason=reason)
            )
        return tuple(figures)


def _why_undefined(metric: Metric, sums: Sums, run: int, undefined: Ints, subsets: int | None) -> str | None:
    """Explain why a figure of one run is undefined; None if it is defined.

    Args:
        metric: the figure.
        sums: by name the counts of each group and run, shape (g, runs).
        run: the place of the run.
        undefined: the groups in which it is undefined.
        subsets: the number of groups in a mean, all of which must be defined; None = one group, without a mean.
    """
    whys = {metric.why({name: counted[group, run] for name, counted in sums.items()}) for group in undefined.tolist()}
    if subsets is None or not whys:
        return next(iter(whys), None) or None
    # One reason for all is worth naming: a sample may hold a single class.
    return f"undefined in {undefined.size} of {subsets} subsets" + (f": {whys.pop()}" if len(whys) == 1 else "")


def first_error_rows(
    evaluation: Evaluation,
    rows: Bools,
    unparsed: Unparsed = "wrong",
    seed: int | None = 0,
    official: float | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield METRICS of every subset, if there are any, of `all` cases pooled and of their `average`.

    See `FirstErrors` for the arguments.

    Yields dictionaries with `subset, metric, value, low, high, n, reason, small, sd, runs`: fractions, null with a
    reason where undefined; `n` is the number of cases in the denominator (for f1 both sides together). Of a scorer with
    several runs, `value` is the mean over the `runs` that tried cases in every subset of the line, `sd` the sample
    standard deviation of these (n-1), and `n` that of the first of them; of others `sd` is null and `runs` 1. `small`
    marks what fewer than SMALL cases say (for f1, on either side). Where `low` and `high` alone are missing, the reason
    says so.
    """
    counts = FirstErrors.of(evaluation, rows, unparsed, seed, official)
    names = evaluation.gold.subsets[0]
    # A benchmark without subsets has nothing but `all`.
    for number in counts.present if evaluation.gold.has_subsets(rows) else ():
        yield from figure_rows(names[number] or "", counts.of_subset(number))
    last = [*figure_rows("all", counts.pooled()), *figure_rows("average", counts.average())]
    yield from ({**row, "reason": evaluation.coverage.nothing or row["reason"]} for row in last)


def figure_rows(subset: str, figures: tuple[Figure, ...]) -> Iterator[dict[str, Any]]:
    """Yield figures of one line as rows."""
    names = ("metric", "value", "low", "high", "n", "reason", "small", "sd", "runs")
    for figure in figures:
        yield {"subset": subset, **{name: getattr(figure, name) for name in names}}
