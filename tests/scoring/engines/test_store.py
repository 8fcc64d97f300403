import json
import os
import time

import pytest

from scoring.data.errors import NoWorkspace, UnwritableWorkspace
from scoring.engines.converted_store import ABANDONED_SECONDS, FOLDER, ConvertedStore


@pytest.fixture
def store(tmp_path):
    return ConvertedStore(tmp_path)


def test_a_recipe_is_made_once_and_kept_with_its_sources(store):
    made = []

    def make(draft):
        made.append(draft)
        (draft / "weights").write_text("1")

    first, fresh = store.made({"a": 1}, make)
    again, later = store.made({"a": 1}, make)
    other, _ = store.made({"a": 2}, make)
    assert (first, fresh, later) == (again, True, False)
    assert len(made) == 2
    assert other != first
    assert (first / "weights").read_text() == "1"
    assert json.loads((first / "sources.json").read_text()) == {"a": 1}


def test_what_fails_leaves_nothing(store, tmp_path):
    def fail(draft):
        (draft / "half").write_text("1")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.made({"a": 1}, fail)
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_a_full_disk_is_one_sentence(store):
    def fail(draft):
        raise OSError(28, "No space left on device")

    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        store.made({"a": 1}, fail)


def test_without_a_folder_nothing_is_converted():
    with pytest.raises(NoWorkspace):
        ConvertedStore(None).made({}, lambda _: None)


def test_another_process_that_was_faster_is_taken_at_its_word(store):
    def make(draft):
        # Where locks do not work.
        other = draft.parent / draft.name.split(".")[1]
        other.mkdir()
        (other / "weights").write_text("theirs")
        (draft / "weights").write_text("ours")

    folder, _ = store.made({"a": 1}, make)
    assert (folder / "weights").read_text() in {"theirs", "ours"}
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_what_a_killed_process_left_is_removed_after_a_day(store, tmp_path):
    left, running = tmp_path / FOLDER / ".abc.1", tmp_path / FOLDER / ".abc.2"
    left.mkdir(parents=True)
    running.mkdir()
    long_ago = time.time() - ABANDONED_SECONDS - 1
    os.utime(left, (long_ago, long_ago))
    store.made({"a": 1}, lambda _: None)
    assert (left.exists(), running.exists()) == (False, True)
