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
from scoring.cache import RewardParts
from scoring.runs.plan import MissingAnswers
from scoring.runs.preparation import EngineOptions
from scoring.runs.run import RunCase
from scoring.runs.workers import (
    WorkBlock,
    Worker,
    WorkerFailed,
    WorkerReady,
    decode_block,
    decode_prm,
    decode_reply,
    encode_message,
    worker_prm,
)
from scoring.scorer import Scorer
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


@pytest.fixture(params=["light", *also("torch")])
def slow(request):
    """The environment of processes that take some seconds to compute; how, the laws of processes do not ask."""
    return scoring_process.light(0.1) if request.param == "light" else {}


@pytest.fixture
def light_here(monkeypatch):
    """The engine of this process, too, is the light one."""
    monkeypatch.setattr(EngineOptions, "load", lambda *_, **__: fake_scoring.Engine())


def start(*args, env=None):
    return scoring_process.started(*words_of(*args), env=env)


def ran(*args, env=None):
    return scoring_process.ran(*words_of(*args), env=env)


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


@pytest.fixture(params=["light", *also("torch")])
def here(request):
    """The environment of processes whose engine is that of this process."""
    if request.param == "torch":
        return {}
    request.getfixturevalue("light_here")
    return scoring_process.light()


def test_two_processes_score_what_one_does_each_case_once(tmp_path, model, here):
    workspaces = [making.workspace(tmp_path / name, FEW, []) for name in ("one", "two")]
    assert scoring_process.ran_here(*words_of(workspaces[0], model, "--device=cpu"))[0] == 0
    code, events, err = ran(workspaces[1], model, "--device=cpu,cpu", env=here)
    assert (code, err) == (0, "")
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds.count("start"), kinds.count("end")) == ("start", 1, 1)
    # Whichever is ready first may have done all of it before the other is.
    assert 1 <= kinds.count("ready") <= 2
    first, last = events[0], events[-1]
    assert (first["contents"], first["to_do"], last["scored"], last["saved"], last["left"]) == (60, 60, 60, 60, 0)
    assert [event["total"] for event in events if event["event"] == "saved"][-1] == 60
    (found, rows), (expected, _) = kept(workspaces[1]), kept(workspaces[0])
    assert rows == 60
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(expected[key], abs=1e-5) for key in expected)
    again = scoring_process.ran_here(*words_of(workspaces[1], model, "--device=cpu,cpu"))
    assert (again[0], again[1][0]["cached"], again[1][0]["to_do"]) == (0, 60, 0)


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGTERM, 143), *also((signal.SIGINT, 130))])
def test_a_signal_reaches_both_and_both_save(tmp_path, model, slow, signum, code):
    workspace = making.workspace(tmp_path / "ws", MANY, [])
    with start(workspace, model, "--device=cpu,cpu", "--token-budget=300", env=slow) as process:
        until(process, "saved")
        process.send_signal(signum)
        out, err = process.communicate(timeout=60)
    end = json.loads(out.splitlines()[-1])
    assert (process.returncode, err) == (code, "")
    assert (end["event"], end["status"], end["signal"]) == ("end", "interrupted", signum)
    assert end["saved"] == len(kept(workspace)[0]) == 900 - end["left"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds children in /proc")
def test_two_runs_share_what_one_that_was_killed_left_and_start_killed_workers_again(tmp_path, model, light_here):
    slow = scoring_process.light(0.1)
    whole, workspace = (making.workspace(tmp_path / name, MANY, []) for name in ("one", "many"))
    assert scoring_process.ran_here(*words_of(whole, model, "--device=cpu"))[0] == 0
    with start(workspace, model, "--device=cpu,cpu", env=slow) as process:
        for _ in range(2):
            until(process, "ready")
        for _ in range(2 if THOROUGH else 1):
            os.kill(children(process)[0], signal.SIGKILL)
            notice = until(process, "notice")["sentence"]
            assert re.match(
                r"the worker on cpu \(number [12]\) was killed by SIGKILL; \d+ cases are computed again", notice
            )
            until(process, "ready")
        until(process, "saved")
        process.kill()
    saved = len(kept(workspace)[0])
    assert 0 < saved < 900
    with (
        start(workspace, model, "--device=cpu,cpu", env=slow) as first,
        start(workspace, model, "--device=cpu", env=slow) as second,
    ):
        until(second, "ready")
        until(first, "saved")
        # It may be the other's turn: then this one holds no case. The run goes on all the same.
        os.kill(children(first)[0], signal.SIGKILL)
        ends = []
        for process in (first, second):
            out, err = process.communicate(timeout=120)
            assert (process.returncode, err) == (0, "")
            ends.append(json.loads(out.splitlines()[-1]))
    assert all(end["status"] == "done" and end["left"] == 0 and end["scored"] > 0 for end in ends)
    assert sum(end["scored"] for end in ends) == 900 - saved
    assert [end["scored"] + end["cached"] for end in ends] == [900, 900]
    (found, rows), (expected, _) = kept(workspace), kept(whole)
    assert (found, rows) == (expected, 900)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds children in /proc")
def test_a_reader_that_leaves_ends_all_of_them(tmp_path, model, slow):
    workspace = making.workspace(tmp_path / "ws", MANY, [])
    with start(workspace, model, "--device=cpu,cpu", "--token-budget=300", env=slow) as process:
        until(process, "saved")
        running = children(process)
        process.stdout.close()
        process.stderr.read()
    assert process.returncode == 2
    assert not any(Path(f"/proc/{number}").exists() for number in running)
    assert 0 < len(kept(workspace)[0]) < 900


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
