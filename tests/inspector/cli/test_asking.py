"""`prm-inspect score --critic` against a real server of HTTP; a run with a key as a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import critic_spaces
from scoring.workspace.cache import VoteParts
from scoring.workspace.workspace import Workspace
from scoring_process import commanded_here
from servers.fault_server import Behaviour, running

pytest.importorskip("httpx")
ROOT = Path(__file__).parents[3]
SECRET = "sk-not-to-be-seen"  # noqa: S105  # opens nothing
PASSWORD = "not-to-be-repeated"  # noqa: S105  # nor does this


@pytest.fixture
def space(tmp_path):
    return critic_spaces.imported(tmp_path)


def words_of(space, server, *words):
    asks = ("--critic", "processbench", "--server", server.url, "--tries", "2", "--timeout", "5")
    return ["score", "processbench", *asks, "-w", str(space), *words]


def asked(space, server, *words, cwd):
    return commanded_here(*words_of(space, server, *words), cwd=cwd)


def asked_by_a_process(space, server, *words, cwd, **env):
    argv = [sys.executable, "-m", "inspector.cli", *words_of(space, server, *words)]
    whole = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(argv, capture_output=True, text=True, check=False, cwd=cwd, env=whole, timeout=120)


def kept(space):
    (folder,) = Workspace.open(space).reward_folders()
    return VoteParts(folder).read()[0]


def test_votes_are_asked_for_kept_and_not_asked_for_again(space, tmp_path):
    with running() as server:
        first = asked(space, server, "--votes", "4", cwd=tmp_path)
        calls = server.seen.paths["/v1/chat/completions"]
        again = asked(space, server, "--votes", "4", cwd=tmp_path)
        assert server.seen.paths["/v1/chat/completions"] == calls == 12
    assert (first.returncode, first.stdout, again.returncode) == (0, "", 0)
    assert "tiny-processbench-t1: 0 cached, 12 to do" in first.stderr
    assert "Done: 12 of 12 cases have all their answers, in " in first.stderr
    assert "48 of 48 answers came, and all could be read" in first.stderr
    assert "12 calls, 0 of them again after a failure" in first.stderr
    assert first.stderr.splitlines()[-1] == f"What fewer votes would have said: prm-inspect votes -w {space}"
    assert "Nothing to do: 12 cases have all their answers, 0 were refused before." in again.stderr
    assert kept(space).height == 48


def test_a_dry_run_tells_what_would_be_asked_and_asks_nothing(space, tmp_path):
    prices = tmp_path / "prices.toml"
    prices.write_text('currency = "EUR"\n[[price]]\nmodel = "*"\nin = 1\nout = 1000\n')
    with running() as server:
        words = ["--votes", "2", "--max-tokens", "100", "--prices", str(prices), "--dry-run"]
        answer = asked(space, server, *words, cwd=tmp_path)
        assert not server.seen.paths["/v1/chat/completions"]
    assert answer.returncode == 0
    assert "In all: 12 prompts for 24 answers, " in answer.stderr
    assert "The answers have at most 2,400 tokens, 100 each." in answer.stderr
    assert "with the longest answers 2.40 EUR." in answer.stderr
    assert "Only looked: 12 cases lack 24 answers; nothing was asked or saved." in answer.stderr
    assert not Workspace.open(space).reward_folders()


def test_answers_that_cannot_be_read_are_no_refusals(space, tmp_path):
    with running(Behaviour(message={"role": "assistant", "content": "Who knows?"})) as server:
        answer = asked(space, server, cwd=tmp_path)
    assert answer.returncode == 0
    assert "12 of 12 answers came: 12 unparsed" in answer.stderr
    assert set(kept(space)["reason"]) == {"no box"}


def test_answers_that_do_not_come_are_told_and_asked_for_again(space, tmp_path):
    with running(Behaviour(faults={"error": 1.0})) as server:
        failed = asked(space, server, cwd=tmp_path)
        server.behaviour.faults = {}
        mended = asked(space, server, cwd=tmp_path)
    assert failed.returncode == 1
    assert "(the same command asks again)" in failed.stderr
    assert failed.stderr.count("no answer: processbench/") <= 5
    assert "without an answer that should have come: the same command asks again." in failed.stderr
    assert mended.returncode == 0
    assert kept(space)["answer"].null_count() == 0


def test_a_key_goes_to_the_server_and_nowhere_else(space, tmp_path):
    # A process that has heard of a key masks it for good: this one never hears of it.
    with running(Behaviour(key=SECRET)) as server:
        without = asked(space, server, cwd=tmp_path)
        told = asked_by_a_process(space, server, cwd=tmp_path, PRM_INSPECT_API_KEY=SECRET)
        assert server.seen.headers[-1]["authorization"] == f"Bearer {SECRET}"
    assert without.returncode == 2
    assert "PRM_INSPECT_API_KEY" in without.stderr
    assert told.returncode == 0, told.stderr
    assert SECRET not in told.stderr + without.stderr
    assert not [path for path in space.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_a_server_that_is_not_there_is_one_sentence(space, tmp_path):
    with running() as server:
        pass
    answer = asked(space, server, "--model", "m", cwd=tmp_path)
    assert answer.returncode == 2
    assert "The engine cannot run: no server answers" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_an_address_with_a_password_is_refused_and_not_repeated(space, tmp_path):
    with running() as server:
        answer = asked(space, server, "--server", f"http://me:{PASSWORD}@127.0.0.1:1", cwd=tmp_path)
    assert answer.returncode == 2
    assert "Give the key" in answer.stderr or "give the key" in answer.stderr
    assert PASSWORD not in answer.stderr
