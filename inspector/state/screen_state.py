"""The frozen value that every screen shows: a result set, the scorer in focus and the filter on it.

A key press makes a new value out of the old one; nothing in it ever changes. What a screen exports is `results`, so
the file holds what the screen shows.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from inspector.render.texts.sentences import Headline, headline, official_score
from inspector.state.case_list.case_rows import CaseRows
from inspector.state.case_list.ordering import is_of_scorer, sort_key
from inspector.state.filtering.facets import Counts, FacetColumn, facet_columns, facet_counts
from inspector.state.filtering.searching import matching, search_fields
from inspector.state.result_set import ResultSet, found_in, select
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES, Decision
from scoring.metrics.baselines import is_baseline
from scoring.metrics.deciding import OPTIMISTIC, at_best, best_choice, rule_among
from scoring.metrics.first_error import FAILURES
from scoring.metrics.kernel import Unparsed
from scoring.metrics.threshold_curves import ThresholdCurve, official_curve
from scoring.workspace.filtering.filters import Facet, Filter, columns_read, passing
from scoring.workspace.filtering.text_search import SearchMatches

if TYPE_CHECKING:
    from scoring.workspace.triage.journal import Journal


# -- which scorer is looked through where a person named none


def best_scorer(start: "ScreenState", names: Sequence[str]) -> str | None:
    """Find the scorer with the highest score, of equally good ones the first by name; those without one come last."""

    def place(name: str) -> tuple[bool, float, str]:
        score = official_score(start.results.evaluation(name), start.slice, start.unparsed, start.benchmark)
        return score is None, -(score or 0.0), name

    return min(names, key=place, default=None)


# -- what of a filter, an order and a search still holds in a result set that was loaded later


def held_filter(chosen: Filter, results: ResultSet, old: str, new: str) -> Filter:
    """Return the filter less conditions on columns that are not there; facets on `old` become those on `new`.

    A condition that reads nothing known is left as it is.
    """
    moved = (replace(facet, column=new) if facet.column == old else facet for facet in chosen.facets)
    facets = tuple(facet for facet in moved if facet.column in results.schema)
    return Filter(facets, held_conditions(chosen.where, results))


def held_conditions(where: Sequence[str], results: ResultSet) -> tuple[str, ...]:
    """Return the conditions less those on columns that are not there."""
    return tuple(text for text in where if all(name in results.schema for name in columns_read(text)))


def held_order(sort: str, results: ResultSet) -> str:
    """Return the sort key, or "" where it names nothing there is."""
    if not sort:
        return ""
    try:
        sort_key(results.evaluated, results.chosen_evaluations, sort)
    except UsageError:
        return ""
    return sort


def carried(result: SearchMatches | None, old: ResultSet, new: ResultSet) -> SearchMatches | None:
    """Carry what was found over to a result set that was loaded later: searched again only where that is needed.

    Raises:
        DamagedWorkspace: as for `found_in`.
    """
    if result is None or (new.matches is not None and new.matches.query == result.query):
        return None if result is None else new.matches
    unchanged = new.cases["key"].equals(old.cases["key"]) and _files(new) == _files(old)
    if "answers" not in result.query.scopes and unchanged:
        return result
    query = replace(new.query, **search_fields(result))
    return found_in(replace(new, query=query, matches=None), np.ones(new.height, dtype=np.bool_))


def _files(results: ResultSet) -> list[Path | None]:
    """Where the texts are read from; None for those that come with the program."""
    return [source if isinstance(source, Path) else None for source in results.texts.sources]


# -- the range in which a threshold moves


def threshold_span(evaluation: Evaluation | None) -> tuple[float, float]:
    """Return lowest and highest of what the threshold is compared with; never empty, and (0, 1) without a scorer.

    The range of rewards is the scorer's own, widened to rewards beyond it; that of differences holds the default.
    """
    if evaluation is None:
        return 0.0, 1.0
    scorer, compared, default = evaluation.scorer, evaluation.compared_values, evaluation.default[0]
    own = (scorer.low, scorer.high) if compared is evaluation.rewards else (default, default)
    there = compared.range or own
    low, high = min(own[0], there[0]), max(own[1], there[1])
    return (low, high) if low < high else (low, low + 1.0)


class ScreenState(Struct, frozen=True, eq=False, dict=True):
    """What is being looked at.

    `results.shown` are the rows on screen in their order; `results.query` can make them again. `benchmark` and
    `scorer` are in focus; a scorer of None means that the workspace has none. `base` and
    `base_search` are the conditions and the text search that were given when the app was opened. `titles` says of
    conditions that nobody typed, by their SQL, what they mean. `beside` names the scorers that a number is about, whose
    cases are listed: they stand beside each other, in this order; () = those that a person chose. `rewriting` names
    that of `stress` which the number is about: it stands beside each case; "" = none.
    """

    results: ResultSet
    benchmark: str
    scorer: str | None
    filter: Filter = field(default_factory=Filter)
    base: tuple[str, ...] = ()
    base_search: SearchMatches | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    rewriting: str = ""

    # -- what is in focus

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
        return None if self.scorer is None else self.results.evaluation(self.scorer)

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
        return self.results.passing((Facet("benchmark", (self.benchmark,)).sql,))

    @cached_property
    def slice(self) -> Bools:
        """The rows that metrics are computed on: the benchmark in focus, under every condition but those on outcomes.

        A condition on what a scorer made of a case, chosen or typed, would make the metric a statement about itself.
        Those given when the app was opened count: they are what was asked for.
        """
        conditions = (*self.base, *self.of_data.conditions)
        within: Bools = self.benchmark_rows & self.results.passing(conditions)
        return within & self.matching

    @property
    def matching(self) -> Bools:
        """The cases that the text search leaves, as a mask over all."""
        return matching(self.results.matches, self.results.height)

    # -- what it says

    def rule_of(self, scorer: str) -> Decision:
        """Return what decides the cases of the benchmark in focus: dev sets may have tuned those of others alone."""
        return rule_among(self.results.evaluation(scorer), self.benchmark_rows, self.results.query.seed)

    @property
    def unparsed(self) -> Unparsed:
        """How cases without a verdict count on the benchmark in focus."""
        return self.results.unparsed(self.benchmark)

    @cached_property
    def headline(self) -> Headline | None:
        """The official metric of the scorer in focus on the slice."""
        if self.evaluation is None:
            return None
        return headline(self.evaluation, self.slice, self.unparsed, self.results.query.seed, self.benchmark)

    @cached_property
    def outcome_counts(self) -> dict[str, int]:
        """Cases of the slice by outcome, in the order of OUTCOMES, zeros included."""
        if self.evaluation is None:
            return {}
        counts = np.bincount(self.evaluation.codes[self.slice], minlength=len(OUTCOMES))
        return dict(zip(OUTCOMES, counts.tolist(), strict=True))

    @cached_property
    def rows(self) -> CaseRows:
        """What a list shows of cases: all columns, and `rewards` and `solution` of the scorer in focus."""
        return CaseRows(self.results, self.scorer)

    @cached_property
    def span(self) -> tuple[float, float]:
        """The range in which the threshold of the scorer in focus moves."""
        return threshold_span(self.evaluation)

    @cached_property
    def sweep(self) -> ThresholdCurve | None:
        """The official metric at every distinct threshold on the slice; None where there is none to move."""
        if self.evaluation is None:
            return None
        return official_curve(self.evaluation, self.slice, self.unparsed, self.benchmark)

    @property
    def facet_columns(self) -> list[FacetColumn]:
        """The facets that are offered, and those in use."""
        used = dict.fromkeys(facet.column for facet in self.filter.facets)
        return facet_columns(self.results, self.benchmark, self.scorer, used)

    def facet_counts(self, columns: Sequence[FacetColumn] | None = None) -> dict[str, Counts]:
        """Count for every facet (or some) how many cases have each of its values under all the other conditions."""
        columns = self.facet_columns if columns is None else columns
        return facet_counts(self.results, self.benchmark_rows, columns, self.base, self.filter, self.matching)

    def for_metrics(self) -> ResultSet:
        """Return the result set behind the metrics: all scorers, on the headline's cases, in file order."""
        query = replace(self.results.query, scorers=(), sort="", where=(*self.base, *self.of_data.conditions))
        names = tuple(evaluation.scorer.name for evaluation in self.results.evaluations)
        return select(replace(self.results, query=query, chosen=names))

    @property
    def apart(self) -> bool:
        """Whether the filter has conditions on outcomes, which the metrics leave out."""
        return self.of_data != self.filter

    @property
    def of_data(self) -> Filter:
        """The filter less its conditions on outcomes, and on whatever else scorers made of the cases."""
        of_scorers = self.results.said_by_scorers
        facets = tuple(facet for facet in self.filter.facets if not of_scorers(facet.column))
        return Filter(facets, tuple(text for text in self.filter.where if not any(map(of_scorers, columns_read(text)))))

    # -- other values made of this one

    @property
    def without_outcomes(self) -> "ScreenState":
        """The same but for its filter, which is that of the slice; the rows shown are not selected anew."""
        return replace(self, filter=self.of_data)

    def focused(self, scorer: str | None, benchmark: str) -> "ScreenState":
        """Focus on another scorer (None: through none) or benchmark; facets on outcomes become the new scorer's.

        Those that there were on outcomes of the new one are then left out: its failures are what is looked at.
        """
        own, new = self.outcome_column, f"{scorer}.outcome"
        follows = bool(self.filter.facet(own)) and own != new
        facets = [facet for facet in self.filter.facets if not (follows and facet.column == new)]
        moved = (replace(facet, column=new) if facet.column == own else facet for facet in facets)
        kept = tuple(moved) if scorer else tuple(facet for facet in facets if facet.column != own)
        return self._with(scorer=scorer, benchmark=benchmark, chosen=Filter(kept, self.filter.where))

    def with_case(self, row: int) -> "ScreenState":
        """Return the same where a case is listed; where the filter leaves it out, all of its benchmark."""
        if row in self.shown:
            return self
        benchmark = self.cases["benchmark"][row]
        return self.cleared() if benchmark == self.benchmark else self.on_benchmark(benchmark)

    def on_benchmark(self, benchmark: str) -> "ScreenState":
        """Focus on another benchmark, through the same scorer if that has scored any of it, else through the best.

        Facets whose values none of its cases has go: they would hide it all.
        """
        names = [
            evaluation.scorer.name for evaluation in self.results.evaluations if evaluation.coverage.covers(benchmark)
        ]
        there = self.cases.filter(pl.Series(self.cases["benchmark"] == benchmark))
        own = self.results.metadata.of(benchmark)
        facets = tuple(
            facet
            for facet in self.filter.facets
            if _occurs(facet, there) and (facet.column in own or not self.results.is_metadata(facet.column))
        )
        bare = replace(self, benchmark=benchmark, scorer=None, filter=Filter(facets, self.filter.where))
        bare = bare.filtered(bare.filter)
        scorer = self.scorer if self.scorer in names else best_scorer(bare, names)
        if scorer is None:
            return bare
        # What was sorted by one scorer is sorted by the other.
        query = replace(bare.results.query, sort=self.results.query.sort)
        sorted_so = replace(bare, scorer=self.scorer, results=replace(bare.results, query=query))
        return sorted_so.focused(scorer, benchmark)

    def failures(self) -> "ScreenState":
        """List the cases that count as wrong for the scorer in focus, most instructive first."""
        wrong = FAILURES[self.unparsed]
        chosen = Filter((Facet(self.outcome_column, wrong),))
        listed = self._with(results=self._with_search(self.base_search), chosen=chosen, sort="instructive")
        return replace(listed, beside=(), rewriting="")

    def renewed(self, results: ResultSet) -> "ScreenState":
        """Return the same view of a result set that was loaded anew; through the first scorer where this one has gone.

        Conditions and an order that speak of columns which have gone, go with them.
        """
        names = [name for name in results.chosen if results.evaluation(name).coverage.covers(self.benchmark)]
        scorer = self.scorer if self.scorer in names else (names[0] if names else None)
        old = self.results.query
        search, base_search = (
            carried(old_search, self.results, results) for old_search in (self.results.matches, self.base_search)
        )
        query = replace(results.query, sort=old.sort, columns=old.columns, subsets=(), **search_fields(search))
        again = replace(results, query=query, matches=search).triaged(self.results.journal)
        bare = replace(again, chosen=(scorer,) if scorer else ())
        kept = held_filter(self.filter, bare, self.outcome_column, f"{scorer}.outcome")
        known = (self.titles, self.beside, self.rewriting)
        base = held_conditions(self.base, bare)
        now = ScreenState(again, self.benchmark, scorer, kept, base, base_search, *known)
        return now._with(sort=held_order(old.sort, bare))

    def cleared(self) -> "ScreenState":
        """List all cases, as in the file."""
        listed = self._with(results=self._with_search(self.base_search), chosen=Filter(), sort="")
        return replace(listed, beside=(), rewriting="")

    def searched(self, search: SearchMatches | None, chosen: Filter | None = None) -> "ScreenState":
        """Return it under another text search, None for none; and under another filter, where one is given.

        Raises:
            DamagedWorkspace: a file of texts of cases that were not searched yet cannot be read.
        """
        return self._with(results=self._with_search(search), chosen=chosen)

    def unfiltered(self) -> "ScreenState":
        """Drop filter and search, but for those that were given when the app was opened."""
        return replace(self.searched(self.base_search, Filter()), rewriting="")

    def _with_search(self, search: SearchMatches | None) -> ResultSet:
        """The result set with this search beside its other conditions."""
        return replace(self.results, query=replace(self.results.query, **search_fields(search)), matches=search)

    @property
    def scorers(self) -> list[str]:
        """The names of the scorers that have anything on the benchmark in focus."""
        return [
            evaluation.scorer.name
            for evaluation in self.results.evaluations
            if evaluation.coverage.covers(self.benchmark)
        ]

    def next_scorer(self, by: int) -> "ScreenState":
        """Look through the next scorer (or, with -1, the one before), round and round."""
        names = self.scorers
        if not names or self.scorer is None:
            return self
        # A scorer that was refused on every case here is none of them.
        at = names.index(self.scorer) + by if self.scorer in names else 0
        return self.focused(names[at % len(names)], self.benchmark)

    def filtered(self, chosen: Filter) -> "ScreenState":
        """Return it under another filter.

        Raises:
            FilterError: a condition of it cannot be read.
        """
        return self._with(chosen=chosen)

    def arranged(self, columns: tuple[str, ...]) -> "ScreenState":
        """Put other columns in the list, by their keys; () for the usual ones. The rows stay."""
        query = replace(self.results.query, columns=columns)
        return replace(self, results=replace(self.results, query=query))

    def triaged(self, journal: "Journal | None" = None) -> "ScreenState":
        """Take the tags and notes that there are now, in another journal or in the present one."""
        now = self._with(results=self.results.triaged(journal))
        if now.evaluation is self.evaluation and np.array_equal(now.slice, self.slice):
            # Nearly always nothing that metrics are made of has changed.
            vars(now).update({name: vars(self)[name] for name in ("headline", "sweep") if name in vars(self)})
        return now

    def ordered(self, sort: str) -> "ScreenState":
        """Return it in another order."""
        return self._with(sort=sort)

    def moved(self, threshold: float, source: str = "chosen", *, order: Ints | None = None) -> "ScreenState":
        """Set another threshold for the scorer in focus; everything is decided again.

        With `order` (all row ids) the rows keep to it instead of being sorted anew: while a threshold moves, a case
        that flips does so in its place.
        """
        assert self.evaluation is not None  # noqa: S101  # there is no rail without a scorer
        old = self.evaluation
        new = at_best(old, threshold, self.benchmark) if source == OPTIMISTIC else old.at(threshold, source)
        evaluations = tuple(new if evaluation is old else evaluation for evaluation in self.results.evaluations)
        threshold_word = best_choice(new.rule) or repr(new.rule.threshold)
        query = self.results.query.with_threshold(old.scorer.name, threshold_word)
        if (threshold, source) == old.default:
            query = query.with_threshold(old.scorer.name, "default")
        moved = self._with(results=replace(self.results, evaluations=evaluations, query=query), order=order)
        if np.array_equal(moved.slice, self.slice):
            # The curve over all thresholds does not depend on the present one.
            vars(moved)["sweep"] = self.sweep
        return moved

    def _with(
        self,
        *,
        results: ResultSet | None = None,
        scorer: str | None = "",
        benchmark: str = "",
        chosen: Filter | None = None,
        sort: str | None = None,
        order: Ints | None = None,
    ) -> "ScreenState":
        """The same with some parts replaced, and the rows selected anew; `scorer` None is through none."""
        loaded = self.results if results is None else results
        scorer = self.scorer if scorer == "" else scorer
        benchmark = benchmark or self.benchmark
        kept = self.filter if chosen is None else chosen
        several = not self.benchmark_rows.all()
        only = (Facet("benchmark", (benchmark,)).sql,) if several else ()
        wanted = loaded.query.sort if sort is None else sort
        query = replace(
            loaded.query,
            scorers=(scorer,) if scorer else (),
            where=(*self.base, *only, *kept.conditions),
            sort=wanted if scorer or not is_of_scorer(wanted) else "",
        )
        names = (scorer,) if scorer else ()
        wider = replace(loaded, query=query, chosen=names)
        # Metrics and facets look beyond the rows that are shown.
        search = found_in(wider, wider.passing((Facet("benchmark", (benchmark,)).sql,)))
        selected = select(replace(wider, matches=search), order)
        known = (self.titles, self.beside, self.rewriting)
        return ScreenState(selected, benchmark, scorer, kept, self.base, self.base_search, *known)

    @cached_property
    def order(self) -> Ints:
        """All row ids in the present order, those that the filter hides included."""
        return self.results.orders.of(self.results.evaluated, self.results.chosen_evaluations, self.results.query.sort)


def _occurs(facet: Facet, cases: pl.DataFrame) -> bool:
    """Whether any of the cases has a value of a facet; of what is no column of the cases alone, yes."""
    return facet.column not in cases.columns or bool(passing(cases, [replace(facet, keep=True).sql]).any())


# -- what an app that was opened on a result set shows first


def inspect(results: ResultSet) -> ScreenState:
    """Make an app's first value: the largest benchmark with a scorer, all cases, the scorer asked for or the best."""
    counts = results.cases["benchmark"].value_counts(sort=True)["benchmark"].to_list()
    scored = [
        name for name in counts if any(results.evaluation(scorer).coverage.covers(name) for scorer in results.chosen)
    ]
    benchmark = str((scored or counts or [""])[0])
    on_it = [name for name in results.chosen if results.evaluation(name).coverage.covers(benchmark)]
    query = results.query
    names = [name for name in results.cases["subset"].unique(maintain_order=True).to_list() if name]
    subsets = tuple(match_name(word, names, "subset") for word in query.subsets)
    base = (*([Facet("subset", subsets).sql] if subsets else []), *query.where)
    by_name = bool(query.scorers)
    search = found_in(results, np.ones(results.height, dtype=np.bool_))
    # One that was only named stands on the board as well.
    there = any(is_baseline(evaluation.scorer) for evaluation in results.evaluations)
    query = replace(query, subsets=(), thresholds=_found(results), baselines=query.baselines or there)
    bare = replace(results, query=query, matches=search)
    start = ScreenState(bare, benchmark, on_it[0] if on_it else None, base=base, base_search=search)
    return start.focused(start.scorer if by_name else best_scorer(start, on_it), benchmark)


def _found(results: ResultSet) -> tuple[tuple[str | None, str], ...]:
    """The thresholds asked for, with `best` as the number it was: other filters must not tune it again."""
    named = tuple(pair for pair in results.query.thresholds if not pair[1].startswith("best"))
    best = [(evaluation.scorer.name, best_choice(evaluation.rule)) for evaluation in results.evaluations]
    return (*named, *(pair for pair in best if pair[1]))


# -- what a sheet is about, as the query that a command would make


def subject(state: ScreenState, scorers: Sequence[str] = ()) -> ResultSet:
    """Return the slice of the screen state and these scorers, by full name, in file order; () = every scorer.

    Only the benchmark in focus, so that the document made of it is what is on screen.
    """
    several = not state.benchmark_rows.all()
    only = (Facet("benchmark", (state.benchmark,)).sql,) if several else ()
    where = (*state.base, *only, *state.of_data.conditions)
    loaded = state.results
    every = tuple(evaluation.scorer.name for evaluation in loaded.evaluations)
    query = replace(loaded.query.of(scorers), sort="", columns=(), where=where)
    return select(replace(loaded, query=query, chosen=tuple(scorers) or every))


def covering(state: ScreenState) -> tuple[str, ...]:
    """Return the scorers that gave anything for the benchmark in focus, by full name."""
    return tuple(
        evaluation.scorer.name
        for evaluation in state.results.evaluations
        if evaluation.coverage.covers(state.benchmark)
    )
