"""A request is loaded: the workspace is read, and what the request asks for is decided and selected."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from inspector.filtering.searching import found_in
from inspector.label_set import label_set, labels_note, on_labels
from inspector.notes import absence_notes, stale_notes, wish_notes
from inspector.request import Request
from inspector.selection import Selection, decide, select
from inspector.workspace_place import find_workspace_or_demo
from scoring.derived import Derived
from scoring.evaluate import scored
from scoring.evaluation import Evaluation
from scoring.gold import Gold
from scoring.metrics.baselines import baselines
from scoring.names import match_name
from scoring.own_columns import own_columns as kept_columns
from scoring.triage.said import Triage
from scoring.triage_columns import TriageColumns
from scoring.workspace import Workspace

if TYPE_CHECKING:
    from scoring.triage.words import Words


def load(request: Request) -> Selection:
    """Read what a request names, decide and select.

    Raises:
        InspectError: no workspace, an unknown benchmark, scorer or column, a condition that cannot be read, or a file
            of the user's own that cannot be used.
    """
    workspace = find_workspace_or_demo(request.workspace, request.benchmarks)
    if request.plugins:
        # Imported only for who asks: commands start sooner.
        from inspector.own import load_own

        load_own(request.plugins)
    if request.slices:
        # Imported only for who asks: commands start sooner.
        from inspector.filtering.saved_slices import with_slices

        request = with_slices(request, workspace.root)
    place = Derived.of(workspace, request.benchmarks)
    cases, texts, metadata = workspace.cases_and_columns(tuple(dict.fromkeys(request.benchmarks)))
    unchanged = place == Derived.of(workspace, request.benchmarks)
    journal = workspace.journal()
    triage = journal.triage if journal else Triage()
    heard: Mapping[str, Sequence[Words]] = {} if request.labels == "original" else on_labels(journal)
    own, (cases, adjudicated, said) = cases, label_set(request.labels, heard, cases)
    # What is kept was made from the labels in the files.
    there = scored(workspace, cases, texts, place if unchanged and cases is own else None)
    evaluations, folders, problems = there.evaluations, there.folders, there.problems
    problems += absence_notes(request, workspace, cases, tuple(folders))
    problems += stale_notes(evaluations, folders, request.workspace)
    added = _baselines(request, cases, [one.scorer.name for one in evaluations])
    evaluations += added
    names = [one.scorer.name for one in evaluations]
    wanted = [match_name(word, names, "scorer") for word in request.scorers]
    chosen = tuple(dict.fromkeys((*wanted, *(one.scorer.name for one in added)) if wanted else names))
    rows = np.arange(cases.height)
    own_columns = {made.name: made.of(cases, texts) for made in kept_columns()}
    loaded = (tuple(evaluations), chosen, rows, tuple(problems), folders)
    everything = Selection(
        request,
        workspace,
        cases,
        texts,
        *loaded,
        metadata=metadata,
        said=TriageColumns(triage, cases["case"]),
        further={**said, **own_columns},
        journal=journal,
        adjudicated=adjudicated,
        heard=heard,
    )
    if request.thresholds:
        # Some are tuned on the cases that are kept: those are looked for once, not for each scorer.
        everything = replace(everything, found=found_in(everything, np.ones(cases.height, dtype=np.bool_)))
    granted = decide(everything)
    notes = wish_notes(request, granted.evaluations)
    problems += [*(journal.problems if journal else ()), *notes, *labels_note(adjudicated, cases.height)]
    return select(replace(granted, problems=tuple(problems), unkept=tuple(there.unkept)))


def nothing_loaded(problem: str = "") -> Selection:
    """Select from no workspace, for what has an answer without any case; `problem` says why."""
    workspace, nothing = Workspace(None), np.arange(0)
    cases, texts = workspace.cases()
    return Selection(Request(), workspace, cases, texts, (), (), nothing, (problem,) if problem else ())


def _baselines(request: Request, cases: pl.DataFrame, taken: Sequence[str]) -> list[Evaluation]:
    """The baselines where they are asked for, less those whose name a scorer of the workspace has."""
    made = baselines(Gold(cases), request.seed) if request.baselines else ()
    return [one for one in made if one.scorer.name not in taken]
