"""Workspaces of which every figure is known, beside figures that papers print."""

import polars as pl

import judged
import making
import reference
from scoring.workspace.cache import RewardParts, VoteParts

MODEL = "Qwen/Qwen2.5-Math-7B-PRM800K"
"""ProcessBench prints for it 53.1, 95.3 and 68.2 on GSM8K, which are 110 of 207 and 184 of 193 cases."""
PRINTED = (110, 184)


def one_step(erroneous, clean, exact, right, subset="gsm8k"):
    """Cases of one step each, scored so that so many erroneous ones are exact and so many clean ones right."""
    wrong = [reference.Case(1, 0, (0.1 if index < exact else 0.9,), "", subset) for index in range(erroneous)]
    sound = [reference.Case(1, -1, (0.9 if index < right else 0.1,), "", subset) for index in range(clean)]
    return [*wrong, *sound]


def gsm8k(exact=PRINTED[0], right=PRINTED[1]):
    """As many as the whole subset has."""
    return one_step(207, 193, exact, right)


def processbench(root, cases, *names):
    """A workspace of ProcessBench with a PRM or several, which all gave the same."""
    scorers = [(making.scorer(name), cases) for name in names or (MODEL,)]
    return making.workspace(root, cases, scorers, benchmark="processbench")


def critic(root, cases, name, votes, benchmark="processbench", **settings):
    """Add a critic that answers each case right, so many times."""
    scorer = making.scorer(name, kind="critic", settings=settings)
    folder = root / "rewards" / scorer.folder
    keys = making.full_frame(cases, benchmark)["key"]
    scorer.save(folder)
    VoteParts(folder).append(judged.votes(keys, [[str(case.gold)] * votes for case in cases]))


def scored(root, scorer, cases, keys):
    """Add a scorer's rewards for cases of these keys."""
    scorer.save(root / "rewards" / scorer.folder)
    RewardParts(root / "rewards" / scorer.folder).append(making.rewards(cases, keys))


def cell(frame, subset, metric="f1", **other):
    """One row as a dictionary."""
    wanted = {"subset": subset, "metric": metric, **other}
    (row,) = frame.filter(*(pl.col(name) == value for name, value in wanted.items())).to_dicts()
    return row
