"""Opening files that people name, and writing files whole or not at all, one writer after the other."""

import errno
import os
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from io import BufferedReader
from pathlib import Path
from types import ModuleType

from msgspec import Struct

from scoring.data.errors import InUse, UnwritableWorkspace

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

_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_CLOSED = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


class NotPlain(OSError):  # noqa: N818 - as the errors in scoring.data.errors, it is named for what went wrong
    """A path leads to something that is not a plain file: `kind` names it, such as `a pipe`."""

    def __init__(self, path: Path | str, kind: str) -> None:
        super().__init__(errno.EINVAL, f"it is {kind}, not a file", str(path))
        self.kind = kind


def open_plain(path: Path | str) -> BufferedReader:
    """Open a plain file for reading; links are followed.

    Use it for every path that a user gives. Opening a pipe without a writer blocks for ever, and a device such as
    `/dev/zero` never ends, so neither is opened.

    Raises:
        NotPlain: the path leads to a pipe, socket or device.
        OSError: the file does not exist, is a folder, or cannot be read.
        ValueError: no file can have this path, as with a NUL in it.
    """
    _check_plain(Path(path).stat().st_mode, path)
    # The file may have been replaced by a pipe since: opening must not wait for a writer.
    descriptor = os.open(path, _READING)
    try:
        _check_plain(os.fstat(descriptor).st_mode, path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_plain(path: Path | str) -> bytes:
    """Read a plain file; see `open_plain`."""
    with open_plain(path) as file:
        return file.read()


def _check_plain(mode: int, path: Path | str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise NotPlain(path, _KINDS.get(stat.S_IFMT(mode), "something else"))


def unwritable(path: Path, error: OSError) -> UnwritableWorkspace:
    """Return the error for a failed write."""
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    remedy = "Free space" if error.errno in _FULL else "Make it writable" if error.errno in _CLOSED else ""
    choice = f"{remedy}, or choose another folder." if remedy else "Choose another folder."
    return UnwritableWorkspace(f"{path}: {reason}.", f"Nothing there was changed. {choice}")


def expand_home(path: str) -> Path:
    """Expand the `~` or `~user` at the start of a path that a person wrote to a home; as it is where nobody has one."""
    return Path(os.path.expanduser(path))  # noqa: PTH111  # pathlib's own raises where nobody has one


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
def locked(folder: Path, *, make: bool = False, wait: bool = True) -> Iterator[None]:
    """Hold a folder's lock: whoever asks for it meanwhile waits. A process that ends has let go of it.

    Where there are no such locks (Windows, some network file systems) nobody waits.

    Args:
        folder: whose lock; it is the folder of that name when the lock is had, wherever one of that name was before.
        make: make the folder where it is missing.
        wait: False = do not wait.

    Raises:
        FileNotFoundError: it is not there, and not to be made.
        UnwritableWorkspace: it cannot be made.
        InUse: another holds it, or has a share in it, and nobody is to wait.
    """
    descriptor = _held(folder, "LOCK_EX", make=make, wait=wait)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


class FolderShare:
    """A share in a folder, which any number of processes may have; while one has it, `locked` waits or is refused."""

    def __init__(self, folder: Path) -> None:
        """Take it at once where the folder is there."""
        self._folder = folder
        self._descriptor: int | None = None
        # Without a share in it nothing is unsafe that is not also without locks.
        with suppress(OSError):
            self._descriptor = _held(folder, "LOCK_SH", make=False, wait=True)

    def take(self) -> None:
        """Take it if it was not had yet, and make the folder where it is missing.

        Raises:
            UnwritableWorkspace: the folder cannot be made.
        """
        if self._descriptor is None:
            self._descriptor = _held(self._folder, "LOCK_SH", make=True, wait=True)

    def close(self) -> None:
        """Release it. A process that ends has done so."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _held(folder: Path, kind: str, *, make: bool, wait: bool) -> int | None:
    """A descriptor that holds the lock of the folder which has this name now; None where there are no locks."""
    while True:
        if make:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise unwritable(folder, error) from error
        if fcntl is None:
            return None
        # Whoever had the lock before may have moved the folder away, also just now.
        with suppress(FileNotFoundError) if make else nullcontext():
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                _flock(descriptor, folder, getattr(fcntl, kind) | (0 if wait else fcntl.LOCK_NB))
                same = os.path.samestat(os.fstat(descriptor), folder.stat())
            except BaseException:
                os.close(descriptor)
                raise
            if same:
                return descriptor
            os.close(descriptor)


def _flock(descriptor: int, folder: Path, operation: int) -> None:
    """Lock; on a file system without locks nothing."""
    assert fcntl is not None  # noqa: S101  # whoever opens a descriptor for it has looked
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        raise InUse(f"another process is at work in {folder}.", "Try again when it has ended.") from None
    except OSError:
        return


class DiskUse(Struct, frozen=True):
    """What a folder takes: `bytes` of its files, one with several links once; `written`, the newest of their times.

    `written` is seconds since 1970 (UTC), None where there is no file.
    """

    bytes: int
    written: float | None

    @classmethod
    def of(cls, folder: Path) -> "DiskUse":
        """Look through a folder and all below it; links are not followed, and what vanishes meanwhile is left out."""
        sizes: dict[tuple[int, int], int] = {}
        written = None
        for home, _, names in os.walk(folder):
            for name in names:
                with suppress(OSError):
                    stat = (Path(home) / name).lstat()
                    sizes[stat.st_dev, stat.st_ino] = stat.st_size
                    written = max(stat.st_mtime, written or 0.0)
        return cls(sum(sizes.values()), written)


_last = 0
_lock = threading.Lock()


def come_after(made: str) -> None:
    """Have later UUIDs of this process sort after one that another machine made, whatever the clock there says.

    `made` is 32 hex digits; one at the very end of time is passed over, after which nothing could come.
    """
    global _last  # noqa: PLW0603  # as for uuid7
    value = int(made, 16)
    stamp = (value >> 80) << 12 | (value >> 64) & 0xFFF
    if stamp < (1 << 60) - (1 << 50):
        with _lock:
            _last = max(_last, stamp)


def uuid7() -> str:
    """Make a time-ordered UUID (RFC 9562 version 7), 32 hex digits: a process's later calls sort after earlier ones."""
    global _last  # noqa: PLW0603  # the order within one process is a state of the process
    with _lock:
        # 48 bits of milliseconds and 12 of a fraction, kept rising even if the clock is not.
        _last = max(_last + 1, time.time_ns() * 4096 // 1_000_000)
        stamp = _last
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    value = (stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64 | 0b10 << 62 | random
    return f"{value:032x}"
