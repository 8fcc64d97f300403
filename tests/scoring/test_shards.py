"""Runs over several devices, here the CPU twice: real processes, one stream of events."""

import json
import os
import signal
from pathlib import Path

import pytest

import checkpoints
import making
import reference
import scoring_process
from scoring.cache import RewardParts
from scoring.shards import in_share
from thoroughness import also

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


def test_shares_are_disjoint_and_cover_everything():
    keys = [f"{index * 2654435761 % 2**48:012x}{'0' * 20}" for index in range(3000)]
    for shares in (1, 2, 3, 7):
        counts = [sum(in_share(key, number, shares) for key in keys) for number in range(shares)]
        assert sum(counts) == 3000
        assert min(counts) > 0.8 * 3000 / shares


def test_two_processes_score_what_one_does_each_case_once(tmp_path, model):
    workspaces = [making.workspace(tmp_path / name, FEW, []) for name in ("one", "two")]
    assert scoring_process.ran_here(*words_of(workspaces[0], model, "--device=cpu"))[0] == 0
    code, events, err = ran(workspaces[1], model, "--device=cpu,cpu")
    assert (code, err) == (0, "")
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds.count("start"), kinds.count("ready"), kinds.count("end")) == ("start", 1, 2, 1)
    first, last = events[0], events[-1]
    assert (first["contents"], first["to_do"], last["scored"], last["saved"], last["left"]) == (60, 60, 60, 60, 0)
    assert [event["total"] for event in events if event["event"] == "saved"][-1] == 60
    (found, rows), (expected, _) = kept(workspaces[1]), kept(workspaces[0])
    assert rows == 60
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(expected[key], abs=1e-5) for key in expected)
    again = ran(workspaces[1], model, "--device=cpu,cpu", env=scoring_process.light())
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
def test_kill_9_of_one_leaves_the_others_saves_and_says_so(tmp_path, model, slow):
    workspace = making.workspace(tmp_path / "ws", MANY, [])
    with start(workspace, model, "--device=cpu,cpu", "--token-budget=300", env=slow) as process:
        until(process, "saved")
        os.kill(children(process)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=120)
    end = json.loads(out.splitlines()[-1])
    assert process.returncode == 2
    assert end["status"] == "failed"
    assert "was killed by SIGKILL" in end["error"]["sentence"]
    assert end["error"]["sentence"] in err
    saved = len(kept(workspace)[0])
    # A part may have been written and not told of.
    assert end["saved"] <= saved < 900
    assert end["left"] == 900 - end["saved"] > 0
    code, events, _ = ran(workspace, model, "--device=cpu,cpu", env=slow and scoring_process.light())
    assert (code, events[0]["cached"], events[-1]["left"]) == (0, saved, 0)
    assert len(kept(workspace)[0]) == 900


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
    code, events, err = ran(workspace, tmp_path / "nowhere", "--device=cpu,cpu")
    assert (code, len(events), len(err.splitlines())) == (2, 1, 1)


@pytest.mark.parametrize("words", [["--shard=2/2"], ["--shard=x"], ["--shard=0/2", "--device=cpu,cpu"]])
def test_wrong_usage(tmp_path, model, words):
    code, events, err = ran(making.workspace(tmp_path / "ws", FEW, []), model, *words)
    assert (code, events) == (2, [])
    assert "usage" in err
