"""Leases, and runs of one scorer at once: what one has begun the other leaves alone, until its owner is gone."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from fake_scoring import Engine, cases, events, expected, in_turn, kept, started, until_saved
from scoring.data.storage import files
from scoring.runs import leases
from scoring.runs.events import Notice
from scoring.runs.leases import EXPIRES, FOLDER, Leases
from scoring.workspace.cache import RewardParts

ROOT = Path(__file__).parents[3]
_TAKES = """
import sys, time
from pathlib import Path
from scoring.runs.leases import Leases
one, two = (Leases(Path(sys.argv[1])) for _ in range(2))
one.take(["a", "b"])
two.take(["c"])
print("taken", flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "fake"


@pytest.fixture
def other(folder):
    """Another process that has leased `a` and `b`, and `c` by another lease."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", _TAKES, str(folder)], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout.readline() == "taken\n"
        yield process
        process.kill()


def test_what_one_has_the_other_does_not_get_until_it_is_let_go(folder):
    one, two = Leases(folder), Leases(folder)
    assert one.take(["a", "b"]) == {}
    assert two.take(["b", "c"]).keys() == {"b"}
    assert one.take(["a", "b", "c"]).keys() == {"c"}
    one.drop(["b"])
    one.take([])
    assert two.take(["a", "b"]).keys() == {"a"}
    one.close()
    assert two.take(["a"]) == {}
    two.close()
    assert not folder.exists()


def test_who_has_it_is_said_and_what_one_that_stands_still_or_was_killed_had_is_free(folder, other):
    mine = Leases(folder)
    owners = mine.take(["a", "b", "c", "d"])
    assert owners.keys() == {"a", "b", "c"}
    assert all(f"process {other.pid} on " in owner for owner in owners.values())
    other.send_signal(signal.SIGSTOP)
    (place,) = [path for path in (folder / FOLDER).iterdir() if "c" in json.loads(path.read_text())["units"]]
    os.utime(place, (time.time(), time.time() - EXPIRES - 1))
    assert mine.take(["a", "b", "c"]).keys() == {"a", "b"}
    other.kill()
    other.wait()
    assert mine.take(["a", "b"]) == {}
    assert len(list((folder / FOLDER).iterdir())) == 1
    mine.close()


@pytest.mark.parametrize("ahead", [-EXPIRES - 1, 2 * EXPIRES])
@pytest.mark.parametrize("locks", [True, False])
def test_a_lease_from_elsewhere_ends_when_nobody_touches_it_or_the_clock_was_set_back(
    folder, locks, ahead, monkeypatch
):
    if not locks:
        monkeypatch.setattr(files, "fcntl", None)
        monkeypatch.setattr(leases, "fcntl", None)
    mine, place = Leases(folder), folder / FOLDER / "far.json"
    mine.take(["x"])
    place.write_text(json.dumps({"owner": "process 1 on far", "host": "far", "units": ["a"]}))
    assert mine.take(["a"]) == {"a": "process 1 on far"}
    os.utime(place, (time.time(), time.time() + ahead))
    assert mine.take(["a"]) == {}
    assert not place.exists()
    mine.close()


def test_a_lease_is_touched_while_a_batch_takes_longer_than_it_lasts(folder, monkeypatch):
    monkeypatch.setattr(leases, "_TOUCHED", 0.01)
    one, two = Leases(folder), Leases(folder)
    one.take(["a"])
    (place,) = (folder / FOLDER).iterdir()
    os.utime(place, (0, 0))
    end = time.monotonic() + 20
    while not place.stat().st_mtime and time.monotonic() < end:
        time.sleep(0.01)
    assert two.take(["a"])
    one.close()
    two.close()


def test_half_a_lease_is_nobodys(folder):
    mine, place = Leases(folder), folder / FOLDER / "half.json"
    mine.take(["x"])
    place.write_text('{"owner": "process 1 on')
    assert mine.take(["a"]) == {}
    mine.close()


def test_a_run_whose_lease_was_taken_goes_on(folder):
    one, two = Leases(folder), Leases(folder)
    one.take(["a"])
    for path in (folder / FOLDER).iterdir():
        path.unlink()
    assert two.take(["a"]) == {}
    assert one.take(["b"]) == {}
    assert two.take(["b"]).keys() == {"b"}
    one.close()
    two.close()


def test_where_there_can_be_no_leases_everything_is_free(folder):
    folder.write_text("no folder")
    mine = Leases(folder)
    assert mine.take(["a"]) == {}
    mine.close()


# -- runs


def computed(folder):
    """How often each key was saved."""
    return pl.concat([pl.read_parquet(path, columns=["key"]) for path in RewardParts(folder).parts()])["key"]


def test_two_runs_at_once_share_the_work_and_say_so(folder):
    frame = cases(600)
    with started(folder, 600, 0.02) as one, started(folder, 600, 0.02) as two:
        told = [[json.loads(line) for line in process.stdout] for process in (one, two)]
    assert kept(folder) == expected(frame)
    assert computed(folder).is_unique().all()
    ends = [events[-1] for events in told]
    assert all((end["status"], end["left"]) == ("done", 0) for end in ends)
    assert all(end["scored"] for end in ends)
    assert sum(end["saved"] for end in ends) == 600
    assert {end["cached"] + end["cached_refused"] + end["scored"] + end["refused"] for end in ends} == {600}
    notices = [event["sentence"] for events in told for event in events if event["event"] == "notice"]
    assert any(f"process {process.pid} on " in notice for process in (one, two) for notice in notices)
    assert not (folder / FOLDER).exists()


def test_of_many_cases_none_of_two_runs_takes_all_at_once(folder):
    frame, engines = cases(1200), [Engine(), Engine()]
    ends = in_turn(*(events(folder, frame, engine) for engine in engines))
    assert kept(folder) == expected(frame)
    assert computed(folder).is_unique().all()
    assert all(len(engine.ran) > 400 for engine in engines)
    assert [end.left for end in ends] == [0, 0]
    refused = sum(reason is not None for _, reason in expected(frame).values())
    assert [end.refused + end.cached_refused for end in ends] == [refused] * 2


def test_what_a_killed_run_had_begun_is_computed_by_the_one_that_waits(folder):
    frame = cases(200)
    with started(folder, 200, 0.2) as process:
        until_saved(process)
        run = events(folder, frame)
        told = []
        for event in run:
            told.append(event)
            if isinstance(event, Notice):
                process.kill()
    assert f"process {process.pid} on " in next(event.sentence for event in told if isinstance(event, Notice))
    assert (told[-1].status, told[-1].left) == ("done", 0)
    assert kept(folder) == expected(frame)
    assert computed(folder).is_unique().all()


def test_who_does_not_wait_computes_at_once_and_leases_nothing(folder):
    frame, other = cases(20), Leases(folder)
    other.take([f"{key}/0" for key in frame["key"]])
    told = list(events(folder, frame, waits=False))
    assert (told[-1].status, told[-1].scored + told[-1].refused) == ("done", 20)
    assert not [event for event in told if isinstance(event, Notice)]
    assert len(list((folder / FOLDER).iterdir())) == 1
    other.close()


def test_what_another_run_saved_between_plan_and_lease_is_found(folder):
    frame = cases(60)
    first = events(folder, frame)
    assert next(first).to_do == 60
    list(events(folder, frame, rows=range(0, 60, 2)))
    engine = Engine()
    end = list(events(folder, frame, engine))[-1]
    assert end.cached + end.scored + end.refused + end.cached_refused == 60
    rest = list(first)[-1]
    assert (rest.scored, rest.refused, rest.left) == (0, 0, 0)
    refused = sum(reason is not None for _, reason in expected(frame).values())
    assert (rest.cached, rest.cached_refused) == (60 - refused, refused)
    assert computed(folder).is_unique().all()
