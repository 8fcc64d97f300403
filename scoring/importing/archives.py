"""The members of a zip archive that may hold rows: no header is believed, and no file is written under a member's name.

A member is unpacked here from its raw bytes: how much it becomes is counted meanwhile, and its length and checksum are
compared at the end.
"""

import stat
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Self
from zipfile import BadZipFile, ZipFile, ZipInfo

from scoring.data.errors import InputError, UnreadableFile
from scoring.data.storage.files import open_plain
from scoring.formats.reading.file_bytes import (
    ARROW_FILE,
    ARROW_STREAM,
    PARQUET,
    UTF8_MARK,
    Allowance,
    DamagedStream,
    compression_of,
    looks_readable,
    member_bytes,
    printable,
    read_some,
)

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of an archive; the second form is an empty archive."""

MOST_MEMBERS = 100_000
"""Members above which an archive is refused."""

_ENCRYPTED = 0x1
_LOOK = 4096
# A member's own header: the mark, and after fields that the list of members repeats the lengths of name and extras.
_HEADER = struct.Struct("<4s22xHH")
_ROWS = (b"{", b"[", PARQUET, ARROW_FILE, ARROW_STREAM)


class Archive:
    """A zip archive that is open for reading; a context manager.

    `members` are those that may hold rows, in order of name, each name once (the last of several counts, and is among
    `repeated`); `left_out` are the names of other files in it, hidden ones not among them.
    """

    def __init__(self, path: Path, name: str) -> None:
        """Read the list of members; `name` is what the archive is called.

        Raises:
            UnreadableFile: it cannot be read, is cut off, or has too many members.
        """
        self._name = name
        try:
            self._file = open_plain(path)
        except OSError as error:
            raise UnreadableFile(f"{name}: {error.strerror}.", "Check the path and its permissions.") from None
        try:
            every = _files(self._file)
        except Exception as error:
            self._file.close()
            if isinstance(error, _DAMAGE):
                why = printable(str(error)) or type(error).__name__
                raise UnreadableFile(f"{name} is not a whole zip archive ({why}).", "It may be cut off.") from None
            raise
        if len(every) > MOST_MEMBERS:
            self.__exit__()
            raise UnreadableFile(f"{name} has more than {MOST_MEMBERS:,} members.", "Unpack it and name the folder.")
        last = {member.filename: member for member in every}
        names = sorted(last)
        chosen = dict.fromkeys(name for name in names if len(names) == 1 or self._may_hold_rows(last[name]))
        self.members = [last[name] for name in chosen]
        self.left_out = [printable(name) for name in names if name not in chosen]
        times = Counter(member.filename for member in every).items()
        self.repeated = {name for name, count in times if count > 1 and name in chosen}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def unpack(self, member: ZipInfo, whole: Allowance) -> Iterator[bytes]:
        """Yield the plain bytes of a member.

        Args:
            member: one of `members`.
            whole: of the archive; what the member becomes is counted there, and beside it on its own.

        Raises:
            Damaged: it is encrypted or damaged, or packed in a way that is not known here.
            UnreadableFile: it becomes too much.
        """
        own = Allowance(f"{self._name}/{printable(member.filename)}", whole.room)
        size = checksum = 0
        for part in self._parts(member, own):
            own.count(0, len(part))
            whole.count(0, len(part))
            size += len(part)
            checksum = zlib.crc32(part, checksum)
            yield part
        if size != member.file_size or checksum != member.CRC:
            raise DamagedStream("its length or checksum is wrong")

    def _parts(self, member: ZipInfo, own: Allowance, most: int | None = None) -> Iterator[bytes]:
        if member.flag_bits & _ENCRYPTED:
            raise DamagedStream("it is encrypted")
        header = self._at(member.header_offset, _HEADER.size, own.name)
        if len(header) < _HEADER.size or header[:4] != ZIP[0]:
            raise DamagedStream("it does not begin where it should")
        _, name, extras = _HEADER.unpack(header)
        at = member.header_offset + _HEADER.size + name + extras
        left = member.compress_size

        def read(size: int) -> bytes:
            nonlocal at, left
            data = self._at(at, min(size, most or size, left), own.name)
            at, left = at + len(data), left - len(data)
            own.count(len(data), 0)
            return data

        return member_bytes(read, member.compress_type)

    def _at(self, at: int, size: int, name: str) -> bytes:
        """Bytes from a place in the archive, which its list may put anywhere."""
        try:
            self._file.seek(at)
        except (OSError, ValueError, OverflowError):
            raise DamagedStream("it does not begin where it should") from None
        return read_some(self._file, name, size)

    def _may_hold_rows(self, member: ZipInfo) -> bool:
        if looks_readable(PurePosixPath(member.filename)):
            return True
        try:
            start = next(self._parts(member, Allowance(self._name, _LOOK * 2000), _LOOK), b"")[:_LOOK]
        except (DamagedStream, InputError):
            return False
        # Archives inside are refused by a sentence, so they are no files to leave out in a list.
        if compression_of(start) or start.startswith(ZIP):
            return True
        return start.removeprefix(UTF8_MARK).lstrip().startswith(_ROWS)


_DAMAGE = (BadZipFile, struct.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError, OverflowError)


def _files(file: IO[bytes]) -> list[ZipInfo]:
    """Every member that is a file and is not hidden, in the order of the archive."""
    with ZipFile(file) as archive:
        return [member for member in archive.infolist() if _is_file(member)]


def _is_file(member: ZipInfo) -> bool:
    parts = member.filename.replace("\\", "/").split("/")
    kind = stat.S_IFMT(member.external_attr >> 16)
    # Archives made on other systems say nothing of the kind.
    # A folder's name ends with a slash.
    regular = parts[-1] != "" and kind in {0, stat.S_IFREG}
    hidden = "__MACOSX" in parts or any(part.startswith(".") and part not in {".", ".."} for part in parts)
    return regular and not hidden
