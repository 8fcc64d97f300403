"""Scorers on the unharmed originals of a benchmark's cases: read when a figure asks for them, and shown nowhere."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from scoring.data.reward_keys import reward_keys
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.gold import Gold
from scoring.workspace.cache import BALLOTS, RewardParts, VoteParts
from scoring.workspace.workspace import Workspace


def twin_evaluations(
    workspace: Workspace, benchmark: str, evaluations: Iterable[Evaluation], folders: Mapping[str, Path]
) -> dict[str, Evaluation]:
    """Scorers on the twins of a benchmark's cases, by name, at their own thresholds.

    Args:
        workspace: where the benchmark is.
        benchmark: its name.
        evaluations: of the scorers that are asked for, on the cases themselves.
        folders: where the parts of scorers lie, by their names.

    A scorer whose rewards lie in no folder is not among them, and none is where the benchmark has no twins.

    Raises:
        UsageError, DamagedWorkspace: as `Workspace.cases` does.
    """
    cases, texts = workspace.cases((benchmark,), twins=True)
    twins = cases["twin_of"].is_not_null()
    cases, texts = cases.filter(twins), texts.gather(np.flatnonzero(twins.to_numpy()))
    if cases.is_empty():
        return {}
    gold, twins_by_scorer = Gold(cases), {}
    for evaluation in evaluations:
        folder = folders.get(evaluation.scorer.name)
        if folder is not None:
            # What cannot be read here was told when the evaluations were made.
            rewards, votes = RewardParts(folder).read()[0], VoteParts(folder).read(BALLOTS)[0]
            keyed = reward_keys(cases, texts, evaluation.scorer.reads)
            twins_by_scorer[evaluation.scorer.name] = evaluate(
                gold, evaluation.scorer, rewards, votes=votes, cases=keyed
            )
    return twins_by_scorer


def originals_by_run(evaluation: Evaluation, originals: Evaluation | None) -> Sequence[Evaluation | None]:
    """Return the originals beside each run: of the same run where there are as many, else of the first."""
    runs = evaluation.runs
    return originals.runs if originals is not None and len(originals.runs) == len(runs) else [originals] * len(runs)
