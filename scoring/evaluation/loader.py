"""Load the evaluations of all scorers that have something for some cases, from what is kept or from their parts."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import DamagedWorkspace
from scoring.data.reward_keys import reward_keys
from scoring.data.scorer import Scorer
from scoring.data.texts import Texts
from scoring.evaluation.blocks import CaseBlocks, evaluated_in_blocks
from scoring.evaluation.derived import EvaluationCache, UncachedEvaluation
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.scorer_columns import ScorerUsage
from scoring.workspace.cache import BALLOTS, RewardParts, VoteParts
from scoring.workspace.workspace import Workspace


class Scored(Struct, eq=False):
    """The evaluations of scorers with a row for any of the cases, and where the parts of each lie, by its name.

    `problems` are sentences about what could not be read, `unkept` what was computed because nothing was kept of it.
    """

    evaluations: list[Evaluation] = field(default_factory=list)
    folders: dict[str, Path] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unkept: list[UncachedEvaluation] = field(default_factory=list)


def scored(workspace: Workspace, cases: pl.DataFrame, texts: Texts, place: EvaluationCache | None = None) -> Scored:
    """Read every scorer that has something for the cases; `place` is where what is derived for these cases is kept."""
    gold, scored_here = Gold(cases), Scored()
    blocks = CaseBlocks(cases, texts)
    folders = workspace.reward_folders(cases["benchmark"].unique().to_list())
    blocks.scorers = len(folders)
    for blocks.before, folder in enumerate(folders):
        # Before anything is read: what changes from here on makes another key.
        key = place.key(folder) if place else ""
        try:
            scorer = Scorer.load(folder)
        except DamagedWorkspace as error:
            scored_here.problems.append(str(error))
            continue
        evaluation = _evaluation(gold, texts, scorer, _Parts(folder, key), place, scored_here, blocks)
        if not evaluation.coverage.present.any():
            continue
        if scorer.name in scored_here.folders:
            scored_here.problems.append(f"{folder} was left out: another scorer here is called {scorer.name} as well")
            continue
        keyed = partial(reward_keys, gold.cases, texts, scorer.reads)
        scored_here.evaluations.append(replace(evaluation, usage=ScorerUsage(folder, keyed)))
        scored_here.folders[scorer.name] = folder
    return scored_here


class _Parts(NamedTuple):
    """A scorer's folder, and the key of what was in it before `scorer.json` was read; "" where nothing is kept."""

    folder: Path
    key: str


def _evaluation(
    gold: Gold,
    texts: Texts,
    scorer: Scorer,
    parts: _Parts,
    place: EvaluationCache | None,
    scored_here: Scored,
    blocks: CaseBlocks,
) -> Evaluation:
    """One scorer: what is kept of it, else what its parts say. Problems and what may be kept go to `scored_here`."""
    folder, key = parts
    if place:
        kept, problems = place.read(gold, scorer, folder, key)
        scored_here.problems += problems
        if kept is not None:
            return kept
    # Votes are few, and how they count depends on those of other cases.
    if blocks.number > 1 and not VoteParts(folder).parts():
        evaluation, problems = evaluated_in_blocks(gold, blocks, scorer, folder, place, key)
        scored_here.problems += problems
        return evaluation
    rewards, unreadable = RewardParts(folder).read()
    votes, also_unreadable = VoteParts(folder).read(BALLOTS)
    scored_here.problems += unreadable + also_unreadable
    keyed = reward_keys(gold.cases, texts, scorer.reads)
    evaluation = evaluate(gold, scorer, rewards, votes=votes, cases=keyed)
    # What changed while it was read, or could not be read, is not what the key says.
    if place and not unreadable and not also_unreadable and place.key(folder) == key:
        scored_here.unkept.append(place.unkept(evaluation, folder, key))
    return evaluation
