import os
import shutil
import time

import pytest

from scoring.files import uuid7
from scoring.importing.spill import spill_folder

OLD = time.time() - 2 * 86_400


def made(folder, age=OLD):
    folder.mkdir(parents=True)
    (folder / "texts.parquet").write_bytes(b"x")
    os.utime(folder, (age, age))
    return folder


@pytest.mark.parametrize("there", [True, False])
def test_the_folder_lies_on_the_workspaces_disk_and_is_made_by_whoever_writes(tmp_path, there):
    root = tmp_path / "workspace"
    if there:
        root.mkdir()
    with spill_folder(root) as folder:
        assert folder.parent == (root if there else tmp_path)
        assert not folder.exists()
        made(folder)
    assert not folder.exists()


def test_it_goes_whatever_happens(tmp_path):
    def killed():
        with spill_folder(tmp_path) as folder:
            made(folder)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        killed()
    assert list(tmp_path.iterdir()) == []


def test_each_import_has_its_own(tmp_path):
    with spill_folder(tmp_path) as one, spill_folder(tmp_path) as two:
        assert one != two


def test_a_workspace_in_a_folder_that_is_not_there(tmp_path):
    with spill_folder(tmp_path / "new" / "workspace") as folder:
        assert folder.parent == tmp_path / "new"
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_import_left_is_removed_a_day_later(tmp_path):
    left = made(tmp_path / f".import-123-{uuid7()}")
    fresh = made(tmp_path / f".import-123-{uuid7()}", time.time())
    with spill_folder(tmp_path):
        assert not left.exists()
        assert fresh.exists()


@pytest.mark.parametrize("name", [".import-notes", ".import-1-x", ".import-", f".import-x-{'0' * 32}"])
def test_what_is_called_otherwise_is_nobodys_business_here(tmp_path, name):
    other = made(tmp_path / name)
    with spill_folder(tmp_path):
        pass
    assert (other / "texts.parquet").exists()


def test_what_another_import_removes_meanwhile_is_gone_and_no_error(tmp_path, monkeypatch):
    left = made(tmp_path / f".import-123-{uuid7()}")
    remove = shutil.rmtree
    glob = type(tmp_path).glob

    def racing(self, pattern):
        found = list(glob(self, pattern))
        remove(left)
        return found

    monkeypatch.setattr(type(tmp_path), "glob", racing)
    with spill_folder(tmp_path):
        assert not left.exists()
