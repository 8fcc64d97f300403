"""A small workspace in which it can be told in advance which gold labels are contested, by whom and how strongly."""

import random

import numpy as np
import polars as pl
from msgspec.structs import replace

import judged
import making
import reference
from scoring.data.schema import REWARDS
from scoring.evaluation.evaluation import evaluate
from scoring.metrics.aligned import align_scorers
from scoring.metrics.audit import audit_ground, auditable
from scoring.selection.query import Query
from scoring.workspace.cache import BALLOTS

GOLD = (-1, 1, 0, -1, 1, -1, -1, 0, None, -1)
FIRST = (2, 1, 0, -1, 1, -1, 1, 0, 0, -1)
SECOND = (2, 1, 1, -1, 1, -1, -1, 0, 0, -1)
THIRD = (2, 1, 0, -1, 1, 0, -1, None, 0, -1)
"""Against the gold of the first case all three; of others one alone, which is outweighed. The ninth has no gold label,
and on the fourth, the tenth and the first a rule of construction speaks against it."""
ANSWERS = [False, None, None, False, True, None, None, None, None, None]
SUBSETS = ("one", "one", "one", "two", "two", "two", "two", "two", "two", "two")


def scored(verdicts, gold=GOLD, subsets=SUBSETS):
    """Cases of three steps with rewards of which the first one below 0.5 is the verdict; None was never scored."""
    made = []
    for number, verdict in enumerate(verdicts):
        rewards = None if verdict is None else tuple(0.1 if step == verdict else 0.9 for step in range(3))
        listed = (7,) if gold[number] is None else None
        made.append(reference.Case(3, gold[number], rewards, subset=subsets[number], error_steps=listed))
    return made


def write(root, *verdicts, gold=GOLD, families=("", "", "", ""), names="abcd", **columns):
    """A workspace with a scorer for each of the lists of verdicts."""
    cases = scored([None] * len(gold), gold, SUBSETS[: len(gold)])
    scorers = [
        (making.scorer(name, family=family), scored(said, gold, SUBSETS[: len(gold)]))
        for name, family, said in zip(names, families, verdicts, strict=False)
    ]
    making.workspace(root, cases, scorers, **columns)
    return Query(workspace=str(root))


# -- many cases, of which every label can be audited


def leaning(n=80, scorers=3, seed=0, skill=0.8, gaps=0.0, truth=None):
    """A list of cases a scorer, as it scored them: its reward at the earliest error is low as often as its skill.

    Elsewhere one in eight is low too; of `gaps` of the cases it has nothing. `truth` are the labels; None = by seed.
    """
    rng = random.Random(seed)
    if truth is None:
        truth = [(length, rng.choice((-1, rng.randrange(length)))) for length in (rng.randint(1, 6) for _ in range(n))]
    tables = []
    for _ in range(scorers):
        rows = []
        for length, gold in truth:
            low = [rng.random() < (skill if step == gold else 0.125) for step in range(length)]
            rewards = tuple(round(rng.uniform(0, 0.4) if at else rng.uniform(0.4, 1), 2) for at in low)
            rows.append(reference.Case(length, gold, None if rng.random() < gaps else rewards))
        tables.append(rows)
    return tables


def relabelled(tables, labels):
    """The same with other labels: by the number of the case."""
    return [[replace(case, gold=labels.get(number, case.gold)) for number, case in enumerate(rows)] for rows in tables]


def ground_of(tables, seed=0, critics=(), **columns):
    """The cases that can be audited with their labels, what is said of their steps, and the scorers.

    `critics` are lists of verdicts, one a case, that name a step or none, or -2 for neither.
    """
    names = "abcdefgh"
    evaluations = [making.evaluation(rows, name=name, **columns) for name, rows in zip(names, tables, strict=False)]
    keys = making.full_frame(tables[0], **columns)["key"]
    for name, verdicts in zip("xyz", critics, strict=False):
        votes = judged.votes(keys, [[str(verdict)] for verdict in verdicts]).select(BALLOTS)
        critic = making.scorer(name, kind="critic")
        evaluations.append(evaluate(evaluations[0].gold, critic, pl.DataFrame(schema=REWARDS), votes=votes))
    aligned = align_scorers(evaluations, np.ones(len(tables[0]), dtype=bool))
    aligned = aligned.only(auditable(aligned), range(len(evaluations)))
    return aligned, audit_ground(aligned, evaluations, seed), evaluations


def write_leaning(root, tables, **columns):
    """A workspace with a scorer a list."""
    cases = [replace(case, rewards=None) for case in tables[0]]
    making.workspace(
        root, cases, [(making.scorer(name), rows) for name, rows in zip("abcdefgh", tables, strict=False)], **columns
    )
    return Query(workspace=str(root))
