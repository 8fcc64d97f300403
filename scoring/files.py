"""Writing files whole or not at all."""

import errno
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from scoring.errors import UnwritableWorkspace

_REASONS = {
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.ENOTDIR: "a part of the path is a file",
}


def unwritable(path: Path, error: OSError) -> UnwritableWorkspace:
    """The sentence for a failed write."""
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    return UnwritableWorkspace(f"{path}: {reason}.", "Nothing there was changed. Free space, or choose another folder.")


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` at `path` by a rename, fsynced, so that a reader sees the old file or the whole new one.

    Raises:
        UnwritableWorkspace: read-only, full, not allowed; the old file is untouched and no half file stays.
    """
    _replace(path, lambda temporary: _write(temporary, data))


def write_frame(path: Path, write: Callable[[Path], None]) -> None:
    """The same for a file that `write` makes at the temporary path it is given."""
    _replace(path, write)


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        sync(temporary)
        temporary.replace(path)
        sync(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """fsync a file or a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_last = 0
_lock = threading.Lock()


def uuid7() -> str:
    """A time-ordered UUID (RFC 9562 version 7), 32 hex digits: later calls of one process sort after earlier ones."""
    global _last  # noqa: PLW0603  # the order within one process is a state of the process
    with _lock:
        # 48 bits of milliseconds and 12 of a fraction, kept rising even if the clock is not.
        _last = max(_last + 1, time.time_ns() * 4096 // 1_000_000)
        stamp = _last
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    value = (stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64 | 0b10 << 62 | random
    return f"{value:032x}"
