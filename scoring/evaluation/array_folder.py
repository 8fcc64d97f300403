"""A folder of arrays that are mapped into memory: one `.npy` file each, and a document about them.

    packed.json   the key it was made from, and every array with its file's size, time and checksum
    <name>.npy

The folder is made under a dot-name and renamed, so that it is there whole or not at all. What is in it can always
be made again: whoever finds it damaged makes it again.
"""

import json
import os
import shutil
import tokenize
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from scoring.data.storage.files import sync, unwritable, uuid7, write_atomically

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
    with Packing(folder) as packing:
        packing.add(arrays)
        packing.finish(key, facts)
        packing.put()


class Packing:
    """A folder of arrays that is being written, a piece of each array after the other; to be entered and left.

    What is not `put` in its place goes with the block; what was mapped of it before stays readable.
    """

    def __init__(self, folder: Path) -> None:
        """To become this folder."""
        self.folder = folder
        self.making = folder.with_name(f".{folder.name}-{uuid7()}")
        self._arrays: dict[str, _Growing] = {}

    def __enter__(self) -> Self:
        with self._written():
            self.making.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for array in self._arrays.values():
            array.close()
        shutil.rmtree(self.making, ignore_errors=True)

    def add(self, arrays: Mapping[str, Array]) -> None:
        """Put pieces (m,) after those that were added before, by name. Raises UnwritableWorkspace."""
        with self._written():
            for name, array in arrays.items():
                if name not in self._arrays:
                    self._arrays[name] = _Growing(self.making / f"{name}.npy")
                self._arrays[name].add(array)

    def finish(self, key: str, facts: Mapping[str, Any]) -> None:
        """Write the document: from now on `making` is a folder that `unpack` reads. Raises UnwritableWorkspace."""
        with self._written():
            entries = {name: array.finish() for name, array in self._arrays.items()}
            document = {"format": FORMAT, "key": key, "facts": dict(facts), "arrays": entries}
            write_atomically(self.making / DOCUMENT, json.dumps(document).encode())

    def put(self) -> None:
        """Give the folder its name, unless one is there already. Raises UnwritableWorkspace."""
        with self._written():
            if self.folder.is_dir() and not (self.folder / DOCUMENT).exists():
                # It lost its document: nobody can use it, and it would be in the way for ever.
                discard(self.folder)
            try:
                self.making.rename(self.folder)
            except OSError:
                if not self.folder.is_dir():
                    raise
                # Another process was quicker with the same.
                return
            sync(self.folder.parent)

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise unwritable(self.folder, error) from error


class _Growing:
    """One array in a file, which grows by pieces; as long as it holds one value alone there is no file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._out: BinaryIO | None = None
        self._dtype: np.dtype[Any] | None = None
        self._length = 0
        self._same: Array | None = None

    def add(self, piece: Array) -> None:
        self._dtype = piece.dtype if self._dtype is None else self._dtype
        if piece.dtype != self._dtype:
            raise AssertionError(f"{self._path.name} holds {self._dtype} and not {piece.dtype}")
        if not piece.size:
            return
        if self._out is None and _constant(piece) is not None and self._goes_on(piece[:1]):
            self._same = piece[:1].copy()
        else:
            if self._out is None:
                self._out = self._path.open("wb")
                self._head()
                for start in range(0, self._length, _CHUNK):
                    count = min(_CHUNK, self._length - start)
                    self._out.write(np.broadcast_to(self._same, count).tobytes())  # type: ignore[arg-type]
            self._out.write(np.ascontiguousarray(piece).data)
        self._length += piece.size

    def _goes_on(self, first: Array) -> bool:
        # By its bytes: 0.0 and -0.0 are two values, and NaN is one.
        return self._same is None or self._same.tobytes() == first.tobytes()

    def _head(self) -> None:
        # However long the array becomes, its head takes as many bytes: numpy leaves room for that.
        assert self._out is not None and self._dtype is not None  # noqa: S101, PT018
        head = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": (self._length,)}
        np.lib.format.write_array_header_1_0(self._out, head)

    def finish(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"dtype": np.dtype(self._dtype).str, "shape": [self._length]}
        if self._out is None:
            return {**entry, "all": 0 if self._same is None else _constant(self._same)}
        self._out.seek(0)
        self._head()
        self._out.flush()
        os.fsync(self._out.fileno())
        self.close()
        status = self._path.stat()
        return {**entry, "size": status.st_size, "time": status.st_mtime_ns, "crc": _checksum(self._path)}

    def close(self) -> None:
        if self._out is not None:
            self._out.close()


def unpack(folder: Path, key: str) -> tuple[dict[str, Array], dict[str, Any]] | None:
    """Read the arrays, none of them writable, and the facts; None where there is no such folder.

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
        status = folder.stat()
    except OSError:
        return None
    return status.st_ino, status.st_ctime_ns


def _unpack(folder: Path, key: str) -> tuple[dict[str, Array], dict[str, Any]] | None:
    try:
        document = json.loads((folder / DOCUMENT).read_bytes())
        if (document["format"], document["key"]) != (FORMAT, key):
            raise DamagedPack(f"{DOCUMENT} is about something else")
        arrays = {name: _read(folder / f"{name}.npy", shape) for name, shape in document["arrays"].items()}
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


def _read(path: Path, entry: dict[str, Any]) -> Array:
    dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
    if "all" in entry:
        value = np.nan if entry["all"] == "nan" else entry["all"]
        return np.broadcast_to(np.asarray(value, dtype=dtype), shape)
    status = path.stat()
    if status.st_size != entry["size"]:
        raise DamagedPack(f"{path.name} has {status.st_size:,} bytes of {entry['size']:,}")
    if status.st_mtime_ns != entry["time"] and _checksum(path) != entry["crc"]:
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
