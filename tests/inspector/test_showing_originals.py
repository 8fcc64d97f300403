import json

import pytest

import originals
from inspector import cli


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


def test_a_person_reads_what_the_screen_shows(root, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert shown(root, "redundency_sum_0") == 0
    out, err = capsys.readouterr()
    assert "1 step changed, 1 step added, 1 step removed" in out
    assert "0.80" in next(line for line in out.splitlines() if "Twice n" in line)
    assert err.startswith("command: ")


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
