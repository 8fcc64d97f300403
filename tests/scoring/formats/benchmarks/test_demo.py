import json

import pytest

from imports import import_source
from scoring.data.errors import DamagedWorkspace
from scoring.data.schema import CASES
from scoring.formats.benchmarks import demo


@pytest.fixture
def lines():
    """The rows of the bundled file."""
    text = (demo.folder() / "cases.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_bundled_cases_load_without_a_finding(lines):
    imported = demo.read()
    assert imported.cases.schema == CASES
    assert imported.cases.height == imported.read == len(lines)
    assert not imported.findings
    assert imported.erroneous
    assert imported.clean
    for name in ("problem", "steps", "earliest_error", "error_steps", "pattern", "original_steps", "modified_steps"):
        assert imported.cases[name].to_list() == [line[name] for line in lines]


def test_the_bundled_file_is_recognised_like_any_other(lines):
    assert import_source(str(demo.folder() / "cases.jsonl")).benchmark == "demo"
    assert all(map(demo.recognises, lines))
    assert not demo.recognises({"problem": "p", "steps": []})
    assert not demo.recognises(None)


@pytest.mark.parametrize(
    ("changes", "code", "kept"),
    [
        ({"steps": []}, "no-steps", 2),
        ({"problem": None}, "wrong-type", 2),
        ({"earliest_error": -7}, "bad-label", 3),
        ({"earliest_error": 99}, "label-beyond-end", 3),
        ({"error_steps": ["1"]}, "wrong-type", 3),
        ({"pattern": 5}, "wrong-type", 3),
    ],
)
def test_odd_rows_become_findings(processbench_file, lines, changes, code, kept):
    rows = [lines[0], {**lines[1], **changes}, lines[2]]
    imported = import_source(str(processbench_file(rows)))
    assert imported.cases.height == kept
    assert [(finding.code, finding.line) for finding in imported.findings] == [(code, 2)]


def test_repeated_ids_become_findings(processbench_file, lines):
    imported = import_source(str(processbench_file([lines[0], lines[0]])))
    assert imported.cases.height == 1
    assert [finding.code for finding in imported.findings] == ["repeated-id"]


def test_error_steps_come_in_order(processbench_file, lines):
    rows = [{**lines[0], "earliest_error": 0, "error_steps": [2, 0, 2]}]
    assert import_source(str(processbench_file(rows))).cases["error_steps"].to_list() == [[0, 2]]


def test_an_installation_without_the_files_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "scoring" / "formats" / "benchmarks" / "demo.py"))
    with pytest.raises(DamagedWorkspace, match="missing from this installation"):
        demo.folder()
