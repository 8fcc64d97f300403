"""`prm-inspect score` and `demo --rescore`, with the bundled PRM where torch is installed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import authored
from inspector import cli
from inspector.shell import score
from scoring.cache import RewardParts
from scoring.workspace import Workspace

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "assets" / "demo" / "models" / "tiny-prm-s"
RUN = [sys.executable, "-m", "inspector.cli"]


def run(*words, cwd):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([*RUN, *words], capture_output=True, text=True, check=False, cwd=cwd, env=env, timeout=240)


@pytest.fixture
def imported(tmp_path):
    file = authored.write(tmp_path / "sums.json", authored.rows(60))
    assert cli.main(["import", str(file), "-w", str(tmp_path / "space"), "-q"]) == 0
    return tmp_path / "space"


def saved(root):
    (folder,) = Workspace.open(root).reward_folders()
    return RewardParts(folder).read()[0].sort("key")


def test_a_checkpoint_that_is_not_there_is_one_sentence(imported, tmp_path):
    answer = run("score", "processbench", "--model", "no/such", "-w", str(imported), cwd=tmp_path)
    assert answer.returncode == 2
    assert "Traceback" not in answer.stderr
    assert answer.stdout == ""
    assert len(answer.stderr.strip().splitlines()) == 1


def test_a_workspace_that_is_not_there_is_one_sentence(tmp_path):
    answer = run("score", "processbench", "--model", str(MODEL), "-w", str(tmp_path / "none"), cwd=tmp_path)
    assert answer.returncode == 2
    assert answer.stderr.startswith("No workspace:")


def test_a_run_resumes_and_says_what_is_cached(imported, tmp_path):
    pytest.importorskip("torch")
    words = ["score", "processbench", "--model", str(MODEL), "-w", str(imported)]
    first = run(*words, "--limit", "25", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "0 cached, 25 to do" in first.stderr
    part = saved(imported)
    second = run(*words, cwd=tmp_path)
    assert "25 cached, 35 to do" in second.stderr
    everything = saved(imported)
    assert everything.height == 60
    assert everything.join(part, on="key", how="semi").equals(part)
    third = run(*words, cwd=tmp_path)
    assert "60 cached, 0 to do" in third.stderr
    assert "loaded" not in third.stderr


def test_ctrl_c_saves_what_was_computed(imported, tmp_path):
    pytest.importorskip("torch")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [*RUN, "score", "processbench", "--model", str(MODEL), "-w", str(imported)]
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=env, start_new_session=True
    ) as process:
        while "loaded" not in (line := process.stderr.readline()):
            assert line
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode in {0, 130}
    assert "Traceback" not in rest
    assert "saved" in rest


def test_the_demo_is_scored_again_with_the_same_verdicts(tmp_path):
    pytest.importorskip("torch")
    answer = run("demo", "--rescore", "--no-app", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    told = [line for line in answer.stdout.splitlines() if "verdicts differ" in line]
    assert told
    assert all(": 0 of 240 verdicts differ from the cache" in line for line in told)
    assert "tiny-prm-s" in answer.stdout


def test_every_event_has_its_words(capsys):
    events = [
        {
            "event": "start",
            "scorer": "s",
            "cached": 1360,
            "refused": 2,
            "to_do": 2040,
            "notes": ["a part was left out"],
        },
        {"event": "ready", "engine": "e 1", "seconds": 2.0},
        {"event": "case_refused", "case": "b/1", "reason": "too long\x1b[2J"},
        {
            "event": "end",
            "status": "interrupted",
            "saved": 5,
            "refused": 1,
            "left": 3,
            "seconds": 1.5,
            "tokens": 10,
            "case_tokens": 10,
            "padding": 2,
        },
        {"event": "something-new"},
    ]
    for event in events:
        score._tell(event)
    told = capsys.readouterr().err
    assert "s: 1,360 cached, 2 refused before, 2,040 to do" in told
    assert "a part was left out" in told
    assert "refused: b/1: too long␛[2J" in told
    assert "Interrupted: 5 saved, 1 refused, 3 left, in 1.5 s" in told
    assert "16.7% padding" in told
    assert "\x1b" not in told
