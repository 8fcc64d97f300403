"""Joining what scorers gave to cases, and deciding each at its own threshold."""

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl

from scoring.cache import BALLOTS, RewardParts, VoteParts
from scoring.derived import Derived, Unkept
from scoring.errors import DamagedWorkspace
from scoring.evaluation import Evaluation
from scoring.gold import Gold
from scoring.reward_keys import reward_keys
from scoring.scorer import Scorer
from scoring.spent import Spent
from scoring.step_ratings import split
from scoring.step_rewards import align
from scoring.texts import Texts
from scoring.verdicts import Rule
from scoring.votes import by_run, most_answers, tally
from scoring.workspace import Workspace


def evaluate(
    gold: Gold,
    scorer: Scorer,
    rewards: pl.DataFrame,
    rule: Rule | None = None,
    votes: pl.DataFrame | None = None,
    cases: pl.DataFrame | None = None,
) -> Evaluation:
    """Join what a scorer gave to the cases of `gold` and decide them.

    Args:
        gold: n cases.
        scorer: whose threshold and comparison decide where no rule is given.
        rewards: a rewards frame. Labels in it are taken as they are and come before its rewards.
        rule: how rewards become verdicts.
        votes: the columns of `scoring.cache.BALLOTS`. They come before labels and rewards; None = there are none.
            Each run of theirs is an evaluation, the later ones are `further`; rewards count in every run, but for
            cases that the run's own answers rate.
        cases: those of `gold` with the keys that the rewards have, where the scorer reads more than problem and steps
            (`scoring.reward_keys`); None = with the keys they have.
    """
    keyed = gold.cases if cases is None else cases
    asked = rule or Rule(scorer.threshold, scorer.comparison, scorer.threshold_source, scorer.on)
    told = [] if votes is None else by_run(gold.cases, votes)
    # Answers that vote decide otherwise than one alone: a mean over both would be of unlike things.
    alike = [run for run in told if most_answers(run) == most_answers(told[0])]
    runs = [split(run, rewards) for run in alike]
    found = [
        Evaluation.of(scorer, gold, align(keyed, given), None if silent is None else tally(gold.cases, silent), asked)
        for given, silent in runs or [(rewards, None)]
    ]
    return replace(found[0], further=tuple(found[1:]), unlike=len(told) - len(alike))


@dataclass(eq=False)
class Scored:
    """The evaluations of scorers with a row for any of the cases, and where the parts of each lie, by its name.

    `problems` are sentences about what could not be read, `unkept` what was computed because nothing was kept of it.
    """

    evaluations: list[Evaluation] = field(default_factory=list)
    folders: dict[str, Path] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unkept: list[Unkept] = field(default_factory=list)


def scored(workspace: Workspace, cases: pl.DataFrame, texts: Texts, place: Derived | None = None) -> Scored:
    """Read every scorer that has something for the cases; `place` is where what is derived for these cases is kept."""
    gold, found = Gold(cases), Scored()
    for folder in workspace.reward_folders(cases["benchmark"].unique().to_list()):
        # Before anything is read: what changes from here on makes another key.
        key = Derived.key(folder) if place else ""
        try:
            scorer = Scorer.load(folder)
        except DamagedWorkspace as error:
            found.problems.append(str(error))
            continue
        evaluation = _evaluation(gold, texts, scorer, _Parts(folder, key), place, found)
        if not evaluation.present.any():
            continue
        if scorer.name in found.folders:
            found.problems.append(f"{folder} was left out: another scorer here is called {scorer.name} as well")
            continue
        keyed = partial(reward_keys, gold.cases, texts, scorer.reads)
        found.evaluations.append(replace(evaluation, spent=Spent(folder, keyed)))
        found.folders[scorer.name] = folder
    return found


class _Parts(NamedTuple):
    """A scorer's folder, and the key of what was in it before `scorer.json` was read; "" where nothing is kept."""

    folder: Path
    key: str


def _evaluation(
    gold: Gold, texts: Texts, scorer: Scorer, parts: _Parts, place: Derived | None, found: Scored
) -> Evaluation:
    """One scorer: what is kept of it, else what its parts say. Problems and what may be kept go to `found`."""
    folder, key = parts
    if place:
        kept, problems = place.read(gold, scorer, folder, key)
        found.problems += problems
        if kept is not None:
            return kept
    rewards, unreadable = RewardParts(folder).read()
    votes, also_unreadable = VoteParts(folder).read(BALLOTS)
    found.problems += unreadable + also_unreadable
    keyed = reward_keys(gold.cases, texts, scorer.reads)
    evaluation = evaluate(gold, scorer, rewards, votes=votes, cases=keyed)
    # What changed while it was read, or could not be read, is not what the key says.
    if place and not unreadable and not also_unreadable and Derived.key(folder) == key:
        found.unkept.append(Unkept(place, evaluation, folder, key))
    return evaluation
