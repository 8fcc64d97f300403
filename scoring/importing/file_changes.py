"""Changes of files: what is listed, how it differs from the last look, and which of its rows are whole."""

import os
import stat
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from msgspec import Struct

from scoring.data.errors import InputError, InspectError, StoreError
from scoring.data.storage.files import open_plain
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.rows import is_lines
from scoring.importing.local_files import is_whole_row
from scoring.importing.source_locations import expanded, looks_named, place
from scoring.importing.stored_objects import is_stored, stored_objects

REST_SECONDS = 3.0
"""How long a file must not have changed to be taken as it is."""
_PIECE = 64 * 1024

FileChange = Literal["new", "grown", "replaced", "gone", "joined anew"]
"""What happened to a file; `joined anew` is one that is as it was, where cases came that it may belong to."""


class WatchStamp(Struct, frozen=True):
    """What tells a file from what it was before, without reading it: which it is, its bytes, and when it changed."""

    device: int
    inode: int
    size: int
    time_ns: int


class WatchedFile(Struct, frozen=True):
    """A file that is there: the path by which it was found, and its stamp."""

    path: str
    stamp: WatchStamp


class Listing(Struct, frozen=True):
    """What words stand for now: real path or address -> file; and word -> why there is nothing of it yet.

    `silent` are addresses of a store that does not answer just now: what was there is not known to have gone.
    """

    files: Mapping[str, WatchedFile]
    awaited: Mapping[str, str]
    silent: tuple[str, ...] = ()


def listing(words: Sequence[str], without: Path | None = None) -> Listing:
    """Look which files there are of paths, folders and patterns. What can be followed elsewhere is to be listed here.

    Nothing is raised: what is not there may come, and what may not be looked at may be allowed later.

    Args:
        words: what is to be followed.
        without: a folder whose files are none of it: the workspace changes with everything that is imported.
    """
    inside = f"{place(without)}{os.sep}" if without is not None else None
    files: dict[str, WatchedFile] = {}
    awaited: dict[str, str] = {}
    silent: list[str] = []
    for word in words:
        if not is_stored(word):
            _look_on_disk(word, inside, files, awaited)
            continue
        try:
            files |= _stored(word)
        except InspectError as error:
            awaited[word] = error.sentence
            silent += [word] if isinstance(error, StoreError) else []
    return Listing(files, awaited, tuple(silent))


def _look_on_disk(word: str, inside: str | None, files: dict[str, WatchedFile], awaited: dict[str, str]) -> None:
    """Add the files that a path, a folder or a pattern stands for, but those `inside`, or why there is none yet."""
    try:
        named = [path for path, _ in expanded([word])]
    except InputError as error:
        # Of a folder or a pattern that cannot be looked at, and of one without a file.
        awaited[word] = error.sentence
        return
    for path in named:
        where = place(Path(path))
        if inside is not None and where.startswith(inside):
            continue
        try:
            status = os.stat(path)  # noqa: PTH116  # a path may be anything
        except FileNotFoundError:
            if path == word:
                awaited[word] = f"there is no file {printable(word)}."
            continue
        except (OSError, ValueError) as error:
            awaited[path] = f"{printable(path)}: {getattr(error, 'strerror', None) or error}."
            continue
        if stat.S_ISREG(status.st_mode):
            stamp = WatchStamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            files.setdefault(where, WatchedFile(path, stamp))
        else:
            awaited[path] = f"{printable(path)} is not a file."


def _stored(word: str) -> dict[str, WatchedFile]:
    """The objects that an address of object storage stands for. Each is whole, and another one by its etag.

    Raises:
        InspectError: there are none, or the store cannot be asked.
    """
    objects = {}
    for address, stored in stored_objects(word, looks_named).items():
        etag = int.from_bytes(blake2b(stored.etag.encode(), digest_size=7).digest())
        objects[address] = WatchedFile(address, WatchStamp(0, etag, stored.size, int(stored.modified * 1e9)))
    return objects


def change_of(before: WatchStamp | None, now: WatchStamp | None) -> FileChange | None:
    """Return what happened to a file between two looks; None = nothing, also where it was never there."""
    if before == now:
        return None
    if before is None:
        return "new"
    if now is None:
        return "gone"
    same_file = (before.device, before.inode) == (now.device, now.inode)
    return "grown" if same_file and now.size > before.size else "replaced"


def whole_rows(path: str, size: int) -> int | None:
    """Count the bytes of the whole rows at the start of a file of JSON Lines; None where it is no such file.

    Args:
        path: the file, which may be growing.
        size: how many bytes of it are looked at.
    """
    if not is_lines(Path(path)):
        return None
    try:
        with open_plain(path) as file:
            tail, at = b"", size
            while at and b"\n" not in tail:
                step = min(_PIECE, at)
                at -= step
                file.seek(at)
                tail = file.read(step) + tail
    except OSError:
        return None
    end = tail.rfind(b"\n") + 1
    # A last row without a break is whole if it is an object, which no beginning of one is.
    return size if is_whole_row(tail[end:]) else at + end
