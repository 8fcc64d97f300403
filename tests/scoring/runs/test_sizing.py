"""How long a cluster would take: laws of the simulation, which hands cases out as a run does."""

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

import checkpoints
import making
import reference
import scoring_process
from scoring.data.errors import UsageError
from scoring.runs.arguments import ClusterSize, _cluster_size
from scoring.runs.sizing import BLOCK_SECONDS, measured_speed, simulated, speed_of
from scoring.workspace.cache import RewardParts
from thoroughness import up_to

LENGTHS = st.lists(st.tuples(st.integers(1, 20_000), st.integers(1, 5_000)), min_size=1, max_size=300)


@up_to(100, 12)
@given(LENGTHS, st.integers(1, 40), st.floats(100, 50_000))
def test_no_cluster_is_faster_than_its_workers_together_or_than_the_longest_case(lengths, workers, speed):
    seconds, busy = simulated(lengths, workers, speed)
    tokens = [tokens for _, tokens in lengths]
    assert seconds >= max(sum(tokens) / workers, *tokens) / speed * (1 - 1e-9)
    assert busy == pytest.approx(sum(tokens) / speed, abs=BLOCK_SECONDS * len(lengths) + 1e-6)
    assert busy <= workers * seconds * (1 + 1e-9)


@up_to(100, 12)
@given(LENGTHS, st.floats(100, 50_000))
def test_one_worker_takes_the_time_of_all_and_is_never_idle(lengths, speed):
    seconds, busy = simulated(lengths, 1, speed)
    assert seconds == pytest.approx(busy)


def test_where_there_is_much_to_do_nearly_nobody_is_idle():
    lengths = [(4 * tokens, tokens) for tokens in (100 + index * 7919 % 1900 for index in range(8_000))]
    seconds, busy = simulated(lengths, 16, 1000)
    assert 1 - busy / (16 * seconds) < 0.01


@pytest.mark.parametrize(
    "text", ["8", "x8", "0x8", "8x0", "8x8@", "8x8@0", "8x8@fast", "axb", "8x8@-1", "8x8@inf", "8x8@1e400", "8x8@nan"]
)
def test_a_size_that_is_none_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not NODESxGPUS"):
        _cluster_size(text)


@given(st.integers(1, 99), st.integers(1, 99), st.one_of(st.none(), st.integers(1, 10**6)))
def test_a_size_is_read_as_it_is_written(nodes, gpus, speed):
    size = ClusterSize(nodes, gpus, speed)
    assert _cluster_size(str(size)) == size


def test_a_speed_is_that_of_rows_that_were_timed_and_of_few_is_not_known(tmp_path):
    parts = RewardParts(tmp_path)
    with pytest.raises(UsageError, match="not measured yet"):
        speed_of(ClusterSize(2, 3), parts)
    timed_row = {"vote": 0, "rewards": [0.5], "seconds": 0.5, "engine": "cuda (H100)"}
    rows = [{**timed_row, "key": str(row), "tokens_in": 100 + row} for row in range(60)]
    slow = [{**timed_row, "key": f"s{row}", "tokens_in": 1, "engine": "cpu"} for row in range(55)]
    timed = making.pl.DataFrame(
        [*rows, *slow, {"key": "old", "vote": 0, "rewards": [0.5]}], schema=dict(parts.kind.schema)
    )
    parts.append(timed)
    assert measured_speed(parts) == (pytest.approx(sum(row["tokens_in"] for row in rows) / 30), "cuda (H100)")
    assert speed_of(ClusterSize(2, 3, 7.0), parts) == (7.0, "")


def test_a_dry_run_says_how_long_a_cluster_would_take_and_runs_nothing(tmp_path):
    model = checkpoints.write(tmp_path / "tiny")
    workspace = making.workspace(tmp_path / "ws", [reference.Case(index % 5 + 1, -1) for index in range(40)], [])
    words = ("score", "bench", "-w", workspace.root, "--model", model, "--dry-run")
    code, events, err = scoring_process.ran_here(*words, "--cluster=2x4@100", "--gpus-per-worker=2", "--gpu-hour=3.6")
    assert (code, err) == (0, "")
    (told,) = (event for event in events if event["event"] == "cluster_estimate")
    assert (told["workers"], told["cases"], told["tokens"]) == (4, 40, events[-1]["case_tokens"])
    assert told["cost"] == pytest.approx(2 * 4 * 3.6 * told["seconds"] / 3600)
    assert told["seconds"] >= told["tokens"] / 400
    assert not list(workspace.root.glob("rewards/*/part-*"))
    said = scoring_process.commanded_here(*words, "--cluster=2x4@100").stderr
    assert "8 workers of 100 tokens/s would take" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cluster=2x4@9"], "--cluster is for a look beforehand"),
        (["--gpu-hour=1"], "--gpu-hour is the price of a cluster"),
        (["--cluster=2x4", "--dry-run"], "how fast one worker is was not measured yet"),
        (["--cluster=2x4@9", "--gpus-per-worker=8", "--dry-run"], "a worker of 8 GPUs has no room on a node of 4"),
        (["--workers=2"], "--workers is about a cluster"),
        (["--cluster=2x4@9", "--workers=9", "--dry-run"], "9 workers have no room: 8 have"),
        (["--cluster=2x4@9", "--address=a:1", "--dry-run"], "--address is about a cluster"),
        (["--engine=ray", "--critic=grben"], "what answers in words is a server's"),
        (["--cluster=2x4@9", "--dry-run", "--critic=grben"], "what answers in words is a server's"),
        (["--engine=ray", "--device=cpu"], "the cluster says which devices a worker has"),
    ],
)
def test_wishes_that_do_not_go_together_are_a_sentence(tmp_path, words, sentence):
    model = checkpoints.write(tmp_path / "tiny")
    workspace = making.workspace(tmp_path / "ws", [reference.Case(2, -1)] * 2, [])
    code, _, err = scoring_process.ran_here("score", "bench", "-w", workspace.root, "--model", model, *words)
    assert (code, err.count("\n")) == (2, 1)
    assert sentence in err


@up_to(100, 12)
@given(st.integers(1, 200), st.integers(1, 64))
def test_few_equal_cases_are_shared_by_all(cases, workers):
    seconds, _ = simulated([(400, 100)] * cases, workers, 100)
    assert seconds <= -(-cases // workers) + 1 + BLOCK_SECONDS * cases
