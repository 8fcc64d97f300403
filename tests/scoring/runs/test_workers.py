"""Runs on several workers of this machine, here the CPU twice: real processes, one stream of events."""

import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

import checkpoints
import fake_scoring
import making
import reference
import scoring_process
from scoring.data.scorer import Scorer
from scoring.runs.engine_options import EngineOptions
from scoring.runs.plan import MissingAnswers
from scoring.runs.prm_worker import Worker, worker_prm
from scoring.runs.run_cases import RunCase
from scoring.runs.workers import (
    WorkBlock,
    WorkerFailed,
    WorkerReady,
    decode_block,
    decode_prm,
    decode_reply,
    encode_message,
)
from scoring.workspace.cache import RewardParts
from thoroughness import THOROUGH, also

pytest.importorskip("torch")
pytest.importorskip("transformers")

FEW = [reference.Case(index % 5 + 1, -1) for index in range(60)]
MANY = [reference.Case(index % 5 + 1, -1) for index in range(900)]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp("models") / "tiny")


def words_of(workspace, model, *more):
    return ("score", "bench", "--workspace", workspace.root, "--model", model, *more)


@pytest.fixture
def light_here(monkeypatch):
    """The engine of this process is the one that needs no torch."""
    monkeypatch.setattr(EngineOptions, "load", lambda *_, **__: fake_scoring.Engine())


@pytest.fixture(params=["light", *also("torch")])
def slow(request):
    """The environment of processes that compute for some seconds what this one would; how, their laws do not ask."""
    if request.param == "torch":
        return {}
    request.getfixturevalue("light_here")
    return scoring_process.light(0.1)


def start(*args, env=None):
    return scoring_process.started(*words_of(*args), env=env)


def kept(workspace):
    (folder,) = workspace.root.glob("rewards/*")
    frame, problems = RewardParts(folder).read()
    assert problems == []
    rows = sum(len(making.pl.read_parquet(path)) for path in RewardParts(folder).parts())
    return dict(frame.select("key", "rewards").rows()), rows


def until(process, kind):
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == kind:
            return event
    raise AssertionError(process.stderr.read())


def children(process):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == process.pid:
            found.append(int(path.parent.name))
    return sorted(found)


@pytest.mark.parametrize("devices", ["cpu,cuda:7", "cpu,cuda:7+cpu", "cpu,gpu", "cpu,"])
def test_a_device_that_is_not_here_is_refused_before_any_process_starts(model, tmp_path, devices):
    workspace = making.workspace(tmp_path / "ws", FEW, [])
    code, events, err = scoring_process.ran_here(*words_of(workspace, model, "--device", devices))
    assert (code, [event["event"] for event in events]) == (2, ["end"])
    assert err.count("\n") == 1
    assert f"device {devices.removeprefix('cpu,').removesuffix('+cpu')!r} is not usable here (" in err
    assert not list(workspace.root.glob("rewards/*"))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds children in /proc")
def test_however_runs_of_two_processes_end_each_case_is_computed_once_as_one_process_does(tmp_path, model, slow):
    """One is told to end, another's reader leaves, a third is killed beside a fourth, which finishes."""
    whole, workspace = (making.workspace(tmp_path / name, MANY, []) for name in ("one", "many"))
    assert scoring_process.ran_here(*words_of(whole, model, "--device=cpu"))[0] == 0
    words = (workspace, model, "--device=cpu,cpu", "--token-budget=300")
    signum = signal.SIGINT if THOROUGH else signal.SIGTERM
    with start(*words, env=slow) as told:
        for _ in range(2):
            until(told, "ready")
        for _ in range(2 if THOROUGH else 1):
            os.kill(children(told)[0], signal.SIGKILL)
            notice = until(told, "notice")["sentence"]
            assert re.match(
                r"the worker on cpu \(number [12]\) was killed by SIGKILL; \d+ cases are computed again", notice
            )
            until(told, "ready")
        until(told, "saved")
        told.send_signal(signum)
        out, err = told.communicate(timeout=60)
    end = json.loads(out.splitlines()[-1])
    assert (told.returncode, err) == (128 + signum, "")
    assert (end["event"], end["status"], end["signal"]) == ("end", "interrupted", signum)
    saved = len(kept(workspace)[0])
    assert 0 < end["saved"] == saved == 900 - end["left"]

    with start(*words, env=slow) as left:
        until(left, "saved")
        running = children(left)
        left.stdout.close()
        left.stderr.read()
    assert left.returncode == 2
    assert running
    assert not any(Path(f"/proc/{number}").exists() for number in running)
    assert saved < len(kept(workspace)[0]) < 900

    with start(workspace, model, "--device=cpu", env=slow) as killed, start(*words, env=slow) as last:
        start_of_last = until(last, "start")
        for process in (killed, last):
            until(process, "saved")
        killed.kill()
        out, err = last.communicate(timeout=120)
    assert (last.returncode, err) == (0, "")
    events = [json.loads(line) for line in out.splitlines()]
    end = events[-1]
    assert not [event for event in events if event["event"] == "start"]
    assert [event for event in events if event["event"] == "end"] == [end]
    assert (end["status"], end["left"]) == ("done", 0)
    assert (start_of_last["contents"], end["scored"] + end["cached"]) == (900, 900)
    assert 0 < end["saved"] == end["scored"] <= start_of_last["to_do"]
    assert [event["total"] for event in events if event["event"] == "saved"][-1] == end["saved"]
    (found, rows), (expected, _) = kept(workspace), kept(whole)
    assert rows == 900
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(expected[key], abs=1e-5) for key in expected)
    again = scoring_process.ran_here(*words_of(workspace, model, "--device=cpu,cpu"))
    assert (again[0], again[1][0]["cached"], again[1][0]["to_do"]) == (0, 900, 0)


def test_what_is_wrong_with_the_request_is_said_once(tmp_path):
    workspace = making.workspace(tmp_path / "ws", FEW, [])
    code, events, err = scoring_process.ran_here(*words_of(workspace, tmp_path / "nowhere", "--device=cpu,cpu"))
    assert (code, len(events), len(err.splitlines())) == (2, 1, 1)


def test_shards_in_any_order_one_of_them_twice_and_one_killed_are_the_whole(tmp_path, model, light_here):
    whole, workspace = (making.workspace(tmp_path / name, MANY, []) for name in ("one", "shards"))
    assert scoring_process.ran_here(*words_of(whole, model, "--device=cpu"))[0] == 0
    done = []
    with start(workspace, model, "--shard=2/4", "--device=cpu", env=scoring_process.light(0.1)) as process:
        until(process, "saved")
        process.kill()
    for number in (3, 1, 3, 4, 2):
        code, events, _ = scoring_process.ran_here(*words_of(workspace, model, f"--shard={number}/4", "--device=cpu"))
        assert (code, events[0]["contents"]) == (0, 225)
        done.append(events[-1]["scored"])
    assert done[:4] == [225, 225, 0, 225]
    assert 0 < done[4] < 225
    (found, rows), (expected, _) = kept(workspace), kept(whole)
    assert (found, rows) == (expected, 900)


@pytest.mark.parametrize("words", [["--shard=0/2"], ["--shard=3/2"], ["--shard=x"]])
def test_wrong_usage(tmp_path, model, words):
    code, events, err = scoring_process.ran_here(*words_of(making.workspace(tmp_path / "ws", FEW, []), model, *words))
    assert (code, events) == (2, [])
    assert "usage" in err


# -- what a worker itself finds wrong

PRM = {"revision": None, "base": None, "reference": None, "allow_pickle": False, "adapter": None, "options": {}}


def test_a_worker_that_has_another_program_or_another_model_says_so(model, tmp_path):
    asked = worker_prm(
        "0" * 64, str(model), {**PRM, "dtype": "auto"}, EngineOptions(device="cpu"), truncate=False, root=tmp_path
    )
    assert decode_prm(encode_message(asked)) == asked
    told = {
        "is another model than that of the run.": asked,
        "and the run is one of 0.0.": replace(asked, version="0.0"),
        "there is no folder": replace(asked, model=str(tmp_path / "nowhere")),
    }
    for sentence, prm in told.items():
        reply = Worker(prm).open()
        assert isinstance(reply, WorkerFailed)
        assert sentence in reply.sentence


def test_a_worker_computes_what_a_run_without_workers_does(model, tmp_path):
    workspace = making.workspace(tmp_path / "ws", FEW[:10], [])
    assert scoring_process.ran_here(*words_of(workspace, model, "--device=cpu"))[0] == 0
    (folder,) = workspace.root.glob("rewards/*")
    running = EngineOptions(device="cpu")
    fingerprint = Scorer.load(folder).fingerprint
    worker = Worker(
        worker_prm(fingerprint, str(model), {**PRM, "dtype": "auto"}, running, truncate=False, root=workspace.root)
    )
    assert isinstance(worker.open(), WorkerReady)
    frame = making.full_frame(FEW[:10])
    cases = [RunCase(*row) for row in frame.select("case", "key", "problem", "steps").rows()]
    block = WorkBlock(5, [(MissingAnswers(row), case) for row, case in enumerate(cases)])
    reply = decode_reply(encode_message(worker.compute(decode_block(encode_message(block)))))
    assert reply.number == 5
    found = {cases[result.place].key: result.rows[0]["rewards"] for result in reply.results}
    expected, _ = kept(workspace)
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(expected[key], abs=1e-5) for key in expected)


def test_without_ray_a_cluster_is_a_sentence(model, tmp_path, monkeypatch):
    workspace = making.workspace(tmp_path / "ws", FEW, [])
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "scoring.runs.ray_workers", raising=False)
    code, _, err = scoring_process.ran_here(*words_of(workspace, model, "--engine=ray"))
    assert (code, err) == (2, "Not installed: this needs the package 'ray'. Run: pip install 'prm-inspect[ray]'\n")
