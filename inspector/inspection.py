"""The frozen value that every screen shows: a selection, the scorer in focus and the filter on it.

A key press makes a new value out of the old one; nothing in it ever changes. What a screen exports is `selection`, so
the file holds what the screen shows.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from inspector.facet_counts import Counts, facet_counts
from inspector.headline import Headline, headline, official_score
from inspector.names import match_name
from inspector.selection import Selection, ordering, select
from inspector.threshold_span import threshold_span
from inspector.wishes import OPTIMISTIC
from scoring.evaluation import Evaluation
from scoring.filters import Facet, Filter, passing
from scoring.metrics.first_error import FAILURES, Unparsed
from scoring.score_curves import Curve, score_curve
from scoring.step_rewards import Bools, Ints
from scoring.verdicts import OUTCOMES, RIGHT


class Changes(NamedTuple):
    """How many cases a moved threshold turned right, turned wrong, and left wrong in another way."""

    right: int = 0
    wrong: int = 0
    other: int = 0


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
    def threshold(self) -> float | None:
        """The threshold of the scorer in focus; None where there is none to move."""
        return None if self.evaluation is None else self.evaluation.rule.threshold

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

    @property
    def unparsed(self) -> Unparsed:
        """How cases without a verdict count on the benchmark in focus."""
        return self.selection.unparsed(self.benchmark)

    @cached_property
    def headline(self) -> Headline | None:
        """The official metric of the scorer in focus on the slice."""
        if self.evaluation is None:
            return None
        return headline(self.evaluation, self.slice, self.unparsed, self.selection.request.seed, self.benchmark)

    @cached_property
    def outcome_counts(self) -> dict[str, int]:
        """Cases of the slice by outcome, in the order of OUTCOMES, zeros included."""
        if self.evaluation is None:
            return {}
        counts = np.bincount(self.evaluation.codes[self.slice], minlength=len(OUTCOMES))
        return dict(zip(OUTCOMES, counts.tolist(), strict=True))

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The cases with all columns of all scorers, and `rewards` and `solution` of the scorer in focus."""
        frame = self.selection.frame()
        if self.evaluation is None:
            return frame
        rewards = self.evaluation.rewards
        return frame.with_columns(
            rewards.lists.alias("rewards"), pl.Series("solution", rewards.solutions).fill_nan(None)
        )

    @cached_property
    def span(self) -> tuple[float, float]:
        """The range in which the threshold of the scorer in focus moves."""
        return threshold_span(self.evaluation)

    @cached_property
    def sweep(self) -> Curve | None:
        """The official metric at every distinct threshold on the slice; None where there is none to move."""
        if self.evaluation is None:
            return None
        return score_curve(self.evaluation, self.slice, self.unparsed, self.benchmark)

    def facet_counts(self) -> dict[str, Counts]:
        """For every facet its values and how many cases have them under all the other conditions."""
        outcome = self.outcome_column if self.scorer else None
        within = pl.Series(self.benchmark_rows)
        return facet_counts(self.selection.frame(), within, outcome, self.base, self.filter)

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
        """The cases that count as wrong for the scorer in focus, most instructive first."""
        wrong = FAILURES[self.unparsed]
        return self._with(chosen=Filter((Facet(self.outcome_column, wrong),)), sort="instructive")

    def renewed(self, selection: Selection) -> "Inspection":
        """The same view of a selection that was loaded anew; where the scorer in focus has gone, through the first."""
        names = [name for name in selection.chosen if selection.evaluation(name).covers(self.benchmark)]
        scorer = self.scorer if self.scorer in names else (names[0] if names else None)
        old = self.selection.request
        request = replace(selection.request, sort=old.sort, subsets=())
        bare = Inspection(replace(selection, request=request), self.benchmark, scorer, self.filter, self.base)
        return bare._with()

    def cleared(self) -> "Inspection":
        """All cases, as in the file."""
        return self._with(chosen=Filter(), sort="")

    def next_scorer(self, by: int) -> "Inspection":
        """Through the next scorer (or, with -1, the one before), round and round."""
        names = [one.scorer.name for one in self.selection.evaluations if one.covers(self.benchmark)]
        if not names or self.scorer is None:
            return self
        # A scorer that was refused on every case here is none of them.
        at = names.index(self.scorer) + by if self.scorer in names else 0
        return self.focused(names[at % len(names)], self.benchmark)

    def filtered(self, chosen: Filter) -> "Inspection":
        """Under another filter.

        Raises:
            FilterError: a condition of it cannot be read.
        """
        return self._with(chosen=chosen)

    def ordered(self, sort: str) -> "Inspection":
        """In another order."""
        return self._with(sort=sort)

    def moved(self, threshold: float, source: str = "chosen", *, order: Ints | None = None) -> "Inspection":
        """With another threshold for the scorer in focus; everything is decided again.

        With `order` (all row ids) the rows keep to it instead of being sorted anew: while a threshold moves, a case
        that flips does so in its place.
        """
        assert self.evaluation is not None  # noqa: S101  # there is no rail without a scorer
        old = self.evaluation
        new = old.at(threshold, source)
        evaluations = tuple(new if one is old else one for one in self.selection.evaluations)
        asked = f"best:{new.rule.threshold!r}" if source == OPTIMISTIC else repr(new.rule.threshold)
        request = self.selection.request.with_threshold(old.scorer.name, asked)
        if (threshold, source) == old.default:
            request = request.with_threshold(old.scorer.name, "default")
        moved = self._with(selection=replace(self.selection, evaluations=evaluations, request=request), order=order)
        if np.array_equal(moved.slice, self.slice):
            # The curve over all thresholds does not depend on the present one.
            vars(moved)["sweep"] = self.sweep
        return moved

    def _with(
        self,
        *,
        selection: Selection | None = None,
        scorer: str | None = None,
        benchmark: str = "",
        chosen: Filter | None = None,
        sort: str | None = None,
        order: Ints | None = None,
    ) -> "Inspection":
        """The same with some parts replaced, and the rows selected anew."""
        loaded = self.selection if selection is None else selection
        scorer = scorer or self.scorer
        benchmark = benchmark or self.benchmark
        kept = self.filter if chosen is None else chosen
        several = self.cases["benchmark"].n_unique() > 1
        only = (Facet("benchmark", (benchmark,)).sql,) if several else ()
        wanted = loaded.request.sort if sort is None else sort
        request = replace(
            loaded.request,
            scorers=(scorer,) if scorer else (),
            where=(*self.base, *only, *kept.conditions),
            sort="" if wanted == "instructive" and not scorer else wanted,
        )
        names = (scorer,) if scorer else ()
        selected = select(replace(loaded, request=request, chosen=names), order)
        return Inspection(selected, benchmark, scorer, kept, self.base)

    # -- what changed

    @cached_property
    def order(self) -> Ints:
        """All row ids in the present order, those that the filter hides included."""
        request = self.selection.request
        return ordering(request.sort, self.selection.frame(), self.selection.chosen_evaluations)

    def changes(self, before: "Inspection") -> Changes:
        """How the cases of the slice changed since `before`."""
        if self.evaluation is None or before.evaluation is None:
            return Changes()
        codes, old = self.evaluation.codes[self.slice], before.evaluation.codes[self.slice]
        now, then = np.isin(codes, RIGHT), np.isin(old, RIGHT)
        right, wrong = int((now & ~then).sum()), int((then & ~now).sum())
        return Changes(right, wrong, int((codes != old).sum()) - right - wrong)


def inspect(selection: Selection) -> Inspection:
    """The first value of an app: the largest benchmark with a scorer, all cases, the scorer asked for or the best."""
    counts = selection.cases["benchmark"].value_counts(sort=True)["benchmark"].to_list()
    scored = [name for name in counts if any(selection.evaluation(one).covers(name) for one in selection.chosen)]
    benchmark = str((scored or counts or [""])[0])
    on_it = [name for name in selection.chosen if selection.evaluation(name).covers(benchmark)]
    request = selection.request
    names = [name for name in selection.cases["subset"].unique(maintain_order=True).to_list() if name]
    subsets = tuple(match_name(word, names, "subset") for word in request.subsets)
    base = (*([Facet("subset", subsets).sql] if subsets else []), *request.where)
    asked = bool(request.scorers)
    request = replace(request, subsets=(), thresholds=_found(selection))
    start = Inspection(replace(selection, request=request), benchmark, on_it[0] if on_it else None, base=base)
    return start.focused(start.scorer if asked else _best(start, on_it), benchmark)


def _best(start: Inspection, names: list[str]) -> str | None:
    """The scorer with the highest score, of equally good ones the first by name; those without one come last."""

    def place(name: str) -> tuple[bool, float, str]:
        score = official_score(start.selection.evaluation(name), start.slice, start.unparsed, start.benchmark)
        return score is None, -(score or 0.0), name

    return min(names, key=place, default=None)


def _found(selection: Selection) -> tuple[tuple[str | None, str], ...]:
    """The thresholds asked for, with `best` as the number it was: other filters must not tune it again."""
    asked = tuple(pair for pair in selection.request.thresholds if pair[1] != "best")
    tuned = [one for one in selection.evaluations if one.rule.source == OPTIMISTIC]
    return (*asked, *((one.scorer.name, f"best:{one.rule.threshold!r}") for one in tuned))
