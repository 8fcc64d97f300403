"""Scorers on the unharmed originals of a benchmark's cases: read when a figure asks for them, and shown nowhere."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from scoring.cache import BALLOTS, RewardParts, VoteParts
from scoring.evaluation import Evaluation, evaluate
from scoring.gold import Gold
from scoring.reward_keys import reward_keys
from scoring.workspace import Workspace


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
    gold, found = Gold(cases), {}
    for one in evaluations:
        folder = folders.get(one.scorer.name)
        if folder is not None:
            # What cannot be read here was told when the evaluations were made.
            rewards, votes = RewardParts(folder).read()[0], VoteParts(folder).read(BALLOTS)[0]
            keyed = reward_keys(cases, texts, one.scorer.reads)
            found[one.scorer.name] = evaluate(gold, one.scorer, rewards, votes=votes, cases=keyed)
    return found
