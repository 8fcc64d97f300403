"""The metrics of a scorer by subset, pooled and averaged, with their intervals."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.first_error import NO_GOLD, NOTHING
from scoring.metrics.kernel import Decided, Tally, Unparsed
from scoring.metrics.metric_family import MetricFamily, Sample
from scoring.metrics.resampling import SMALL, Figure, figure_over_runs, reason_over_runs


class MetricsBySubset(Struct, frozen=True, eq=False, dict=True):
    """The metrics of a family by subset, pooled, and averaged over subsets; each the mean over the scorer's runs.

    Of several runs those count in a line that tried cases in every subset of it, each with its own denominators.

    Attributes:
        family: The metrics.
        runs: The scorer's repetitions, decided alike.
        rows: (n,) which cases take part; unscored ones and those without gold never do.
        seed: Of the intervals; None = there are none. Whole problems are resampled; of first errors, where no two cases
            in the denominators of a line are of one problem, its sides are, and for the average those of every subset.
        official: What a figure is called that is undefined although cases were counted, and averages go on with it;
            such a figure keeps its reason and has no interval. None = it is null.
    """

    family: MetricFamily
    runs: tuple[Decided, ...]
    rows: Bools
    seed: int | None = 0
    official: float | None = None

    @classmethod
    def of(
        cls,
        family: MetricFamily,
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed = "wrong",
        seed: int | None = 0,
        official: float | None = None,
    ) -> "MetricsBySubset":
        """Take all runs of an evaluation."""
        return cls(family, tuple(Decided(run, unparsed) for run in evaluation.runs), rows, seed, official)

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
        return np.asarray(self.family.leading.size(self._counted.sums).sum(axis=0))

    @cached_property
    def related(self) -> bool:
        """Whether whole problems are drawn: two cases in the denominators are of one, or all figures are drawn so."""
        return (self.family.by_problem or self.runs[0].gold.related) and self._sample.related

    def of_subset(self, number: int) -> tuple[Figure, ...]:
        """Return the metrics of one subset: what `pooled` returns where its cases are the only ones."""
        runs = self._trying(np.array([number]))
        if self._by_case:
            alone = self._sample.group(int(self._ranks[number]))
            return self._figures(alone.only(runs).tally(self.seed))
        return self._figures(self._of_counts(self._counted.within([number])))

    def pooled(self) -> tuple[Figure, ...]:
        """Return the metrics of all cases together."""
        runs = self.pooled_runs
        if not runs.size:
            return self._nothing("no run tried cases of every subset")
        if self._by_case:
            return self._figures(self._sample.pooled().only(runs).tally(self.seed, whole=self.related))
        return self._figures(self._of_counts(self._counted.pooled()))

    def average(self) -> tuple[Figure, ...]:
        """Return the plain mean over subsets of each metric; undefined as soon as one subset's value is."""
        if not self.present.size:
            scored = any((run.evaluation.coverage.tried & self.rows).any() for run in self.runs)
            return self._nothing(NO_GOLD if scored else NOTHING)
        runs = self.pooled_runs
        if not runs.size:
            return self._nothing("no run tried cases of every subset")
        if self._by_case:
            drawn = self._sample.tally(self.seed, whole=self.related).within(np.sort(self._ranks[self.present]))
        else:
            drawn = self._of_counts(self._counted.within(self._in_order))
        return self._figures(drawn.only(runs))

    @property
    def score(self) -> float | None:
        """The average of the leading metric alone, without an interval."""
        values = self._counted.within(self._in_order).only(self.pooled_runs).values(self.family.leading)
        return None if not values.size or np.isnan(values).any() else float(values.mean())

    @property
    def pooled_score(self) -> float | None:
        """The leading metric of all cases together, without an interval."""
        values = self._counted.within(self._in_order).only(self.pooled_runs).pooled().values(self.family.leading)
        return None if not values.size or np.isnan(values).any() else float(values.mean())

    @cached_property
    def _counted(self) -> Tally:
        names, groups = self.runs[0].gold.subsets
        sums = [self.family.sums(run, self.rows, groups, len(names)) for run in self.runs]
        return Tally({name: np.column_stack([tally[name] for tally in sums]) for name in self.family.counts})

    @property
    def _tried(self) -> Bools:
        tried: Bools = self.family.leading.size(self._counted.sums) > 0
        return tried

    @cached_property
    def _sample(self) -> Sample:
        """The cases in groups that are subsets by rank."""
        groups = self._ranks[self.runs[0].gold.subsets[1]]
        return self.family.sample(self.runs, self.rows, groups, self._ranks.size)

    @property
    def _ranks(self) -> Ints:
        return self.runs[0].gold.subset_ranks

    @property
    def _in_order(self) -> Ints:
        """The numbers of the subsets in which some run tried a case, in an order that no row decides."""
        return self.present[np.argsort(self._ranks[self.present])]

    @property
    def _by_case(self) -> bool:
        """Whether cases or whole problems are drawn, for several runs or where problems are shared; else counts are."""
        return self.related or len(self.runs) > 1

    def _of_counts(self, counted: Tally) -> Tally:
        """The counts of one run with draws of these alone."""
        return counted if self.seed is None else self.family.with_draws(counted, self.seed)

    def _trying(self, subsets: Ints) -> Ints:
        """The runs that tried a case in each of the subsets."""
        return np.flatnonzero(self._tried[subsets].all(axis=0))

    def _nothing(self, why: str) -> tuple[Figure, ...]:
        return tuple(Figure(metric.name, None, None, None, 0, why) for metric in self.family.metrics)

    def _figures(self, tally: Tally) -> tuple[Figure, ...]:
        """The means of the metrics over groups, of which there may be one."""
        first = {name: counted[:, 0].sum() for name, counted in tally.sums.items()}
        # Of nothing at all there is no official figure.
        official = self.official if self.family.leading.size(first) else None
        figures = []
        for metric in self.family.metrics:
            by_group = tally.values(metric)
            undefined = np.isnan(by_group)
            reasons = [tally.why(metric, run) if undefined[:, run].any() else None for run in range(by_group.shape[1])]
            values = (by_group if official is None else tally.values(metric, official)).mean(axis=0)
            draws = None if tally.draws is None else tally.drawn(metric).mean(axis=1)
            few = int(metric.support(first)) < SMALL
            reason = reason_over_runs(reasons)
            figures.append(
                figure_over_runs(metric.name, values, draws, int(metric.size(first)), small=few, reason=reason)
            )
        return tuple(figures)


def metric_rows(
    family: MetricFamily,
    evaluation: Evaluation,
    rows: Bools,
    unparsed: Unparsed = "wrong",
    seed: int | None = 0,
    official: float | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the metrics of every subset, if there are any, of `all` cases pooled and of their `average`.

    See `MetricsBySubset` for the arguments.

    Yields dictionaries with `subset, metric, value, low, high, n, reason, small, sd, runs`: fractions, null with a
    reason where undefined; `n` is the number of cases in the denominator (for f1 both sides together). Of a scorer with
    several runs, `value` is the mean over the `runs` that tried cases in every subset of the line, `sd` the sample
    standard deviation of these (n-1), and `n` that of the first of them; of others `sd` is null and `runs` 1. `small`
    marks what fewer than SMALL cases say (for f1, on either side). Where `low` and `high` alone are missing, the reason
    says so.
    """
    counts = MetricsBySubset.of(family, evaluation, rows, unparsed, seed, official)
    names = evaluation.gold.subsets[0]
    # A benchmark without subsets has nothing but `all`.
    for number in counts.present if evaluation.gold.has_subsets(rows) else ():
        yield from figure_rows(names[number] or "", counts.of_subset(number))
    last = [*figure_rows("all", counts.pooled()), *figure_rows("average", counts.average())]
    nothing = evaluation.coverage.nothing
    yield from ({**row, "reason": nothing} if nothing and row["value"] is None else row for row in last)


def figure_rows(subset: str, figures: tuple[Figure, ...]) -> Iterator[dict[str, Any]]:
    """Yield figures of one line as rows."""
    names = ("metric", "value", "low", "high", "n", "reason", "small", "sd", "runs")
    for figure in figures:
        yield {"subset": subset, **{name: getattr(figure, name) for name in names}}
