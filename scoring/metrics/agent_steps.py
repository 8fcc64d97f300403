"""AgentProcessBench's figures: three labels a step, and the first wrong one, with failed answers as its code has them.

`eval/compare.py` of RUCBM/AgentProcessBench (arXiv 2603.14465): StepAcc is the share of labelled steps whose label
(right, neutral, wrong) is predicted, pooled over trajectories, a missing label being wrong; FirstErrAcc the share of
trajectories whose first wrong step is, -1 where none is wrong, of clean and erroneous ones together. There, an answer
that failed says of no step that it is wrong, and so is right on every clean trajectory: a judge that never answers has
FirstErrAcc 58.4 on hotpotqa. That is why error_acc and correct_acc, in which it is wrong, stand beside these.

A scorer that says right or wrong alone, as a PRM under a threshold does, never has a neutral step right.

StepAcc leads: in FirstErrAcc a judge that never answers is right on every clean trajectory, in StepAcc on no step.
"""

from dataclasses import replace

import numpy as np

from scoring.data.schema import Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import RIGHT_STEP, WRONG_STEP, Gold
from scoring.metrics.kernel import Decided, Sums
from scoring.metrics.outcome_conditions import MEMBERS
from scoring.metrics.own import OwnMetric, metric

RIGHT, NEUTRAL, WRONG = 1.0, 0.0, -1.0


def gold_ratings(gold: Gold) -> Floats:
    """Return 1, 0 or -1 for each step of all cases, one after the other; NaN where a step has no label."""
    labels = gold.step_labels
    ratings = np.select([labels == RIGHT_STEP, labels == WRONG_STEP], [RIGHT, WRONG], np.nan)
    row, step = gold.neutral
    ratings[_starts(gold)[row] + step] = NEUTRAL
    return ratings


def step_ratings(evaluation: Evaluation) -> Floats:
    """Return what a scorer says of each step of all cases, as `gold_ratings` does; NaN where it says nothing.

    A step that is decided to be wrong is -1 and any other 1, or 0 where a scorer that rates from -1 to 1 gave it 0.
    Labels of an answer that lacks some count as they came.
    """
    gold, rewards, judged = evaluation.gold, evaluation.rewards, evaluation.judged_steps
    starts = _starts(gold)
    ratings = np.full(int(gold.n_steps.sum()), np.nan)
    inside = judged.steps < gold.n_steps[judged.cases]
    ratings[(starts[judged.cases] + judged.steps)[inside]] = np.where(judged.wrong, WRONG, RIGHT)[inside]
    if (evaluation.scorer.low, evaluation.scorer.high) == (WRONG, RIGHT):
        lengths = np.diff(rewards.offsets)
        place = np.repeat(starts - rewards.offsets[:-1], lengths) + np.arange(rewards.values.size)
        # Of an answer that first calls wrong what is no step the verdict is that, and its labels of steps stand.
        unjudged = np.isnan(ratings[place]) & np.repeat(evaluation.verdicts == -2, lengths)
        ratings[place[unjudged]] = rewards.values[unjudged]
        neutral = place[(rewards.values == NEUTRAL) & (ratings[place] == RIGHT)]
        ratings[neutral] = NEUTRAL
        some = rewards.truncated
        lengths = np.diff(some.offsets)
        place = np.repeat(starts - some.offsets[:-1], lengths) + np.arange(some.values.size)
        ratings[place] = some.values
    return ratings


def first_wrong(ratings: Floats, gold: Gold) -> Ints:
    """Return the first step of each of n cases that is rated -1, 0-based; -1 where none is. Shape (n,)."""
    starts, places = _starts(gold), np.flatnonzero(ratings == WRONG)
    cases = np.searchsorted(starts, places, side="right") - 1
    first = np.full(gold.n_steps.size, -1, dtype=np.int64)
    # Of several places of a case the first is written last.
    first[cases[::-1]] = (places - starts[cases])[::-1]
    return first


def _starts(gold: Gold) -> Ints:
    return np.asarray(np.cumsum(gold.n_steps) - gold.n_steps)


def _step_acc(sums: Sums) -> Floats:
    return sums["step_hits"] / sums["labelled_steps"]


@metric("step_acc", title="StepAcc", counts=("step_hits", "labelled_steps"), score=_step_acc)
def step_acc(decided: Decided) -> Floats:
    """Count the steps whose label is predicted, and those that have one. Shape (n, 2)."""
    gold = decided.gold
    labels, ratings = gold_ratings(gold), step_ratings(decided.evaluation)
    cases = np.repeat(np.arange(gold.n_steps.size), gold.n_steps)
    counts = [
        np.bincount(cases[where], minlength=gold.n_steps.size) for where in (labels == ratings, ~np.isnan(labels))
    ]
    return np.column_stack(counts).astype(np.float64) * decided.members[:, None]


def _first_error_acc(sums: Sums) -> Floats:
    return sums["first_hits"] / sums["trajectories"]


@metric("first_error_acc", title="FirstErrAcc", counts=("first_hits", "trajectories"), score=_first_error_acc)
def first_error_acc(decided: Decided) -> Floats:
    """Count the trajectories whose first wrong step (-1 = none) is predicted, and all of them. Shape (n, 2)."""
    gold, evaluation = decided.gold, decided.evaluation
    rated = first_wrong(step_ratings(evaluation), gold)
    predicted = np.where(evaluation.coverage.answered, evaluation.verdicts, rated)
    members = decided.members
    return np.column_stack([members & (predicted == gold.earliest), members]).astype(np.float64)


FIGURES: tuple[OwnMetric, ...] = (
    replace(
        step_acc,
        cases=MEMBERS,
        unit="steps",
        about="the share of labelled steps whose label (right, neutral or wrong) is given, all pooled",
    ),
    replace(
        first_error_acc,
        cases=MEMBERS,
        about="the share of trajectories whose first wrong step, or that there is none, is given",
    ),
)
