"""A query, loaded: the workspace is read, and what the query asks for is decided and selected.

What comes of it is ready to be shown or printed: the cases, their texts and one evaluation a scorer.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from inspector.state.case_list.ordering import CaseOrders
from inspector.state.filtering.saved_slices import with_slices
from inspector.state.filtering.searching import matching, text_query_of
from inspector.state.label_set import label_set, labels_note, on_labels
from inspector.state.query import Query
from inspector.state.query_notes import absence_notes, stale_notes, wish_notes
from inspector.state.workspace_place import find_workspace_or_demo
from scoring.data.errors import FilterError
from scoring.data.metadata_columns import MetadataColumns
from scoring.data.names import match_name
from scoring.data.own_columns import own_columns as kept_columns
from scoring.data.schema import Bools, Ints
from scoring.data.storage.remembered import IdentityCache
from scoring.data.texts import Texts, reward_keys
from scoring.evaluation.derived import EvaluationCache, UncachedEvaluation
from scoring.evaluation.evaluated_cases import CaseMeasures, EvaluatedCases
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.loader import Scored, scored
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.evaluation.step_rewards import Gold
from scoring.evaluation.triage_columns import SAID, TriageColumns
from scoring.metrics.baselines import BASELINES, baselines, is_baseline
from scoring.metrics.deciding import DecisionContext, TuningContext, apply_decisions
from scoring.metrics.kernel import Unparsed
from scoring.metrics.official_rows import CountingRules
from scoring.workspace.cache import VoteParts
from scoring.workspace.filtering.coded_columns import Categories
from scoring.workspace.filtering.condition_masks import ConditionMasks
from scoring.workspace.filtering.filters import Facet, columns_read
from scoring.workspace.filtering.text_search import Searchable, SearchMatches, search_all
from scoring.workspace.triage.adjudicated import Adjudicated
from scoring.workspace.triage.annotations import Annotation
from scoring.workspace.triage.history import Triage
from scoring.workspace.workspace import Workspace

if TYPE_CHECKING:
    from scoring.workspace.triage.journal import Journal


_KEYED = IdentityCache(4)
"""Cases with the keys of scorers, by what these read beside problem and steps."""
_EVALUATED = IdentityCache(2)
"""Cases with their columns, by whose evaluations these are of."""


class ResultSet(Struct, frozen=True, eq=False, dict=True):
    """Everything a view needs. `cases` and all arrays in `evaluations` have the same n rows in the same order.

    `evaluations` are all scorers, since a condition may speak of any; `chosen` names those that are shown. `shown` (row
    ids) are the cases that the query's conditions keep, in the order it asks for. `problems` are sentences about what
    could not be read and what was asked for in vain, `folders` say by name where a scorer's parts lie. `matches` is
    what the query's text search found, as far as cases were searched; None where it asks for none. `unkept` is what had
    to be computed and may be kept for the next time. `metadata` are the metadata columns of the cases' files,
    `triage_columns` those of what people said, `further` are others beside those of the cases and the scorers, by name:
    whoever changes one puts another Series in its place. `masks`, `orders` and `measures` remember what was made of
    columns. `journal` is where tags and notes are written, None where the workspace has no folder. `adjudicated` are
    the labels that were laid over those of `cases` when they were read; None = the cases have their own.
    `label_sources` are the words that those labels are made of, and `labels_outdated` says that people said something
    else of the labels since.
    """

    query: Query
    workspace: Workspace
    cases: pl.DataFrame
    texts: Texts
    evaluations: tuple[Evaluation, ...]
    chosen: tuple[str, ...]
    shown: Ints
    problems: tuple[str, ...] = ()
    folders: Mapping[str, Path] = field(default_factory=dict)
    matches: SearchMatches | None = None
    unkept: tuple[UncachedEvaluation, ...] = ()
    metadata: MetadataColumns = field(default_factory=MetadataColumns)
    triage_columns: TriageColumns | None = None
    further: Mapping[str, pl.Series] = field(default_factory=dict)
    masks: ConditionMasks = field(default_factory=ConditionMasks)
    orders: CaseOrders = field(default_factory=CaseOrders)
    measures: CaseMeasures = field(default_factory=CaseMeasures)
    journal: "Journal | None" = None
    adjudicated: Adjudicated | None = None
    label_sources: Mapping[str, Sequence[Annotation]] = field(default_factory=dict)
    labels_outdated: bool = False

    @property
    def chosen_evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations of the scorers that were asked for, in that order."""
        return tuple(self.evaluation(name) for name in self.chosen)

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

    def evaluation(self, scorer: str) -> Evaluation:
        """Return the evaluation of a scorer, by its full name."""
        return next(evaluation for evaluation in self.evaluations if evaluation.scorer.name == scorer)

    def answers(self, scorer: str, row: int) -> list[str]:
        """Read a critic's answers to one case in its first run, in the order of their votes; [] if none were kept."""
        first = self.evaluation(scorer).votes
        if scorer not in self.folders or first is None or not first.answered[row]:
            return []
        keyed = self.keyed(scorer)
        votes = VoteParts(self.folders[scorer]).answers(keyed["key"][row], keyed["case"][row])
        return votes.filter(pl.col("run") == pl.col("run").min())["answer"].drop_nulls().to_list()

    def keyed(self, scorer: str) -> pl.DataFrame:
        """Return the cases with the keys of a scorer's rewards and answers, by its full name."""
        reads = self.evaluation(scorer).scorer.reads
        return _KEYED.of(reads, (self.cases, self.texts), lambda: reward_keys(self.cases, self.texts, reads))

    # -- columns, which are made when they are asked for

    @cached_property
    def evaluated(self) -> EvaluatedCases:
        """The cases with all columns that there are, in file order."""
        parts = (
            self.workspace,
            self.cases,
            self.evaluations,
            self.metadata,
            self.triage_columns,
            self.further,
            self.masks,
            self.measures,
        )
        # Another selection of the same cases has the same columns.
        return _EVALUATED.of(id(self.evaluations), parts, lambda: EvaluatedCases(*parts))

    @cached_property
    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks that there are cases of, in file order."""
        return tuple(self.cases["benchmark"].unique(maintain_order=True))

    @property
    def height(self) -> int:
        """How many cases there are."""
        return self.cases.height

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Names and dtypes of all columns that a condition, an order or a list may speak of."""
        return self.evaluated.schema

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that a condition, an order or a list may speak of."""
        return self.evaluated.columns

    def column(self, name: str) -> pl.Series:
        """Return one column of all cases, in file order. Raises polars' ColumnNotFoundError."""
        return self.evaluated.column(name)

    def beside(self, name: str) -> pl.Series | None:
        """Return a column that is neither of the cases nor of a scorer; None where there is none of that name."""
        return self.evaluated.beside(name)

    def table(self, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of all cases: whoever needs few of many asks here, not for the whole frame."""
        return pl.DataFrame([self.column(name).alias(name) for name in names])

    def owner(self, name: str) -> object:
        """Return what a column is made from: while it is the same object, the column's values are the same."""
        return self.evaluated.owner(name)

    def is_metadata(self, name: str) -> bool:
        """Return whether a column is one of the cases' files that no reader claims."""
        return self.evaluated.is_metadata(name)

    def coded(self, name: str) -> Categories | None:
        """Return an outcome column as codes; None for the others."""
        return self.evaluated.coded(name)

    def categories(self, name: str) -> Categories | None:
        """Return a column of few values as numbers; None where they are many. Raises polars' ColumnNotFoundError."""
        return self.evaluated.categories(name)

    def passing(self, conditions: Sequence[str]) -> Bools:
        """Return the cases that fulfil every SQL condition, as a mask (n,) that nobody may write to.

        Raises:
            FilterError: a condition cannot be read or names a column that is not there.
        """
        return self.evaluated.passing(conditions)

    def explained(self, error: FilterError) -> FilterError:
        """Return the error and, where it is of a column that an imported file has, why that is not there."""
        return self.evaluated.explained(error)

    def why_missing(self, name: str) -> str:
        """Explain why a column of an imported file is not there, and what brings it, as a sentence; or ""."""
        return self.evaluated.why_missing(name)

    def scorer_of(self, name: str) -> str | None:
        """Return the scorer that a column is of; None for the cases' own and for those that are of none."""
        evaluation = self.evaluated.evaluation_of(name)
        return evaluation.scorer.name if evaluation else None

    def said_by_scorers(self, name: str) -> bool:
        """Return whether a column says what one scorer or several made of the cases."""
        return self.evaluated.said_by_scorers(name)

    def triaged(self, journal: "Journal | None" = None) -> "ResultSet":
        """Take the tags and notes that there are now, in another journal or in the present one; the rows shown stay.

        The gold labels stay too: where words on them have changed, it is `behind`.
        """
        journal = journal or self.journal
        if journal is None:
            return self
        triage_columns = self.triage_columns or TriageColumns(Triage(), self.cases)
        behind = self.adjudicated is not None and (self.labels_outdated or on_labels(journal) != self.label_sources)
        return replace(
            self, journal=journal, triage_columns=triage_columns.after(journal.triage), labels_outdated=behind
        )

    def frame(self) -> pl.DataFrame:
        """Return the cases with every evaluation's columns beside them: for files, never for a screen."""
        return self.table(self.columns)


# -- how it is loaded


def load(query: Query, *, scorers: bool = True) -> ResultSet:
    """Read what a query names, decide and select; the files that it names as `plugins` must be loaded already.

    Without `scorers` none is read or evaluated, unless the query needs some to select the cases.

    Raises:
        InspectError: no workspace, an unknown benchmark, scorer or column, or a condition that cannot be read.
    """
    workspace = find_workspace_or_demo(query.workspace, query.benchmarks)
    if query.slices:
        query = with_slices(query, workspace.root)
    place = EvaluationCache.of(workspace, query.benchmarks)
    cases, texts, metadata = workspace.cases_and_columns(tuple(dict.fromkeys(query.benchmarks)))
    unchanged = place == EvaluationCache.of(workspace, query.benchmarks)
    journal = workspace.journal()
    triage = journal.triage if journal else Triage()
    on_label: Mapping[str, Sequence[Annotation]] = {} if query.labels == "original" else on_labels(journal)
    own, (cases, adjudicated, label_columns) = cases, label_set(query.labels, on_label, cases)
    made_columns = kept_columns()
    case_columns = {*cases.columns, *metadata.schema, *SAID, *label_columns, *(made.name for made in made_columns)}
    evaluates = scorers or _needs_scorers(query, case_columns)
    # What is kept was made from the labels in the files.
    kept = place if unchanged and cases is own else None
    there = scored(workspace, cases, texts, kept) if evaluates else Scored()
    evaluations, folders, problems = there.evaluations, there.folders, there.problems
    problems += absence_notes(query, workspace, unscored=evaluates and cases.height > 0 and not folders)
    problems += stale_notes(evaluations, folders, query.workspace)
    added = _baselines(query, cases, [evaluation.scorer.name for evaluation in evaluations])
    evaluations += added
    names = [evaluation.scorer.name for evaluation in evaluations]
    wanted = [match_name(word, names, "scorer") for word in query.scorers]
    beside = [evaluation.scorer.name for evaluation in added]
    # A baseline that is only named, by a condition perhaps, is not shown beside all others.
    unasked = () if query.baselines else beside
    every = wanted + beside if wanted else names
    chosen = tuple(dict.fromkeys(name for name in every if name in wanted or name not in unasked))
    rows = np.arange(cases.height)
    own_columns = {made.name: made.of(cases, texts) for made in made_columns}
    loaded = (tuple(evaluations), chosen, rows, tuple(problems), folders)
    everything = ResultSet(
        query,
        workspace,
        cases,
        texts,
        *loaded,
        metadata=metadata,
        triage_columns=TriageColumns(triage, cases),
        further={**label_columns, **own_columns},
        journal=journal,
        adjudicated=adjudicated,
        label_sources=on_label,
    )
    if query.thresholds:
        # Some are tuned on the cases that are kept: those are looked for once, not for each scorer.
        everything = replace(everything, matches=found_in(everything, np.ones(cases.height, dtype=np.bool_)))
    granted = decide(everything)
    notes = wish_notes(query, granted.evaluations)
    problems += [*(journal.problems if journal else ()), *notes, *labels_note(adjudicated, cases.height)]
    return select(replace(granted, problems=tuple(problems), unkept=tuple(there.unkept)))


def _needs_scorers(query: Query, case_columns: Collection[str]) -> bool:
    """Whether the query refers to scorers or may; `case_columns` are the columns that belong to no scorer."""
    if query.decides or query.scorers or query.search or query.sort:
        return True
    read = [columns_read(text) for text in query.where]
    # A metadata column may have the name of a scorer's.
    others = {name for name in case_columns if name.rpartition(".")[2] not in EVERY_COLUMN}
    return not all(names and names <= others for names in read)


def _baselines(query: Query, cases: pl.DataFrame, taken: Sequence[str]) -> list[Evaluation]:
    """The baselines where they are asked for or named, less those whose name a scorer of the workspace has."""
    named = [
        *query.columns,
        query.sort.removesuffix(":desc"),
        *(name for text in query.where for name in columns_read(text)),
    ]
    read = {column.rpartition(".")[0] for column in named}
    wanted = query.baselines or not BASELINES.keys().isdisjoint({*query.scorers, *read})
    made = baselines(Gold(cases), query.seed) if wanted else ()
    return [evaluation for evaluation in made if evaluation.scorer.name not in taken]


def nothing_loaded(problem: str = "") -> ResultSet:
    """Select from no workspace, for what has an answer without any case; `problem` says why."""
    workspace, nothing = Workspace(None), np.arange(0)
    cases, texts = workspace.cases()
    return ResultSet(Query(), workspace, cases, texts, (), (), nothing, (problem,) if problem else ())


def with_baselines(results: ResultSet, added: Sequence[Evaluation]) -> ResultSet:
    """Put these baselines in the place of those there were; of all scorers, none of them chosen alone.

    None of the name of another scorer is taken. A threshold, a rule and the like are asked of others alone.
    """
    others = tuple(evaluation for evaluation in results.evaluations if not is_baseline(evaluation.scorer))
    names = {evaluation.scorer.name for evaluation in others}
    evaluations = (*others, *(evaluation for evaluation in added if evaluation.scorer.name not in names))
    query = replace(results.query, baselines=bool(added), scorers=())
    return replace(
        results,
        query=query,
        evaluations=evaluations,
        chosen=tuple(evaluation.scorer.name for evaluation in evaluations),
    )


def decide(results: ResultSet) -> ResultSet:
    """Put every evaluation under the rule and at the threshold that the query asks for it; as they are, if for none.

    Raises:
        UsageError: no rule, threshold or scorer of that name, or one for a scorer by name that has none.
    """
    if not results.query.decides:
        return results
    how = DecisionContext(
        results.query,
        results.chosen,
        lambda evaluations: surroundings(replace(results, evaluations=evaluations)),
    )
    return replace(results, evaluations=apply_decisions(results.evaluations, how))


def surroundings(results: ResultSet) -> TuningContext:
    """Return what thresholds are tuned in: the shown cases, and how the query counts."""
    query = results.query
    return TuningContext(lambda: select(results).mask, query.where, results.unparsed, query.seed)


def select(results: ResultSet, order: Ints | None = None) -> ResultSet:
    """Keep what the query's conditions keep, in the order it asks for or in the one given (all row ids)."""
    query = results.query
    keep = np.ones(results.cases.height, dtype=np.bool_)
    if query.subsets:
        names = [name for name in results.cases["subset"].unique(maintain_order=True).to_list() if name]
        wanted = [match_name(word, names, "subset") for word in query.subsets]
        keep &= results.cases["subset"].is_in(wanted).fill_null(value=False).to_numpy()
    keep &= results.passing(query.where)
    search = found_in(results, keep)
    keep &= matching(search, results.height)
    if order is None:
        order = results.orders.of(results.evaluated, results.chosen_evaluations, query.sort)
    return replace(results, shown=order[keep[order]], matches=search)


# -- what its text search finds


def searchable(results: ResultSet) -> Searchable:
    """Return the texts of a result set's cases, and where answers lie: those of critics, and of PRMs that generate."""
    # Imported only for who searches: commands start sooner.
    from inspector.state.answer_blocks import is_talk

    there = [(evaluation.scorer, results.folders.get(evaluation.scorer.name)) for evaluation in results.evaluations]
    answering = [(is_talk(scorer), folder) for scorer, folder in there if folder and VoteParts(folder).parts()]
    answers, talks = (tuple(folder for talks, folder in answering if talks is kind) for kind in (False, True))
    cases = results.cases
    trajectories = "step_messages" in cases.columns and cases["step_messages"].count() > 0
    own_keys = {folder: results.keyed(scorer.name)["key"] for scorer, folder in there if folder and scorer.reads}
    notes = results.beside("note")
    return Searchable(results.texts, cases["key"], answers, notes, talks, cases["case"], trajectories, own_keys)


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
        return before.with_notes(results.beside("note"))
    return search_all(text_query, searchable(results), rows, before)


# -- its benchmarks


def by_benchmark(results: ResultSet) -> Iterator[tuple[str, Bools]]:
    """Yield every benchmark with its shown cases as a mask over all, shape (n,)."""
    mask = results.mask
    for name in results.benchmarks:
        yield name, np.asarray(results.passing((Facet("benchmark", (name,)).sql,)) & mask)


def shown_benchmarks(results: ResultSet) -> tuple[str, ...]:
    """Name the benchmarks of which a case is shown, in file order; all of them where none is."""
    return tuple(name for name, rows in by_benchmark(results) if rows.any()) or results.benchmarks


def within(results: ResultSet, benchmark: str) -> tuple[str, ...]:
    """Return the condition that tells a benchmark's cases from others', where there are others."""
    return (Facet("benchmark", (benchmark,)).sql,) if len(results.benchmarks) > 1 else ()
