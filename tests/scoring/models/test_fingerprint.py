import json
import os
import time

import pytest

import checkpoints
from scoring.data.errors import CheckpointError
from scoring.models import fingerprint as module
from scoring.models.checkpoint import Checkpoint
from scoring.models.fingerprint import FILE, Digests, fingerprint, weights_of


@pytest.fixture
def folder(tmp_path):
    return checkpoints.write(tmp_path / "prm")


@pytest.fixture
def digests(tmp_path):
    return Digests(tmp_path / FILE)


@pytest.fixture
def settled(monkeypatch):
    """Files count as settled at once."""
    monkeypatch.setattr(module, "SETTLED_NS", 0)
    time.sleep(0.02)


def weights(folder, digests):
    return fingerprint(weights_of(Checkpoint.open(folder), digests)[0])


def count_reads(monkeypatch):
    read = []
    digest = module._digest
    monkeypatch.setattr(module, "_digest", lambda path, *more: read.append(path.name) or digest(path, *more))
    return read


def test_it_is_of_the_content_and_not_of_the_path(tmp_path, folder, digests):
    copy = checkpoints.write(tmp_path / "elsewhere" / "other")
    assert weights(folder, digests) == weights(copy, digests)
    assert weights(folder, digests) != weights(checkpoints.write(tmp_path / "b", seed=1), digests)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_every_file_that_is_read_counts(folder, digests, name):
    before = weights(folder, digests)
    path = folder / name
    path.write_bytes(path.read_bytes()[:-1] + b"\n" if name.endswith("json") else path.read_bytes()[:-1] + b"\1")
    if name.endswith("json"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"}\n"))
    assert weights(folder, digests) != before


def test_the_order_of_keys_does_not_count_and_every_value_does():
    assert fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
    assert fingerprint({"a": 1, "b": [2]}) != fingerprint({"a": 1, "b": [3]})


def test_what_is_remembered_is_not_read_again(folder, digests, settled, monkeypatch):
    read = count_reads(monkeypatch)
    first = weights(folder, digests)
    assert sorted(read) == ["config.json", "model.safetensors", "tokenizer.json"]
    assert weights(folder, digests) == first
    assert len(read) == 3


def change_in_place(path):
    """Same path, inode and size, and the time of change put back."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"\0\0\0\1")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)


def test_a_change_in_place_is_seen_even_with_its_time_put_back(folder, digests, settled):
    before = weights(folder, digests)
    change_in_place(folder / "model.safetensors")
    assert weights(folder, digests) != before


def test_a_file_that_is_still_warm_is_read_every_time(folder, digests, monkeypatch):
    read = count_reads(monkeypatch)
    weights(folder, digests)
    weights(folder, digests)
    assert len(read) == 6
    assert not digests.memory.exists()


def test_a_change_after_the_digest_is_seen_before_a_reward_is_given(folder, digests):
    seen = weights_of(Checkpoint.open(folder), digests)[1]
    seen.check()
    time.sleep(0.02)
    change_in_place(folder / "model.safetensors")
    with pytest.raises(CheckpointError, match="changed while it was read"):
        seen.check()


def test_a_change_during_the_digest_is_refused(folder, digests, monkeypatch):
    stamp = module._stamp
    stamps = iter(range(100))
    monkeypatch.setattr(module, "_stamp", lambda path: (*stamp(path)[:4], next(stamps)))
    with pytest.raises(CheckpointError, match="changed while it was read"):
        weights(folder, digests)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"format": 2, "files": {}}', '{"format": 1, "files": []}', '{"format": 1, "files": {"x": 1}}'],
)
def test_a_memory_that_cannot_be_used_is_none(folder, digests, settled, text):
    expected = weights(folder, Digests(None))
    digests.memory.write_text(text)
    assert weights(folder, digests) == expected
    assert json.loads(digests.memory.read_text())["format"] == 1


def test_a_workspace_that_cannot_be_written_only_forgets(folder, tmp_path, settled):
    (tmp_path / "file").write_text("")
    assert weights(folder, Digests(tmp_path / "file" / FILE)) == weights(folder, Digests(None))


def test_a_missing_tokenizer_is_one_sentence(folder, digests):
    (folder / "tokenizer.json").unlink()
    with pytest.raises(CheckpointError, match=r"tokenizer\.json"):
        weights(folder, digests)


def test_hub_weights_count_by_commit_and_are_not_read(folder, digests, monkeypatch):
    read = count_reads(monkeypatch)
    found = Checkpoint.open(folder, "org/prm", "abc123")
    document, seen = weights_of(found, digests)
    assert document == {"hub": "org/prm", "commit": "abc123"}
    assert read == []
    seen.check()
