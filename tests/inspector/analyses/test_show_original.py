import json
import re
import shutil

import polars as pl
import pytest
from rich.cells import cell_len

import making
import originals
from inspector import cli
from scoring.data import schema
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("shown") / "w"
    originals.workspace(root)
    return root


def shown(root, case, *words):
    return cli.main(["show", case, "-w", str(root), "--original", *words])


def test_rows_are_the_steps_of_both_with_what_was_given_to_each(root, capsys):
    assert shown(root, "redundency_sum_0", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    rows = document["rows"]
    assert [(row["change"], row["original_step"], row["step"]) for row in rows] == [
        ("same", 0, 0),
        ("changed", 1, 1),
        ("added", None, 2),
        ("same", 2, 3),
        ("removed", 3, None),
    ]
    assert [row["alpha.original_reward"] for row in rows] == [0.9, 0.8, None, 0.4, 0.7]
    assert [row["alpha.reward"] for row in rows] == [0.9, 0.2, 0.35, 0.6, None]
    assert [row["alpha.original_wrong"] for row in rows] == [False, False, None, True, False]
    assert [row["alpha.wrong"] for row in rows] == [False, True, True, False, None]
    assert [row["original_text"] for row in rows if row["original_text"]] == list(originals.ORIGINAL)
    assert [row["text"] for row in rows if row["text"]] == list(originals.MODIFIED)
    facts = document["provenance"]
    assert (facts["original_problem"], facts["problem"]) == originals.QUESTIONS
    assert facts["command"].endswith(f"show prmbench/redundency_sum_0 --original --workspace {root} --json")


def test_a_person_reads_what_was_changed_and_what_was_given_to_both(root, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert shown(root, "redundency_sum_0") == 0
    out, err = capsys.readouterr()
    out = re.sub(r"\x1b\[[\d;]*m", "", out)
    assert "1 step changed, 1 step added, 1 step removed" in out
    assert "The benchmark lists steps 1, 3 as modified; what differs is steps 1, 2." in " ".join(out.split())
    lines = [re.split(" {2,}", line.strip()) for line in out.splitlines()]
    at = lines.index(["orig", "mod", "gold", "text", "alpha"])
    assert lines[at + 1 : at + 7] == [
        ["0", "0", "right", "Let n = 4.", "0.90 → 0.90"],
        ["~-", "1", "Twice n is wanted, so 2n = 16/2.", "0.80"],
        ["~+", "1", "▲ error", "Thrice n is wanted, so 3n = 24/2.", "0.20✗"],
        ["+", "2", "△ error step", "Say once more that n = 4.", "0.35✗"],
        ["2", "3", "right", "Add n to itself.", "0.40✗ → 0.60"],
        ["-", "3", "That is 8.", "0.70"],
    ]
    assert ["- question", "What is twice 4?"] in lines
    assert ["+ question", "What is thrice 4?"] in lines
    assert max(map(cell_len, out.splitlines())) <= 80
    assert err.startswith("command: ")


def test_rewards_of_many_scorers_stand_by_number(root, tmp_path, capsys):
    copy = tmp_path / "w"
    shutil.copytree(root, copy)
    cases = load(Query(workspace=str(copy))).cases
    for number in range(4):
        folder = copy / "rewards" / (scorer := making.scorer(f"more-{number}")).folder
        scorer.save(folder)
        rows = [{"key": key, "vote": 0, "rewards": [0.1] * n} for key, n in cases.select("key", "n_steps").iter_rows()]
        RewardParts(folder).append(pl.DataFrame(rows, schema=schema.REWARDS))
    assert shown(copy, "redundency_sum_0") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    at = lines.index(["orig", "mod", "(1)", "(2)", "(3)", "(4)", "(5)"])
    assert lines[at + 4] == ["+", "2", "0.35✗", *["0.10✗"] * 4]
    assert [line[1] for line in lines if line[:1] in ([f"({n})"] for n in range(1, 6))] == [
        "alpha", "more-0", "more-1", "more-2", "more-3",
    ]  # fmt: skip


def test_ascii_is_ascii(root, capsys):
    assert shown(root, "redundency_sum_0", "--ascii") == 0
    assert capsys.readouterr().out.isascii()


def test_an_original_that_was_not_scored_has_no_rewards(root, capsys):
    assert shown(root, "circular_sum_2", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["alpha.original_reward"] for row in rows} == {None}


def test_a_case_without_an_original_says_so(root, capsys):
    assert shown(root, "multi_solutions_sum_3") == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "has no original" in err


def test_the_threshold_asked_for_decides_both(root, capsys):
    assert shown(root, "redundency_sum_0", "--json", "--threshold", "0.3") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["alpha.original_wrong"] for row in rows] == [False, False, None, False, False]
    assert [row["alpha.wrong"] for row in rows] == [False, True, False, False, None]
