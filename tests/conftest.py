"""Fixtures that tests of every part use."""

import gc
import itertools
import os
import subprocess
import sys
from pathlib import Path

# The program is started some hundred times, and starts twice as fast from bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Frames of a few hundred rows are not worth waking threads for, and other workers want the processors as well.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# No test cuts the power.
os.fsync = lambda _: None
# No test may ask a hub: where there is none, that takes half a minute.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Before anything asks for it, and by a way that reaches the workers.
if "--thorough" in sys.argv:
    os.environ["PRM_INSPECT_THOROUGH"] = "1"

import pytest  # noqa: E402  # what is set above has to be set first
from hypothesis import settings  # noqa: E402

import authored  # noqa: E402
from thoroughness import FEW, THOROUGH, USUAL  # noqa: E402

_NUMBERS = itertools.count()


def pytest_addoption(parser):
    parser.addoption(
        "--thorough", action="store_true", help="many examples a property, every pair of screens, every size of a storm"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays to the end: going through it for garbage took an eighth of the run and more of the start.

    What an app freezes is let go with its test.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.freeze = lambda: None
        gc.set_threshold(7000)
        gc.enable()


def pytest_collect_directory(path, parent):
    """Let each worker begin elsewhere: all of them collect everything, and what one has rewritten the others read."""
    return _Rotated.from_parent(parent, path=path) if "PYTEST_XDIST_WORKER" in os.environ else None


class _Rotated(pytest.Dir):
    def collect(self):
        inside = list(super().collect())
        worker, workers = os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"), os.environ["PYTEST_XDIST_WORKER_COUNT"]
        first = len(inside) * int(worker) // int(workers)
        return [*inside[first:], *inside[:first]]


def pytest_collection_modifyitems(items):
    """Put files that wait for terminals between those that compute, so that no processor is idle."""
    # Each worker collects them in an order of its own, and all are to run them in the same.
    items.sort(key=lambda item: item.path.parts)
    files = [list(group) for _, group in itertools.groupby(items, lambda item: item.path)]
    waiting, computing = [], []
    for file in files:
        (waiting if any(item.get_closest_marker("pty") for item in file) else computing).append(file)
    every = len(computing) // len(waiting) if waiting else 0
    # Those that wait longest stand at the end of the folder: nobody is to wait for them alone.
    for place, file in enumerate(reversed(waiting)):
        computing.insert(place * (every + 1), file)
    items[:] = itertools.chain.from_iterable(computing)


# Another process may hold up any example; only the whole run has a time. Usually the examples are the same every time,
# so that a change is judged by what it changes; --thorough looks for new ones.
settings.register_profile(
    "prm-inspect", deadline=None, max_examples=USUAL if THOROUGH else FEW, derandomize=not THOROUGH
)
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
