"""A scoring run in a mirror: what it saved is there when it says so, whatever the store does meanwhile."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import fake_scoring
from fake_scoring import SCORER, Engine, cases, events, expected, in_turn, kept
from scoring.data.errors import UnwritableWorkspace
from scoring.data.storage import object_store
from scoring.runs import leases, remote_runs, row_saver
from scoring.runs.remote_runs import sent
from scoring.workspace.workspace import Workspace
from thoroughness import also

FRAME = cases(72)
EXPIRED = (400, b"<Error><Code>ExpiredToken</Code><Message>SECRET-OF-THE-ANSWER</Message></Error>")
FULL = (507, b"<Error><Code>XMinioStorageFull</Code><Message>no room</Message></Error>")
SLOW = (503, b"<Error><Code>SlowDown</Code></Error>")


@pytest.fixture(autouse=True)
def _many_parts(monkeypatch):
    monkeypatch.setattr(row_saver, "ROWS", 8)
    monkeypatch.setattr(remote_runs, "SECONDS", 0.05)
    monkeypatch.setattr(remote_runs, "_LOOKS", 0.0)
    monkeypatch.setattr(object_store, "RETRY_SECONDS", 6.0)


def folder_of(mirror):
    return mirror.root / "rewards" / SCORER.folder


def begun(mirror):
    mirror.sync()
    Workspace.create(mirror.root)
    mirror.sync()
    return mirror


def run(mirror, frame=FRAME, **settings):
    return sent(mirror, events(folder_of(mirror), frame, **settings))


def test_a_run_is_there_when_it_says_that_it_is_done(machine, monkeypatch):
    # Its end waits for no pause between what is sent.
    monkeypatch.setattr(remote_runs, "SECONDS", 600)
    ann, bob = begun(machine("ann")), machine("bob")
    began = time.monotonic()
    *_, end = run(ann)
    assert end.status == "done"
    assert time.monotonic() < began + 300
    bob.sync()
    assert kept(folder_of(bob)) == kept(folder_of(ann)) == expected(FRAME)


def test_a_fifth_of_all_requests_fails_and_nothing_is_different(proxy, machine, tmp_path):
    ann = begun(machine("ann"))
    list(events(tmp_path / "local", FRAME))
    proxy.fail_now_and_then(0.2)
    *_, end = run(ann)
    assert end.status == "done"
    bob = machine("bob")
    bob.sync()
    assert kept(folder_of(bob)) == kept(tmp_path / "local") == expected(FRAME)
    assert sum(proxy.counts.values()) > 5, proxy.counts
    proxy.fault = lambda *_: None
    assert not ann.sync().changed
    assert not bob.sync().changed


@pytest.mark.parametrize(
    ("answer", "words"), [(EXPIRED, "have expired"), (FULL, "is full"), (SLOW, "cannot be reached")]
)
def test_what_cannot_be_sent_is_kept_and_goes_with_the_next_run(proxy, machine, answer, words):
    ann = begun(machine("ann"))
    ann.store.patience = 0.3
    before = time.monotonic()
    proxy.fault = lambda method, path: answer if method == "PUT" and "part-" in path else None
    told = list(run(ann))
    assert told[-1].status == "failed"
    assert words in told[-1].error["sentence"]
    assert "kept on this machine" in told[-1].error["next_step"]
    assert "SECRET" not in repr(told)
    assert kept(folder_of(ann)) == expected(FRAME)
    proxy.fault = lambda *_: None
    engine = Engine()
    again = machine("ann")
    again.sync()
    *_, end = run(again, loaded=engine)
    assert (end.status, engine.ran) == ("done", [])
    bob = machine("bob")
    bob.sync()
    assert kept(folder_of(bob)) == expected(FRAME)
    assert time.monotonic() - before < 60


def test_two_machines_share_a_run(machine, monkeypatch):
    monkeypatch.setattr(row_saver, "ROWS", 32)
    monkeypatch.setattr(remote_runs, "_LOOKS", 0.3)
    monkeypatch.setattr("scoring.runs.run._WAITED_SECONDS", 0.01)
    frame = cases(600)
    ann, bob = begun(machine("ann")), machine("bob")
    bob.sync()
    engines = [Engine(), Engine()]
    ends = in_turn(*(run(one, frame, loaded=engine) for one, engine in zip((ann, bob), engines, strict=True)))
    assert [end.status for end in ends] == ["done", "done"]
    ann.sync()
    bob.sync()
    ann.sync()
    assert kept(folder_of(ann)) == kept(folder_of(bob)) == expected(frame)
    computed = [len(engine.ran) for engine in engines]
    alone = Engine()
    list(events(folder_of(ann).parent / "alone", frame, loaded=alone))
    assert min(computed) > 0
    # Where a store is slow a look may come too late: then both compute a case, and save the same.
    assert len(alone.ran) <= sum(computed) < 1.1 * len(alone.ran), "hardly a case was computed on both"
    assert not list(ann.root.rglob("leases/*"))
    assert not any("leases" in path for path in ann.store.list())


def test_what_a_dead_machine_had_begun_is_free_by_the_clock_of_the_store(machine, monkeypatch):
    ann, bob = begun(machine("ann")), machine("bob")
    bob.sync()
    monkeypatch.setattr(leases, "EXPIRES", 2.0)
    dead = run(ann)
    for event in dead:
        if type(event).__name__ == "Saved":
            break
    # Its machine is switched off: nothing of it is taken back.
    monkeypatch.setattr(remote_runs.SharedLeases, "close", lambda _: None)
    held = [path for path in ann.store.list() if "/leases/" in path]
    assert held
    data = ann.store.read(held[0])[0]
    dead.close()
    ann.store.overwrite(held[0], data)
    monkeypatch.undo()
    monkeypatch.setattr(leases, "EXPIRES", 2.0)
    *_, end = run(bob)
    assert end.status == "done"
    assert kept(folder_of(bob)) == expected(FRAME)


def test_a_reader_cannot_run(machine, reader, monkeypatch):
    begun(machine("ann"))
    for name, value in reader.items():
        monkeypatch.setenv(name, value)
    bob = machine("bob")
    bob.sync()
    with pytest.raises(UnwritableWorkspace, match="may be read and not written"):
        bob.check_writable()


KILLED = """
import sys
sys.path[:0] = sys.argv[4:]
import fake_scoring, on_store.test_runs_on_store as tests
from pathlib import Path
from scoring.runs import remote_runs, row_saver
from scoring.data.storage.object_store import open_store
from scoring.data.storage.store_address import Address
from scoring.workspace.remote import Mirror
row_saver.ROWS, remote_runs.SECONDS = 8, 0.0
address = Address.parse(sys.argv[1])
mirror = Mirror(address, Path(sys.argv[2]), open_store(address))
mirror.sync()
for event in tests.run(mirror, loaded=fake_scoring.Engine(4, 0.02)):
    print(type(event).__name__, flush=True)
"""


@pytest.mark.parametrize("after", [5, *also(1, 11)])
def test_who_is_killed_while_sending_has_lost_nothing(proxy, machine, address, tmp_path, after):
    begun(machine("ann"))
    proxy.fault = lambda method, _path: "slow" if method == "PUT" else None
    support = Path(fake_scoring.__file__).parent
    home = tmp_path / "ann" / "remote" / "mirror"
    words = [sys.executable, "-c", KILLED, address, str(home), "0", *map(str, (support, *support.parents[:2]))]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ}) as process:
        saved = 0
        for line in process.stdout:
            saved += line == b"Saved\n"
            if saved == after:
                process.send_signal(signal.SIGKILL)
                break
    proxy.fault = lambda *_: None
    ann = machine("ann")
    before = kept(folder_of(ann))
    assert len(before) >= 4 * after
    *_, end = run(ann)
    assert end.status == "done"
    bob = machine("bob")
    bob.sync()
    assert kept(folder_of(bob)) == kept(folder_of(ann)) == expected(FRAME)
