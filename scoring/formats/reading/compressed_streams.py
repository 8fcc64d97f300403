"""Compressed streams become plain bytes, a chunk at a time, within limits that are counted and never believed.

gzip, bzip2, zstd and xz, in one part or several after each other; and what members of a zip archive are packed
with.
"""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from msgspec import Struct

from scoring.data.errors import InputError, UnreadableFile
from scoring.data.storage.files import open_plain

MAGIC = {
    "gzip": b"\x1f\x8b",
    "bzip2": b"BZh",
    "zstd": b"\x28\xb5\x2f\xfd",
    "xz": b"\xfd7zXZ\x00",
}
"""What a compressed stream starts with, by the name of its compression."""

SUFFIXES = (".gz", ".bz2", ".zst", ".xz")
"""What the name of a compressed file ends with, after the suffix of what is in it."""

CHUNK = 1024 * 1024
"""Bytes that are unpacked at a time."""
LARGEST = 16 * 1024**3
"""Bytes above which one source is refused, unpacked."""
HIGHEST_RATIO = 200
"""Unpacked bytes for each packed one, above which a stream is refused once it has given more than `SMALL` bytes."""
SMALL = 64 * 1024**2

_BZIP2_BLOCKS = (b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90")
_XZ_MEMORY = 256 * 1024**2
_START = 16


class DamagedStream(ValueError):  # noqa: N818 - as the errors in scoring.data.errors, it is named for what went wrong
    """A stream that is not what was packed; its text says why."""


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def compression_of(start: bytes) -> str | None:
    """Return the compression of a file that starts with these bytes (16 are enough); None where none is known."""
    if start.startswith(MAGIC["bzip2"]):
        # Text may start with the same three letters.
        return "bzip2" if start[3:4].isdigit() and start[4:10] in _BZIP2_BLOCKS else None
    if _is_skippable("zstd", start):
        return "zstd"
    return next((name for name, magic in MAGIC.items() if start.startswith(magic)), None)


def plain_name(source: str) -> str:
    """Return the name of a source without the suffix of its compression, as if it were unpacked; `stdin` for `-`."""
    if source == "-":
        return "stdin"
    suffix = next((suffix for suffix in SUFFIXES if source.lower().endswith(suffix)), "")
    return source[: len(source) - len(suffix)] or source


def size_words(count: float) -> str:
    """Write a number of bytes for people: `12 bytes`, `3.4 kB`, `56 MB`; a kB is 1,000 bytes."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.{int(count < 10)}f}".removesuffix(".0") + f" {unit}"
        count /= 1000
    return f"{count:.1f} TB"


class Allowance(Struct, eq=False):
    """Counts what a source unpacks to.

    `room` are the bytes that it may become in all; `packed` and `unpacked` are those of the stream so far.
    """

    name: str
    room: int
    packed: int = 0
    unpacked: int = 0

    @property
    def spent(self) -> bool:
        """Whether it has become too much, altogether or for what it was."""
        return self.unpacked > self.room or (self.unpacked > SMALL and self.unpacked > HIGHEST_RATIO * self.packed)

    def count(self, packed: int, unpacked: int) -> None:
        """Add what was taken in and what it became.

        Raises:
            UnreadableFile: it has become too much, altogether or for what it was.
        """
        self.packed += packed
        self.unpacked += unpacked
        if self.unpacked > self.room:
            raise too_large(self.name, self.room)
        if self.spent:
            raise UnreadableFile(
                f"{self.name} unpacks to more than {HIGHEST_RATIO} times its size ({size_words(self.packed)} to more "
                f"than {size_words(self.unpacked)} so far), as files do that are made to fill a disk.",
                "If that is what it should hold, unpack it yourself and import what comes out.",
            )


def too_large(name: str, room: int) -> UnreadableFile:
    """Return the refusal of a source that is, or unpacks to, more than `room` bytes."""
    return UnreadableFile(
        f"{name} is larger than the {size_words(room)} that there is room for (at most {size_words(LARGEST)}, and not "
        "all of the free disk).",
        "Split it into smaller files, or free space.",
    )


class Unpacked:
    """The plain bytes of a compressed stream; iterate once.

    Afterwards `cut_off` says that it ends before it is whole, and `trailing` how many bytes follow its end that are no
    such stream.
    """

    def __init__(self, file: BinaryIO, compression: str, allowance: Allowance) -> None:
        """Read from `file`, which is at the start of the stream; `compression` is one of `MAGIC`."""
        self._file = file
        self._compression = compression
        self._allowance = allowance
        self.cut_off = False
        self.trailing = 0

    def __iter__(self) -> Iterator[bytes]:
        """Yield the bytes.

        Raises:
            UnreadableFile: it is damaged, or becomes too much; `InputError` if nothing here can unpack it.
        """
        rest = self._read()
        while rest:
            decoder = _new_decoder(self._compression)
            while not decoder.eof:
                if decoder.needs_input and not rest and not (rest := self._read()):
                    self.cut_off = True
                    return
                part, rest = self._decoded(decoder, rest), b""
                self._allowance.count(0, len(part))
                if part:
                    yield part
            rest = self._next_part(decoder.unused_data)

    def _read(self) -> bytes:
        data = read_some(self._file, self._allowance.name)
        self._allowance.count(len(data), 0)
        return data

    def _decoded(self, decoder: _Decoder, data: bytes) -> bytes:
        try:
            return decoder.decompress(data, CHUNK)
        except Exception as error:  # noqa: BLE001  # each library has classes of its own
            after = f"after {self._allowance.unpacked:,} bytes" if self._allowance.unpacked else "at its start"
            raise UnreadableFile(
                f"{self._allowance.name} is damaged: it cannot be unpacked as {self._compression} {after} "
                f"({_why(error)}).",
                "Get the file again; nothing of it was taken over.",
            ) from None

    def _next_part(self, rest: bytes) -> bytes:
        """What follows the end of a part, if it is another part; zeros between parts are padding."""
        while True:
            rest = rest.lstrip(b"\0")
            if len(rest) >= _START or not (more := self._read()):
                break
            rest += more
        magic = MAGIC[self._compression]
        if rest.startswith(magic) or _is_skippable(self._compression, rest):
            return rest
        if rest and magic.startswith(rest):
            self.cut_off = True
        else:
            self.trailing = len(rest)
            while rest and (more := self._read()):
                self.trailing += len(more)
        return b""


def member_bytes(read: Callable[[int], bytes], method: int) -> Iterator[bytes]:
    """Yield the plain bytes of one member of a zip archive, packed by this method, whose packed bytes `read` gives.

    Raises:
        Damaged: it cannot be unpacked, ends too early, or is packed in a way that is not known here.
    """
    if method == 0:
        while data := read(CHUNK):
            yield data
        return
    if method not in _METHODS:
        raise DamagedStream(f"it is packed with method {method}, which is not known here")
    decoder, data = _METHODS[method](), b""
    while not decoder.eof:
        if decoder.needs_input and not (data := read(CHUNK)):
            raise DamagedStream("it is cut off")
        try:
            part, data = decoder.decompress(data, CHUNK), b""
        except Exception as error:  # noqa: BLE001  # each library has classes of its own
            raise DamagedStream(_why(error)) from None
        if part:
            yield part


def read_some(file: BinaryIO, name: str, size: int = CHUNK) -> bytes:
    """Return the next bytes of a file, at most `size`; none at its end.

    Raises:
        UnreadableFile: they cannot be read; `name` is what the file is called.
    """
    try:
        return file.read(size)
    except (OSError, ValueError) as error:
        why = (error.strerror or error) if isinstance(error, OSError) else error
        raise UnreadableFile(f"{name}: {why}.", "Check the disk that it is on.") from None


def start_of(path: Path, size: int = _START) -> bytes:
    """Return the first bytes of a file, at most `size`; none where it is no plain file, or cannot be read."""
    try:
        with open_plain(path) as file:
            return file.read(size)
    except (OSError, ValueError):
        # Reading it in earnest says what is wrong.
        pass
    return b""


class _Inflate:
    def __init__(self, wbits: int) -> None:
        self._inner = zlib.decompressobj(wbits)
        self._full = False

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._full and not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        part = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        # More may lie in the decoder, even where all that it was given is consumed.
        self._full = len(part) == max_length
        return part


def _new_decoder(compression: str) -> _Decoder:
    if compression == "gzip":
        return _Inflate(31)
    if compression == "bzip2":
        return bz2.BZ2Decompressor()
    if compression == "xz":
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    return _zstd_decoder()


def _zstd_decoder() -> _Decoder:
    decoder: _Decoder = zstd_module().ZstdDecompressor()
    return decoder


def zstd_module() -> Any:
    """Return the module that knows zstd: the standard library's, or the package that stands in for it.

    Raises:
        InputError: there is neither.
    """
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return import_module(name)
    raise InputError("nothing here can unpack zstd, which Python does from 3.14 on.", "Run: pip install backports.zstd")


_METHODS: dict[int, Callable[[], _Decoder]] = {8: lambda: _Inflate(-15), 12: bz2.BZ2Decompressor, 93: _zstd_decoder}


def _is_skippable(compression: str, rest: bytes) -> bool:
    return compression == "zstd" and rest[1:4] == b"\x2a\x4d\x18" and rest[0] >> 4 == 5


def _why(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
