"""Runs of a PRM on a real cluster, whose workers, nodes and drivers are killed."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest

import hostile_folder
import scoring_process
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from thoroughness import THOROUGH

pytestmark = pytest.mark.ray

MODEL = scoring_process.ROOT / "assets/demo/models/tiny-prm-m"
CASES = 1400 if THOROUGH else 600
DEATHS = (3, 6, 9, 10) if THOROUGH else (2, 3)
"""How many workers have been killed when each driver is; the last goes on to the end."""


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A workspace of invented cases that take some time: sums with twelve to thirty steps, each of its own length."""
    chance = random.Random(7)
    folder = tmp_path_factory.mktemp("cases")
    with (folder / "sums.jsonl").open("w") as out:
        for number in range(CASES):
            total, steps = 0, []
            for step in range(chance.randrange(12, 31)):
                more = chance.randrange(1000)
                steps.append(
                    f"Adding {more} to {total} gives {total + more}, which is the sum after {step + 1} numbers."
                )
                total += more
            case = {"id": f"sum-{number}", "problem": f"Add up list {number}.", "steps": steps, "label": -1}
            out.write(json.dumps(case) + "\n")
    made = scoring_process.commanded_here("import", folder / "sums.jsonl", "-w", folder / "ws")
    assert made.returncode == 0, made.stderr
    return folder / "ws"


@pytest.fixture
def workspace(filled, tmp_path):
    return Path(shutil.copytree(filled, tmp_path / "ws"))


@pytest.fixture(scope="session")
def expected(filled, cluster, tmp_path_factory):
    """What one machine gives."""
    place = shutil.copytree(filled, tmp_path_factory.mktemp("one") / "ws")
    code, _, err = scoring_process.ran(*words_of(place, "--device=cpu"), env=cluster.environment)
    assert code == 0, err
    return kept(place)


def words_of(workspace, *more):
    (name,) = Workspace.open(workspace).benchmarks()
    return ("score", name, "--workspace", workspace, "--model", MODEL, *more)


def kept(workspace):
    """Rewards and reasons by content, each of which is there once."""
    (folder,) = workspace.glob("rewards/*")
    parts = RewardParts(folder)
    frame, problems = parts.read()
    assert problems == []
    assert sum(pl.read_parquet(path).height for path in parts.parts()) == frame.height
    return {key: (rewards, reason) for key, rewards, reason in frame.select("key", "rewards", "reason").iter_rows()}


def same(found, expected):
    assert found.keys() == expected.keys()
    for key, (rewards, reason) in expected.items():
        assert found[key][0] == pytest.approx(rewards, abs=1e-5)
        assert found[key][1] == reason


def on(cluster, workspace, *more):
    words = words_of(workspace, "--engine=ray", f"--address={cluster.address}", *more)
    return scoring_process.started(*words, env=cluster.environment)


def killed(cluster, chance):
    """Kill a worker that is at work, if there is one."""
    found = cluster.workers()
    if not found:
        return False
    try:
        os.kill(chance.choice(found), signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def saved_rows(workspace):
    return sum(
        pl.read_parquet(path).height for folder in workspace.glob("rewards/*") for path in RewardParts(folder).parts()
    )


def test_workers_and_drivers_are_killed_and_the_rows_are_those_of_one_machine(cluster, workspace, expected):
    chance = random.Random(26)
    deaths, before = 0, 0
    for wanted in DEATHS:
        with on(cluster, workspace, "--workers=4") as process:
            first = json.loads(process.stdout.readline())
            # Nothing that was saved is computed again.
            assert (first["cached"], first["to_do"]) == (before, CASES - before)
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "saved" and deaths < wanted:
                    deaths += killed(cluster, chance)
                elif event["event"] == "saved" and wanted < DEATHS[-1]:
                    process.kill()
                    break
            process.communicate(timeout=120)
        before = saved_rows(workspace)
    assert (process.returncode, event["event"], event["status"], event["left"]) == (0, "end", "done", 0)
    assert deaths == DEATHS[-1]
    same(kept(workspace), expected)


def test_a_node_that_comes_is_used_and_one_that_dies_costs_what_its_worker_held(cluster, workspace, expected):
    (number,) = cluster.add()
    with on(cluster, workspace) as process:
        nodes, taken = set(), False
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "nodes":
                nodes |= {node["name"] for node in event["nodes"] if node["working"]}
            if cluster.host(number) in nodes and not taken:
                taken = True
                cluster.kill(number)
        process.communicate(timeout=120)
    assert (process.returncode, event["status"]) == (0, "done")
    assert taken
    same(kept(workspace), expected)


def test_no_cluster_and_a_wrong_token_are_a_sentence(cluster, workspace):
    # Nobody listens there: that is seen before Ray is asked for anything, and needs no process of its own.
    code, _, err = scoring_process.ran_here(*words_of(workspace, "--engine=ray", "--address=127.0.0.9:1"))
    assert (code, err.count("\n")) == (2, 1)
    assert "the Ray cluster at 127.0.0.9:1 cannot be joined" in err
    # Ray asks once, and not twenty times, a second apart.
    wrong = {**cluster.environment, "RAY_AUTH_TOKEN": "0" * 32, "RAY_NUM_REDIS_GET_RETRIES": "1"}
    code, _, err = scoring_process.ran(*words_of(workspace, "--engine=ray", f"--address={cluster.address}"), env=wrong)
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot be joined (it asks for another token)" in err
    assert cluster.environment["RAY_AUTH_TOKEN"] not in err


def test_a_signal_ends_the_run_with_what_it_has_and_its_workers(cluster, workspace):
    with on(cluster, workspace, "--workers=2") as process:
        for line in process.stdout:
            if json.loads(line)["event"] == "saved":
                break
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    end = json.loads(out.splitlines()[-1])
    assert (process.returncode, end["status"]) == (143, "interrupted")
    assert end["saved"] == saved_rows(workspace)
    until = time.monotonic() + 30
    while cluster.workers() and time.monotonic() < until:
        time.sleep(0.2)
    assert cluster.workers() == []


def test_workers_run_no_code_of_the_folder_that_the_run_was_started_in(cluster, workspace, tmp_path, monkeypatch):
    log = hostile_folder.enter(tmp_path, monkeypatch)
    words = words_of(workspace, "--engine=ray", f"--address={cluster.address}", "--workers=1", "--limit=20")
    done = subprocess.run(
        [*hostile_folder.RUN, *map(str, words)],
        env={**os.environ, **cluster.environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert hostile_folder.imported(log) == []
