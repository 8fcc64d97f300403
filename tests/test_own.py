"""The examples of the README through the command: a benchmark and an adapter of one's own, a file each."""

import json
from pathlib import Path

import numpy as np
import pytest

import checkpoints
from inspector import cli

OWN = Path(__file__).parent / "own"
ROWS = [
    {"question": "1 + 1?", "lines": ["one and one", "so 3"], "first_wrong": 1},
    {"question": "2 + 2?", "lines": ["so 4"], "first_wrong": -1},
]


@pytest.fixture
def called(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", str(tmp_path / "ws"))
    monkeypatch.chdir(tmp_path)

    def call(*words):
        code = cli.main([str(word) for word in words])
        said = capfd.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return call


def test_a_file_reads_rows_and_another_scores_them(called, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    code, out, _ = called("import", OWN / "sums.py", rows)
    assert code == 0
    assert "sums" in out
    pytest.importorskip("torch")
    arrays = {name: array for name, array in checkpoints.tensors().items() if not name.startswith("score")}
    arrays["score.weight"] = np.full((1, checkpoints.HIDDEN), 0.1, np.float32)
    arrays["score.bias"] = np.zeros(1, np.float32)
    model = checkpoints.write(tmp_path / "mine", arrays=arrays)
    code, _, err = called("score", "sums", "--model", model, "--adapter", OWN / "newline_prm.py", "--device", "cpu")
    assert (code, "2 cases scored" in err) == (0, True)
    code, out, _ = called("scorers", "--json")
    (scorer,) = json.loads(out)["rows"]
    assert (scorer["scored"], scorer["about"]) == (2, "newline PRM, float32")


def test_what_is_wrong_with_a_file_is_said_and_nothing_is_written(called, tmp_path):
    (tmp_path / "odd.py").write_text("NAME = 'odd'\n")
    (tmp_path / "rows.jsonl").write_text("{}\n")
    code, out, err = called("import", "odd.py", "rows.jsonl")
    assert (code, out) == (2, "")
    assert "odd.py has no FORMAT, no load" in err
    assert not (tmp_path / "ws").exists()
