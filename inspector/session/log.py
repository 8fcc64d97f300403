"""The log of the session that is going on, one file a session."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from inspector.session.lines import Start, encoded

FOLDER = "sessions"
KEPT = 20
"""Logs that stay; older ones are deleted."""
GRACE = 0.3
"""Seconds that the last lines have to reach the disk."""


class SessionLog:
    """Writes line after line, in a thread of its own: a slow disk must not stop the keys.

    Nothing here raises: why nothing more is written stands in `problem`.
    """

    def __init__(self, folder: Path, start: Callable[[], Start]) -> None:
        """Lines are kept until `begin`; `start`, which may take a while, says how the session began."""
        self.problem = ""
        self._lines: SimpleQueue[Mapping[str, Any] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, args=(folder, start), daemon=True, name="prm-inspect-log")

    def begin(self) -> None:
        """Begin a file of its own in the folder, which is made where it is missing; the user alone may read it."""
        self._thread.start()

    def write(self, line: Mapping[str, Any]) -> None:
        """One more line."""
        self._lines.put(line)

    def close(self) -> None:
        """Nothing more comes: wait a moment until everything is written."""
        self._lines.put(None)
        if self._thread.is_alive():
            self._thread.join(GRACE)

    def _work(self, folder: Path, start: Callable[[], Start]) -> None:
        path = folder / f"session-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                _forget_old(folder)
                file.write(encoded(start()))
                while (line := self._lines.get()) is not None:
                    file.write(encoded(line))
        except OSError as error:
            self.problem = f"What you do is not logged any more: {path}: {error.strerror or error}"


def logs(folder: Path) -> list[Path]:
    """The logs of a folder, the oldest first."""
    return sorted(folder.glob("session-*.jsonl"))


def _forget_old(folder: Path) -> None:
    for old in logs(folder)[:-KEPT]:
        old.unlink(missing_ok=True)
