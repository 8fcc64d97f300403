"""The command `trees` prints trees of searches and their wrong prunings in every form, and says what it left out."""

import csv
import io
import json
import sys

import pytest

from inspector.cli import main
from inspector.cli.command_flags import FORMS
from scoring.metrics.trees.figures import DOUBTED, LOST
from search_trees import node, recorded, slow_prunings, tree, written


@pytest.fixture
def searches(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows, planted = recorded(5, 8)
    written(tmp_path / "trees.jsonl", rows)
    return rows, planted


def test_trees_and_their_prunings_are_printed(searches, capsys):
    rows, planted = searches
    assert main(["trees", "trees.jsonl"]) == 0
    out, err = capsys.readouterr()
    assert "8 trees" in out
    assert "the answer that was chosen is right" in out
    assert out.count(LOST) == len(planted) + 1
    doubted = sum(kind == "doubted" for row in rows for kind, *_ in slow_prunings(row).values())
    assert out.count(DOUBTED) == doubted + 1
    assert "command: prm-inspect trees trees.jsonl" in err


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_rows(form, searches, capsys):
    rows, planted = searches
    assert main(["trees", "trees.jsonl", "--prunings", f"--{form}"]) == 0
    out = capsys.readouterr().out
    if form == "json":
        document = json.loads(out)
        assert document["provenance"]["command"] == "prm-inspect trees trees.jsonl --prunings --json"
        assert document["provenance"]["trees"] == len(rows)
        listed = document["rows"]
    elif form == "jsonl":
        listed = [json.loads(line) for line in out.splitlines()]
    elif form == "csv":
        listed = list(csv.DictReader(io.StringIO(out)))
    else:
        assert out.count(LOST) >= len(planted)
        return
    assert {(row["tree"], row["node"]) for row in listed if row["kind"] == LOST} == planted
    every = {(row["id"], name) for row in rows for name in slow_prunings(row)}
    assert {(row["tree"], row["node"]) for row in listed} == every


def test_the_shares_are_those_of_the_trees(searches, capsys):
    assert main(["trees", "trees.jsonl", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    for name, share in document["provenance"]["shares"].items():
        known = [row[name] for row in document["rows"] if row[name] is not None]
        assert share == pytest.approx(sum(known) / len(known))


def test_rows_that_are_no_trees_are_said_and_change_the_exit_code(searches, capsys, tmp_path):
    bad = tree(node("0", "1"), node("1", "0"), id="round")
    written(tmp_path / "more.jsonl", [bad, bad, searches[0][0]])
    assert main(["trees", "more.jsonl", "-o", "out.csv"]) == 1
    err = capsys.readouterr().err
    assert "more.jsonl:1: error: not a tree, and left out: no root" in err
    assert "1 more of this kind" in err
    assert (tmp_path / "out.csv").exists()
    assert main(["trees", "more.jsonl", "-v", "--jsonl"]) == 1
    assert "more.jsonl:2: error" in capsys.readouterr().err
    written(tmp_path / "none.jsonl", [bad])
    assert main(["trees", "none.jsonl"]) == 2
    assert main(["trees", "nowhere.jsonl"]) == 2
    err = capsys.readouterr().err
    assert "no row of none.jsonl is a tree" in err
    assert "there is no file nowhere.jsonl" in err


def test_texts_of_nodes_do_not_act(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    nodes = [node("0", None), {**node("1", "0", pruned=1), "text": "\x1b[31m=1+1|*x*", "correct": True}]
    written(tmp_path / "hostile.jsonl", [tree(*nodes, id="=\x1b]0;t\x07")])
    for words in ([], ["--markdown"], ["--latex"], ["--csv", "--prunings"]):
        monkeypatch.setattr(type(sys.stdout), "isatty", lambda _, seen=not words: seen, raising=False)
        assert main(["trees", "hostile.jsonl", "--no-app", *words]) == 0
        out = capsys.readouterr().out
        assert words or "\x1b]0" not in out
        assert "--csv" not in words or ",'=" in out or "'=" in out
