"""A file that would change nothing is not read again, and whatever could make a difference has it read."""

import json
import shutil

import pytest

import authored
from scoring.importing import found as module
from scoring.importing import unchanged
from scoring.importing.found import Wish, find
from scoring.workspace import Workspace

CASES = authored.rows(12)
REWARDS = [{"id": row["id"], "rewards": [0.9, 0.25, 0.6]} for row in CASES]


@pytest.fixture
def place(tmp_path):
    """A workspace with a benchmark and a scorer, and their files."""
    authored.write(tmp_path / "cases.jsonl", CASES)
    authored.write(tmp_path / "mine.jsonl", REWARDS)
    assert again(tmp_path) == []
    return tmp_path


def again(folder, wish=None, names=("cases.jsonl", "mine.jsonl")):
    """Import the files once more; the names of those that were left unread."""
    workspace = Workspace.create(folder / "ws")
    found = find([str(folder / name) for name in names], wish or Wish(), workspace, None, skip_unchanged=True)
    found.put(workspace)
    return [one.source.rpartition("/")[2] for one in found.unchanged]


def test_what_would_change_nothing_is_not_read(place, monkeypatch):
    monkeypatch.setattr(module, "read_source", lambda *_: pytest.fail("it was read"))
    assert again(place) == ["cases.jsonl", "mine.jsonl"]
    workspace = Workspace.open(place / "ws")
    (cases, results) = find(
        [str(place / "cases.jsonl"), str(place / "mine.jsonl")], Wish(), workspace, None, skip_unchanged=True
    ).unchanged
    assert (cases.held, results.held) == ("12 cases of processbench", "12 results of mine")
    assert (cases.grave, results.grave) == (False, False)


def rewritten(place):
    authored.write(place / "mine.jsonl", [{**row, "rewards": [0.9, 0.25, 0.5]} for row in REWARDS])


def touched(place):
    (place / "mine.jsonl").write_bytes((place / "mine.jsonl").read_bytes())


def scorer_removed(place):
    shutil.rmtree(next((place / "ws" / "rewards").glob("mine-*")))


def part_removed(place):
    next((place / "ws" / "rewards").glob("mine-*/part-*")).unlink()


def other_cases(place):
    authored.write(place / "more.jsonl", [authored.row(99, "more")])
    again(place, names=("more.jsonl",))


def forgotten(place):
    (place / "ws" / unchanged.FILE).write_text("{")


def older_version(place):
    path = place / "ws" / unchanged.FILE
    document = json.loads(path.read_text())
    for source in document["sources"].values():
        source["how"] = "another"
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (touched, ["cases.jsonl", "mine.jsonl"]),
        (rewritten, ["cases.jsonl"]),
        (scorer_removed, ["cases.jsonl"]),
        (part_removed, ["cases.jsonl"]),
        (other_cases, []),
        (forgotten, []),
        (older_version, []),
    ],
)
def test_whatever_could_make_a_difference_has_it_read(place, change, left):
    change(place)
    assert again(place) == left
    workspace = Workspace.open(place / "ws")
    (folder,) = workspace.reward_folders()
    assert len(list(folder.glob("part-*"))) == 1


def test_another_way_to_read_it_has_it_read(place):
    assert again(place, Wish(threshold=0.25), names=("mine.jsonl",)) == []
    assert again(place, names=("cases.jsonl",)) == ["cases.jsonl"]


def test_warnings_are_remembered(place):
    authored.write(place / "mine.jsonl", [*REWARDS[1:], {**REWARDS[0], "rewards": []}])
    assert again(place) == ["cases.jsonl"]
    workspace = Workspace.open(place / "ws")
    found = find([str(place / "mine.jsonl")], Wish(), workspace, None, skip_unchanged=True)
    assert [one.grave for one in found.unchanged] == [True]
    assert found.grave
