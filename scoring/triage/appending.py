"""Lines added to a journal's file: all of them and on the disk, or none."""

import os
from collections.abc import Sequence
from pathlib import Path

from scoring.errors import UnwritableWorkspace
from scoring.files import sync, unwritable
from scoring.triage.lines import is_whole

_AT_ONCE = 1 << 16


def append_lines(path: Path, lines: Sequence[str]) -> int:
    """Add lines at the end of a file by one write, on the disk when this returns; by how many bytes it grew.

    A system that ends a process while it writes may cut a line where a page of memory ends. Nobody was told that such a
    last line is there, so that the first new one takes its place; where it only lacks its end, it gets that.

    Raises:
        UnwritableWorkspace: nothing was added.
    """
    data = "".join(f"{line}\n" for line in lines).encode()
    try:
        new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        try:
            size = kept = os.lseek(descriptor, 0, os.SEEK_END)
            last = _unended(descriptor, size)
            if is_whole(last):
                data = b"\n" + data
            elif last:
                kept -= len(last)
                os.ftruncate(descriptor, kept)
            _write(path, descriptor, data, kept)
        finally:
            os.close(descriptor)
        if new:
            sync(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error
    return kept + len(data) - size


def _unended(descriptor: int, size: int) -> bytes:
    """What stands behind the last end of a line; b"" where the file ends with one."""
    found, start = b"", size
    while start and b"\n" not in found:
        end, start = start, max(0, start - _AT_ONCE)
        os.lseek(descriptor, start, os.SEEK_SET)
        found = os.read(descriptor, end - start) + found
    return found[found.rfind(b"\n") + 1 :]


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
