"""Hard2Verify: rows that are published encrypted, and who may have them in a workspace."""

import base64
import json

import pytest

from benchmark_rows import PROBLEM, STEPS, encrypted, rows_of
from benchmark_rows import hard2verify as row
from inspector.cli import main
from scoring.data.errors import UsageError
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks.case_format import problem_id
from scoring.formats.benchmarks.hard2verify import decrypted, load
from scoring.importing.batch import ImportOptions, read_sources
from scoring.workspace.workspace import Workspace

LABELS, FIRST = "human_labels", "human_labels_first_error_idx"


def one(value):
    imported = load(rows_of([value]))
    assert imported.cases.height == 1, imported.findings
    return imported.cases.row(0, named=True), imported


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


@pytest.mark.parametrize(("value", "said"), [(row(), []), (encrypted(row()), [("note", "decrypted")])])
def test_a_row_becomes_the_same_case_encrypted_or_not(value, said):
    case, imported = one(value)
    assert case == {
        **dict.fromkeys(CASES),
        "case": "hard2verify/u0",
        "key": content_key(PROBLEM, STEPS),
        "benchmark": "hard2verify",
        "id": "u0",
        "n_steps": 3,
        "earliest_error": 1,
        "error_steps": [1, 2],
        "problem_id": problem_id(PROBLEM),
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": STEPS,
    }
    assert codes(imported) == said
    # The canary goes where the texts go.
    assert imported.metadata.to_dicts() == [{"canary": "a canary that was made up"}]
    assert imported.label_base == (
        "labels of steps: 1 = right, 0 = wrong (1 are 1, 2 are 0); first errors 0-based, -1 = no error"
    )


def test_a_field_is_decrypted_with_the_digest_of_the_canary_repeated():
    # Worked out by hand: sha256("k") begins with 82 54 c3 29, "[1]" is 5b 31 5d, and d9 65 9e hides it.
    assert base64.b64encode(bytes([0xD9, 0x65, 0x9E])) == b"2WWe"
    assert decrypted("2WWe", "k") == [1]
    long = ["é" * 50, 2]
    assert decrypted(encrypted({"canary": "k", "question": long})["question"], "k") == long


@pytest.mark.parametrize(("question", "problem"), [("7", "7"), ("[2]", "[2]"), (7, "7"), ("plain: {", "plain: {")])
def test_a_problem_that_is_json_by_itself_stays_a_text(question, problem):
    assert one(encrypted(row(question=question)))[0]["problem"] == problem


@pytest.mark.parametrize(
    "change",
    [
        {"canary": "another"},
        {"canary": None},
        {"canary": ...},
        {"model_response_by_step": "%%%"},
        {"question": "not base64!"},
        {LABELS: "é"},
    ],
)
def test_what_the_canary_does_not_decrypt_is_left_out_with_its_line(change):
    whole = encrypted(row())
    broken = {key: value for key, value in {**whole, "unique_id": "b", **change}.items() if value is not ...}
    imported = load(rows_of([whole, broken]))
    assert imported.cases["id"].to_list() == ["u0"]
    assert codes(imported) == [("error", "not-decrypted"), ("note", "decrypted")]
    assert imported.findings[0].line == 2


@pytest.mark.parametrize(
    ("changes", "earliest", "steps", "code"),
    [
        ({LABELS: [1, 1, 1], FIRST: -1}, -1, [], None),
        # An error carries forward, and one that does not is kept as it is labelled.
        ({LABELS: [0, 1, 0], FIRST: 0}, 0, [0, 2], None),
        ({FIRST: 2}, 2, [1, 2], "labels-differ"),
        ({FIRST: None}, 1, [1, 2], None),
        ({FIRST: -3}, 1, [1, 2], "bad-label"),
        ({LABELS: [1, 2, 0]}, 1, None, "bad-label"),
        ({LABELS: [1, 0]}, 1, None, "label-count"),
        ({LABELS: "no list"}, 1, None, "wrong-type"),
    ],
)
def test_labels(changes, earliest, steps, code):
    case, imported = one(row(**changes))
    assert (case["earliest_error"], case["error_steps"]) == (earliest, steps)
    assert code in [None, *(found for _, found in codes(imported))]
    assert (code is None) == (not imported.findings)


def test_plain_text_reaches_a_workspace_only_where_that_is_said(tmp_path):
    published, plain = tmp_path / "published.jsonl", tmp_path / "plain.jsonl"
    published.write_text(json.dumps(encrypted(row())) + "\n")
    plain.write_text(json.dumps(row(1)) + "\n")
    workspace = Workspace.create(tmp_path / "w")
    batch = read_sources([str(published)], ImportOptions(), workspace, None)
    with pytest.raises(UsageError, match="published encrypted") as refused:
        batch.put(workspace)
    assert "--plain-text" in refused.value.next_step
    assert not [path for path in (tmp_path / "w").rglob("*") if path.is_file() and b"pens" in path.read_bytes()]
    assert workspace.benchmarks() == []
    # Who has them in plain text already is asked nothing.
    read_sources([str(plain)], ImportOptions(), workspace, None).put(workspace)
    read_sources([str(published)], ImportOptions(plain_text=True), workspace, None).put(workspace)
    assert workspace.cases(["hard2verify"])[0]["id"].sort().to_list() == ["u0", "u1"]


def test_the_flag_of_the_command_line_decides_and_looking_alone_needs_none(tmp_path, capsys):
    published, place = tmp_path / "published.jsonl", str(tmp_path / "w")
    published.write_text(json.dumps(encrypted(row())) + "\n")
    assert main(["import", "--workspace", place, "--dry-run", str(published)]) == 0
    assert "1 rows were decrypted" in capsys.readouterr().out
    assert main(["import", "--workspace", place, str(published)]) == 2
    assert "Import it with --plain-text" in capsys.readouterr().err
    assert main(["import", "--workspace", place, "--plain-text", str(published)]) == 0
    assert "1 new" in capsys.readouterr().out
