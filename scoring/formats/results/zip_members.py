"""Members of a zip archive, read within limits: no header is believed."""

import struct
import zlib
from io import BytesIO
from os import SEEK_CUR
from pathlib import Path
from typing import Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from scoring.data.errors import UnreadableFile
from scoring.data.storage.files import open_plain
from scoring.formats.reading.compressed_streams import DamagedStream, member_bytes
from scoring.formats.reading.file_bytes import printable

MOST_MEMBERS = 1_000_000
LARGEST_MEMBER = 512 * 1024**2
"""Bytes of one member, unpacked."""
LARGEST_TOTAL = 16 * 1024**3
"""Bytes of all members that are read, unpacked."""
HIGHEST_RATIO = 500
"""Unpacked bytes for each packed one, from `SMALL` unpacked bytes on."""
SMALL = 8 * 1024**2

MARK = b"PK\x03\x04"
_ZSTD = 93
# Others could unpack to more than a header claims before it is seen.
_METHODS = {ZIP_STORED, ZIP_DEFLATED, _ZSTD}
_ENCRYPTED = 0x1
# A member's own header: the mark, and after fields that the list of members repeats the lengths of name and extras.
_HEADER = struct.Struct("<4s22xHH")
_DAMAGE = (BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
_BOMB = "It would fill the memory; it is not read."


class ZipMembers:
    """An archive that is open for reading; a context manager."""

    def __init__(self, path: Path, source: str = "") -> None:
        """Read the list of members. `source` is what the archive is called, "" = its path.

        Raises:
            UnreadableFile: not there, not allowed, no zip archive, cut off, or of too many members.
        """
        self._source = source or printable(path)
        self._unpacked = 0
        try:
            self._file = open_plain(path)
        except (OSError, ValueError) as error:
            raise UnreadableFile(f"{self._source}: {_why(error)}.", "Check the path and its permissions.") from None
        try:
            self._archive = ZipFile(self._file)
        except _DAMAGE as error:
            self._file.close()
            raise UnreadableFile(
                f"{self._source} is not a whole zip archive ({_why(error)}).", "It may be cut off."
            ) from None
        if len(self._archive.infolist()) > MOST_MEMBERS:
            self.__exit__()
            raise UnreadableFile(f"{self._source} has more than {MOST_MEMBERS:,} members.", _BOMB)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()
        self._file.close()

    @property
    def names(self) -> list[str]:
        """Every name once, in the order of the archive; of several members with one name the last is meant."""
        return list(dict.fromkeys(self._archive.namelist()))

    def read(self, name: str) -> bytes:
        """Unpack one member.

        Raises:
            KeyError: there is none of that name.
            Damaged: it is damaged, encrypted or packed in a way that is not known here.
            UnreadableFile: it is too large or packed too well, alone or with those before it.
            InputError: it is packed with zstd, and nothing here can unpack that.
        """
        info = self._archive.getinfo(name)
        self._check(info)
        self._unpacked += info.file_size
        try:
            return self._zstd(info) if info.compress_type == _ZSTD else self._archive.read(info)
        except _DAMAGE as error:
            raise DamagedStream(f"it is damaged ({_why(error)})") from None

    def _check(self, info: ZipInfo) -> None:
        if info.flag_bits & _ENCRYPTED:
            raise DamagedStream("it is encrypted")
        if info.compress_type not in _METHODS:
            raise DamagedStream(f"it is packed with method {info.compress_type}, which is not known here")
        size, packed = info.file_size, info.compress_size
        member = printable(info.filename)[:80]
        if size > LARGEST_MEMBER:
            claim = f"the member {member!r} of {self._source} unpacks to {size:,} bytes"
            raise UnreadableFile(f"{claim}; the most is {LARGEST_MEMBER:,}.", _BOMB)
        if size > SMALL and size > HIGHEST_RATIO * packed:
            claim = f"the member {member!r} of {self._source} unpacks from {packed:,} to {size:,} bytes"
            raise UnreadableFile(f"{claim}, more than {HIGHEST_RATIO} to 1.", _BOMB)
        if self._unpacked + size > LARGEST_TOTAL:
            raise UnreadableFile(f"{self._source} unpacks to more than {LARGEST_TOTAL:,} bytes.", _BOMB)

    def _zstd(self, info: ZipInfo) -> bytes:
        """A member packed in the way that `zipfile` does not know before Python 3.14."""
        self._file.seek(info.header_offset)
        mark, name, extras = _HEADER.unpack(self._file.read(_HEADER.size))
        if mark != MARK:
            raise BadZipFile("it does not begin where it should")
        self._file.seek(name + extras, SEEK_CUR)
        packed, raw = BytesIO(self._file.read(info.compress_size)), bytearray()
        for part in member_bytes(packed.read, _ZSTD):
            raw += part
            if len(raw) > info.file_size:
                break
        if len(raw) != info.file_size or zlib.crc32(raw) != info.CRC:
            raise BadZipFile("its size or checksum is wrong")
        return bytes(raw)


def _why(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return printable(words) or type(error).__name__
