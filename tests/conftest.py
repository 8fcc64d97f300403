"""Fixtures that tests of every part use."""

import itertools
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

import authored

_NUMBERS = itertools.count()
# Another process may hold up any example; only the whole run has a time.
settings.register_profile("prm-inspect", deadline=None)
settings.load_profile("prm-inspect")


@pytest.fixture(scope="session")
def data_folder():
    """The folder with the published benchmark files, which are no part of this repository."""
    folder = Path(os.environ.get("PRM_INSPECT_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("no published benchmark files here; name their folder in PRM_INSPECT_DATA")
    return folder


@pytest.fixture(autouse=True)
def data_home(tmp_path_factory, monkeypatch):
    """The user's own data are another folder in every test, which is not there yet."""
    place = tmp_path_factory.getbasetemp() / f"data-of-the-user-{next(_NUMBERS)}"
    monkeypatch.setenv("XDG_DATA_HOME", str(place))
    return place


@pytest.fixture
def processbench_file(tmp_path):
    """Writes authored rows to a new file and gives its path; the ending says how (.json, .jsonl, .parquet)."""

    def write(values, name="sums.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(values, bytes):
            path.write_bytes(values)
            return path
        return authored.write(path, values)

    return write


@pytest.fixture
def small_disk(tmp_path):
    """The path of a real file system of one megabyte, to be filled or made read-only by `mount -o remount,ro`."""
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(path)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small file system cannot be mounted here (needs root)")
    yield path
    subprocess.run(["umount", str(path)], check=True)
