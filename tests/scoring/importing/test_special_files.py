"""Pipes, devices and sockets in the place of files: refused at once, wherever a person names a file."""

import ast
import errno
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from inspector.app.terminal import keymap
from inspector.cli import main
from scoring.data.errors import InspectError, UnreadableFile
from scoring.data.own_code import from_file
from scoring.data.storage.files import NotPlain, open_plain, read_plain
from scoring.formats.reading.compressed_streams import start_of
from scoring.formats.reading.file_bytes import file_bytes
from scoring.formats.reading.rows import read_rows
from scoring.formats.results.inspect_log import load_file
from scoring.importing.bringing import bring
from scoring.importing.ledger import Ledger
from scoring.importing.local_files import LocalFile
from scoring.models.checkpoint import Checkpoint
from scoring.runs.stress.elsewhere import read_rewards

ROOT = Path(__file__).parents[3]
LIMIT_SECONDS = 60
"""A process that has not ended by then hangs."""
WAIT_SECONDS = 20
KINDS = ("pipe", "device", "socket", "link to a pipe", "link to a device")

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")


def special(folder, kind, name="rows.jsonl"):
    """Make a path that leads to something that is not a file."""
    path, target = folder / name, folder / f"target of {name}"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/zero")
    elif kind == "socket":
        # The path of a socket must be short.
        home = Path(tempfile.mkdtemp(prefix="s"))
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(home / "s"))
        path.symlink_to(home / "s")
    elif kind == "link to a pipe":
        os.mkfifo(target)
        path.symlink_to(target)
    else:
        path.symlink_to("/dev/zero")
    return path


def within_time(run):
    """Call a function in a thread, so that one that hangs fails the test; return what it raised, or its result."""
    ended = []

    def call():
        try:
            ended.append(run())
        except BaseException as error:  # noqa: BLE001  # it is what the test is about
            ended.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(WAIT_SECONDS)
    assert ended, "it waits for ever"
    return ended[0]


@pytest.mark.parametrize("kind", KINDS)
def test_only_plain_files_are_opened(tmp_path, kind):
    path = special(tmp_path, kind)
    error = within_time(lambda: open_plain(path))
    assert isinstance(error, NotPlain)
    assert error.errno == errno.EINVAL
    assert error.kind == f"a {kind.split()[-1]}"
    assert within_time(lambda: start_of(path)) == b""
    assert isinstance(within_time(lambda: file_bytes(path)), UnreadableFile)


def test_plain_files_links_to_them_and_what_is_no_file(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "round").symlink_to("round")
    assert read_plain(tmp_path / "b") == b"content"
    for path, error in (("none", FileNotFoundError), (".", IsADirectoryError), ("round", OSError), ("a\0", ValueError)):
        with pytest.raises(error):
            open_plain(tmp_path / path)


READERS = {
    "a source": lambda path: list(bring(str(path), path.parent / "spill")) and read_rows(path),
    "a log": load_file,
    "a plugin": from_file,
    "rewards from elsewhere": read_rewards,
    "a file that may be unchanged": lambda path: Ledger(None, "").unchanged(LocalFile("a", "a", path)),
    "a keymap": keymap.read,
    "a checkpoint": lambda path: Checkpoint.open(path.parent),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_waits_for_a_pipe(tmp_path, reader):
    path = special(tmp_path, "pipe", "config.json")
    result = within_time(lambda: READERS[reader](path))
    assert not isinstance(result, BaseException) or isinstance(result, InspectError), result


@pytest.mark.parametrize("kind", ["link to a pipe", "link to a device"])
def test_an_import_of_a_pipe_or_device_ends(tmp_path, kind):
    """The thread that computes digests must end, too: the process waits for it."""
    (tmp_path / "good.csv").write_text("id,rewards\na,[0.5]\n")
    command = ["import", str(special(tmp_path, kind)), "good.csv", "-w", str(tmp_path / "w")]
    run = subprocess.run(
        [sys.executable, "-m", "inspector.cli", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert run.returncode == 2
    assert "Traceback" not in run.stderr


def test_a_folder_with_special_files_is_imported_without_them(tmp_path, capsys):
    folder = tmp_path / "folder"
    folder.mkdir()
    rows = '{"id": "a", "problem": "p", "steps": ["a", "b"], "label": 0}\n'
    (folder / "good.jsonl").write_text(rows)
    for number, kind in enumerate(kind for kind in KINDS if kind != "device"):
        special(folder, kind, f"{number}.jsonl")
    (folder / "round").symlink_to(folder)
    assert within_time(lambda: main(["import", "processbench", str(folder), "-w", str(tmp_path / "w")])) in {0, 1}
    assert "1 case" in capsys.readouterr().out


READ_MODES = {"r", "rb", "r+b"}
FOLDERS = ("formats", "importing", "metrics/trees", "runs/stress", "models/prms", "models/critics")
OWN = {
    # Packaged texts, installed code, files of a workspace, and copies that the import made itself.
    ("models/critics/template.py", "packaged"),
    ("data/own_code.py", "from_entry_point"),
    ("importing/saving.py", "recorded_imports"),
    ("importing/ledger.py", "_sources"),
    ("importing/ledger.py", "_is_there"),
    ("importing/ledger.py", "remember"),
    ("importing/local_files.py", "_whole_lines"),
    ("models/prms/chat.py", "_template"),
}


def opened_otherwise(path):
    """Yield the functions of a module that read a file without `open_plain`."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            if not isinstance(call, ast.Call):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            words = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if name in {"read_bytes", "read_text"} or (name == "open" and READ_MODES.intersection(words)):
                yield function.name


def test_what_people_name_is_opened_in_one_place():
    scoring = ROOT / "scoring"
    files = [path for folder in FOLDERS for path in (scoring / folder).rglob("*.py")]
    files += [scoring / "data" / "own_code.py", scoring / "models" / "checkpoint.py"]
    files += [scoring / "models" / "safetensors_file.py"]
    files += [scoring / "engines" / name for name in ("lora_config.py", "usable_weights.py")]
    files += [ROOT / "inspector" / "cli" / "actions" / "tree_pages.py"]
    found = {
        (str(path.relative_to(scoring)) if path.is_relative_to(scoring) else path.name, name)
        for path in files
        for name in opened_otherwise(path)
    }
    assert found <= OWN
