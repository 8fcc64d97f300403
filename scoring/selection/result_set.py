"""A result set: the cases that a query selects, in order, with the evaluations of its scorers."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.names import match_name
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluated_cases import EvaluatedCases, Loaded
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.triage_columns import TriageColumns
from scoring.metrics.baselines import is_baseline
from scoring.metrics.deciding import DecisionContext, TuningContext, apply_decisions
from scoring.metrics.kernel import Unparsed
from scoring.metrics.official_rows import CountingRules
from scoring.runs.generative.generative_catalogue import is_talk
from scoring.selection.labels import Labels
from scoring.selection.ordering import CaseOrders
from scoring.selection.query import Query
from scoring.selection.searching import matching, search_fields, text_query_of
from scoring.workspace.cache import VoteParts
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.text_search import Searchable, SearchMatches, search_all
from scoring.workspace.triage.history import Triage
from scoring.workspace.triage.journal import Journal


class ResultSet(Struct, frozen=True, eq=False, dict=True):
    """What a query selects of n cases.

    Attributes:
        query: It makes the same result set again.
        evaluated: All n cases in file order, with the evaluations of all scorers: a condition may speak of any.
        labels: Whose gold labels the cases have.
        chosen: Names of the scorers that are shown.
        shown: Row ids of the cases that the query's conditions keep, in the order that it asks for.
        matches: What its text search found, as far as cases were searched; None = it asks for none.
        notes: Warnings: options without effect, and results that are missing or outdated.
        orders: Remembers orders of the cases.
    """

    query: Query
    evaluated: EvaluatedCases
    labels: Labels
    chosen: tuple[str, ...]
    shown: Ints
    matches: SearchMatches | None = None
    notes: tuple[str, ...] = ()
    orders: CaseOrders = field(default_factory=CaseOrders)

    @property
    def loaded(self) -> Loaded:
        """What was read of the workspace."""
        return self.evaluated.loaded

    @property
    def cases(self) -> pl.DataFrame:
        """All cases, n rows in file order."""
        return self.evaluated.loaded.cases

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations of all scorers; their arrays have the n rows of `cases`."""
        return self.evaluated.evaluations

    @property
    def chosen_evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations of the scorers that were asked for, in that order."""
        return tuple(self.evaluation(name) for name in self.chosen)

    def evaluation(self, scorer: str) -> Evaluation:
        """Return the evaluation of a scorer, by its full name."""
        return next(evaluation for evaluation in self.evaluations if evaluation.scorer.name == scorer)

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks that there are cases of, in file order."""
        return self.evaluated.benchmarks

    @property
    def mask(self) -> Bools:
        """The shown cases as a mask over all, shape (n,)."""
        mask = np.zeros(self.cases.height, dtype=np.bool_)
        mask[self.shown] = True
        return mask

    @property
    def counting(self) -> CountingRules:
        """How the query's figures count."""
        return CountingRules(self.query.protocol, self.query.unparsed, self.query.seed)

    def unparsed(self, benchmark: str) -> Unparsed:
        """Return how the refused and unparsed cases of a benchmark count: as asked, else as the protocol does."""
        return self.counting.unparsed_of(benchmark)

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences about what could not be read, and the notes."""
        return (*self.loaded.problems, *self.notes)


# -- the cases that a query keeps, in its order


def select(results: ResultSet, order: Ints | None = None) -> ResultSet:
    """Keep what the query's conditions keep, in the order it asks for or in the one given (all row ids)."""
    query = results.query
    keep = np.ones(results.cases.height, dtype=np.bool_)
    if query.subsets:
        names = [name for name in results.cases["subset"].unique(maintain_order=True).to_list() if name]
        wanted = [match_name(word, names, "subset") for word in query.subsets]
        keep &= results.cases["subset"].is_in(wanted).fill_null(value=False).to_numpy()
    keep &= results.evaluated.passing(query.where)
    search = found_in(results, keep)
    keep &= matching(search, results.cases.height)
    if order is None:
        order = row_order(results)
    return replace(results, shown=order[keep[order]], matches=search)


def row_order(results: ResultSet) -> Ints:
    """Return all row ids in the order that the query asks for, including rows that its conditions hide."""
    return results.orders.of(results.evaluated, results.chosen_evaluations, results.query.sort)


def searchable(results: ResultSet) -> Searchable:
    """Return the texts of a result set's cases, and where answers lie: those of critics, and of PRMs that generate."""
    loaded = results.loaded
    there = [(evaluation.scorer, loaded.folders.get(evaluation.scorer.name)) for evaluation in results.evaluations]
    answering = [(is_talk(scorer), folder) for scorer, folder in there if folder and VoteParts(folder).parts()]
    answers, talks = (tuple(folder for talks, folder in answering if talks is kind) for kind in (False, True))
    cases = loaded.cases
    trajectories = "step_messages" in cases.columns and cases["step_messages"].count() > 0
    own_keys = {folder: loaded.keyed(scorer)["key"] for scorer, folder in there if folder and scorer.reads}
    notes = results.evaluated.beside("note")
    return Searchable(loaded.texts, cases["key"], answers, notes, talks, cases["case"], trajectories, own_keys)


def found_in(results: ResultSet, rows: Bools) -> SearchMatches | None:
    """Search as the query asks, among these cases at least; None where it asks for no search.

    Only cases that were not searched before are read.

    Raises:
        SearchError: as for `text_query_of`.
        DamagedWorkspace: a file of texts cannot be read.
    """
    text_query = text_query_of(results.query)
    if not text_query:
        return None
    before = results.matches if results.matches is not None and results.matches.query == text_query else None
    if before is not None and before.covers(rows):
        return before.with_notes(results.evaluated.beside("note"))
    return search_all(text_query, searchable(results), rows, before)


def with_search(results: ResultSet, search: SearchMatches | None) -> ResultSet:
    """Replace the text search of the query (None = no search); the shown rows stay."""
    return replace(results, query=replace(results.query, **search_fields(search)), matches=search)


# -- the same cases with other evaluations, decisions or triage notes


def with_evaluations(results: ResultSet, evaluations: Sequence[Evaluation]) -> ResultSet:
    """Put these evaluations of all scorers in the place of those there are; the rows shown stay."""
    return replace(results, evaluated=replace(results.evaluated, evaluations=tuple(evaluations)))


def with_baselines(results: ResultSet, added: Sequence[Evaluation]) -> ResultSet:
    """Put these baselines in the place of those there were; of all scorers, none of them chosen alone.

    A baseline named like another scorer is skipped. Thresholds and rules apply to other scorers only.
    """
    others = tuple(evaluation for evaluation in results.evaluations if not is_baseline(evaluation.scorer))
    names = {evaluation.scorer.name for evaluation in others}
    evaluations = (*others, *(evaluation for evaluation in added if evaluation.scorer.name not in names))
    query = replace(results.query, baselines=bool(added), scorers=())
    chosen = tuple(evaluation.scorer.name for evaluation in evaluations)
    return replace(with_evaluations(results, evaluations), query=query, chosen=chosen)


def decide(results: ResultSet) -> ResultSet:
    """Apply the rules and thresholds of the query to every evaluation.

    Raises:
        UsageError: no rule, threshold or scorer of that name, or one for a scorer by name that has none.
    """
    if not results.query.decides:
        return results
    how = DecisionContext(
        results.query, results.chosen, lambda evaluations: surroundings(with_evaluations(results, evaluations))
    )
    return with_evaluations(results, apply_decisions(results.evaluations, how))


def surroundings(results: ResultSet) -> TuningContext:
    """Return what thresholds are tuned in: the shown cases, and how the query counts."""
    query = results.query
    return TuningContext(lambda: select(results).mask, query.where, results.unparsed, query.seed)


def triaged(results: ResultSet, journal: Journal | None = None) -> ResultSet:
    """Update the tags and notes from this journal, or from the present one; the shown rows stay.

    Gold labels stay too; they become outdated if statements about them changed.
    """
    journal = journal or results.labels.journal
    if journal is None:
        return results
    columns = results.evaluated.triage_columns or TriageColumns(Triage(), results.cases)
    evaluated = replace(results.evaluated, triage_columns=columns.after(journal.triage))
    return replace(results, evaluated=evaluated, labels=results.labels.after(journal))


# -- its benchmarks


def by_benchmark(results: ResultSet) -> Iterator[tuple[str, Bools]]:
    """Yield every benchmark with its shown cases as a mask over all, shape (n,)."""
    mask = results.mask
    for name in results.benchmarks:
        yield name, np.asarray(results.evaluated.passing((Facet("benchmark", (name,)).sql,)) & mask)


def shown_benchmarks(results: ResultSet) -> tuple[str, ...]:
    """Name the benchmarks with a shown case, in file order; all of them if no case is shown."""
    return tuple(name for name, rows in by_benchmark(results) if rows.any()) or results.benchmarks


def within(results: ResultSet, benchmark: str) -> tuple[str, ...]:
    """Return the condition that tells a benchmark's cases from others', where there are others."""
    return (Facet("benchmark", (benchmark,)).sql,) if len(results.benchmarks) > 1 else ()
