"""Writing files whole or not at all, one writer after the other."""

import errno
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from scoring.errors import UnwritableWorkspace

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_REASONS = {
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EEXIST: "a part of the path is a file",
    errno.ENOTDIR: "a part of the path is a file",
}

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_CLOSED = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def unwritable(path: Path, error: OSError) -> UnwritableWorkspace:
    """The sentence for a failed write."""
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    remedy = "Free space" if error.errno in _FULL else "Make it writable" if error.errno in _CLOSED else ""
    choice = f"{remedy}, or choose another folder." if remedy else "Choose another folder."
    return UnwritableWorkspace(f"{path}: {reason}.", f"Nothing there was changed. {choice}")


def write_atomically(path: Path, data: bytes | memoryview) -> None:
    """Put `data` at `path` by a rename, fsynced, so that a reader sees the old file or the whole new one.

    Raises:
        UnwritableWorkspace: read-only, full, not allowed; the old file is untouched and no half file stays.
    """
    if not path.name:
        raise UnwritableWorkspace(f"{path} is a folder.", "Name a file.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        sync(temporary)
        temporary.replace(path)
        sync(path.parent)
    except BaseException as error:
        # A read-only file system refuses even to remove what is not there.
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise unwritable(path, error) from error
        raise


def check_writable(folder: Path) -> None:
    """Make sure that files can be made in a folder, or where it would be made; nothing stays of the trial.

    Raises:
        UnwritableWorkspace: they cannot.
    """
    there = next(place for place in (folder, *folder.resolve().parents) if place.is_dir())
    try:
        with tempfile.TemporaryFile(dir=there):
            return
    except OSError as error:
        raise unwritable(folder, error) from error


def sync(path: Path) -> None:
    """Make the disk hold a file, or a folder's entries, before going on."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock: whoever asks for it meanwhile waits. A process that ends has let go of it.

    Where there are no such locks (Windows, some network file systems) nobody waits.
    """
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
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
