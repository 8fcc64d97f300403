"""Reading sources in tests."""

import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import authored
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.sources import ReadOptions, read_source
from scoring.workspace.workspace import Workspace


def import_source(source, benchmark=None):
    """The one benchmark that a source holds."""
    (imported,) = read_source(source, ReadOptions(benchmark=benchmark)).imported
    return imported


@cache
def import_published(file):
    """What is read of a published file, once for all who only look at it."""
    return import_source(str(file))


@cache
def _made(raw):
    """A folder with a workspace in which the cases of these rows are."""
    folder = TemporaryDirectory()
    path = authored.write(Path(folder.name) / "sums.json", json.loads(raw))
    workspace = Workspace.create(Path(folder.name) / "ws")
    read_sources([str(path)], ImportOptions(), workspace, None).put(workspace)
    return folder


def workspace_with(rows, root):
    """A workspace with the cases of these rows, as importing them from a file makes it: made once, then copied."""
    return Workspace.open(shutil.copytree(Path(_made(json.dumps(rows)).name) / "ws", root))
