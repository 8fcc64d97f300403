"""Scoring processes that are killed, stopped, and run side by side; without a model, so that none is needed."""

import json
import random
import signal
import time

import polars as pl
import pytest

from fake_scoring import Engine, cases, events, expected, kept, started, until_saved
from scoring.cache import RewardParts
from thoroughness import also


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "fake"


def test_kill_9_at_any_moment_loses_nothing_saved_and_repeats_nothing(folder):
    frame, chance = cases(200), random.Random(7)
    before = {}
    for _ in range(2):
        with started(folder, 200, 0.1) as process:
            saved = until_saved(process)
            time.sleep(chance.uniform(0.0, 0.5))
            process.kill()
        parts = {path.name: path.read_bytes() for path in RewardParts(folder).parts()}
        assert saved["part"] in parts
        assert before.items() < parts.items()
        before = parts
    there = kept(folder)
    engine = Engine()
    list(events(folder, frame, engine))
    after = {path.name: path.read_bytes() for path in RewardParts(folder).parts()}
    assert before.items() < after.items()
    assert kept(folder) == expected(frame)
    scored = sum(reason is None for _, reason in there.values())
    assert len(engine.ran) == sum(reason is None for _, reason in expected(frame).values()) - scored
    rows = [pl.read_parquet(path)["key"].to_list() for path in RewardParts(folder).parts()]
    assert sum(map(len, rows)) == len(set().union(*rows)), "a key was computed twice"


@pytest.mark.parametrize("signum", [signal.SIGTERM, *also(signal.SIGINT)])
def test_a_signalled_process_saves_and_says_so(folder, signum):
    with started(folder) as process:
        until_saved(process)
        process.send_signal(signum)
        rest = [json.loads(line) for line in process.stdout]
    assert rest[-1]["event"] == "end"
    assert (rest[-1]["status"], rest[-1]["signal"]) == ("interrupted", signum)
    assert rest[-1]["saved"] == len(kept(folder)) > 0
    assert rest[-1]["left"] > 0
