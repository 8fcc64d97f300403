"""Rewards outside the range that a scorer declares are told of, and taken as they are."""

import json

import making
from inspector.cli import main
from inspector.state.figure_notes import range_notes
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query

CASES = [Case(2, -1, (1.5, 0.0)), Case(2, 1, (1.0, -2.0)), Case(1, 0, (-0.25,), subset="two")]


def workspace(tmp_path):
    wide = making.scorer("wide", low=-2.0, high=2.0)
    making.workspace(tmp_path / "w", CASES, [(making.scorer("unit"), CASES), (wide, CASES)])
    return str(tmp_path / "w")


def test_rewards_outside_the_range_are_counted_once_a_scorer_and_its_ends_are_inside(tmp_path):
    told = "3 of 5 rewards are outside its range, 0 to 1 (lowest -2, highest 1.5)"
    root = workspace(tmp_path)
    assert list(range_notes(load(Query(workspace=root)))) == [f"unit: {told}; they are taken as they are"]
    (shown,) = range_notes(load(Query(workspace=root, subsets=("two",))))
    assert shown.startswith("unit: 1 of 1 rewards are outside")
    assert list(range_notes(load(Query(workspace=root, scorers=("wide",))))) == []


def test_metrics_says_so_and_thresholds_are_found_beyond_the_range(tmp_path, capsys):
    root = workspace(tmp_path)
    assert main(["metrics", "-w", root]) == 0
    assert capsys.readouterr().out.count("unit: 3 of 5 rewards are outside its range") == 1
    assert main(["metrics", "-w", root, "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["provenance"]["notes"]
    assert sum("outside its range" in note for note in notes) == 1
    assert main(["thresholds", "-w", root, "--subset", "one", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    best = {row["threshold"]: row["value"] for row in rows if row["kind"] == "best" and row["scorer"] == "unit"}
    assert list(best.values()) == [1.0]
    assert -2.0 < next(iter(best)) <= 0.0


def test_at_a_threshold_outside_the_range_rewards_are_decided_as_they_are(tmp_path):
    evaluation = load(Query(workspace=workspace(tmp_path), thresholds=(("unit", "-1"),))).evaluation("unit")
    assert evaluation.verdicts.tolist() == [-1, 1, -1]
