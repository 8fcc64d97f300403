"""Saving results while processes die, write at the same moment, or have no disk to write to."""

import json
import multiprocessing
import os
import random
import subprocess
from pathlib import Path

import polars as pl
import pytest
from msgspec.structs import replace

from inspector.cli import main
from killed import KILLS, import_files, kept_files, told_until_killed
from results_and_cases import results
from saved_results import CASES, cached, folder_of, given
from scoring.data.errors import UnwritableWorkspace
from scoring.importing import saving
from scoring.importing.join import join
from scoring.importing.saving import save
from scoring.workspace.cache import Parts, RewardParts, VoteParts
from scoring.workspace.workspace import Workspace
from thoroughness import also

# Processes are forked from one that has imported what they need, and has done nothing yet.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["polars", "scoring.importing.saving", "scoring.formats.results.result_format"])


def die_at(root, moment, values):
    """Import other numbers and die without a word at a moment: before the n-th note, part or removal."""
    steps = iter(range(100))

    def counted(function):
        def call(*args, **kwargs):
            if next(steps) == moment:
                os._exit(9)
            return function(*args, **kwargs)

        return call

    Parts.append = counted(Parts.append)
    Path.unlink = counted(Path.unlink)
    saving.write_sources = counted(saving.write_sources)
    save(Workspace.open(root), given(values))


@pytest.mark.parametrize("moment", range(4), ids=["noting", "writing", "removing", "noting again"])
def test_a_process_that_dies_while_it_replaces_rows_leaves_what_the_next_import_mends(workspace, moment):
    old, new = {"a": 0.1, "b": 0.2, "c": 0.3}, {"a": 0.5, "b": None, "d": 0.4}
    save(workspace, given({"e": 0.9}, "runs/b.jsonl"))
    save(workspace, given(old))
    assert died(workspace, moment, new)
    folder = folder_of(workspace, given(old))
    meanwhile = cached(folder)
    assert meanwhile.pop("e") == 0.9
    assert all(value in {old.get(name, value), new.get(name, value)} for name, value in meanwhile.items())
    assert set(meanwhile) in ({*old}, {*old, *new}, {*new})
    assert save(workspace, given(new)).state == "changed"
    assert cached(folder) == {**new, "e": 0.9}
    assert len(RewardParts(folder).parts()) == 2
    assert save(workspace, given(new)).state == "unchanged"


@pytest.mark.parametrize("moment", range(3), ids=["noting", "writing", "noting again"])
def test_a_process_that_dies_in_its_first_import_leaves_what_the_next_one_mends(workspace, moment):
    assert died(workspace, moment, {"a": 0.1, "b": 0.2})
    save(workspace, given({"a": 0.5}))
    folder = folder_of(workspace, given({"a": 0.5}))
    assert cached(folder) == {"a": 0.5}
    assert len(RewardParts(folder).parts()) == 1


def died(workspace, moment, values):
    process = PROCESSES.Process(target=die_at, args=(workspace.root, moment, values))
    process.start()
    process.join(60)
    return process.exitcode == 9


MADE, EACH = 120, 5


@pytest.fixture(scope="module")
def made_files(tmp_path_factory):
    """The folder of so many files of five cases of one benchmark, each with the scores of one scorer."""
    folder = tmp_path_factory.mktemp("made")
    for number in range(MADE):
        names = [f"{number}-{place}" for place in range(EACH)]
        texts = {"steps": ["first", "second"], "label": 0, "generator": "g", "final_answer_correct": False}
        cases = [{"id": name, "problem": f"problem {name}", **texts} for name in names]
        scores = [{"id": name, "rewards": [number / MADE, place / EACH]} for place, name in enumerate(names)]
        for kind, rows in (("cases", cases), ("scores", scores)):
            (folder / f"{kind}-{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.mark.parametrize("seed", [0, *also(1, 2)])
def test_kills_at_random_moments_lose_nothing_imported_and_keep_nothing_twice(tmp_path, made_files, seed):
    root, moments, done = tmp_path / "ws", random.Random(seed), 0
    for _ in range(KILLS):
        # What was under way at the last kill is imported again, as anybody would.
        kept = kept_files(told_until_killed(moments, 4, import_files, root, made_files, done))
        assert kept == list(range(done, done + len(kept)))
        done += len(kept)
    assert KILLS < done < MADE
    main(["import", "-q", *(f"{made_files}/{kind}-{done}.jsonl" for kind in ("cases", "scores")), "-w", str(root)])
    cases, texts = Workspace.open(root).cases(["processbench"])
    assert sorted(cases["id"]) == sorted(f"{number}-{place}" for number in range(done + 1) for place in range(EACH))
    assert texts.frame()["problem"].n_unique() == cases.height
    folders = {folder.name.rpartition("-")[0]: folder for folder in (root / "rewards").iterdir()}
    assert set(folders) == {f"scores-{number}" for number in range(done + 1)}
    for number in range(done + 1):
        frame, problems = RewardParts(folders[f"scores-{number}"]).read()
        assert problems == []
        assert frame.height == EACH
        rewards = frame.join(cases, on="key").sort("id")["rewards"].to_list()
        assert rewards == [[number / MADE, place / EACH] for place in range(EACH)]


def save_together(root, together, values, source):
    joined = given(values, source)
    together.wait(30)
    save(Workspace.open(root), joined)


@pytest.mark.parametrize("sources", [["runs/a.jsonl"] * 3, ["runs/a.jsonl", "runs/b.jsonl", "runs/c.jsonl"]])
def test_imports_at_the_same_moment_lose_nothing(workspace, sources):
    together = PROCESSES.Barrier(len(sources))
    each = [{"a": 0.1, "bcd"[number] if len(set(sources)) > 1 else "b": 0.2} for number in range(len(sources))]
    processes = [
        PROCESSES.Process(target=save_together, args=(workspace.root, together, *one))
        for one in zip(each, sources, strict=True)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * len(processes)
    folder = folder_of(workspace, given({"a": 0.1}))
    wanted = {name: value for values in each for name, value in values.items()}
    assert cached(folder) == wanted
    assert len(RewardParts(folder).parts()) == len(set(sources))
    assert len(json.loads((folder / "imports.json").read_bytes())["sources"]) == len(set(sources))


def test_a_disk_that_is_really_read_only(small_disk):
    workspace = Workspace.create(small_disk / "workspace")
    joined = given({"a": 0.1})
    save(workspace, joined)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert save(workspace, joined).state == "unchanged"
    for other in (given({"a": 0.2}), given({"a": 0.1}, name="another")):
        with pytest.raises(UnwritableWorkspace, match="the file system is read-only"):
            save(workspace, other)
    assert cached(folder_of(workspace, joined)) == {"a": 0.1}


def test_a_disk_that_is_really_full(small_disk):
    workspace = Workspace.create(small_disk / "workspace")
    save(workspace, given({"a": 0.1}))
    (small_disk / "ballast").write_bytes(b"x" * 900_000)
    rows = [{"id": name, "answer": "x"} for name in "abcd"]
    critic = join(results(*rows, kind="critic", name="critic"), CASES)
    noise = critic.votes.with_columns(answer=pl.Series([os.urandom(90_000).hex() for _ in range(4)]))
    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        save(workspace, replace(critic, votes=noise))
    (small_disk / "ballast").unlink()
    assert save(workspace, critic).state == "changed"
    assert len(VoteParts(folder_of(workspace, critic)).parts()) == 1
