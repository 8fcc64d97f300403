"""Time and tokens a case: columns where they are stored, null where not, the same in lists, conditions and files."""

import json

import numpy as np
import polars as pl
import pytest

import making
from inspector import cli
from inspector.state.case_list.case_rows import CaseRows
from inspector.state.case_list.catalogue import catalogue
from inspector.state.opening import inspect
from reference import Case
from scoring.data.schema import REWARDS, VOTES
from scoring.evaluation.scorer_columns import SPENT
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts, VoteParts

CASES = [Case(2, 0, (0.1, 0.2)), Case(2, 1, (0.6, 0.3)), Case(2, -1, (0.9, 0.8))]


@pytest.fixture
def space(tmp_path):
    """A PRM that ran two of three cases here, one that 0.1 ran, and a critic with two votes in each of two runs."""
    root = tmp_path / "ws"
    making.workspace(root, CASES, [(making.scorer("old"), CASES)])
    keys = making.full_frame(CASES)["key"].to_list()
    prm, critic = making.scorer("prm"), making.scorer("critic", kind="critic")
    for scorer in (prm, critic):
        scorer.save(root / "rewards" / scorer.folder)
    rows = [
        {"key": key, "vote": 0, "rewards": [0.5, 0.5], "seconds": 0.25 * at, "tokens_in": 10 * at, "tokens_out": 0}
        for at, key in enumerate(keys[:2], 1)
    ]
    RewardParts(root / "rewards" / prm.folder).append(pl.DataFrame(rows, schema=REWARDS, orient="row"))
    votes = [
        {"key": key, "vote": vote, "run": run, "ballot": "0", "verdict": 0, "answer": "0",
         "seconds": None if (at, vote) == (1, 1) else 10.0**run, "tokens_in": 100 * 1000**run, "tokens_out": at + vote,
         "cost": 0.5 * at, "currency": "EUR" if (at, vote) == (2, 1) else "USD"}
        for at, key in enumerate(keys) for vote in (0, 1) for run in (0, 1)
    ]  # fmt: skip
    VoteParts(root / "rewards" / critic.folder).append(pl.DataFrame(votes, schema=VOTES, orient="row"))
    return root


def test_they_are_what_the_parts_say_of_each_case(space):
    results = load(Query(workspace=str(space)))
    found = {
        name: [results.evaluated.column(f"{name}.{one}").to_list() for one in SPENT]
        for name in ("prm", "old", "critic")
    }
    assert found["prm"] == [[0.25, 0.5, None], [10, 20, None], [0, 0, None], [None] * 3, [None] * 3]
    assert found["old"] == [[None] * 3] * 5
    # Of the first run; where one answer's time is not known, that of all is not.
    # A sum of two currencies is none.
    prices = [[0.0, 1.0, None], ["USD", "USD", None]]
    assert found["critic"] == [[2.0, None, 2.0], [200, 200, 200], [1, 3, 5], *prices]
    for name, dtype in SPENT.items():
        assert results.evaluated.column(f"prm.{name}").dtype == dtype == results.evaluated.schema[f"prm.{name}"]
    rows = CaseRows(results, "critic").rows(("critic.tokens_out", "critic.seconds"), np.array([2, 0], dtype=np.int32))
    assert rows == [(5, 2.0), (1, 2.0)]
    moved = results.evaluation("prm").at(0.9)
    assert moved.column("seconds").to_list() == [0.25, 0.5, None]


def test_conditions_orders_and_files_speak_of_them(space, capsys):
    words = ["cases", "-w", str(space), "--scorer", "prm", "-q"]
    assert cli.main([*words, "--columns", "id,seconds,critic.tokens_out", "--sort", "seconds:desc", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["prm.seconds"], row["critic.tokens_out"]) for row in rows] == [(0.5, 3), (0.25, 1), (None, 5)]
    where = '"prm.tokens_in" > 15 AND "critic.seconds" IS NULL'
    assert cli.main([*words, "--where", where, "--columns", "id", "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_columns_are_offered_where_something_is_stored(space):
    results = load(Query(workspace=str(space)))
    keys = {entry.key for entry in catalogue(inspect(results).focused("prm", "bench"))}
    for evaluation in results.evaluations:
        stored = {name for name in SPENT if evaluation.column(name).null_count() < results.evaluated.height}
        assert evaluation.usage.stored == evaluation.of_cases(np.array([0])).usage.stored == stored
        name = evaluation.scorer.name
        assert keys & {one if name == "prm" else f"{name}.{one}" for one in SPENT} == {
            one if name == "prm" else f"{name}.{one}" for one in stored
        }
