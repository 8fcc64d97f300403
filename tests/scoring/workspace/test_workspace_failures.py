import errno
import multiprocessing
import os
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

import writers
from authored import row, rows
from failing import failing, interrupted
from generations import generations, home, ids
from imports import import_source
from scoring.data.errors import DamagedWorkspace, UnwritableWorkspace
from scoring.data.storage.parquet import read_parquet, write_parquet
from scoring.workspace.generation import Added
from scoring.workspace.workspace import Workspace

FOREIGN = ["notes.txt", "gen-notes/import.json", "gen-zzz/import.json", ".gen-0123/import.json", "old/gen/import.json"]

# Processes are forked from one that has imported what they need, and has done nothing yet.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["polars", "scoring.importing.sources", "scoring.workspace.workspace"])


def test_what_is_not_ours_is_neither_read_nor_removed(workspace, read):
    workspace.add([read(rows(1))])
    paths = [home(workspace) / name for name in FOREIGN]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    for count in (2, 3, 4):
        workspace.add([read(rows(count))])
    assert len(ids(workspace)) == 4
    assert [path.read_text() for path in paths] == ["mine"] * len(FOREIGN)


def test_what_is_not_ours_is_no_benchmark_and_no_scorer(workspace, read):
    workspace.add([read(rows(1))])
    names = ("benchmarks/notes.txt", "benchmarks/mine/data.json", "rewards/notes.txt", "rewards/mine/part-1.parquet")
    for name in names:
        path = workspace.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    assert workspace.benchmarks() == ["processbench"]
    assert workspace.reward_folders() == []


def test_leftovers_of_a_crash_are_not_seen(workspace, read):
    workspace.add([read(rows(2))])
    [name] = generations(workspace)
    newer = home(workspace) / ".gen-ffffffffffff7fffbfffffffffffffff"
    shutil.copytree(home(workspace) / name, newer)
    write_parquet(newer / "cases.parquet", pl.DataFrame({"half": [1]}))
    assert len(ids(workspace)) == 2
    workspace.add([read(rows(3))])
    assert len(ids(workspace)) == 3


def test_a_process_that_dies_while_importing_leaves_the_old_generation(workspace, processbench_file, read):
    workspace.add([read(rows(2))])
    path = processbench_file(rows(9), "more.jsonl")
    target, args = writers.die_while_importing, (workspace.root, path)
    dying = PROCESSES.Process(target=target, args=args)
    dying.start()
    dying.join(30)
    assert dying.exitcode == 9
    assert [name[:5] for name in generations(workspace)] == [".gen-", "gen-0"]
    assert len(ids(workspace)) == 2
    assert workspace.add([import_source(str(path))]) == [Added(new=7, changed=0, unchanged=2)]


@pytest.mark.parametrize(
    ("number", "said"), [(errno.EROFS, "the file system is read-only"), (errno.ENOSPC, "the disk is full")]
)
@pytest.mark.parametrize("stage", ["mkdir", "write_bytes", "replace", "rename"])
def test_a_failed_import_is_one_sentence_and_leaves_the_old_generation(
    workspace, read, monkeypatch, stage, number, said
):
    workspace.add([read(rows(2))])
    before, more = generations(workspace), read(rows(5))
    monkeypatch.setattr(Path, stage, failing(number))
    with pytest.raises(UnwritableWorkspace, match=said):
        workspace.add([more])
    monkeypatch.undo()
    assert generations(workspace) == before
    assert len(ids(workspace)) == 2


def test_an_interrupted_import_leaves_the_old_generation(workspace, read, monkeypatch):
    workspace.add([read(rows(2))])
    before, more = generations(workspace), read(rows(5))

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        workspace.add([more])
    assert generations(workspace) == before


def test_a_disk_that_is_really_full(small_disk, read):
    workspace = Workspace.create(small_disk / "workspace")
    workspace.add([read(rows(3))])
    noise = [row(number, problem=os.urandom(30_000).hex()) for number in range(40)]
    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        workspace.add([read(noise, "large.jsonl")])
    assert len(ids(workspace)) == 3
    assert len(generations(workspace)) == 1


def test_a_disk_that_is_really_read_only(small_disk, read):
    workspace = Workspace.create(small_disk / "workspace")
    workspace.add([read(rows(3))])
    more = read(rows(5))
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(UnwritableWorkspace, match="the file system is read-only"):
        workspace.add([more])
    with pytest.raises(UnwritableWorkspace, match="the file system is read-only"):
        Workspace.create(small_disk / "another")
    assert len(ids(workspace)) == 3


def test_imports_at_the_same_moment_lose_nothing(workspace, processbench_file):
    files = [processbench_file([row(n, f"set{number}") for n in range(50)], f"{number}.jsonl") for number in range(3)]
    together = PROCESSES.Barrier(len(files))
    processes = [PROCESSES.Process(target=writers.import_file, args=(workspace.root, path, together)) for path in files]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
        assert process.exitcode == 0
    assert sorted(ids(workspace)) == sorted(f"set{number}-{n}" for number in range(3) for n in range(50))
    assert len(workspace.imports("processbench")) == 3


DAMAGE = {
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-10]),
    "empty": lambda path: path.write_bytes(b""),
    "gone": lambda path: path.unlink(),
    "other columns": lambda path: write_parquet(path, pl.DataFrame({"a": [1]})),
    "other dtypes": lambda path: write_parquet(path, read_parquet(path).with_columns(pl.first().str.len_bytes())),
    "fewer rows": lambda path: write_parquet(path, read_parquet(path)[:1]),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("name", ["cases.parquet", "texts-*.parquet"])
def test_a_damaged_generation_is_one_sentence(workspace, read, name, damage):
    workspace.add([read(rows(2))])
    path = next(home(workspace).glob(f"*/{name}"))
    damage(path)
    if name == "cases.parquet" and damage is DAMAGE["fewer rows"]:
        # A case less is no damage; its texts are left unused.
        workspace.add([read(rows(3))])
        assert ids(workspace) == ["sums-0", "sums-1", "sums-2"]
        return
    with pytest.raises(DamagedWorkspace) as caught:
        workspace.add([read(rows(3))])
    assert str(path.parent) in str(caught.value)
    assert "\n" not in str(caught.value)
    if name == "cases.parquet":
        with pytest.raises(DamagedWorkspace, match="import again"):
            workspace.cases()


@pytest.mark.parametrize(
    "raw", ["", "{", "[]", "{}", '{"sources": [{}]}', '{"sources": 5}', '{"sources": [{"source": 5}]}', "[" * 100_000]
)
def test_a_damaged_report_is_one_sentence(workspace, read, raw):
    workspace.add([read(rows(2))])
    next(home(workspace).glob("*/import.json")).write_text(raw)
    for use in (lambda: workspace.imports("processbench"), lambda: workspace.add([read(rows(3))])):
        with pytest.raises(DamagedWorkspace, match=r"import\.json cannot be read"):
            use()
    assert len(ids(workspace)) == 2
