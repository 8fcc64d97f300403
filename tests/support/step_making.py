"""Cases of PRMBench's classes with rewards, redundancy and twins, for tests."""

from functools import cache

import numpy as np
import polars as pl
from hypothesis import strategies as st

import making
import step_reference
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.benchmarks.prmbench import STEP_LABELLED
from scoring.metrics.step_contributions import OF_STEPS
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from step_reference import Step

FACTS = STEP_LABELLED
CLASSES = tuple(step_reference.CATEGORY)
VALUES = (0.0, 0.15, 0.3, 0.5, 0.7, making.FLOAT32, 1.0)


def frame(items, problems=None):
    """The cases frame; `problems` (one a case) says which cases are of one problem: by default none are."""
    names = [item.name for item in items]
    ids = [f"{name}_{index if problems is None else problems[index]}" for index, name in enumerate(names)]
    labels = {"id": ids, "error_type": names, "error_category": [step_reference.CATEGORY[name] for name in names]}
    return making.frame([item.case for item in items], "prmbench", **labels, subset=names)


def rewards(items, keys):
    """The rewards frame of the cases, with what is said of redundancy beside it."""
    rows = making.rewards([item.case for item in items], keys)
    said = pl.DataFrame(
        {"key": keys, "_numbers": [item.numbers for item in items], "_labels": [item.labels for item in items]},
        schema_overrides={"_numbers": pl.List(pl.Float64), "_labels": pl.List(pl.Boolean)},
    )
    joined = rows.join(said, on="key", how="left", maintain_order="left")
    return joined.with_columns(redundancy="_numbers", redundancy_labels="_labels").drop("_numbers", "_labels")


def evaluation(items, threshold=0.5, comparison="<=", problems=None, **settings):
    """The cases decided by one scorer."""
    cases = frame(items, problems)
    rows = rewards(items, cases["key"])
    return evaluate(Gold(cases), making.scorer(**settings), rows, Rule(threshold, comparison, "chosen"))


def workspace(root, items, scorers):
    """A workspace with one PRMBench of the cases; `scorers` pairs each scorer with the items as it scored them."""
    names = [item.name for item in items]
    labels = {"error_type": names, "error_category": [step_reference.CATEGORY[name] for name in names]}
    ids = [f"{name}_{index}" for index, name in enumerate(names)]
    cases = making.full_frame([item.case for item in items], "prmbench", id=ids, subset=names, **labels)
    made = Workspace.create(root)
    made.add([Imported("prmbench", "made.jsonl", "made", "0-based", cases.height, cases, ())])
    for one, scored in scorers:
        folder = root / "rewards" / one.folder
        one.save(folder)
        RewardParts(folder).append(rewards(scored, cases["key"]))
    return made


def twins(cases, wanted, threshold=0.1):
    """The same scorer on unharmed originals: `wanted` has one a case of the frame, or None."""
    there = [(twin, name) for twin, name in zip(wanted, cases["case"], strict=True) if twin is not None]
    found = making.frame([twin for twin, _ in there], "prmbench", twin_of=[name for _, name in there])
    rows = making.rewards([twin for twin, _ in there], found["key"])
    return evaluate(Gold(found), making.scorer(), rows, Rule(threshold, "<", "another"))


_CLASSES = st.sampled_from(CLASSES)


@cache
def _rows(n_steps):
    """Numbers and labels of so many steps, or none."""
    kinds = (st.sampled_from(VALUES), st.booleans())
    return [st.none() | st.tuples(*[kind] * n_steps) for kind in kinds]


@st.composite
def items(draw, min_size=0, max_size=10):
    """Cases of all classes; some with redundancy numbers or labels, one a step."""
    found = []
    for case in draw(making.benches(VALUES, min_size, max_size)):
        numbers, labels = (draw(row) for row in _rows(case.n_steps))
        found.append(Step(case, draw(_CLASSES), numbers, labels))
    return found


def counted(curve):
    """TP, FN, FP, TN at each threshold."""
    return np.stack([np.broadcast_to(curve.tally.sums[name][0], curve.thresholds.shape) for name in OF_STEPS], axis=-1)
