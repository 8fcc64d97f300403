"""A mirror and what lies in a bucket are made equal, whatever was written on either side."""

import itertools
import json
import random
import time

import pytest

import making
import reference
from scoring.data.errors import StoreError
from scoring.data.scorer import Scorer
from scoring.data.storage import object_store
from scoring.data.storage.files import uuid7
from scoring.workspace.cache import RewardParts
from scoring.workspace.remote_plan import TRAVELS
from scoring.workspace.trash import prune, removable, remove, removed, restore
from scoring.workspace.triage.journal import Author, Journal
from scoring.workspace.workspace import Workspace
from thoroughness import THOROUGH

CASES = [reference.Case(3, 1, (0.9, 0.2, 0.8)), reference.Case(2, -1, (0.7, 0.9)), reference.Case(1, 0, (0.1,))]


def files(mirror):
    """Every file that travels, by its path, and its bytes."""
    paths = (path for path in mirror.root.rglob("*") if path.is_file())
    named = {path.relative_to(mirror.root).as_posix(): path.read_bytes() for path in paths}
    return {path: data for path, data in named.items() if TRAVELS.fullmatch(path)}


def there(store, bucket):
    """The same of the store."""
    objects = {name.removeprefix("team/workspace/"): data for name, data in store.objects(bucket).items()}
    return {path: data for path, data in objects.items() if TRAVELS.fullmatch(path)}


def filled(mirror):
    """A workspace with three cases and a scorer, made in a mirror."""
    mirror.sync()
    return making.workspace(mirror.root, CASES, [(making.scorer("one"), CASES)])


def equal(*mirrors):
    """Sync until nothing changes any more, and check that all are equal."""
    for _ in range(4):
        for mirror in mirrors:
            assert mirror.sync().unsent is None
    first = files(mirrors[0])
    for mirror in mirrors[1:]:
        assert files(mirror) == first
    return first


@pytest.fixture
def ann(machine):
    return machine("ann")


@pytest.fixture
def bob(machine):
    return machine("bob")


def test_what_one_machine_writes_another_reads(ann, bob, bucket, store):
    filled(ann)
    assert ann.sync().unsent is None
    bob.sync()
    assert files(ann) == files(bob) == there(store, bucket)
    mine, theirs = Workspace.open(ann.root), Workspace.open(bob.root)
    assert mine.cases()[0].equals(theirs.cases()[0])
    assert mine.cases()[1].frame().equals(theirs.cases()[1].frame())
    assert [one.name for one in theirs.reward_folders()] == [one.name for one in mine.reward_folders()]


def test_the_first_look_brings_all_files_of_a_folder(ann, bob):
    root = filled(ann).root
    for number in range(20):
        folder = root / "rewards" / f"s-{number}"
        folder.mkdir()
        for name in ("scorer.json", "imports.json"):
            (folder / name).write_bytes(b"{}")
    ann.sync()
    bob.sync()
    assert files(bob) == files(ann)


def test_nothing_is_asked_for_twice(proxy, ann, machine):
    filled(ann)
    ann.sync()
    bob = machine("bob")
    bob.sync()
    before = len(proxy.requests)
    assert not bob.sync().changed
    assert len(proxy.requests) == before + 1, "one listing, where nothing has changed"
    assert not bob.sync(look=False).changed
    assert len(proxy.requests) == before + 1, "and nothing to send"


def test_what_can_be_made_again_stays_at_home(ann, bucket, store):
    root = filled(ann).root
    for name in ("derived/0123456789abcdef/x.npy", "converted/a/model.safetensors", "scoring.log", "sources.json"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"x")
    ann.sync()
    assert {name.removeprefix("team/workspace/") for name in store.objects(bucket)} == {
        *files(ann),
        "benchmarks/bench/newest",
    }


def test_merged_parts_go_everywhere(ann, bob):
    root = filled(ann).root
    parts = RewardParts(next((root / "rewards").iterdir()))
    for row in range(3):
        parts.append(making.rewards(CASES, Workspace.open(root).cases()[0]["key"])[row : row + 1])
    equal(ann, bob)
    assert len(RewardParts(bob.root / "rewards" / parts.folder.name).parts()) == 4
    parts.compact()
    found = equal(ann, bob)
    assert sum("/part-" in path for path in found) == 1
    assert not RewardParts(bob.root / "rewards" / parts.folder.name).read()[1]


def test_what_a_cache_cleaner_takes_away_is_fetched_again_and_not_removed_there(ann, machine, bucket, store):
    filled(ann)
    ann.sync()
    before = there(store, bucket)
    ann.close(sent=True)
    next(ann.root.rglob("part-*.parquet")).unlink()
    next(ann.root.rglob("cases.parquet")).unlink()
    again = machine("ann")
    again.sync()
    assert there(store, bucket) == before == files(again)


def test_a_mirror_that_was_emptied_is_filled_again(ann, machine, bucket, store):
    filled(ann)
    ann.sync()
    before = there(store, bucket)
    for path in sorted(ann.root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    again = machine("ann")
    again.sync()
    assert there(store, bucket) == before == files(again)


def test_what_is_large_comes_in_pieces_and_what_was_cut_off_goes_on(proxy, ann, machine, monkeypatch):
    root = filled(ann).root
    (root / "rewards" / "big").mkdir()
    (root / "rewards" / "big" / f"part-{uuid7()}.parquet").write_bytes(random.Random(1).randbytes(1_000_001))
    ann.sync()
    monkeypatch.setattr(object_store, "_AT_ONCE", 1 << 16)
    gets = itertools.count()
    proxy.fault = lambda method, path: "503" if method == "GET" and "list-type" not in path and next(gets) > 6 else None
    bob = machine("bob")
    bob.store.patience = 0.2
    with pytest.raises(StoreError, match="cannot be reached now"):
        bob.sync()
    half = files(bob)
    assert len(half) < len(files(ann))
    assert not Workspace(bob.root).benchmarks(), "what is not whole is not seen"
    proxy.fault = lambda *_: None
    # As after kill -9: nobody let go of it.
    again = machine("bob")
    again.sync()
    assert files(again) == files(ann)
    assert half.items() <= files(again).items()


def test_two_who_write_at_once_lose_nothing(ann, bob):
    filled(ann)
    equal(ann, bob)
    case = Workspace.open(ann.root).cases()[0]["case"][0]
    one = Journal(ann.root / "triage", Author("ann", "gpu1"))
    two = Journal(bob.root / "triage", Author("bob", "gpu2"))
    one.rule([case], "gold wrong")
    two.note([case], "look again")
    equal(ann, bob)
    for mirror in (ann, bob):
        said = Journal(mirror.root / "triage", Author("me", "here")).triage
        assert said.rulings[case] == {"ann": "gold wrong"}
        assert said.notes[case] == {"bob": "look again"}


def test_one_person_in_two_copies_of_a_machine_loses_nothing(ann, bob):
    filled(ann)
    equal(ann, bob)
    author = Author("ann", "container")
    cases = Workspace.open(ann.root).cases()[0]["case"].to_list()
    Journal(ann.root / "triage", author).tag(cases[:1], ["before"])
    equal(ann, bob)
    Journal(ann.root / "triage", author).tag(cases[:1], ["odd"])
    Journal(bob.root / "triage", author).tag(cases[1:2], ["fine"])
    equal(ann, bob)
    said = Journal(bob.root / "triage", author).triage
    assert set(said.tags[cases[0]]) == {"before", "odd"}
    assert set(said.tags[cases[1]]) == {"fine"}


def test_imports_of_two_machines_at_once_are_joined(ann, bob):
    filled(ann)
    equal(ann, bob)
    # The same three cases, the first corrected; and one more.
    making.workspace(ann.root, [reference.Case(3, 2), *CASES[1:]], [])
    making.workspace(bob.root, [*CASES, reference.Case(1, -1)], [])
    equal(ann, bob)
    for mirror in (ann, bob):
        cases = Workspace.open(mirror.root).cases()[0]
        assert cases.height == 4
        assert cases["earliest_error"].to_list()[:3] == [2, -1, 0], "what the other had not changed stays corrected"


def test_an_import_after_one_from_a_clock_that_is_ahead_still_counts(ann, bob, monkeypatch):
    # What is made in this process comes after it from now on: not in other tests.
    monkeypatch.setattr("scoring.data.storage.files._last", 0)
    filled(ann)
    equal(ann, bob)
    now = time.time_ns
    with monkeypatch.context() as ahead:
        ahead.setattr("scoring.data.storage.files._last", 0)
        ahead.setattr(time, "time_ns", lambda: now() + 3600 * 10**9)
        making.workspace(ann.root, [reference.Case(3, 2), *CASES[1:]], [])
    equal(ann, bob)
    making.workspace(bob.root, [reference.Case(3, -1), *CASES[1:]], [])
    equal(ann, bob)
    assert Workspace.open(ann.root).cases()[0]["earliest_error"][0] == -1


def test_what_is_removed_and_brought_back_is_so_everywhere(proxy, ann, bob):
    workspace = filled(ann)
    equal(ann, bob)
    remove(workspace, removable(workspace, "scorer")[0])
    proxy.requests.clear()
    ann.sync()
    sent = [length for method, path, length in proxy.requests if method == "PUT" and path.endswith(".parquet")]
    assert sent == [0], "its part was copied there"
    equal(ann, bob)
    other = Workspace.open(bob.root)
    assert other.reward_folders() == []
    restore(other, removed(other)[0])
    equal(ann, bob)
    assert len(workspace.reward_folders()) == 1
    remove(workspace, removable(workspace, "benchmark")[0])
    equal(ann, bob)
    prune(other, removed(other))
    equal(ann, bob)
    assert not removed(workspace)


def test_a_listing_of_a_moment_ago_takes_nothing_away(proxy, ann, machine):
    filled(ann)
    bob = machine("bob")
    equal(ann, bob)
    before = files(ann)
    RewardParts(next((ann.root / "rewards").iterdir())).append(
        making.rewards(CASES, Workspace.open(ann.root).cases()[0]["key"])
    )
    proxy.fault = lambda _method, path: "stale" if "list-type" in path else None
    for _ in range(3):
        ann.sync()
        bob.sync()
    assert before.items() <= files(ann).items()
    assert len(files(ann)) == len(before) + 1
    proxy.fault = lambda *_: None
    equal(ann, bob)


def test_a_scorer_that_both_describe_anew_is_described_once(ann, bob):
    filled(ann)
    equal(ann, bob)
    folder = next((ann.root / "rewards").iterdir()).name
    for mirror, change in ((ann, {"low": -1.0}), (bob, {"high": 3.0})):
        path = mirror.root / "rewards" / folder
        making.scorer("one", **change).save(path)
    equal(ann, bob)
    found = Scorer.load(bob.root / "rewards" / folder)
    assert (found.low, found.high) == (-1.0, 3.0)


@pytest.mark.parametrize("seed", range(24 if THOROUGH else 2))
def test_any_order_of_writes_and_syncs_ends_with_everything_everywhere(machine, seed, tmp_path):
    """The law: two machines that write, remove nothing and sync as they like end with the union of what they wrote."""
    rng = random.Random(seed)
    mirrors = [machine("one"), machine("two")]
    mirrors[0].sync()
    Workspace.create(mirrors[0].root)
    written, lines = {}, set()

    def part(mirror):
        folder = f"s-{rng.randrange(2)}"
        path = f"rewards/{folder}/part-{uuid7()}.parquet"
        put(mirror, path, rng.randbytes(20))
        put(mirror, f"rewards/{folder}/scorer.json", b"{}")

    def put(mirror, path, data):
        (mirror.root / path).parent.mkdir(parents=True, exist_ok=True)
        (mirror.root / path).write_bytes(data)
        if path.endswith(".parquet"):
            written[path] = data

    def line(mirror):
        path = mirror.root / f"triage/{rng.choice(['ann', 'bob'])}-host.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        said = json.dumps({"n": rng.random()}).encode()
        lines.add((path.name, said))
        with path.open("ab") as file:
            file.write(said + b"\n")

    def reopened(mirror):
        number = mirrors.index(mirror)
        mirrors[number] = machine(("one", "two")[number])

    def sync(mirror):
        assert mirror.sync().unsent is None

    def sync_only_there(mirror):
        if (mirror.root / "workspace.json").exists():
            mirror.sync(look=False)

    acts = (part, line, line, sync, sync, sync_only_there, reopened)
    for _ in range(25):
        rng.choice(acts)(rng.choice(mirrors))
    found = equal(*mirrors)
    assert {path: data for path, data in found.items() if path.endswith(".parquet")} == written
    held = {
        (path.removeprefix("triage/"), said)
        for path, data in found.items()
        if path.startswith("triage/")
        for said in data.splitlines()
    }
    assert held == lines
