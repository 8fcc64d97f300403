"""What is taken out of a workspace: it comes back whole, and no crash and no other process leaves half of it."""

import errno
import json
import multiprocessing
import os
import shutil
import signal
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import example
import fake_scoring
import making
from scoring.data.errors import InUse, NoWorkspace, UnwritableWorkspace, UsageError
from scoring.data.scorer import Scorer
from scoring.data.storage import files
from scoring.data.storage.files import DiskUse, FolderShare, locked
from scoring.runs.events import End
from scoring.workspace.cache import RewardParts
from scoring.workspace.trash import TRASH, leftovers, prune, removable, remove, removed, restore
from scoring.workspace.workspace import Workspace
from scoring_process import ran_here


@pytest.fixture
def workspace(tmp_path):
    example.write(tmp_path / "w")
    return Workspace.open(tmp_path / "w")


def one(workspace, kind, name):
    return next(found for found in removable(workspace, kind) if found.name == name)


def tree(folder):
    """Every file below with its bytes, but for an empty trash."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items()}


def scorers(workspace):
    return [Scorer.load(folder).name for folder in workspace.reward_folders()]


@pytest.mark.parametrize(("kind", "name"), [("scorer", "alpha"), ("benchmark", "bench")])
def test_what_is_removed_is_not_there_and_comes_back_byte_for_byte(workspace, kind, name):
    before = tree(workspace.root)
    gone = remove(workspace, one(workspace, kind, name))
    assert name not in [found.name for found in removable(workspace, kind)]
    assert removed(workspace) == [gone]
    assert (gone.kind, gone.name, gone.bytes) == (kind, name, DiskUse.of(gone.folder).bytes)
    record = json.loads((gone.folder.parent / "removed.json").read_bytes())
    assert record["from"] == {"scorer": "rewards", "benchmark": "benchmarks"}[kind] + f"/{gone.folder.name}"
    assert record["time"] == gone.time
    restore(workspace, gone)
    assert tree(workspace.root) == before
    assert removed(workspace) == []


def test_rewards_and_words_of_people_stay_when_their_benchmark_goes(workspace):
    gone = remove(workspace, one(workspace, "benchmark", "bench"))
    assert scorers(workspace) == ["alpha", "beta"]
    assert workspace.default_benchmarks() == []
    restore(workspace, gone)
    assert workspace.default_benchmarks() == ["bench"]


def test_a_workspace_where_only_the_demo_was_scored_still_shows_it(tmp_path):
    space = Workspace.create(tmp_path)
    making.scorer("mine").save(space.root / "rewards" / "mine-1")
    assert space.default_benchmarks() == ["demo"]


@pytest.mark.parametrize(("kind", "name"), [("scorer", "alpha"), ("benchmark", "bench")])
def test_a_name_that_is_taken_again_is_refused_and_both_stay(workspace, kind, name):
    gone = remove(workspace, one(workspace, kind, name))
    example.write(workspace.root)
    before = tree(workspace.root)
    with pytest.raises(UsageError, match=f"there is a {kind} {name} again"):
        restore(workspace, gone)
    assert tree(workspace.root) == before


def test_a_name_that_another_scorer_has_now_is_taken(workspace):
    gone = remove(workspace, one(workspace, "scorer", "alpha"))
    making.scorer("alpha", fingerprint="f" * 32).save(workspace.root / "rewards" / "alpha-ffffffff")
    with pytest.raises(UsageError, match="there is a scorer alpha again"):
        restore(workspace, gone)


def test_what_a_failed_import_left_in_its_place_is_no_obstacle_and_a_file_of_somebody_is(workspace):
    gone = remove(workspace, one(workspace, "benchmark", "bench"))
    home = workspace.root / "benchmarks" / "bench"
    (home / ".gen-0123").mkdir(parents=True)
    (home / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="something else is in its place"):
        restore(workspace, gone)
    (home / "mine.txt").unlink()
    restore(workspace, gone)
    assert workspace.benchmarks() == ["bench"]


def test_two_scorers_of_one_name_are_told_apart_by_their_folders(workspace):
    other = making.scorer("alpha", fingerprint="f" * 32)
    other.save(workspace.root / "rewards" / other.folder)
    names = [found.name for found in removable(workspace, "scorer")]
    assert names == [f"alpha ({example.ALPHA.folder})", f"alpha ({other.folder})", "beta"]
    assert remove(workspace, removable(workspace, "scorer")[1]).name == "alpha"
    assert [found.name for found in removable(workspace, "scorer")] == ["alpha", "beta"]


def test_a_scorer_and_a_benchmark_that_cannot_be_read_can_be_removed_and_restored(workspace):
    folder = workspace.root / "rewards" / example.ALPHA.folder
    (folder / "scorer.json").write_text("{")
    for path in workspace.root.glob("benchmarks/*/*/cases.parquet"):
        path.write_bytes(b"PAR1")
    before = tree(workspace.root)
    gone = [
        remove(workspace, one(workspace, "scorer", folder.name)),
        remove(workspace, one(workspace, "benchmark", "bench")),
    ]
    assert scorers(workspace) == ["beta"]
    for found in gone:
        restore(workspace, found)
    assert tree(workspace.root) == before


def test_prune_deletes_what_was_listed_and_nothing_else(workspace):
    gone = remove(workspace, one(workspace, "scorer", "alpha"))
    (workspace.root / TRASH / "notes").mkdir()
    later = remove(workspace, one(workspace, "scorer", "beta"))
    assert prune(workspace, [gone]) == []
    assert removed(workspace) == [later]
    assert prune(workspace, [gone, later]) == []
    assert [path.name for path in (workspace.root / TRASH).iterdir()] == ["notes"]
    with pytest.raises(UsageError, match="not in the trash any more"):
        restore(workspace, later)


@pytest.mark.parametrize("record", [b"{", b"[]", b'{"format": 1, "kind": "../..", "name": "x", "time": ""}'])
def test_a_record_that_cannot_be_read_keeps_nothing_from_being_pruned(workspace, record):
    gone = remove(workspace, one(workspace, "scorer", "alpha"))
    (gone.folder.parent / "removed.json").write_bytes(record)
    (found,) = removed(workspace)
    assert found.kind is None
    with pytest.raises(UsageError, match="its record cannot be read"):
        restore(workspace, found)
    prune(workspace, [found])
    assert removed(workspace) == []


def test_a_folder_that_cannot_be_written_is_a_sentence_and_all_is_as_it_was(workspace, monkeypatch):
    before = tree(workspace.root)

    real = Path.rename

    def rename(source, target):
        if source.parent.name == "rewards":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(source, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(UnwritableWorkspace, match="permission denied"):
        remove(workspace, one(workspace, "scorer", "alpha"))
    assert tree(workspace.root) == before
    assert list((workspace.root / TRASH).iterdir()) == []


def test_without_a_folder_there_is_nothing_to_remove():
    with pytest.raises(NoWorkspace):
        removable(Workspace(None), "scorer")


def test_a_size_counts_a_file_with_two_names_once_and_a_time_is_the_newest(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_bytes(b"1234")
    os.link(tmp_path / "a" / "one", tmp_path / "two")
    (tmp_path / "three").write_bytes(b"12345")
    (tmp_path / "far").symlink_to("/")
    os.utime(tmp_path / "a" / "one", (5000, 3000))
    os.utime(tmp_path / "three", (1, 2000))
    assert DiskUse.of(tmp_path) == DiskUse(9, 3000)
    assert DiskUse.of(tmp_path / "gone") == DiskUse(0, None)


# -- with other processes


def die(root, what, moment):
    """Do one thing to a workspace and die without a word at a moment: before the n-th change of its folder."""
    left = iter(range(moment))

    def watch(event, args):
        changes = {"os.rename", "os.mkdir", "os.remove", "os.rmdir"}
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        if (event in changes or writes) and next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    DO[what](Workspace.open(root))


DO = {
    "remove a scorer": lambda space: remove(space, one(space, "scorer", "alpha")),
    "remove a benchmark": lambda space: remove(space, one(space, "benchmark", "bench")),
    "restore": lambda space: restore(space, removed(space)[0]),
    "prune": lambda space: prune(space, removed(space)),
}


def state(workspace):
    """What anybody sees: scorers with their rows, benchmarks with their cases, the trash."""
    rows = {folder.name: RewardParts(folder).read()[0].height for folder in workspace.reward_folders()}
    cases = {name: workspace.cases([name])[1].frame().height for name in workspace.benchmarks()}
    return rows, cases, [(found.kind, found.name, found.bytes) for found in removed(workspace)]


# Later Pythons warn of threads; the child uses nothing of those.
@pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("what", DO)
def test_whatever_is_killed_leaves_the_old_state_or_the_new_one(tmp_path, what):
    seen, code, number, made = [], None, 0, tmp_path / "made"
    example.write(made)
    if what in {"restore", "prune"}:
        space = Workspace.open(made)
        remove(space, one(space, "scorer", "alpha"))
    while code != 0:
        root = shutil.copytree(made, tmp_path / str(number))
        space = Workspace.open(root)
        before = state(space)
        process = multiprocessing.get_context("fork").Process(target=die, args=(root, what, number))
        process.start()
        process.join(60)
        code = process.exitcode
        assert code in {0, -signal.SIGKILL}
        seen.append(state(space))
        # Whatever it left, the trash can be emptied of it.
        assert prune(space, removed(space)) == []
        assert not (root / TRASH).is_dir() or list((root / TRASH).iterdir()) == []
        assert leftovers(space) == 0
        number += 1
    assert number > 3
    assert before != seen[-1]
    assert all(found in (before, seen[-1]) for found in seen)
    # From some moment on it is the new one.
    assert sorted(seen, key=lambda found: found != before) == seen


@pytest.mark.parametrize("saved", [False, True], ids=["before it saved", "after it saved"])
def test_a_scorer_that_a_run_writes_to_is_not_removed_and_is_afterwards(workspace, saved):
    folder = workspace.root / "rewards" / fake_scoring.SCORER.folder
    if not saved:
        # An earlier run was there.
        list(fake_scoring.events(folder, fake_scoring.cases(3), fake_scoring.Engine()))
    run = fake_scoring.events(folder, fake_scoring.cases(2000), fake_scoring.Engine())
    for event in run:
        if type(event).__name__ == ("Saved" if saved else "Start"):
            break
    with pytest.raises(InUse, match="another process is writing its rewards"):
        remove(workspace, one(workspace, "scorer", fake_scoring.SCORER.name))
    list(run)
    rows = RewardParts(folder).read()[0].height
    gone = remove(workspace, one(workspace, "scorer", fake_scoring.SCORER.name))
    assert RewardParts(gone.folder).read()[0].height == rows


def test_a_run_whose_caller_leaves_lets_go(workspace):
    folder = workspace.root / "rewards" / fake_scoring.SCORER.folder
    run = fake_scoring.events(folder, fake_scoring.cases(2000), fake_scoring.Engine())
    assert any(type(event).__name__ == "Saved" for event in run)
    run.close()
    remove(workspace, one(workspace, "scorer", fake_scoring.SCORER.name))


def test_another_process_that_writes_keeps_its_scorer_until_it_ends_also_by_kill_9(workspace):
    folder = workspace.root / "rewards" / fake_scoring.SCORER.folder
    with fake_scoring.started(folder, 400, 0.1) as process:
        fake_scoring.until_saved(process)
        with pytest.raises(InUse):
            remove(workspace, one(workspace, "scorer", fake_scoring.SCORER.name))
        process.kill()
    saved = RewardParts(folder).read()[0]
    gone = remove(workspace, one(workspace, "scorer", fake_scoring.SCORER.name))
    restore(workspace, gone)
    assert RewardParts(folder).read()[0].equals(saved)


def test_a_benchmark_stays_while_the_scoring_command_reads_it(workspace, monkeypatch):
    said = []

    def events(_args, here, *_):
        try:
            remove(here, one(here, "benchmark", "bench"))
        except InUse as error:
            said.append(str(error))
        yield End("done")

    monkeypatch.setattr("scoring.runs.prm_command.prm_events", events)
    code, told, err = ran_here("score", "bench", "--model", "none", "-w", str(workspace.root))
    assert (code, [event["event"] for event in told], err) == (0, ["end"], "")
    assert len(said) == 1
    remove(workspace, one(workspace, "benchmark", "bench"))


def test_where_there_are_no_locks_a_run_goes_on_with_a_scorer_of_its_own(workspace, monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    folder = workspace.root / "rewards" / fake_scoring.SCORER.folder
    frame = fake_scoring.cases(2000)
    run = fake_scoring.events(folder, frame, fake_scoring.Engine())
    assert any(type(event).__name__ == "Saved" for event in run)
    gone = remove(workspace, one(workspace, "scorer", fake_scoring.SCORER.name))
    list(run)
    assert Scorer.load(folder) == Scorer.load(gone.folder)
    both = RewardParts(folder).read()[0].height + RewardParts(gone.folder).read()[0].height
    assert both == frame["key"].n_unique()


def test_a_benchmark_that_is_scored_or_imported_is_not_removed(workspace):
    (generation,) = workspace.generations(["bench"])
    for held in (locked(generation.parent), share(generation)):
        with held, pytest.raises(InUse, match="an import or a scoring run of another process uses it"):
            remove(workspace, one(workspace, "benchmark", "bench"))
    remove(workspace, one(workspace, "benchmark", "bench"))


@contextmanager
def share(folder):
    held = FolderShare(folder)
    try:
        yield
    finally:
        held.close()


def test_whoever_waits_for_a_folder_that_is_moved_away_gets_the_one_that_is_there_then(tmp_path):
    folder, moved = tmp_path / "folder", tmp_path / "moved"
    folder.mkdir()
    inside = threading.Event()

    def wait():
        with locked(folder, make=True):
            (folder / "mine").write_text("new")
            inside.set()

    with locked(folder):
        other = threading.Thread(target=wait)
        other.start()
        assert not inside.wait(0.05)
        folder.rename(moved)
    other.join(20)
    assert inside.is_set()
    assert list(moved.iterdir()) == []
    assert (folder / "mine").read_text() == "new"


def test_a_folder_that_has_gone_is_no_folder_to_lock_and_a_share_of_it_can_be_had_later(tmp_path):
    with pytest.raises(FileNotFoundError), locked(tmp_path / "gone"):
        pass
    held = FolderShare(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()
    held.take()
    with pytest.raises(InUse), locked(tmp_path / "gone", wait=False):
        pass
    held.close()
    with locked(tmp_path / "gone", wait=False):
        pass
