"""Shards of a run on machines of their own, into one workspace in a bucket whose every fifth request fails."""

import json

import polars as pl
import pytest

import checkpoints
import fake_scoring
import making
import reference
import scoring_process
from scoring.runs import leases
from scoring.runs.engine_options import EngineOptions
from scoring.workspace.cache import RewardParts
from scoring.workspace.remote import finish
from scoring.workspace.workspace import Workspace

pytest.importorskip("torch")
CASES = 80
LEASE = 6.0


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp("models") / "tiny")


def kept(root):
    (folder,) = root.glob("rewards/*")
    frame, problems = RewardParts(folder).read()
    assert problems == []
    return dict(frame.select("key", "rewards").iter_rows())


def test_shards_in_any_order_one_killed_and_one_with_two_workers_are_the_whole(
    proxy, address, machine, model, tmp_path, monkeypatch
):
    local = making.workspace(tmp_path / "local", [reference.Case(index % 5 + 1, -1) for index in range(CASES)], [])
    words = ("score", "bench", "--model", model)
    monkeypatch.setattr(EngineOptions, "load", lambda *_, **__: fake_scoring.Engine())
    assert scoring_process.ran_here(*words, "-w", local.root, "--device=cpu")[0] == 0
    expected = kept(local.root)
    first = machine("first")
    first.sync()
    Workspace.create(first.root)
    making.workspace(first.root, [reference.Case(index % 5 + 1, -1) for index in range(CASES)], [])
    first.sync()
    proxy.fail_now_and_then(0.2)

    def environment(name, seconds):
        return {
            **scoring_process.light(seconds),
            "LEASE_SECONDS": str(LEASE),
            "XDG_CACHE_HOME": str(tmp_path / name / "cache"),
        }

    def shard(number, *more):
        return *words, "-w", address, f"--shard={number}/2", *more

    with scoring_process.started(*shard(2, "--device=cpu"), env=environment("killed", 0.2)) as process:
        for line in process.stdout:
            if json.loads(line)["event"] == "saved":
                break
        process.kill()
    scored = []
    # Two workers are processes; what is on one device needs none of its own.
    monkeypatch.setattr(leases, "EXPIRES", LEASE)
    monkeypatch.setattr(leases, "_TOUCHED", LEASE / 4)
    for number, devices, ran in (
        (1, "cpu,cpu", scoring_process.ran),
        (2, "cpu", scoring_process.ran_here),
        (1, "cpu", scoring_process.ran_here),
    ):
        finish()
        run = shard(number, f"--device={devices}")
        code, events, err = ran(*run, env=environment(f"machine {number}", 0.0))
        assert (code, err) == (0, "")
        scored.append(events[-1]["scored"])
    assert (scored[0], scored[2]) == (40, 0)
    proxy.fault = lambda *_: None
    last = machine("last")
    last.sync()
    assert kept(last.root) == expected
    assert sum(pl.read_parquet(part).height for part in last.root.glob("rewards/*/part-*")) <= CASES + 40
    assert sum(proxy.counts.values()) > 5
