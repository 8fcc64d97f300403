"""Metrics of one's own that say which cases they are of: of verdicts, and two of rewards that no threshold moves."""

import numpy as np

from scoring.api import CasesOf, metric


def share(sums):
    return sums["early"] / sums["erroneous"]


@metric("called_early", title="called too early", counts=("early", "erroneous"), score=share, cases="erroneous")
def called_early(decided):
    erroneous = decided.members & (decided.earliest >= 0)
    early = (decided.verdicts >= 0) & (decided.verdicts < decided.earliest)
    return np.column_stack([erroneous & early, erroneous])


def rewarded(decided):
    """Cases whose earliest error has a reward, and a right step before it."""
    lengths = np.diff(decided.evaluation.rewards.offsets)
    return decided.members & (decided.earliest >= 1) & (decided.earliest < lengths)


def conditions(scorer, _):
    return "earliest_error >= 1", f'"{scorer}.lowest_reward" IS NOT NULL'


REWARDED = CasesOf(rewarded, conditions, "cases with a reward at the earliest error and before it")


def at_gold(decided):
    """Rows of these cases, and where the reward of each one's earliest error is."""
    rows = np.flatnonzero(rewarded(decided))
    return rows, decided.evaluation.rewards.offsets[rows] + decided.earliest[rows]


@metric(
    "gold_reward",
    title="reward at the gold step",
    counts=("reward", "cases"),
    score=lambda sums: sums["reward"] / sums["cases"],
    kind="number",
    cases=REWARDED,
)
def gold_reward(decided):
    (rows, places), counts = at_gold(decided), np.zeros((decided.earliest.size, 2))
    counts[rows] = np.column_stack([decided.evaluation.rewards.values[places], np.ones(rows.size)])
    return counts


@metric(
    "case_auroc",
    title="AUROC within a case",
    counts=("auroc", "cases"),
    score=lambda sums: sums["auroc"] / sums["cases"],
    cases=REWARDED,
)
def case_auroc(decided):
    (rows, places), counts = at_gold(decided), np.zeros((decided.earliest.size, 2))
    values = decided.evaluation.rewards.values
    for row, place in zip(rows, places, strict=True):
        before = values[place - decided.earliest[row] : place]
        counts[row] = ((before > values[place]) + (before == values[place]) / 2).mean(), 1
    return counts
