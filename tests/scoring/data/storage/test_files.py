import errno
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from failing import failing, interrupted
from scoring.data.errors import UnwritableWorkspace
from scoring.data.storage import files
from scoring.data.storage.files import check_writable, expand_home, locked, sync, unwritable, uuid7, write_atomically

REASONS = {
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "permission denied",
    errno.EIO: "Input/output error",
}


def test_the_home_of_nobody_is_a_name_like_any_other(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    assert expand_home("~/prm") == Path("/home/me/prm")
    assert expand_home("~nobody-of-this-name/prm") == Path("~nobody-of-this-name/prm")
    assert expand_home("a/~/prm") == Path("a/~/prm")


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "a" / "b" / "file.json"
    write_atomically(path, b"one")
    write_atomically(path, memoryview(b"two"))
    assert path.read_bytes() == b"two"
    assert [found.name for found in path.parent.iterdir()] == ["file.json"]


@pytest.mark.parametrize("number", REASONS)
@pytest.mark.parametrize("stage", ["mkdir", "write_bytes", "fsync", "replace"])
def test_a_failed_write_is_one_sentence_and_leaves_the_old_file(tmp_path, monkeypatch, stage, number):
    path = tmp_path / "file.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os if stage == "fsync" else Path, stage, failing(number))
    with pytest.raises(UnwritableWorkspace) as caught:
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert caught.value.sentence == f"{path}: {REASONS[number]}."
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["file.json"]


def test_a_file_system_that_refuses_to_clean_up_does_not_hide_the_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "write_bytes", failing(errno.ENOSPC))
    monkeypatch.setattr(Path, "unlink", failing(errno.EROFS))
    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        write_atomically(tmp_path / "file.json", b"new")


def test_an_interrupt_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert [found.read_bytes() for found in tmp_path.iterdir()] == [b"old"]


@pytest.mark.parametrize("below", ["file/new.json", "file/deeper/new.json"])
def test_a_file_where_a_folder_should_be_is_one_sentence(tmp_path, below):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UnwritableWorkspace, match="a part of the path is a file"):
        write_atomically(tmp_path / below, b"new")


def test_a_folder_where_the_file_should_be_is_one_sentence(tmp_path):
    (tmp_path / "file").mkdir()
    with pytest.raises(UnwritableWorkspace, match="directory"):
        write_atomically(tmp_path / "file", b"new")
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_disk_that_is_really_full(small_disk):
    path = small_disk / "file.json"
    path.write_bytes(b"old")
    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        write_atomically(path, bytes(2_000_000))
    assert path.read_bytes() == b"old"
    assert [found.name for found in small_disk.iterdir()] == ["file.json"]


def test_a_disk_that_is_really_read_only(small_disk):
    path = small_disk / "file.json"
    path.write_bytes(b"old")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for target in (path, small_disk / "folder" / "new.json"):
        with pytest.raises(UnwritableWorkspace, match="the file system is read-only"):
            write_atomically(target, b"new")
    assert path.read_bytes() == b"old"


def test_an_error_without_a_number_keeps_its_text(tmp_path):
    assert f"{tmp_path}: odd." in str(unwritable(tmp_path, OSError("odd")))


def test_files_and_folders_can_be_synced(tmp_path):
    sync(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync(tmp_path / "gone")


def test_a_lock_is_waited_for(tmp_path):
    entered = threading.Event()

    def wait():
        with locked(tmp_path):
            entered.set()

    with locked(tmp_path):
        other = threading.Thread(target=wait)
        other.start()
        assert not entered.wait(0.05)
    other.join(5)
    assert entered.is_set()


def test_a_lock_is_let_go_after_an_error(tmp_path):
    with pytest.raises(ValueError, match="inside"), locked(tmp_path):
        raise ValueError("inside")
    with locked(tmp_path):
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flock", ["missing", "refused"])
def test_without_locks_nobody_waits(tmp_path, monkeypatch, flock):
    if flock == "missing":
        monkeypatch.setattr(files, "fcntl", None)
    else:
        monkeypatch.setattr(files.fcntl, "flock", failing(errno.ENOLCK))
    with locked(tmp_path), locked(tmp_path):
        pass


def test_a_folder_is_tried_without_a_trace(tmp_path, monkeypatch):
    check_writable(tmp_path)
    check_writable(tmp_path / "not" / "yet")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(files.tempfile, "TemporaryFile", failing(errno.EROFS))
    with pytest.raises(UnwritableWorkspace, match=r"not/yet: the file system is read-only\. Nothing there was changed"):
        check_writable(tmp_path / "not" / "yet")


def test_uuids_are_of_version_7_and_of_now():
    name = uuid7()
    assert len(name) == 32
    assert name[12] == "7"
    assert name[16] in "89ab"
    assert abs(int(name[:12], 16) / 1000 - time.time()) < 5


def test_uuids_rise():
    names = [uuid7() for _ in range(20_000)]
    assert names == sorted(set(names))


def test_uuids_of_threads_differ_and_rise_in_each():
    found = []

    def make():
        found.append([uuid7() for _ in range(2000)])

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(names == sorted(names) for names in found)
    assert len({name for names in found for name in names}) == 8000


def test_uuids_rise_even_if_the_clock_goes_back(monkeypatch):
    now = time.time_ns()
    ticks = iter([now, now - 10**9, now - 10**12, now])
    monkeypatch.setattr(files.time, "time_ns", lambda: next(ticks))
    names = [uuid7() for _ in range(4)]
    assert names == sorted(names)


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "Free space, or choose another folder."),
        (errno.EACCES, "Make it writable, or choose another folder."),
        (errno.EROFS, "Make it writable, or choose another folder."),
        (errno.ENOTDIR, "Nothing there was changed. Choose another folder."),
    ],
)
def test_what_to_do_next_fits_what_went_wrong(number, remedy):
    assert str(unwritable(Path("here"), OSError(number, "no"))).endswith(remedy)
