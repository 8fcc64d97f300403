"""One benchmark of a report: its shown cases, and its scorers, the best first."""

from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses.compare.compare import compare
from inspector.analyses.metrics.metrics import metrics
from inspector.render.documents.row_documents import Document
from inspector.render.view import View
from inspector.state.common_cases import best_first, with_all_cases
from scoring.data.schema import WHOLE, Bools, Ints, Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES, Decision
from scoring.metrics.aligned import align_scorers
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.deciding import rule_among
from scoring.selection.result_set import ResultSet

SIDES = {"prmscore": ("negative_acc", "positive_acc")}
"""The accuracies beside them, on what is wrong and on what is right, where they are not those of first errors."""
_OF_CASES = ("error_acc", "correct_acc")


class BenchmarkReport(Struct, frozen=True, eq=False, dict=True):
    """One benchmark's shown cases (`rows` (n,), a mask over all) and the `metrics` of all benchmarks."""

    results: ResultSet
    name: str
    number: int
    rows: Bools
    metrics: Document

    @property
    def n(self) -> int:
        """How many cases are shown."""
        return int(self.rows.sum())

    def rule(self, evaluation: Evaluation) -> Decision:
        """Return what decides these cases for a scorer."""
        return rule_among(evaluation, self.rows, self.results.query.seed)

    @property
    def head(self) -> str:
        """The official figure, by its name in the column `metric`."""
        return metrics_of(self.name).name

    @property
    def sides(self) -> tuple[str, str]:
        """The accuracies beside it, on what is wrong and on what is right."""
        return SIDES.get(self.head, _OF_CASES)

    @property
    def title(self) -> str:
        """The official figure as it is written."""
        return metrics_of(self.name).title

    @cached_property
    def figures(self) -> dict[tuple[str, str, str], Row]:
        """Rows of `metrics` by scorer, subset and metric."""
        own = self.metrics.rows.filter(pl.col("benchmark") == self.name)
        return {(row["scorer"], row["subset"], row["metric"]): row for row in own.iter_rows(named=True)}

    @cached_property
    def subsets(self) -> tuple[str, ...]:
        """The subsets that figures are told of, in order; not `all` and `average`."""
        named = dict.fromkeys(subset for _, subset, metric in self.figures if metric == self.head)
        return tuple(name for name in named if name not in WHOLE)

    @property
    def whole(self) -> str:
        """The subset that stands for the benchmark; an average over one subset is that of all its cases."""
        return metrics_of(self.name).whole if len(self.subsets) > 1 else "all"

    def figure(self, scorer: str, metric: str = "", subset: str = "") -> Row | None:
        """Return a row of `metrics`; by default the official figure of the whole benchmark."""
        return self.figures.get((scorer, subset or self.whole, metric or self.head))

    @cached_property
    def scorers(self) -> tuple[Evaluation, ...]:
        """The chosen scorers that gave anything for these cases, the highest official figure first.

        Where it is undefined, as F1 is without clean cases, the accuracies behind it tell.
        """
        there = [
            evaluation
            for evaluation in self.results.chosen_evaluations
            if (evaluation.coverage.present & self.rows).any()
        ]

        def place(evaluation: Evaluation) -> tuple[bool, float, bool, float, str]:
            name = evaluation.scorer.name
            value, *sides = (self._value(name, metric) for metric in (self.head, *self.sides))
            known = [side for side in sides if side is not None]
            return value is None, -(value or 0.0), not known, -sum(known), name

        return tuple(sorted(there, key=place))

    @cached_property
    def ranked_scorers(self) -> tuple[list[Evaluation], str]:
        """Return the scorers whose official figure is of all cases that any scorer tried, and why others are not."""
        if not self.scorers:
            return [], ""
        unparsed = self.results.unparsed(self.name)
        official = metrics_of(self.name).aligned(self.scorers, self.rows, unparsed)
        whole, others = with_all_cases(self.scorers, official or align_scorers(self.scorers, self.rows, unparsed))
        ranked = [evaluation for evaluation in whole if self._value(evaluation.scorer.name, self.head) is not None]
        return ranked, others

    @property
    def best(self) -> Evaluation | None:
        """The first of `ranked_scorers`; None where none has a figure."""
        return next(iter(self.ranked_scorers[0]), None)

    @property
    def first(self) -> Evaluation | None:
        """The best scorer, or else the first of the scorers that has a verdict on any of the cases."""
        scorers = self.scorers if self.best is None else (self.best, *self.scorers)
        return next((evaluation for evaluation in scorers if (evaluation.coverage.answered & self.rows).any()), None)

    def _value(self, scorer: str, metric: str) -> float | None:
        row = self.figure(scorer, metric)
        return None if row is None else row["value"]

    def outcomes(self, evaluation: Evaluation) -> dict[str, int]:
        """Count how many of the cases have each outcome."""
        counts = np.bincount(evaluation.codes[self.rows], minlength=len(OUTCOMES)).tolist()
        return dict(zip(OUTCOMES, counts, strict=True))

    @property
    def shown(self) -> Ints:
        """The row ids of the cases, in the order that was asked for."""
        listed = self.results.shown
        return listed[self.rows[listed]]

    @property
    def alone(self) -> ResultSet:
        """The result set with none but these cases shown, as a command gets it that names the benchmark."""
        query = self.results.query
        if len(self.results.benchmarks) > 1:
            query = replace(query, benchmarks=(self.name,))
        return replace(self.results, shown=self.shown, query=query)

    @property
    def ranked(self) -> ResultSet:
        """These cases, with the scorers that gave anything for them: the best first unless some were named."""
        results = self.alone
        if results.query.scorers or not self.scorers:
            return results
        return replace(results, chosen=tuple(evaluation.scorer.name for evaluation in self.scorers))

    @cached_property
    def comparison(self) -> View | str:
        """The scorers that have a verdict, compared, the best first unless some were named; or why there is nothing."""
        able = tuple(
            evaluation.scorer.name
            for evaluation in self.results.chosen_evaluations
            if (evaluation.coverage.answered & self.rows).any()
        )
        if len(able) < 2:
            why = f"{able[0]} is the only scorer with a verdict here" if able else "no scorer has a verdict here"
            return f"No comparison: it needs two scorers, and {why}."
        chosen = replace(self.alone, chosen=able)
        named = chosen if chosen.query.scorers else best_first(chosen)
        # Named, so that no order is looked for again.
        query = replace(named.query, scorers=named.chosen)
        return compare.view(replace(named, query=query))

    def anchor(self, part: str) -> str:
        """Write an anchor for a part of the report that is about this benchmark."""
        return f"{part}-{self.number}"


def benchmarks_of(results: ResultSet) -> tuple[BenchmarkReport, ...]:
    """Return the benchmarks of which a case is shown, in the order of the cases."""
    figures, mask = metrics.view(results), results.mask
    benchmarks: list[BenchmarkReport] = []
    for name in results.benchmarks:
        rows = (results.cases["benchmark"] == name).to_numpy() & mask
        if rows.any():
            benchmarks.append(BenchmarkReport(results, name, len(benchmarks) + 1, rows, figures))
    return tuple(benchmarks)
