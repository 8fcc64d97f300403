"""PRMBench's tables beside a critic that ran several times, which judged the unharmed originals in each run as well."""

import polars as pl
import pytest

import making
import papers
from reference import Case
from scoring.data.schema import VOTES
from scoring.formats.benchmarks.case_format import Imported
from scoring.workspace.cache import VoteParts
from scoring.workspace.workspace import Workspace

RATINGS = (((0.9, 0.9), (0.9, 0.9)), ((0.9, -0.9), (-0.9, 0.9)))
"""By run the ratings of the case and of its original: it judges as many steps of both right."""


def build(root):
    case, original = Case(2, 0, error_steps=(0,)), Case(2, -1, error_steps=())
    labels = {"error_type": ["redundency"], "error_category": ["Simplicity"], "subset": ["redundency"]}
    cases = making.full_frame([case], "prmbench", id=["redundency_p"], **labels)
    of_case = {"id": ["correct_p"], "problem": ["original"], "twin_of": ["prmbench/redundency_p"]}
    twins = making.full_frame([original], "prmbench", **of_case)
    made = Workspace.create(root)
    made.add([Imported("prmbench", "a", "made", "0-based", 1, cases, (), twins)])
    critic = making.scorer("judge", kind="critic", threshold=0.0, low=-1.0)
    critic.save(root / "rewards" / critic.folder)
    rows = [
        {"key": frame["key"][0], "vote": 0, "run": run, "answer": "so", "rewards": list(rated)}
        for run, ratings in enumerate(RATINGS)
        for frame, rated in zip((cases, twins), ratings, strict=True)
    ]
    VoteParts(root / "rewards" / critic.folder).append(pl.DataFrame(rows, schema=VOTES, orient="row"))


def test_each_run_is_as_similar_as_it_is_to_the_originals_in_that_run(rows, root):
    build(root)
    found = papers.cell(rows("prmbench", "4"), "all", "similarity", scorer="judge")
    assert (found["value"], found["sd"], found["runs"]) == (pytest.approx(1.0), pytest.approx(0.0), 2)
