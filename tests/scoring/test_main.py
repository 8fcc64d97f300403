import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

import checkpoints
import fake_scoring
import making
import reference
import scoring_process
from killed import KILLS, score_slowly, told_until_killed
from scoring.models import fingerprint
from scoring.runs.engine_options import EngineOptions
from scoring.runs.events import GO_ON
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from thoroughness import also

pytest.importorskip("torch")
pytest.importorskip("transformers")

CASES = [reference.Case(index % 5 + 1, -1, subset=("one", "two")[index % 3 == 0]) for index in range(60)]
MANY = [reference.Case(index % 5 + 1, -1) for index in range(900)]


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def workspace(tmp_path):
    return making.workspace(tmp_path / "ws", CASES, [])


def words_of(workspace, model, *more, benchmark="bench"):
    return ("score", benchmark, "--workspace", workspace.root, "--model", model, "--device", "cpu", *more)


@pytest.fixture(params=["light", *also("torch")])
def engine(request, monkeypatch):
    """What computes here and in processes of this environment; how, the laws of processes do not ask."""
    if request.param == "torch":
        return {}
    monkeypatch.setattr(EngineOptions, "load", lambda *_, **__: fake_scoring.Engine())
    return scoring_process.light(0.05)


def start(*args, env=None):
    return scoring_process.started(*words_of(*args), env=env)


def ran(*args, **settings):
    """Exit code, events and words of a whole run, without a process of its own."""
    return scoring_process.ran_here(*words_of(*args, **settings))


def kept(workspace, name="tiny"):
    found = {}
    for folder in workspace.root.glob(f"rewards/{name}-*"):
        frame, problems = RewardParts(folder).read()
        assert problems == []
        found |= {key: (rewards, reason) for key, rewards, reason in frame.select("key", "rewards", "reason").rows()}
    return found


def parts(workspace):
    return {path: path.read_bytes() for path in workspace.root.glob("rewards/*/part-*.parquet")}


def assert_alike(found, expected):
    assert found.keys() == expected.keys()
    for key, (rewards, reason) in expected.items():
        assert found[key][1] == reason
        assert found[key][0] == (None if rewards is None else pytest.approx(rewards, abs=1e-5))


def until_saved(process):
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "saved":
            return event
    raise AssertionError(f"it ended before it saved: {process.stderr.read()}")


def test_a_run_scores_every_case_and_its_repetition_loads_nothing(workspace, model, tmp_path):
    code, events, err = ran(workspace, model)
    assert (code, err) == (0, "")
    assert [event["event"] for event in events][:2] == ["start", "ready"]
    end = events[-1]
    assert (end["event"], end["status"], end["scored"], end["refused"]) == ("end", "done", 60, 0)
    assert end["tokens"] == end["case_tokens"] > 0
    found = kept(workspace)
    assert len(found) == 60
    values = np.concatenate([rewards for rewards, _ in found.values()])
    assert np.ptp(values) > 0.05

    trap = tmp_path / "trap"
    trap.mkdir()
    for package in ("torch", "transformers", "tokenizers", "safetensors"):
        (trap / f"{package}.py").write_text("raise AssertionError('a finished run needs no engine')")
    before = parts(workspace)
    code, (first, last), err = scoring_process.ran(*words_of(workspace, model), env={"PYTHONPATH": str(trap)})
    assert code == 0, err
    assert (first["cached"], first["to_do"], last["saved"]) == (60, 0, 0)
    assert parts(workspace) == before


def test_a_case_over_the_models_length_is_refused_with_exit_code_1(tmp_path, workspace):
    short = checkpoints.write(tmp_path / "short", max_position_embeddings=130)
    code, events, _ = ran(workspace, short)
    refused = [event for event in events if event["event"] == "case_refused"]
    assert code == 1
    assert 0 < len(refused) == events[-1]["refused"] < 60
    assert "tokens are more than the 130 the model takes" in refused[0]["reason"]
    assert ran(workspace, short)[0] == 1


def test_a_case_over_the_models_length_is_cut_at_a_step_where_that_is_asked_for(tmp_path, workspace, model):
    short = checkpoints.write(tmp_path / "short", max_position_embeddings=130)
    refused = ran(workspace, short)[1][-1]["refused"]
    code, events, err = ran(workspace, short, "--truncate")
    assert (code, err) == (1, "")
    assert (events[0]["to_do"], events[-1]["truncated"]) == (refused, refused)
    told = {event["key"]: event for event in events if event["event"] == "case_refused"}
    assert len(told) == refused > 0
    ran(workspace, model)
    whole = kept(workspace)
    for key, (rewards, reason) in kept(workspace, "short").items():
        if key in told:
            assert 0 < len(rewards) == told[key]["scored_steps"] < len(whole[key][0])
            assert reason == told[key]["reason"]
            assert "--truncate" in reason
        # The family is causal: the rewards are those of the whole text.
        assert rewards == pytest.approx(whole[key][0][: len(rewards)], abs=1e-5)


def test_nan_weights_end_the_run_once_with_the_name_of_the_tensor(tmp_path, workspace):
    arrays = checkpoints.tensors()
    arrays["score.2.bias"][:] = np.nan
    code, events, err = ran(workspace, checkpoints.write(tmp_path / "nan", arrays=arrays))
    assert code == 2
    assert err.startswith("Cannot use the checkpoint: score.2.bias in ")
    assert err.count("\n") == 1
    assert not any(event["event"] == "case_refused" for event in events)
    assert kept(workspace, "nan") == {}


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), *also((signal.SIGTERM, 143))])
def test_a_run_that_is_told_to_end_or_killed_or_left_loses_nothing_saved_and_repeats_nothing(
    tmp_path, model, engine, signum, code
):
    workspace, whole = (making.workspace(tmp_path / name, MANY, []) for name in ("ended", "whole"))
    assert ran(whole, model)[0] == 0
    words = (workspace, model, "--token-budget", 600)
    with start(*words, env=engine) as told:
        until_saved(told)
        told.send_signal(signum)
        out, err = told.communicate(timeout=60)
    end = json.loads(out.splitlines()[-1])
    assert (told.returncode, err) == (code, "")
    assert (end["event"], end["status"], end["signal"]) == ("end", "interrupted", signum)
    assert 0 < end["saved"] == len(kept(workspace)) == 900 - end["left"]

    before = parts(workspace)
    with start(*words, env=engine) as killed:
        saved = until_saved(killed)
        time.sleep(0.3)
        killed.kill()
    after = parts(workspace)
    assert saved["part"] in {path.name for path in after}
    assert before.items() < after.items()

    before = after
    with start(*words, env=engine) as left:
        until_saved(left)
        left.stdout.close()
        err = left.stderr.read()
    assert (left.returncode, err) == (2, "")
    assert before.items() < parts(workspace).items()
    assert len(kept(workspace)) < 900

    before = parts(workspace)
    command = [sys.executable, "-m", "scoring", *map(str, words_of(*words))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = {**os.environ, **scoring_process.NO_HUB, **engine}
    with subprocess.Popen(command, text=True, env=environment, cwd=scoring_process.ROOT, **pipes) as left:
        plan = json.loads(left.stdout.readline())
        until_saved(left)
        # Whoever leaves with a word leaves the run to itself.
        os.write(left.stdin.fileno(), GO_ON)
        left.stdin.close()
        left.stdout.close()
        err = left.stderr.read()
    assert (left.returncode, err) == (0, "")
    rows = [pl.read_parquet(path)["key"].to_list() for path in before]
    assert (plan["cached"], plan["to_do"]) == (sum(map(len, rows)), 900 - sum(map(len, rows)))
    assert before.items() < parts(workspace).items()
    assert sum(pl.read_parquet(path).height for path in parts(workspace)) == 900
    assert_alike(kept(workspace), kept(whole))


@pytest.mark.parametrize("seed", [0, *also(1, 2)])
def test_kills_at_random_moments_lose_nothing_saved_and_nothing_is_computed_twice(tmp_path, model, seed, monkeypatch):
    monkeypatch.setattr(EngineOptions, "load", lambda *_, **__: fake_scoring.Engine())
    workspace = making.workspace(tmp_path / "killed", MANY, [])
    moments, before, saved = random.Random(seed), {}, 0
    for _ in range(KILLS):
        told = told_until_killed(moments, 5, score_slowly, *words_of(workspace, model))
        saved += sum(event["rows"] for event in map(json.loads, told) if event["event"] == "saved")
        after = parts(workspace)
        # What was saved is there, and as it was; a kill between a part and its event leaves a part more.
        assert before.items() <= after.items()
        assert sum(pl.read_parquet(path).height for path in after) >= saved
        assert len(kept(workspace)) >= saved
        before = after
    assert 0 < saved < 900
    code, events, err = ran(workspace, model)
    assert (code, err) == (0, "")
    assert events[0]["cached"] == sum(pl.read_parquet(path).height for path in before)
    assert sum(pl.read_parquet(path).height for path in parts(workspace)) == len(kept(workspace)) == 900
    whole = making.workspace(tmp_path / "whole", MANY, [])
    assert ran(whole, model)[0] == 0
    assert kept(workspace) == kept(whole)
    assert Workspace.open(workspace.root).cases(["bench"])[0].height == 900


def test_a_signal_while_it_loads_ends_it_at_once(workspace, model):
    with start(workspace, model) as process:
        assert json.loads(process.stdout.readline())["event"] == "start"
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    events = [json.loads(line) for line in out.splitlines()]
    assert process.returncode == 143
    assert [(event["event"], event["status"]) for event in events] == [("end", "interrupted")]
    assert kept(workspace) == {}


def test_a_checkpoint_changed_in_place_does_not_serve_the_old_rewards(tmp_path, workspace):
    folder = checkpoints.write(tmp_path / "tiny")
    assert ran(workspace, folder, "--limit", 5)[0] == 0
    old = kept(workspace)
    path = folder / "model.safetensors"
    stamp = path.stat()
    path.write_bytes((checkpoints.write(tmp_path / "b", seed=7) / "model.safetensors").read_bytes())
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    code, events, err = ran(workspace, folder, "--limit", 5)
    assert code == 2
    assert events[-1]["error"]["title"] == "Scorer name is taken"
    assert "weights" in err
    assert kept(workspace) == old
    assert ran(workspace, folder, "--limit", 5, "--name", "newer")[0] == 0
    new = kept(workspace, "newer")
    assert all(new[key][0] != pytest.approx(rewards, abs=1e-3) for key, (rewards, _) in old.items())


def test_a_dry_run_tells_and_writes_nothing(workspace, model):
    code, events, _ = ran(workspace, model, "--dry-run")
    assert (code, events[-1]["status"], events[0]["to_do"]) == (0, "dry_run", 60)
    assert events[-1]["case_tokens"] > 0
    assert not (workspace.root / "rewards").exists()


def test_a_sample_and_a_condition_choose_the_cases(workspace, model):
    words = ["--sample", 9, "--stratify", "subset", "--seed", 3, "--where", "n_steps > 1", "--dry-run"]
    code, events, _ = ran(workspace, model, *words)
    assert (code, events[0]["cases"]) == (0, 9)


def broken(folder, how):
    checkpoints.write(folder)
    path = folder / "model.safetensors"
    if how == "half":
        path.write_bytes(path.read_bytes()[:5000])
    elif how == "foreign":
        (folder / "config.json").write_text(json.dumps(checkpoints.config(architectures=["Qwen2ForCausalLM"])))
    elif how == "tokenizer":
        (folder / "tokenizer.json").write_text("{}")
    elif how == "missing":
        return folder / "nowhere"
    elif how == "hub":
        return "some/model"
    return folder


@pytest.mark.parametrize("how", ["half", "foreign", "tokenizer", "missing", "hub"])
def test_a_checkpoint_that_cannot_be_used_is_one_sentence(tmp_path, workspace, how):
    code, events, err = ran(workspace, broken(tmp_path / "bad", how))
    assert code == 2
    assert events[-1]["status"] == "failed"
    assert events[-1]["error"]["sentence"] in err
    assert len(err.splitlines()) == 1
    assert not (workspace.root / "rewards").exists()


@pytest.mark.parametrize("benchmark", ["nothing", "bench/x"])
def test_an_unknown_benchmark_is_one_sentence(workspace, model, benchmark):
    code, events, _ = ran(workspace, model, benchmark=benchmark)
    assert (code, [event["event"] for event in events]) == (2, ["end"])
    assert "bench" in events[0]["error"]["next_step"]


@pytest.mark.parametrize(
    "words", [["--stratify", "subset"], ["--limit", "-1"], ["--token-budget", "0"], ["--dtype", "int8"]]
)
def test_wrong_usage_is_exit_code_2(workspace, model, words):
    code, events, err = ran(workspace, model, *words)
    assert (code, events) == (2, [])
    assert "usage" in err


def test_the_digests_are_remembered_in_the_workspace(workspace, model, monkeypatch):
    # Else nothing is remembered of a file that was written in the last two seconds.
    monkeypatch.setattr(fingerprint, "SETTLED_NS", 0)
    assert ran(workspace, model, "--dry-run")[0] == 0
    assert "model.safetensors" in (workspace.root / fingerprint.FILE).read_text()


def test_the_demo_can_be_scored_in_any_workspace(tmp_path, model):
    workspace = Workspace.create(tmp_path / "empty")
    code, events, _ = ran(workspace, model, "--limit", 3, "--dry-run", benchmark="demo")
    assert code in {0, 1}
    assert (events[0]["cases"], events[-1]["status"]) == (3, "dry_run")
