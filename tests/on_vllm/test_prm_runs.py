"""The whole scoring command with vLLM, one of ours and a server: the rewards that transformers gives."""

import contextlib
import json
import os
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("httpx")

import scoring_process
from scoring.engines.server.capabilities import greet  # stands with the ones around it
from scoring.workspace.cache import RewardParts  # stands with the ones around it
from scoring.workspace.workspace import Workspace  # stands with the ones around it
from servers import vllm_server
from vllm_rewards import TOLERANCE, in_session  # needs torch

pytestmark = pytest.mark.vllm


def scored(workspace, model, *more):
    """The events of a run over the demo's first cases, and its folder in the workspace."""
    words = ("score", "demo", "-w", workspace, "--model", model, "--limit", "60", *more)
    code, events, err = scoring_process.ran(*words)
    assert code == 0, err
    end = scoring_process.only(events, "end")
    assert (end["status"], end["scored"], end["refused"], end["saved"]) == ("done", 60, 0, 60)
    return events


def kept(events):
    """Rewards by content, the scorer as its folder tells it, and the rows."""
    folder = Path(scoring_process.only(events, "start")["folder"])
    frame, problems = RewardParts(folder).read()
    assert problems == []
    scorer = json.loads((folder / "scorer.json").read_text())
    return dict(frame.select("key", "rewards").iter_rows()), scorer, frame


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs") / "ws"
    Workspace.create(root)
    return root


@pytest.fixture(scope="module")
def here(workspace, prm_folder):
    return scored(workspace, prm_folder, "--device", "cpu")


def difference(found, expected):
    """The largest; all are within the tolerance."""
    assert found.keys() == expected.keys()
    for key, rewards in expected.items():
        assert found[key] == pytest.approx(rewards, abs=TOLERANCE)
    return max(abs(a - b) for key in found for a, b in zip(found[key], expected[key], strict=True))


def test_a_run_on_a_vllm_of_ours_is_killed_and_goes_on_with_nothing_computed_again(
    here, tmp_path, prm_folder, record_property
):
    root = tmp_path / "ws"
    Workspace.create(root)
    words = ("score", "demo", "-w", root, "--model", prm_folder, "--engine", "vllm")
    with scoring_process.started(*words) as process:
        for line in process.stdout:
            if json.loads(line)["event"] == "saved":
                ours = children_of(process.pid)
                process.kill()
                break
        assert "vLLM is starting (" in process.stderr.read()
    killed = time.monotonic()
    while any(map(in_session, ours)) and time.monotonic() < killed + 30:
        time.sleep(0.1)
    assert ours
    assert not any(map(in_session, ours)), "vLLM lives on"
    record_property("seconds until vLLM had ended too", f"{time.monotonic() - killed:.1f}")
    (folder,) = root.glob("rewards/*")
    saved = {path: path.read_bytes() for path in folder.glob("*.parquet")}
    rows = RewardParts(folder).read()[0].height
    assert rows

    code, events, err = scoring_process.ran(*words)
    assert code == 0, err
    start, end = scoring_process.only(events, "start"), scoring_process.only(events, "end")
    assert (start["cached"], end["scored"], end["left"]) == (rows, start["to_do"], 0)
    assert start["to_do"] == start["contents"] - rows
    record_property("of the contents saved when it was killed", f"{rows} of {start['contents']}")
    assert {path: path.read_bytes() for path in saved} == saved
    (rewards, scorer, frame), (expected, other, _) = kept(events), kept(here)
    assert frame.height == frame["key"].n_unique() == start["contents"]
    record_property(
        "rewards differ from transformers by", difference({key: rewards[key] for key in expected}, expected)
    )
    assert scorer == other, "what runs a PRM does not change who it is"
    assert scoring_process.only(events, "ready")["engine"].startswith("vllm 0.")
    assert set(frame["engine"]) == {scoring_process.only(events, "ready")["engine"]}
    assert [path.name for path in (root / "logs").iterdir()] == [f"vllm-{prm_folder.name}.log"]


def children_of(pid):
    """The processes that a process has started."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((place / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(place.name))
    return found


def test_on_a_server_another_scorer_gives_the_same_rewards(
    here, workspace, prm_folder, pooling_server, record_property
):
    events = scored(workspace, prm_folder, "--server", pooling_server, "--name", "served")
    (rewards, scorer, frame), (expected, other, _) = kept(events), kept(here)
    record_property("rewards differ from transformers by", difference(rewards, expected))
    start, ready = scoring_process.only(events, "start"), scoring_process.only(events, "ready")
    assert any("is taken at its word" in note for note in start["notes"])
    assert ready["engine"].startswith("vllm 0.")
    assert f"{pooling_server}/pooling" in ready["engine"]
    assert set(frame["engine"]) == {ready["engine"]}
    # What cannot be seen of a server is no part of who the scorer is said to be; how cases are read is.
    assert scorer["fingerprint"] != other["fingerprint"]
    assert scorer["settings"]["dtype"] == "as served"
    (model,) = greet([pooling_server]).capabilities[0].models
    assert scorer["settings"]["weights"] == {"served": model.name, "tokenizer": other["settings"]["weights"]}
    same = {name: value for name, value in scorer["settings"].items() if name not in {"dtype", "weights"}}
    assert same == {name: value for name, value in other["settings"].items() if name not in {"dtype", "weights"}}
    assert [scorer[name] for name in ("kind", "family", "threshold")] == [
        other[name] for name in ("kind", "family", "threshold")
    ]


def test_a_second_run_on_the_server_asks_nothing(here, workspace, prm_folder, pooling_server):
    words = ("score", "demo", "-w", workspace, "--model", prm_folder, "--limit", "60", "--server", pooling_server)
    code, events, err = scoring_process.ran(*words)
    assert code == 0, err
    start = scoring_process.only(events, "start")
    assert (start["scorer"], start["cached"], start["to_do"]) == ("served", 60, 0)
    assert [event["event"] for event in events] == ["start", "end"]


def test_several_vllms_of_this_machine_share_a_run(here, tmp_path, prm_folder, record_property):
    root = tmp_path / "ws"
    Workspace.create(root)
    words = ("score", "demo", "-w", root, "--model", prm_folder, "--limit", "60", "--engine=vllm", "--device=cpu,cpu")
    code, events, err = scoring_process.ran(*words)
    assert code == 0, err
    # How far each machine is, only workers tell; the first that is ready may have done all before the second is.
    assert any(event["event"] == "nodes" for event in events)
    record_property("workers that were ready", sum(event["event"] == "ready" for event in events))
    rewards, _, frame = kept(events)
    assert all("vllm" in engine for engine in frame["engine"])
    record_property("largest difference to transformers", f"{difference(rewards, kept(here)[0]):.1e}")


def test_workers_of_a_ray_cluster_run_vllm_each(here, tmp_path, prm_folder, record_property):
    pytest.importorskip("ray")
    from servers.ray_cluster import RayCluster

    root = tmp_path / "ws"
    Workspace.create(root)
    with RayCluster(**{name: os.environ[name] for name in vllm_server.ENVIRONMENT}) as cluster:
        cluster.add(2)
        words = ("score", "demo", "-w", root, "--model", prm_folder, "--limit", "60", "--engine=ray")
        on = ("--engine-on-worker=vllm", f"--address={cluster.address}")
        code, events, err = scoring_process.ran(*words, *on, env=cluster.environment)
    assert code == 0, err
    record_property("workers that were ready", sum(event["event"] == "ready" for event in events))
    rewards, _, frame = kept(events)
    assert all("vllm" in engine for engine in frame["engine"])
    record_property("largest difference to transformers", f"{difference(rewards, kept(here)[0]):.1e}")
