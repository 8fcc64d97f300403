"""A folder for what an import cannot hold in memory: beside the workspace it is for, and gone when it is done."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scoring.files import uuid7

_ABANDONED_SECONDS = 86_400
# Nobody else calls a folder like this: what has such a name may be removed.
_OURS = re.compile(r"\.import-\d+-[0-9a-f]{32}\Z")


@contextmanager
def spill_folder(root: Path) -> Iterator[Path]:
    """A folder on the workspace's file system, so that its files can be linked there; whoever writes first makes it.

    `root` is the workspace's folder, there or not. What an import that was killed left behind is removed a day later.
    """
    home = root if root.is_dir() else root.parent
    for old in home.glob(".import-*"):
        # Another import may be removing it too.
        with suppress(OSError):
            if _OURS.match(old.name) and time.time() - old.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
    folder = home / f".import-{os.getpid()}-{uuid7()}"
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
