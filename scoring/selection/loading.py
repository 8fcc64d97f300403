"""Load a query: read the workspace, decide what the query asks to decide, and select its cases."""

from collections.abc import Callable, Collection, Sequence

import numpy as np
import polars as pl
from msgspec.structs import replace

from scoring.data.names import match_name
from scoring.data.own_columns import own_columns
from scoring.evaluation.derived import EvaluationCache
from scoring.evaluation.evaluated_cases import EvaluatedCases, Loaded
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import Gold
from scoring.evaluation.loader import Scored, scored
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.evaluation.triage_columns import SAID, TriageColumns
from scoring.metrics.baselines import BASELINES, baselines
from scoring.selection.labels import Labels, labelled, labels_note
from scoring.selection.query import Query
from scoring.selection.query_notes import absence_notes, stale_notes, wish_notes
from scoring.selection.result_set import ResultSet, decide, found_in, select
from scoring.selection.saved_slices import with_slices
from scoring.workspace.filtering.condition_expressions import columns_read
from scoring.workspace.triage.history import Triage
from scoring.workspace.workspace import Workspace
from scoring.workspace.workspace_place import find_workspace_or_demo


def load(
    query: Query,
    *,
    workspace: Workspace | None = None,
    scorers: bool = True,
    report: Callable[[Sequence[str]], object] | None = None,
) -> ResultSet:
    """Read what a query names, decide and select; the files that it names as `plugins` must be loaded already.

    Args:
        query: what is asked for.
        workspace: where it is read from, if it is open already; None = the one that the query names.
        scorers: whether to evaluate scorers that the query does not need to select cases.
        report: called with data that could not be read, before names and conditions are resolved.

    Raises:
        InspectError: no workspace, an unknown benchmark, scorer or column, or a condition that cannot be read.
    """
    if workspace is None:
        workspace = find_workspace_or_demo(query.workspace, query.benchmarks)
    if query.slices:
        query = with_slices(query, workspace.root)
    place = EvaluationCache.of(workspace, query.benchmarks)
    files, texts, metadata = workspace.cases_and_columns(tuple(dict.fromkeys(query.benchmarks)))
    unchanged = place == EvaluationCache.of(workspace, query.benchmarks)
    journal = workspace.journal()
    cases, labels, label_columns = labelled(query.labels, journal, files)
    made_columns = own_columns()
    case_columns = {*cases.columns, *metadata.schema, *SAID, *label_columns, *(made.name for made in made_columns)}
    evaluates = scorers or _needs_scorers(query, case_columns)
    # What is kept was made from the labels in the files.
    kept = place if unchanged and cases is files else None
    there = scored(workspace, cases, texts, kept) if evaluates else Scored()
    problems = (*there.problems, *(journal.problems if journal else ()))
    if report is not None:
        report(problems)
    added = _baselines(query, cases, [evaluation.scorer.name for evaluation in there.evaluations])
    evaluated = EvaluatedCases(
        Loaded(workspace, cases, texts, metadata, there.folders, problems, tuple(there.unkept)),
        (*there.evaluations, *added),
        TriageColumns(journal.triage if journal else Triage(), cases),
        {**label_columns, **{made.name: made.of(cases, texts) for made in made_columns}},
    )
    chosen = _chosen(query, evaluated.evaluations, added)
    everything = ResultSet(query, evaluated, labels, chosen, np.arange(cases.height))
    if query.thresholds:
        # Some are tuned on the cases that are kept: those are looked for once, not for each scorer.
        everything = replace(everything, matches=found_in(everything, np.ones(cases.height, dtype=np.bool_)))
    decided = decide(everything)
    notes = (
        *absence_notes(query, workspace, unscored=evaluates and cases.height > 0 and not there.folders),
        *stale_notes(there.evaluations, there.folders, query.workspace),
        *wish_notes(query, decided.evaluations),
        *labels_note(labels.adjudicated, cases.height),
    )
    return select(replace(decided, notes=notes))


def nothing_loaded(problem: str = "") -> ResultSet:
    """Return an empty result set, for analyses that need no cases; `problem` says why."""
    workspace = Workspace(None)
    evaluated = EvaluatedCases(Loaded(workspace, *workspace.cases()))
    notes = (problem,) if problem else ()
    return ResultSet(Query(), evaluated, Labels(), (), np.arange(0), notes=notes)


def _needs_scorers(query: Query, case_columns: Collection[str]) -> bool:
    """Whether the query refers to scorers or may; `case_columns` are the columns that belong to no scorer."""
    if query.decides or query.scorers or query.search or query.sort:
        return True
    read = [columns_read(text) for text in query.where]
    # A metadata column may have the name of a scorer's.
    others = {name for name in case_columns if name.rpartition(".")[2] not in EVERY_COLUMN}
    return not all(names and names <= others for names in read)


def _baselines(query: Query, cases: pl.DataFrame, taken: Sequence[str]) -> list[Evaluation]:
    """Return the baselines that the query requests or names, except those with the name of another scorer."""
    named = [
        *query.columns,
        query.sort.removesuffix(":desc"),
        *(name for text in query.where for name in columns_read(text)),
    ]
    read = {column.rpartition(".")[0] for column in named}
    wanted = query.baselines or not BASELINES.keys().isdisjoint({*query.scorers, *read})
    made = baselines(Gold(cases), query.seed) if wanted else ()
    return [evaluation for evaluation in made if evaluation.scorer.name not in taken]


def _chosen(query: Query, evaluations: Sequence[Evaluation], added: Sequence[Evaluation]) -> tuple[str, ...]:
    """The scorers that are shown, by full name; `added` are the baselines among the evaluations."""
    names = [evaluation.scorer.name for evaluation in evaluations]
    wanted = [match_name(word, names, "scorer") for word in query.scorers]
    baseline_names = [evaluation.scorer.name for evaluation in added]
    # A baseline that only a condition names is not shown with the other scorers.
    unasked = () if query.baselines else baseline_names
    every = wanted + baseline_names if wanted else names
    return tuple(dict.fromkeys(name for name in every if name in wanted or name not in unasked))
