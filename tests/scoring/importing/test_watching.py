"""Files that grow, are replaced, come and go, and what the workspace holds of them after each look."""

import itertools
import os
import random
import time
from pathlib import Path

import polars as pl
import pytest

import authored
from authored import json_lines
from imports import workspace_with
from scoring.data.errors import InspectError, UnwritableWorkspace
from scoring.data.scorer import Scorer
from scoring.importing import watching
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.file_changes import WatchStamp, change_of, listing, whole_rows
from scoring.importing.watching import Watch
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.workspace import Workspace
from thoroughness import THOROUGH, also

OLD = time.time() - 3600
CASES = authored.rows(12)


def watch_of(root, *words, workspace=None, **options):
    """A watch of the words, and of a workspace that is made when there is something to put into it."""
    return Watch(
        [str(word) for word in words], ImportOptions(**options), workspace, lambda: Workspace.create(root), root
    )


def rested(path):
    """A file that has not changed for an hour."""
    os.utime(path, (OLD, OLD))
    return path


def held(workspace):
    """Every row of a workspace: cases with their texts, and what each scorer gave them."""
    if workspace is None:
        return {}, {}
    names = workspace.benchmarks()
    metadata, texts = workspace.cases(names, twins=True) if names else (pl.DataFrame(), None)
    cases = (
        {}
        if texts is None
        else dict(zip(metadata["case"], zip(metadata.rows(), texts.frame().rows(), strict=True), strict=True))
    )
    scorers = {}
    for folder in workspace.reward_folders():
        given_rows = []
        for parts in (RewardParts(folder), VoteParts(folder)):
            frame, problems = parts.read()
            assert not problems
            given_rows += sorted(map(repr, frame.select(sorted(frame.columns)).rows()))
        scorer = Scorer.load(folder)
        scorers[scorer.name] = (scorer.kind, scorer.threshold, scorer.on, given_rows)
    return cases, scorers


# -- what changed, told by stamps


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        (None, None, None),
        (None, (1, 1, 5, 1), "new"),
        ((1, 1, 5, 1), (1, 1, 5, 1), None),
        ((1, 1, 5, 1), (1, 1, 6, 2), "grown"),
        ((1, 1, 5, 1), (1, 1, 5, 2), "replaced"),
        ((1, 1, 5, 1), (1, 1, 4, 2), "replaced"),
        ((1, 1, 5, 1), (1, 2, 9, 2), "replaced"),
        ((1, 1, 5, 1), None, "gone"),
    ],
)
def test_what_happened_to_a_file_is_told_by_its_stamps(before, now, change):
    assert change_of(before and WatchStamp(*before), now and WatchStamp(*now)) == change


@pytest.mark.parametrize(
    ("raw", "whole"),
    [
        (b'{"a": 1}\n', 9),
        (b'{"a": 1}\n{"a": ', 9),
        (b'{"a": 1}\n{"a": 2}', 17),
        (b'{"a": 1}\n\n', 10),
        (b'{"a": ', None),
        (b"id,rewards\na,1\n", None),
        (b'[{"a": 1},\n', None),
        (b'{"a": 1}\n{"a": "' + b"x" * 200_000, 9),
    ],
)
def test_whole_rows_end_at_the_last_break_or_object(tmp_path, raw, whole):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(raw)
    assert whole_rows(str(path), len(raw)) == whole


def test_a_listing_says_what_it_waits_for(tmp_path):
    home = tmp_path / "runs"
    home.mkdir()
    words = [tmp_path / "no.jsonl", home, tmp_path / "*.json"]
    awaited = listing([*map(str, words)]).awaited
    assert [sentence.partition(" ")[0] for sentence in awaited.values()] == ["there", "the", "no"]
    path = home / "a.jsonl"
    path.write_text("{}\n")
    (home / "again.jsonl").symlink_to(path)
    now = listing([str(path), str(home)])
    assert [*now.files] == [os.path.realpath(path)]
    assert now.awaited == {}


# -- a law: however a file grew, the workspace holds what one import of the whole file puts there


REWARD = [0.9, 0.4, 0.1]


def in_order(row):
    return [{"id": row["id"], "score": reward} for reward in REWARD]


def by_step(row):
    return [{"id": row["id"], "step": step, "score": reward} for step, reward in enumerate(REWARD)]


def by_scorer(row):
    return [{"id": row["id"], "model": name, "rewards": REWARD} for name in ("a", "b")]


def without_id(row):
    return {name: value for name, value in row.items() if name != "id"} | {"rewards": REWARD}


def of_a_table(row):
    texts = {"question": row["problem"], "solution": "\n\n".join(row["steps"])}
    return {"uid": row["id"], **texts, "first_error": row["label"], "my_prm": REWARD}


KINDS = {
    "rewards by id": lambda row: [{"id": row["id"], "rewards": REWARD}],
    "rewards or a refusal": lambda row: [{"id": row["id"], "rewards": None if row["label"] == -1 else REWARD}],
    "verdicts": lambda row: [{"id": row["id"], "prediction": row["label"]}],
    "verdicts from one": lambda row: [{"id": row["id"], "prediction": row["label"] + 1 if row["label"] >= 0 else -1}],
    "verdicts, then rewards": lambda row: [
        {"id": row["id"]} | ({"rewards": REWARD} if row["label"] else {"prediction": 1})
    ],
    "other columns each time": lambda row: [{"id": row["id"], f"m{max(row['label'], 0)}": REWARD}],
    "answers": lambda row: [{"id": row["id"], "answer": f"\\boxed{{{row['label']}}}"}],
    "one row a step": by_step,
    "one row a step in order": in_order,
    "a row a scorer": by_scorer,
    "cases": lambda row: [row],
    "cases with rewards": lambda row: [{**row, "rewards": REWARD}],
    "cases with columns": lambda row: [{**row, "difficulty": row["label"], "topic": row["id"]}],
    "cases without ids": lambda row: [without_id(row)],
    "the same cases twice": lambda row: [without_id(row)] * 2,
    "results with their cases": lambda row: [
        {**row, "generated_critique": "\\boxed{1}", "prediction": 1, "match": True}
    ],
    "a table": lambda row: [of_a_table(row)],
    "no results": lambda row: [{"a": row["id"], "b": 1}],
}
"""The rows that each case becomes in a file."""
TEXTS = [kind for kind in KINDS if "case" in kind or kind in {"a table", "no results"}]


@pytest.mark.parametrize("seed", range(20 if THOROUGH else 1))
@pytest.mark.parametrize(
    ("kind", "beside"),
    [*((kind, kind not in TEXTS) for kind in KINDS), *(("cases", True), *also(*((kind, True) for kind in TEXTS[1:])))],
)
def test_any_way_of_growing_ends_in_what_one_import_gives(tmp_path, kind, beside, seed):
    draw = random.Random(f"{kind} {beside} {seed}")
    raw = json_lines(itertools.chain.from_iterable(map(KINDS[kind], draw.sample(CASES, k=len(CASES)))))
    if draw.random() < 0.5:
        raw = raw.removesuffix(b"\n")
    # After its first row a file may look like another kind of file than it is.
    cuts = sorted(
        [raw.index(b"\n") + 1, *draw.choices(range(1, len(raw) + 1), k=draw.randint(1, 3 if THOROUGH else 1))]
    )
    path, spaces = tmp_path / "mine.jsonl", [tmp_path / "watched", tmp_path / "imported"]
    workspaces = [workspace_with(CASES, root) if beside else None for root in spaces]
    watch = watch_of(spaces[0], path, workspace=workspaces[0])
    for start, end in itertools.pairwise([0, *cuts, len(raw)]):
        with path.open("ab") as file:
            file.write(raw[start:end])
        for one in watch.look().taken:
            assert not any(finding.code == "broken-row" for _, finding in said(one))
    watch.look(last=True)
    watch.look(last=True)
    try:
        found = read_sources([str(path)], ImportOptions(), workspaces[1], None)
        found.put(workspaces[1] or Workspace.create(spaces[1]))
        whole = Workspace.open(spaces[1])
    except InspectError:
        whole = workspaces[1]
    assert held(watch.workspace) == held(whole)


def said(taken):
    for part, _ in (*taken.imported, *taken.joined):
        yield from ((part, finding) for finding in part.findings)


# -- files that come, go and change otherwise


REWARDS = [{"id": row["id"], "rewards": [0.9, 0.4, 0.1]} for row in CASES]


@pytest.fixture
def of_sums(tmp_path):
    """A workspace that holds the cases, and a folder in which nothing is."""
    runs = tmp_path / "runs"
    runs.mkdir()
    return workspace_with(CASES, tmp_path / "ws"), runs


def changes(brought):
    return {Path(one.path).name: one.change for one in brought.taken}


def results(workspace):
    return {scorer: len(rows) for scorer, (*_, rows) in held(workspace)[1].items()}


def test_files_of_a_folder_come_grow_are_replaced_and_go(of_sums):
    workspace, runs = of_sums
    watch = watch_of(workspace.root, runs, workspace=workspace)
    assert "the folder" in watch.look().awaited[str(runs)]
    (runs / "a.jsonl").write_bytes(json_lines(REWARDS[:4]))
    assert (changes(watch.look()), results(workspace)) == ({"a.jsonl": "new"}, {"a": 4})
    assert changes(watch.look()) == {}
    with (runs / "a.jsonl").open("ab") as file:
        file.write(json_lines(REWARDS[4:6]))
    (runs / "b.jsonl").write_bytes(json_lines(REWARDS))
    assert changes(watch.look()) == {"a.jsonl": "grown", "b.jsonl": "new"}
    assert results(workspace) == {"a": 6, "b": 12}
    (runs / "next").write_bytes(json_lines(REWARDS[:2]))
    (runs / "next").rename(runs / "a.jsonl")
    assert (changes(watch.look()), results(workspace)) == ({"a.jsonl": "replaced"}, {"a": 2, "b": 12})
    (runs / "b.jsonl").unlink()
    assert watch.look().gone == (str(runs / "b.jsonl"),)
    assert (watch.look().gone, results(workspace)) == ((), {"a": 2, "b": 12})


def test_what_may_be_half_written_waits_until_it_rests(of_sums):
    workspace, runs = of_sums
    lines, table = runs / "a.jsonl", runs / "b.csv"
    watch = watch_of(workspace.root, runs, workspace=workspace)
    lines.write_bytes(json_lines(REWARDS[:3]) + b'{"id": "su')
    table.write_text('id,rewards\nsums-0,"[0.9, 0.4, 0.1]"\n')
    (runs / "c.jsonl").touch()
    brought = watch.look()
    assert changes(brought) == {"a.jsonl": "new"}
    assert [*said(brought.taken[0])][-1][1].code != "broken-row"
    assert {*brought.half} == {str(lines), str(table), str(runs / "c.jsonl")}
    rested(lines)
    rested(table)
    brought = watch.look()
    assert results(workspace) == {"a": 3, "b": 1}
    (of_lines,) = (one for one in brought.taken if one.path == str(lines))
    assert "broken-row" in [finding.code for _, finding in said(of_lines)]
    assert brought.half == (str(runs / "c.jsonl"),)


def test_results_that_came_before_their_cases_join_when_these_come(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(json_lines(REWARDS))
    watch = watch_of(tmp_path / "ws", tmp_path / "*.json*")
    (refused,) = watch.look().taken
    assert "Import the benchmark" in refused.refusal
    assert watch.workspace is None
    rested(authored.write(tmp_path / "sums.json", CASES))
    brought = watch.look()
    assert changes(brought) == {"sums.json": "new", "a.jsonl": "joined anew"}
    assert results(watch.workspace) == {"a": 12}
    assert changes(watch.look()) == {}


def test_files_with_cases_and_rewards_do_not_set_each_other_off(tmp_path):
    for name, part in (("a", CASES[:6]), ("b", CASES[6:])):
        (tmp_path / f"{name}.jsonl").write_bytes(json_lines([{**row, "rewards": [0.9, 0.4, 0.1]} for row in part]))
    watch = watch_of(tmp_path / "ws", tmp_path)
    assert [len(watch.look().taken) for _ in range(3)] == [2, 0, 0]


def test_one_file_that_cannot_be_taken_keeps_no_other_out(of_sums, monkeypatch):
    workspace, runs = of_sums
    (runs / "a.jsonl").write_bytes(json_lines(REWARDS))
    (runs / "b.jsonl").write_bytes(json_lines([{"id": "sums-1", "answer": "\\boxed{1}"}]))
    (runs / "c.jsonl").write_bytes(json_lines([{"no": "results"}]))
    watch = watch_of(workspace.root, runs, workspace=workspace, run=1)
    refusals = {Path(one.path).name: one.refusal for one in watch.look().taken}
    assert "only answers have runs" in refusals["a.jsonl"]
    assert refusals["b.jsonl"] == ""
    assert "none of the formats" in refusals["c.jsonl"]

    def full(*_):
        raise UnwritableWorkspace("the disk is full.", "Make room.")

    (runs / "b.jsonl").write_bytes(json_lines([{"id": "sums-2", "answer": "\\boxed{1}"}]))
    with monkeypatch.context() as patched:
        patched.setattr(watching.ImportBatch, "put", full)
        assert "the disk is full" in watch.look().refusal
    assert [one.change for one in watch.look().taken if not one.refusal] == ["replaced"]


def test_a_file_that_is_replaced_while_it_is_read_waits_for_the_next_look(of_sums, monkeypatch):
    workspace, runs = of_sums
    for name in "ab":
        (runs / f"{name}.jsonl").write_bytes(json_lines(REWARDS[:4]))
    watch = watch_of(workspace.root, runs, workspace=workspace)
    read = watching.read_sources

    def replaced_meanwhile(*words, **how):
        found = read(*words, **how)
        (runs / "next").write_bytes(json_lines(REWARDS[:9]))
        (runs / "next").rename(runs / "a.jsonl")
        monkeypatch.setattr(watching, "read_sources", read)
        return found

    monkeypatch.setattr(watching, "read_sources", replaced_meanwhile)
    assert (changes(watch.look()), results(workspace)) == ({"b.jsonl": "new"}, {"b": 4})
    assert (changes(watch.look()), results(workspace)) == ({"a.jsonl": "new"}, {"a": 9, "b": 4})
