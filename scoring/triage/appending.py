"""Lines added to a journal's file: all of them and on the disk, or none."""

import os
from collections.abc import Sequence
from pathlib import Path

from scoring.errors import UnwritableWorkspace
from scoring.files import sync, unwritable


def append_lines(path: Path, lines: Sequence[str]) -> int:
    """Add lines at the end of a file by one write, on the disk when this returns; how many bytes these are.

    A last line that was cut short gets its end first, so that nothing is glued to it.

    Raises:
        UnwritableWorkspace: nothing was added.
    """
    data = "".join(f"{line}\n" for line in lines).encode()
    try:
        new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        try:
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if size and os.lseek(descriptor, size - 1, os.SEEK_SET) and os.read(descriptor, 1) != b"\n":
                data = b"\n" + data
            _write(path, descriptor, data, size)
        finally:
            os.close(descriptor)
        if new:
            sync(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error
    return len(data)


def _write(path: Path, descriptor: int, data: bytes, size: int) -> None:
    """One write and one fsync; a write that is cut short (a full disk) is taken back."""
    try:
        written = os.write(descriptor, data)
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, size)
        raise
    if written != len(data):
        os.ftruncate(descriptor, size)
        raise UnwritableWorkspace(f"{path}: the disk is full.", "Nothing was written. Free space and try again.")
