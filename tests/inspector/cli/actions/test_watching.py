"""The `watch` command: a real process beside a file that grows, what it says, and how it ends."""

import json
import signal
import subprocess
import sys

import pytest

import authored
from authored import json_lines
from inspector import cli
from inspector.cli.actions import watching
from scoring.api import open_workspace

CASES = authored.rows(8)
ROWS = [json_lines([{**row, "rewards": [0.9, 0.4, 0.1]}]) for row in CASES]
PROGRAM = """
import sys
from inspector.cli import main
from inspector.cli.actions import watching

watching.LOOK_SECONDS = watching.CASES_SECONDS = 0.1
sys.exit(main(sys.argv[1:]))
"""
"""The program, which looks more often than it usually does."""


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Starts the program on words, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    processes = []

    def start(*words):
        command = [sys.executable, "-c", PROGRAM, "watch", *words, "-w", "ws"]
        processes.append(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def events(process, wanted):
    """The objects that a process writes, up to one of the wanted event."""
    for line in process.stdout:
        event = json.loads(line)
        yield event
        if event["event"] == wanted:
            return


def test_a_file_that_grows_is_taken_row_by_row_until_it_is_interrupted(watched, tmp_path):
    process = watched("mine.jsonl", "--jsonl")
    assert [event["event"] for event in events(process, "awaited")] == ["awaited"]
    with (tmp_path / "mine.jsonl").open("wb", buffering=0) as file:
        file.write(b"".join(ROWS[:3]) + ROWS[3][:20])
        first = [*events(process, "imported")][-1]
        file.write(ROWS[3][20:] + ROWS[4])
        second = [*events(process, "imported")][-1]
    assert [(one["change"], one["cases"], one["rewards"], one["errors"]) for one in (first, second)] == [
        ("new", 3, 3, 0),
        ("grown", 5, 5, 0),
    ]
    (tmp_path / "mine.jsonl").unlink()
    assert [*events(process, "gone")][-1]["path"] == "mine.jsonl"
    process.send_signal(signal.SIGINT)
    rest, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert json.loads(rest)["cases"] == 5
    assert open_workspace(tmp_path / "ws").cases().height == 5


@pytest.mark.parametrize("flags", [(), ("--jsonl",)])
def test_results_that_a_rewritten_file_takes_away_are_told(watched, tmp_path, flags):
    (tmp_path / "mine.jsonl").write_bytes(b"".join(ROWS[:5]))
    process = watched("mine.jsonl", *flags)
    lines = iter(process.stdout.readline, "")
    assert any("imported" in line or "5 cases" in line for line in lines)
    (tmp_path / "mine.jsonl").write_bytes(b"".join(ROWS[:2]))
    told = next(line for line in lines if "replaced" in line)
    if flags:
        assert json.loads(told)["results_gone"] == 3
    else:
        assert "; warning: what it gave 3 cases before is gone" in told
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def test_it_ends_by_itself_and_says_what_it_took(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0)
    monkeypatch.setattr(watching, "CASES_SECONDS", 0)
    (tmp_path / "mine.jsonl").write_bytes(b"".join(ROWS[:3]) + ROWS[3][:20])
    assert cli.main(["watch", "mine.jsonl", "no.jsonl", "-w", "ws", "--until-idle", "0"]) == 1
    out = capsys.readouterr().out
    assert "mine.jsonl: 3 cases of 1 benchmark; 1 PRM (1 new)" in out
    assert "waiting: there is no file no.jsonl." in out
    assert "mine.jsonl (grown): 3 cases of processbench; 1 of 4 rows left out; mine: 3 of 3 joined" in out
    assert "1 file with 3 cases and 3 results; still waiting for: no.jsonl." in out
    assert cli.main(["watch", "no.jsonl", "-w", "ws", "--until-idle", "0"]) == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-",), "standard input is none of these"),
        (("hf:a/b",), "hf: is none of these"),
        (("https://host/x.jsonl?token=secret",), "https: is none of these"),
        (("runs", "mine.jsonl", "--name", "x"), "--name is for one file"),
    ],
)
def test_what_cannot_be_followed_is_refused(words, why, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["watch", *words]) == 2
    err = capsys.readouterr().err
    assert why in err
    assert "secret" not in err
