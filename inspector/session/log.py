"""The log of the session that is going on, one file a session."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from inspector.session.lines import Start, encoded

FOLDER = "sessions"
KEPT = 20
"""Logs that stay; older ones are deleted."""


class SessionLog:
    """Writes line after line, each at once. Nothing here raises: why nothing more is written stands in `problem`."""

    def __init__(self, folder: Path, start: Start) -> None:
        """Begin a file of its own in the folder, which is made where it is missing; the user alone may read it."""
        self.problem = ""
        self._file: IO[bytes] | None = None
        self.path = folder / f"session-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            self._file = os.fdopen(descriptor, "wb", buffering=0)
            _forget_old(folder)
        except OSError as error:
            self._end(error)
        self._write(encoded(start))

    def write(self, line: Mapping[str, Any]) -> None:
        """One more line."""
        self._write(encoded(line))

    def close(self) -> None:
        """Nothing more comes."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None

    def _write(self, data: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(data)
        except OSError as error:
            self._end(error)

    def _end(self, error: OSError) -> None:
        self.close()
        self.problem = f"What you do is not logged any more: {self.path}: {error.strerror or error}"


def logs(folder: Path) -> list[Path]:
    """The logs of a folder, the oldest first."""
    return sorted(folder.glob("session-*.jsonl"))


def _forget_old(folder: Path) -> None:
    for old in logs(folder)[:-KEPT]:
        old.unlink(missing_ok=True)
