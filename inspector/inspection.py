"""The frozen value that every screen shows: a selection, the scorer in focus and the filter on it.

A key press makes a new value out of the old one; nothing in it ever changes. What a screen exports is `selection`, so
the file holds what the screen shows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from inspector.selection import Selection, select
from scoring.evaluation import Evaluation
from scoring.filters import Facet, Filter, passing
from scoring.metrics.first_error import Unparsed, metric_rows
from scoring.step_rewards import Bools, Ints
from scoring.thresholds import Sweep, sweep
from scoring.verdicts import OUTCOMES, RIGHT, WRONG

FACETS = ("subset", "pattern", "error_type", "error_kind", "generator", "final_answer_correct")
"""Columns offered as facets beside the outcome, where they tell cases apart."""


@dataclass(frozen=True)
class Headline:
    """The official metric of one scorer on one benchmark: fractions; None where undefined, and `reason` says why."""

    f1: float | None
    low: float | None
    high: float | None
    error_acc: float | None
    correct_acc: float | None
    n: int
    over: str
    reason: str | None


@dataclass(frozen=True, eq=False)
class Inspection:
    """What is being looked at.

    `selection.shown` are the rows on screen in their order; `selection.request` can make them again. `benchmark` and
    `scorer` are in focus; a scorer of None means that the workspace has none. `base` are the conditions that were given
    when the app was opened.
    """

    selection: Selection
    benchmark: str
    scorer: str | None
    filter: Filter = field(default_factory=Filter)
    base: tuple[str, ...] = ()

    # -- what is in focus

    @property
    def cases(self) -> pl.DataFrame:
        """All cases, in file order."""
        return self.selection.cases

    @property
    def shown(self) -> Ints:
        """Row ids on screen."""
        return self.selection.shown

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """The evaluation in focus."""
        return None if self.scorer is None else self.selection.evaluation(self.scorer)

    @property
    def outcome_column(self) -> str:
        """The outcome column of the scorer in focus."""
        return f"{self.scorer}.outcome"

    @cached_property
    def benchmark_rows(self) -> Bools:
        """The rows of the benchmark in focus, as a mask over all."""
        return (self.cases["benchmark"] == self.benchmark).to_numpy()

    @cached_property
    def slice(self) -> Bools:
        """The rows that metrics are computed on: the benchmark in focus, under every condition but those on outcomes.

        A condition on an outcome would make the metric a statement about itself.
        """
        conditions = (*self.base, *self._data().conditions)
        within: Bools = self.benchmark_rows & passing(self.selection.frame(), conditions).to_numpy()
        return within

    # -- what it says

    @cached_property
    def headline(self) -> Headline | None:
        """The official metric of the scorer in focus on the slice."""
        return (
            None
            if self.evaluation is None
            else headline(self.evaluation, self.slice, self.selection.request.unparsed, self.selection.request.seed)
        )

    @cached_property
    def outcome_counts(self) -> dict[str, int]:
        """Cases of the slice by outcome, in the order of OUTCOMES, zeros included."""
        if self.evaluation is None:
            return {}
        counts = np.bincount(self.evaluation.codes[self.slice], minlength=len(OUTCOMES))
        return dict(zip(OUTCOMES, counts.tolist(), strict=True))

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The cases with all columns of all scorers, and `rewards` of the scorer in focus, for the table."""
        frame = self.selection.frame()
        return frame if self.evaluation is None else frame.with_columns(self.evaluation.rewards.lists.alias("rewards"))

    @cached_property
    def span(self) -> tuple[float, float]:
        """The range in which the threshold of the scorer in focus moves: its own, widened to rewards beyond it."""
        if self.evaluation is None:
            return 0.0, 1.0
        scorer, values = self.evaluation.scorer, self.evaluation.rewards.values
        low, high = min(scorer.low, float(values.min())), max(scorer.high, float(values.max()))
        return (low, high) if low < high else (low, low + 1.0)

    @cached_property
    def sweep(self) -> Sweep | None:
        """F1 at every distinct threshold on the slice."""
        if self.evaluation is None:
            return None
        return sweep(self.evaluation, self.slice, self.evaluation.gold.subsets[1])

    def facet_counts(self) -> dict[str, list[tuple[str | None, int]]]:
        """For every facet its values and how many cases have them under all the other conditions.

        Values come most frequent first, outcomes in their own order. A facet with one value tells nothing and is left
        out, unless it is in use.
        """
        frame = self.selection.frame()
        within = pl.Series(self.benchmark_rows)
        facets = {}
        for column in (*([self.outcome_column] if self.scorer else []), *FACETS):
            others = (*self.base, *self.filter.without(column).conditions)
            values = frame.select(pl.col(column).cast(pl.String))
            counted = values.filter(within & passing(frame, others)).group_by(column).len()
            found = dict(counted.iter_rows())
            every = values.filter(within)[column].unique().to_list()
            if len(every) > 1 or self.filter.facet(column):
                facets[column] = [
                    (value, found.get(value, 0)) for value in sorted(every, key=_facet_order(column, found))
                ]
        return facets

    def for_metrics(self) -> Selection:
        """The selection behind the metrics: all scorers, on the cases that the headline speaks of, in file order."""
        request = replace(self.selection.request, scorers=(), sort="", where=(*self.base, *self._data().conditions))
        names = tuple(one.scorer.name for one in self.selection.evaluations)
        return select(replace(self.selection, request=request, chosen=names))

    def _data(self) -> Filter:
        """The filter less its conditions on outcomes."""
        facets = tuple(facet for facet in self.filter.facets if not facet.column.endswith(".outcome"))
        return Filter(facets, self.filter.where)

    # -- other values made of this one

    def focused(self, scorer: str | None, benchmark: str) -> "Inspection":
        """Another scorer or benchmark in focus; facets on outcomes of the old scorer go with it."""
        kept = [facet for facet in self.filter.facets if facet.column != self.outcome_column]
        old = self.filter.facet(self.outcome_column)
        if old and scorer:
            kept.append(replace(old, column=f"{scorer}.outcome"))
        return self._with(scorer=scorer, benchmark=benchmark, chosen=Filter(tuple(kept), self.filter.where))

    def failures(self) -> "Inspection":
        """The wrong cases of the scorer in focus, most instructive first."""
        wrong = tuple(OUTCOMES[code] for code in WRONG)
        return self._with(chosen=Filter((Facet(self.outcome_column, wrong),)), sort="instructive")

    def cleared(self) -> "Inspection":
        """All cases, as in the file."""
        return self._with(chosen=Filter(), sort="")

    def next_scorer(self, by: int) -> "Inspection":
        """Through the next scorer (or, with -1, the one before), round and round."""
        names = [one.scorer.name for one in self.selection.evaluations if covers(one, self.benchmark)]
        if not names or self.scorer is None:
            return self
        return self.focused(names[(names.index(self.scorer) + by) % len(names)], self.benchmark)

    def filtered(self, chosen: Filter) -> "Inspection":
        """Under another filter.

        Raises:
            FilterError: a condition of it cannot be read.
        """
        return self._with(chosen=chosen)

    def ordered(self, sort: str) -> "Inspection":
        """In another order."""
        return self._with(sort=sort)

    def moved(self, threshold: float, source: str = "chosen") -> "Inspection":
        """With another threshold for the scorer in focus; everything is decided again."""
        assert self.evaluation is not None  # noqa: S101  # there is no rail without a scorer
        old = self.evaluation
        new = old.at(threshold, source)
        evaluations = tuple(new if one is old else one for one in self.selection.evaluations)
        asked = repr(new.rule.threshold)
        request = self.selection.request.with_threshold(old.scorer.name, asked)
        if source == old.scorer.threshold_source and threshold == old.scorer.threshold:
            request = request.with_threshold(old.scorer.name, "default")
        return self._with(selection=replace(self.selection, evaluations=evaluations, request=request))

    def _with(
        self,
        *,
        selection: Selection | None = None,
        scorer: str | None = None,
        benchmark: str = "",
        chosen: Filter | None = None,
        sort: str | None = None,
    ) -> "Inspection":
        """The same with some parts replaced, and the rows selected anew."""
        loaded = self.selection if selection is None else selection
        scorer = scorer or self.scorer
        benchmark = benchmark or self.benchmark
        kept = self.filter if chosen is None else chosen
        several = self.cases["benchmark"].n_unique() > 1
        only = (Facet("benchmark", (benchmark,)).sql,) if several else ()
        order = loaded.request.sort if sort is None else sort
        request = replace(
            loaded.request,
            scorers=(scorer,) if scorer else (),
            where=(*self.base, *only, *kept.conditions),
            sort="" if order == "instructive" and not scorer else order,
        )
        names = (scorer,) if scorer else ()
        return Inspection(select(replace(loaded, request=request, chosen=names)), benchmark, scorer, kept, self.base)

    # -- what changed

    def flips(self, before: "Inspection") -> tuple[int, int]:
        """How many cases of the slice became right and how many wrong since `before`."""
        if self.evaluation is None or before.evaluation is None:
            return 0, 0
        now, then = (np.isin(one.evaluation.codes[self.slice], RIGHT) for one in (self, before) if one.evaluation)
        return int((now & ~then).sum()), int((then & ~now).sum())


def inspect(selection: Selection) -> Inspection:
    """The first value of an app: the benchmark with the most cases, all its cases, the first scorer that scored it."""
    counts = selection.cases["benchmark"].value_counts(sort=True)
    benchmark = str(counts["benchmark"][0]) if counts.height else ""
    on_it = [name for name in selection.chosen if covers(selection.evaluation(name), benchmark)]
    request = selection.request
    base = (*(Facet("subset", request.subsets).sql for _ in request.subsets[:1]), *request.where)
    start = Inspection(
        replace(selection, request=replace(request, subsets=())), benchmark, on_it[0] if on_it else None, base=base
    )
    return start.focused(start.scorer, benchmark)


def covers(evaluation: Evaluation, benchmark: str) -> bool:
    """Whether a scorer has a verdict on any case of a benchmark."""
    rows = (evaluation.gold.cases["benchmark"] == benchmark).to_numpy()
    return bool((evaluation.rewards.scored & rows).any())


def headline(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int) -> Headline:
    """F1 as the benchmark reports it: the average over subsets, or the one subset's own."""
    found = {(row["subset"], row["metric"]): row for row in metric_rows(evaluation, rows, unparsed, seed)}
    subsets = sorted({subset for subset, _ in found} - {"all", "average"})
    f1 = found["average", "f1"]
    if len(subsets) == 1:
        f1 = found[subsets[0], "f1"]
    over = (
        f"mean of {len(subsets)} subsets" if len(subsets) > 1 else (subsets[0] if subsets else "no case") or "all cases"
    )
    return Headline(
        f1["value"],
        f1["low"],
        f1["high"],
        found["average", "error_acc"]["value"],
        found["average", "correct_acc"]["value"],
        f1["n"],
        over,
        f1["reason"],
    )


def _facet_order(column: str, counts: dict[str | None, int]) -> Callable[[str | None], tuple[Any, ...]]:
    """The order of a facet's values: outcomes in their own, others by count, missing values last."""

    def place(value: str | None) -> tuple[Any, ...]:
        if column.endswith(".outcome") and value is not None:
            return (OUTCOMES.index(value),)
        return (value is None, -counts.get(value, 0), value or "")

    return place
