"""The frozen value that every screen shows: a result set, what is in focus and the filter on it.

A key press makes a new value out of the old one; nothing in it ever changes. What a screen exports is `results`, so
the file holds what the screen shows.
"""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from inspector.state.case_list.case_rows import CaseRows
from inspector.state.summary import Summary
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import Decision
from scoring.metrics.deciding import OPTIMISTIC, at_best, best_choice, rule_among
from scoring.metrics.kernel import Unparsed
from scoring.selection.ordering import is_of_scorer
from scoring.selection.result_set import ResultSet, found_in, select, triaged, with_evaluations
from scoring.selection.searching import matching
from scoring.workspace.filtering.condition_expressions import columns_read
from scoring.workspace.filtering.filters import Facet, Filter
from scoring.workspace.filtering.text_search import SearchMatches
from scoring.workspace.triage.journal import Journal


class Focus(Struct, frozen=True):
    """The part of a result set that a screen shows.

    Attributes:
        benchmark: The benchmark whose cases are listed.
        scorer: The scorer that they are seen through; None = the workspace has none.
        beside: Scorers whose rewards are shown together, in this order, because a figure compares them; () = the
            scorers that a person chose.
        rewriting: The rewriting of `stress` that is shown with each case; "" = none.
    """

    benchmark: str
    scorer: str | None
    beside: tuple[str, ...] = ()
    rewriting: str = ""

    @property
    def outcome_column(self) -> str:
        """The outcome column of the scorer."""
        return f"{self.scorer}.outcome"

    @property
    def alone(self) -> "Focus":
        """The same benchmark and scorer, without other scorers and without a rewriting."""
        return Focus(self.benchmark, self.scorer)


class ScreenState(Struct, frozen=True, eq=False, dict=True):
    """What a screen shows.

    Attributes:
        results: `results.shown` are the rows on screen in their order; `results.query` can make them again.
        focus: What is looked at.
        filter: What a person chose on screen.
        base: Conditions that were given when the app was opened.
        base_search: The text search that was given then.
        titles: Descriptions of conditions made by links, by SQL.
    """

    results: ResultSet
    focus: Focus
    filter: Filter = field(default_factory=Filter)
    base: tuple[str, ...] = ()
    base_search: SearchMatches | None = None
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def cases(self) -> pl.DataFrame:
        """All cases, in file order."""
        return self.results.cases

    @property
    def shown(self) -> Ints:
        """Row ids on screen."""
        return self.results.shown

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """The evaluation in focus."""
        return None if self.focus.scorer is None else self.results.evaluation(self.focus.scorer)

    @cached_property
    def rows(self) -> CaseRows:
        """What a list shows of cases: all columns, and `rewards` and `solution` of the scorer in focus."""
        return CaseRows(self.results, self.focus.scorer)

    @cached_property
    def benchmark_rows(self) -> Bools:
        """The rows of the benchmark in focus, as a mask over all."""
        return self.results.evaluated.passing((Facet("benchmark", (self.focus.benchmark,)).sql,))

    @property
    def data_filter(self) -> Filter:
        """The filter less its conditions on what scorers made of the cases."""
        said_by_scorers = self.results.evaluated.said_by_scorers
        facets = tuple(facet for facet in self.filter.facets if not said_by_scorers(facet.column))
        where = tuple(text for text in self.filter.where if not any(map(said_by_scorers, columns_read(text))))
        return Filter(facets, where)

    @cached_property
    def slice(self) -> Bools:
        """The rows that metrics are computed on: the benchmark in focus, under every condition but those on outcomes.

        A condition on what a scorer made of a case, chosen or typed, would make the metric a statement about itself.
        Those given when the app was opened count: they are what was asked for.
        """
        conditions = (*self.base, *self.data_filter.conditions)
        within: Bools = self.benchmark_rows & self.results.evaluated.passing(conditions)
        return within & matching(self.results.matches, self.cases.height)

    @property
    def unparsed(self) -> Unparsed:
        """How cases without a verdict count on the benchmark in focus."""
        return self.results.unparsed(self.focus.benchmark)

    def rule_of(self, scorer: str) -> Decision:
        """Return what decides the cases of the benchmark in focus: dev sets may have tuned those of others alone."""
        return rule_among(self.results.evaluation(scorer), self.benchmark_rows, self.results.query.seed)

    @cached_property
    def summary(self) -> Summary:
        """The metrics of the scorer in focus on the slice."""
        return Summary(self.evaluation, self.slice, self.focus.benchmark, self.unparsed, self.results.query.seed)

    # -- other values made of this one

    def selected(
        self,
        *,
        results: ResultSet | None = None,
        focus: Focus | None = None,
        chosen: Filter | None = None,
        sort: str | None = None,
        order: Ints | None = None,
    ) -> "ScreenState":
        """Return it with some parts replaced, and the rows selected anew.

        With `order` (all row ids) the rows keep to it instead of being sorted anew.

        Raises:
            FilterError: a condition of the filter cannot be read.
            DamagedWorkspace: a file of texts of cases that were not searched yet cannot be read.
        """
        loaded, focus = results or self.results, focus or self.focus
        kept = self.filter if chosen is None else chosen
        here = (Facet("benchmark", (focus.benchmark,)).sql,)
        several = not self.benchmark_rows.all()
        wanted = loaded.query.sort if sort is None else sort
        names = (focus.scorer,) if focus.scorer else ()
        query = replace(
            loaded.query,
            scorers=names,
            where=(*self.base, *(here if several else ()), *kept.conditions),
            sort=wanted if focus.scorer or not is_of_scorer(wanted) else "",
        )
        wider = replace(loaded, query=query, chosen=names)
        # Metrics and facets look beyond the rows that are shown.
        search = found_in(wider, wider.evaluated.passing(here))
        selection = select(replace(wider, matches=search), order)
        return replace(self, results=selection, focus=focus, filter=kept)

    def focused(self, scorer: str | None, benchmark: str) -> "ScreenState":
        """Focus on another scorer (None: through none) or benchmark; facets on outcomes become the new scorer's.

        An existing facet on the new scorer's outcomes is replaced.
        """
        own, focus = self.focus.outcome_column, replace(self.focus, scorer=scorer, benchmark=benchmark)
        new = focus.outcome_column
        follows = bool(self.filter.facet(own)) and own != new
        facets = [facet for facet in self.filter.facets if not (follows and facet.column == new)]
        moved = (replace(facet, column=new) if facet.column == own else facet for facet in facets)
        kept = tuple(moved) if scorer else tuple(facet for facet in facets if facet.column != own)
        return self.selected(focus=focus, chosen=Filter(kept, self.filter.where))

    def moved(self, threshold: float, source: str = "chosen", *, order: Ints | None = None) -> "ScreenState":
        """Set another threshold for the scorer in focus; everything is decided again.

        With `order` (all row ids) the rows keep to it instead of being sorted anew: while a threshold moves, a case
        that flips does so in its place.
        """
        assert self.evaluation is not None  # noqa: S101  # there is no rail without a scorer
        old = self.evaluation
        new = at_best(old, threshold, self.focus.benchmark) if source == OPTIMISTIC else old.at(threshold, source)
        evaluations = tuple(new if evaluation is old else evaluation for evaluation in self.results.evaluations)
        threshold_word = best_choice(new.rule) or repr(new.rule.threshold)
        query = self.results.query.with_threshold(old.scorer.name, threshold_word)
        if (threshold, source) == old.default:
            query = query.with_threshold(old.scorer.name, "default")
        moved = self.selected(results=with_evaluations(replace(self.results, query=query), evaluations), order=order)
        if np.array_equal(moved.slice, self.slice):
            vars(moved)["summary"] = self.summary.decided_by(new)
        return moved

    def triaged(self, journal: Journal | None = None) -> "ScreenState":
        """Take the tags and notes that there are now, in another journal or in the present one."""
        now = self.selected(results=triaged(self.results, journal))
        if now.evaluation is self.evaluation and np.array_equal(now.slice, self.slice):
            # Nearly always nothing that metrics are made of has changed.
            vars(now)["summary"] = self.summary
        return now
