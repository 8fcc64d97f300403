"""A checkpoint of mr_eval with lists longer and shorter than the steps, from `import` to `metrics` and out again."""

import json

import pytest

from inspector.cli import main

STEPS = {"a": 3, "b": 3, "c": 2, "d": 2}
ERRORS = {"a": [2], "b": [3], "c": [1], "d": [2, 4]}
LABELS = {
    # Two of three steps, the wrong one among them; two of three, none of them wrong; one more; two more, of which the
    # last is a listed error step.
    "a": [True, False],
    "b": [True, True],
    "c": [False, True, True],
    "d": [True, False, False, False],
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No workspace of the machine is touched."""
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", str(tmp_path / "w"))
    monkeypatch.chdir(tmp_path)


def benchmark(name):
    """A row of PRMBench."""
    steps = [f"step {step} of {name}" for step in range(STEPS[name])]
    return {
        "idx": name,
        "classification": "counterfactual",
        "original_question": f"What is {name}?",
        "modified_question": f"What is {name}?",
        "original_process": steps,
        "modified_process": steps,
        "modified_steps": ERRORS[name],
        "error_steps": ERRORS[name],
        "reason": "",
    }


def result(name, labels, rewards=None):
    """A line of a checkpoint."""
    scores = {"step_level_validity_labels": labels}
    if rewards is not None:
        scores["step_level_validity_scores"] = rewards
    record = {"scores": scores, "idx": f"counterfactual_{name}"}
    return {"task_name": "prmtest_classified", "model_name": "a-prm", "results": record}


def lines(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return str(path)


def imported(tmp_path, results, capsys):
    """What `import` says."""
    cases = lines(tmp_path / "counterfactual.jsonl", [benchmark(name) for name in STEPS])
    assert main(["import", cases]) in (0, 1)
    capsys.readouterr()
    assert main(["import", lines(tmp_path / "a_checkpoint.jsonl", results), "--benchmark", "prmbench"]) in (0, 1)
    said = capsys.readouterr()
    return said.out + said.err


def metrics(capsys):
    assert main(["metrics", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    values = {row["metric"]: row["value"] for row in document["rows"] if row["subset"] == "all"}
    return values, document["provenance"]["notes"]


def test_labels_of_other_lengths_count_as_in_the_toolkit_and_are_told(tmp_path, capsys):
    said = imported(tmp_path, [result(name, labels) for name, labels in LABELS.items()], capsys)
    assert "2 x fewer-labels" in said
    assert "2 x more-labels" in said
    values, notes = metrics(capsys)
    # a: TP, TN. b: TP, TP. c: TN, TP, TP. d: TP, TN, FN, TN.
    assert values["positive_acc"] == pytest.approx(6 / 7)
    assert values["negative_acc"] == 1
    assert values["validity_rate"] == 1
    # b has no label on its first error.
    assert values["first"] == 1
    assert "a-prm: fewer labels than steps on 2 of the cases" in " ".join(notes)
    assert "a-prm: more labels than steps on 2 of the cases" in " ".join(notes)


def test_a_case_without_a_wrong_label_and_with_labels_missing_has_no_verdict(tmp_path, capsys):
    imported(tmp_path, [result(name, labels) for name, labels in LABELS.items()], capsys)
    assert main(["cases", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    found = {row["id"]: (row["a-prm.verdict"], row["a-prm.outcome"]) for row in rows}
    assert list(found.values()) == [(1, "exact"), (None, "refused"), (0, "exact"), (1, "exact")]
    assert main(["show", rows[1]["case"], "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["a-prm.wrong"] for row in document["rows"]] == [False, False, None]
    assert document["provenance"]["outcome"]["a-prm"] == "refused: labels for 2 of 3 steps"


def test_labels_of_any_length_go_out_as_they_came(tmp_path, capsys):
    results = [result(name, labels) for name, labels in LABELS.items()]
    imported(tmp_path, results, capsys)
    assert main(["export", "rewards", "--to", "mr_eval"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == results


def test_labels_on_differences_become_a_threshold_that_writes_the_same_labels(tmp_path, capsys):
    rewards = {"a": [0.9, 0.6, 0.8], "b": [0.2, 0.18, 0.9], "c": [0.9, 0.89], "d": [0.7, 0.1]}
    labels = {
        name: [value - before > -0.05 for value, before in zip(row, [0.0, *row], strict=False)]
        for name, row in rewards.items()
    }
    results = [result(name, labels[name], rewards[name]) for name in STEPS]
    said = imported(tmp_path, results, capsys)
    assert "its reward less that of the step before (of the first, its reward) <= -0.05" in said
    _, notes = metrics(capsys)
    assert any(note.startswith("a-prm: a step is judged wrong iff its reward less") for note in notes)
    assert main(["export", "rewards", "--to", "mr_eval"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == results
    # Moved, it is still one on differences.
    assert main(["export", "rewards", "--to", "mr_eval", "--threshold", "-0.5"]) == 0
    moved = [json.loads(line)["results"]["scores"] for line in capsys.readouterr().out.splitlines()]
    assert [one["step_level_validity_labels"] for one in moved] == [[True] * 3, [True] * 3, [True] * 2, [True, False]]


def test_scores_that_were_cut_off_leave_their_labels_to_the_toolkit(tmp_path, capsys):
    results = [result("a", [True, False], [0.9, 0.2]), result("b", [True, True, False], [0.9, 0.8, 0.1])]
    imported(tmp_path, results, capsys)
    values, notes = metrics(capsys)
    assert (values["positive_acc"], values["negative_acc"], values["first"]) == (1, 1, 1)
    assert any("fewer labels than steps on 1 of the cases" in note for note in notes)
