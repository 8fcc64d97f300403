"""Children never import code from the current folder, whichever command, screen or server starts them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import hostile_folder
from hostile_folder import RUN, imported
from scoring.data import python_child
from scoring_process import ROOT, light
from terminal import Terminal

MODEL = ROOT / "assets" / "demo" / "models" / "tiny-prm-s"


@pytest.fixture
def log(tmp_path, monkeypatch):
    return hostile_folder.enter(tmp_path, monkeypatch)


@pytest.mark.parametrize("source", ["folder", "empty entry of PYTHONPATH"])
def test_the_hostile_modules_are_imported_by_a_python_that_nobody_protects(log, source):
    code, environment = "import json", {**os.environ}
    if source != "folder":
        code, environment["PYTHONPATH"] = "import sys; sys.path.pop(0); import json", os.pathsep
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert "json" in imported(log)


SCORE = f"score processbench --model {MODEL} -w ../ws --name tiny --device"


@pytest.mark.parametrize(
    "line",
    [
        "doctor",
        f"{SCORE} cpu,cpu",
        f"{SCORE} cpu; stress tiny -w ../ws --cases 1 --device cpu --model {MODEL}",
        f"show processbench/1 -w ../ws --explain --model {MODEL}",
        f"prms check qwen --weights {MODEL} --cases sums.jsonl",
        "import sums.arrow -w ../again",
    ],
    ids=lambda line: line.replace("; ", " ").split()[0] + ("-stress" if "stress" in line else ""),
)
def test_no_command_runs_code_of_the_current_folder(log, line):
    sums = pl.DataFrame(
        {
            "id": ["1", "2"],
            "problem": "What is 1 + 1?",
            "steps": [["It is 3."], ["It is 2."]],
            "label": [0, -1],
        }
    )
    sums.write_ipc("sums.arrow")
    sums.write_ndjson("sums.jsonl")
    # Torch takes seconds to import, and is needed only where tokens are read.
    variables = {**os.environ, **(light() if line.startswith("score") else {})}
    for command in ("import sums.jsonl -w ../ws -q", *line.split("; ")):
        done = subprocess.run(
            [*RUN, *command.split()], env=variables, capture_output=True, text=True, timeout=240, check=False
        )
        assert done.returncode in {0, 1}, done.stdout + done.stderr
        assert imported(log) == []


def test_the_app_scores_without_code_of_the_current_folder(log):
    variables = {**os.environ, **light(), "LIGHT_DEVICE": "auto"}
    with Terminal([*RUN, "demo"], columns=100, lines=30, env=variables, cwd=Path.cwd()) as terminal:
        terminal.wait_for("240 cases")
        terminal.press("S")
        terminal.wait_for("tiny-prm-s")
        terminal.press("down", "down", "enter")
        terminal.wait_for("Done: ")
    assert imported(log) == []


PRINTS = """\
import json, subprocess, sys
import scoring
grandchild = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.path))"]
path = json.loads(subprocess.run(grandchild, capture_output=True, check=True).stdout)
print(json.dumps(dict(arguments=sys.argv[1:], own=scoring.__file__, child=sys.path, grandchild=path)))
"""


def test_a_child_is_this_copy_of_the_program_and_its_path_lacks_the_current_folder(log, tmp_path, monkeypatch):
    """Also where PYTHONPATH has an empty entry, or another package of the same name."""
    other = tmp_path / "other"
    hostile_folder.write_module(other / "scoring" / "__init__.py", log)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", str(other)]))
    monkeypatch.setattr(python_child, "_LAUNCH", python_child._LAUNCH.partition("runpy.run_module")[0] + PRINTS)
    facts = json.loads(python_child.run_python("scoring", "a", "b c").stdout)
    assert facts["arguments"] == ["a", "b c"]
    assert facts["own"] == str(ROOT / "scoring" / "__init__.py")
    for path in (facts["child"], facts["grandchild"]):
        assert str(Path.cwd()) not in path
        assert "" not in path
        assert str(other) in path
    assert imported(log) == []
