"""A folder of arrays that are read where they lie: one `.npy` file each, mapped into memory, and a document about them.

    packed.json   the key it was made from, and every array with its file's size, time and checksum
    <name>.npy

The folder is made under a dot-name and renamed, so that it is there whole or not at all. What is in it can always be
made again: whoever finds it damaged makes it again.
"""

import json
import os
import shutil
import tokenize
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.files import sync, unwritable, uuid7, write_atomically

_TRIES = 5
"""How often a folder is read that is replaced while it is read; after that it counts as not there."""
DOCUMENT = "packed.json"
FORMAT = 1
_CHUNK = 1 << 22
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, SyntaxError)

Array = npt.NDArray[Any]


class DamagedPack(Exception):  # noqa: N818  # the sentence says what, and whoever catches it goes on
    """A folder that cannot be used; the text says why, in a few words."""


def pack(folder: Path, key: str, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> None:
    """Write arrays (numbers and Booleans) and facts (JSON) as a folder, unless one is there already.

    Raises:
        UnwritableWorkspace: read-only, full, not allowed; nothing stays.
    """
    making = folder.with_name(f".{folder.name}-{uuid7()}")
    try:
        making.mkdir(parents=True)
        told = {name: _write(making / f"{name}.npy", array) for name, array in arrays.items()}
        document = {"format": FORMAT, "key": key, "facts": dict(facts), "arrays": told}
        write_atomically(making / DOCUMENT, json.dumps(document).encode())
        if folder.is_dir() and not (folder / DOCUMENT).exists():
            # It lost its document: nobody can use it, and it would be in the way for ever.
            discard(folder)
        making.rename(folder)
        sync(folder.parent)
    except BaseException as error:
        shutil.rmtree(making, ignore_errors=True)
        if isinstance(error, OSError) and folder.is_dir():
            # Another process was quicker with the same.
            return
        if isinstance(error, OSError):
            raise unwritable(folder, error) from error
        raise


def unpack(folder: Path, key: str) -> tuple[dict[str, Array], dict[str, Any]] | None:
    """The arrays, none of them writable, and the facts; None where there is no such folder.

    Files whose size and time are what they were when they were written are mapped without being read. Others, those of
    a copied folder, are read once and compared with their checksum.

    Raises:
        DamagedPack: a file is missing or is not what was written.
    """
    for _ in range(_TRIES):
        before = _identity(folder)
        try:
            return _unpack(folder, key)
        except DamagedPack:
            if _identity(folder) == before:
                raise
            # Another folder stands in its place: what was read is of two of them.
    return None


def _identity(folder: Path) -> tuple[int, int] | None:
    """What tells a folder from another one of its name; a number alone is given again when the first has gone."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_ino, found.st_ctime_ns


def _unpack(folder: Path, key: str) -> tuple[dict[str, Array], dict[str, Any]] | None:
    try:
        document = json.loads((folder / DOCUMENT).read_bytes())
        if (document["format"], document["key"]) != (FORMAT, key):
            raise DamagedPack(f"{DOCUMENT} is about something else")
        arrays = {name: _read(folder / f"{name}.npy", told) for name, told in document["arrays"].items()}
        facts: dict[str, Any] = document["facts"]
    except (FileNotFoundError, NotADirectoryError):
        if (folder / DOCUMENT).exists():
            raise DamagedPack("a file is missing") from None
        return None
    except (*_UNREADABLE, tokenize.TokenError) as error:
        # numpy reads the head of a file as Python's words.
        raise DamagedPack(str(error).splitlines()[0] if str(error) else type(error).__name__) from None
    return arrays, facts


def discard(folder: Path) -> None:
    """Remove a folder at once for all who read, or leave it where that cannot be done."""
    gone = folder.with_name(f".{folder.name}-{uuid7()}")
    with suppress(OSError):
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _write(path: Path, array: Array) -> dict[str, Any]:
    told: dict[str, Any] = {"dtype": array.dtype.str, "shape": list(array.shape)}
    if (same := _constant(array)) is not None:
        return {**told, "all": same}
    with path.open("wb") as out:
        np.save(out, np.ascontiguousarray(array), allow_pickle=False)
        out.flush()
        os.fsync(out.fileno())
    found = path.stat()
    return {**told, "size": found.st_size, "time": found.st_mtime_ns, "crc": _checksum(path)}


def _constant(array: Array) -> float | int | bool | str | None:
    """The one value of an array that holds no other; None where there are several, `nan` where it is no number."""
    if not array.size:
        return 0
    first = array.flat[0]
    if array.dtype.kind == "f" and np.isnan(first):
        return "nan" if np.isnan(array).all() else None
    same: float | int | bool | None = first.item() if (array == first).all() else None
    if array.dtype.kind == "f" and not first and np.signbit(array).any() != np.signbit(array).all():
        return None
    return None if same in {float("inf"), float("-inf")} else same


def _read(path: Path, told: dict[str, Any]) -> Array:
    dtype, shape = np.dtype(told["dtype"]), tuple(told["shape"])
    if "all" in told:
        value = np.nan if told["all"] == "nan" else told["all"]
        return np.broadcast_to(np.asarray(value, dtype=dtype), shape)
    found = path.stat()
    if found.st_size != told["size"]:
        raise DamagedPack(f"{path.name} has {found.st_size:,} bytes of {told['size']:,}")
    if found.st_mtime_ns != told["time"] and _checksum(path) != told["crc"]:
        raise DamagedPack(f"{path.name} is not what was written")
    mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    if mapped.dtype != dtype or mapped.shape != shape:
        raise DamagedPack(f"{path.name} holds something else")
    # Every operation on a memmap makes another one; a plain array over the same memory does not.
    plain: Array = mapped.view(np.ndarray)
    return plain


def _checksum(path: Path) -> int:
    total = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            total = zlib.crc32(chunk, total)
    return total
