"""A small PRMBench with originals, of which one scorer has scored some, for tests."""

import polars as pl

import making
from benchmark_rows import rows_of
from inspector.state.opening import inspect
from modified import row
from scoring.data import schema
from scoring.data.schema import content_key
from scoring.formats.benchmarks import prmbench
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace

ORIGINAL = ("Let n = 4.", "Twice n is wanted, so $2n = \\frac{16}{2}$.", "Add n to itself.", "That is 8.")
MODIFIED = (
    "Let n = 4.",
    "Thrice n is wanted, so $3n = \\frac{24}{2}$.",
    "Say once more that n = 4.",
    "Add n to itself.",
)
QUESTIONS = ("What is twice 4?", "What is thrice 4?")

VALUES = [
    # Of this one a twin was scored.
    row(
        0,
        "redundency",
        original_question=QUESTIONS[0],
        modified_question=QUESTIONS[1],
        original_process=list(ORIGINAL),
        modified_process=list(MODIFIED),
        modified_steps=[2, 4],
        error_steps=[2, 3],
    ),
    # The same original, another class: it has no twin, and what was scored is its original all the same.
    row(0, "circular", original_question=QUESTIONS[0], modified_question=QUESTIONS[0], original_process=list(ORIGINAL)),
    # Nothing was scored of this one's original.
    row(2, "circular"),
    row(3, "multi_solutions", original_process=..., original_question=..., modified_steps=[], error_steps=[]),
]
REWARDS_OF_ORIGINAL = (0.9, 0.8, 0.4, 0.7)


REWARDS = [[0.9, 0.2, 0.35, 0.6], [0.9, 0.2, 0.6], [0.8, 0.7, 0.6], [0.9, 0.9, 0.9], list(REWARDS_OF_ORIGINAL)]
"""Of each case, and at last of the first one's original."""


def workspace(root, **settings):
    """The workspace with a scorer `alpha` that has scored every case, and the first one's original."""
    imported = prmbench.load(rows_of(VALUES))
    made = Workspace.create(root)
    made.add([imported])
    scorer = making.scorer("alpha", **settings)
    folder = root / "rewards" / scorer.folder
    scorer.save(folder)
    keys = [*imported.cases["key"], content_key(QUESTIONS[0], list(ORIGINAL))]
    rows = [{"key": key, "vote": 0, "rewards": some} for key, some in zip(keys, REWARDS, strict=True)]
    RewardParts(folder).append(pl.DataFrame(rows, schema=schema.REWARDS))
    return Query(workspace=str(root))


def state(root, **settings):
    """The same as the first value of an app."""
    return inspect(load(workspace(root, **settings)))
