"""Joining what a scorer gave to cases, and deciding them."""

from dataclasses import replace

import polars as pl

from scoring.case_floats import case_floats
from scoring.evaluation import Evaluation
from scoring.given import decision_of, given_of
from scoring.gold import Gold
from scoring.scorer import Scorer
from scoring.step_ratings import split
from scoring.step_rewards import StepRewards, align
from scoring.verdicts import Rule
from scoring.votes import Votes, by_run, most_answers, tally


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
        _decided(gold, scorer, align(keyed, given), None if silent is None else tally(gold.cases, silent), asked)
        for given, silent in runs or [(rewards, None)]
    ]
    return replace(found[0], further=tuple(found[1:]), unlike=len(told) - len(alike))


def _decided(gold: Gold, scorer: Scorer, aligned: StepRewards, counted: Votes | None, asked: Rule) -> Evaluation:
    """One run."""
    given = given_of(gold, aligned, counted, critic=scorer.kind == "critic")
    floats = case_floats(aligned.on(asked.on), gold.earliest, given.by_threshold)
    decision = decision_of(asked, aligned, counted, given)
    found = Evaluation(scorer, gold, aligned, counted, floats, given, decision, given.codes)
    return found.under(decision) if isinstance(decision, Rule) else found
