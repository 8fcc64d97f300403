"""The members of a zip archive that may hold rows: no header is believed, and no file is written under a member's name.

A member is unpacked here from its raw bytes: how much it becomes is counted meanwhile, and its length and checksum are
compared at the end.
"""

import stat
import struct
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Self
from zipfile import BadZipFile, ZipFile, ZipInfo

from msgspec.structs import replace

from scoring.data.errors import InputError, UnknownFormat, UnreadableFile
from scoring.data.storage.files import open_plain
from scoring.formats.reading.compressed_streams import (
    Allowance,
    DamagedStream,
    compression_of,
    member_bytes,
    read_some,
    start_of,
)
from scoring.formats.reading.file_bytes import (
    ARROW_FILE,
    ARROW_STREAM,
    PARQUET,
    UTF8_MARK,
    ZIP,
    looks_readable,
    printable,
)
from scoring.formats.reading.findings import Finding, some_of
from scoring.importing.local_files import (
    INSIDE,
    LocalFile,
    free_room,
    innermost_file,
    temporary,
    unpacked_file,
    write_temporary,
)
from scoring.importing.row_members import MANY_MEMBERS, row_line

MOST_MEMBERS = 100_000
"""Members above which an archive is refused."""

_ENCRYPTED = 0x1
_LOOK = 4096
# A member's own header: the mark, and after fields that the list of members repeats the lengths of name and extras.
_HEADER = struct.Struct("<4s22xHH")
_ROWS = (b"{", b"[", PARQUET, ARROW_FILE, ARROW_STREAM)
_LISTED = 5
_LONGEST = 80


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


_NO_ARCHIVES = {
    "an Excel workbook": ("/xl/workbook.xml", "Save the sheet as CSV and import that."),
    "an OpenDocument file": ("/content.xml", "Save the sheet as CSV and import that."),
    "a PyTorch file, whose pickle is never opened": (
        "/data.pkl",
        "Load it where you trust it and save its rewards as JSON Lines or Parquet.",
    ),
    "NumPy's .npz of several arrays": (".npy", "Save its rewards as JSON Lines with an id a row, or as Parquet."),
}
"""What a zip archive without rows is -> how the name of a member ends by which it is known, and what to do instead."""


def member_files(source: LocalFile, folder: Path, only: str | None) -> Iterator[LocalFile]:
    """Unpack the members of an archive, each until the next one is asked for; `only` = only that member."""
    whole = Allowance(source.name, free_room(folder), packed=source.path.stat().st_size)
    with Archive(source.path, source.name) as archive:
        members = [member for member in archive.members if only in {None, member.filename}]
        if not members and only is None:
            for what, (ending, next_step) in _NO_ARCHIVES.items():
                if any(f"/{name}".endswith(ending) for name in archive.left_out):
                    raise UnknownFormat(f"{source.name} is {what}.", next_step)
            raise UnreadableFile(
                f"{source.name} is a zip archive without a file that holds rows{_listed(archive.left_out)}.",
                "Unpack it and name the files to import.",
            )
        noticed = (*source.findings, *_not_read(source.name, archive.left_out))
        path, left = _rows_together(archive, members, folder, whole) if only is None else (None, members)
        count = len(left) + (path is not None)
        if path is not None:
            message = (
                f"{len(members) - len(left):,} files of the archive hold a row each and were read together: "
                "line N is the Nth of them by name"
            )
            finding = Finding("note", "row-members", message, source.name)
            with temporary(path):
                rows = replace(source, path=path, findings=(*noticed, finding), alone=not left, until=None)
                yield replace(rows, parts=(0, count))
            noticed = ()
        for number, member in enumerate(left, start=count - len(left)):
            brought = LocalFile(
                f"{source.name}/{printable(member.filename)}",
                f"{source.place}{INSIDE}{member.filename}",
                source.path,
                (*noticed, *_repeated(source.name, member.filename, archive.repeated)),
                alone=len(archive.members) == 1,
                parts=(number, count),
            )
            with ExitStack() as files:
                try:
                    path = files.enter_context(
                        temporary(write_temporary(folder, brought.name, archive.unpack(member, whole)))
                    )
                    ready = files.enter_context(_as_member(replace(brought, path=path), folder, whole))
                except DamagedStream as error:
                    why = f"{brought.name} cannot be unpacked: {error}."
                    ready = replace(
                        brought, refusal=UnreadableFile(why, "Unpack the archive, and import what is in it.")
                    )
                except InputError as error:
                    ready = replace(brought, refusal=_with_rest(error, count - number - 1 if whole.spent else 0))
                else:
                    # What is of the archive is said once.
                    noticed = ()
                yield ready
            if whole.spent:
                return


def _rows_together(
    archive: Archive, members: Sequence[ZipInfo], folder: Path, whole: Allowance
) -> tuple[Path | None, Sequence[ZipInfo]]:
    """Write the members that hold a row with the keys of the first to one file; return it and the other members.

    The file is None if fewer than `MANY_MEMBERS` hold a row.
    """
    if len(members) < MANY_MEMBERS:
        return None, members
    left: list[ZipInfo] = []
    path = write_temporary(folder, "rows", _row_lines(archive, members, replace(whole), left))
    if len(members) - len(left) >= MANY_MEMBERS:
        return path, left
    path.unlink()
    return None, members


def _row_lines(
    archive: Archive, members: Sequence[ZipInfo], allowance: Allowance, left: list[ZipInfo]
) -> Iterator[bytes]:
    """Yield the line of each member that holds a row with the keys of the first; `left` takes the other members."""
    known = None
    for member in members:
        row = None
        if member.filename not in archive.repeated:
            # A damaged member is reported when it is read by itself.
            with suppress(DamagedStream, InputError):
                row = row_line(b"".join(archive.unpack(member, allowance)))
        if row is None or known not in {None, row[0]}:
            left.append(member)
        else:
            known, line = row
            yield line


@contextmanager
def _as_member(member: LocalFile, folder: Path, whole: Allowance) -> Iterator[LocalFile]:
    """A member of an archive, which may be compressed: what it becomes counts as the archive's too."""
    if compression := compression_of(start_of(member.path)):
        with unpacked_file(member, compression, folder) as unpacked:
            whole.count(0, unpacked.path.stat().st_size)
            yield innermost_file(unpacked, "an archive")
    else:
        yield innermost_file(member, "an archive")


def _not_read(name: str, left_out: Sequence[str]) -> tuple[Finding, ...]:
    if not left_out:
        return ()
    message = f"by name and content no rows{_listed(left_out)}"
    return (Finding("note", "left-out-members", message, name),)


def _repeated(name: str, member: str, repeated: Collection[str]) -> tuple[Finding, ...]:
    if member not in repeated:
        return ()
    message = f"several members are called {printable(member)!r}; the last one counts"
    return (Finding("warning", "repeated-member", message, name),)


def _listed(names: Sequence[str]) -> str:
    return f": {some_of([name[:_LONGEST] for name in names], _LISTED)}" if names else ""


def _with_rest(error: InputError, rest: int) -> InputError:
    """The refusal of a member with which the whole archive became too much: `rest` more were not looked at."""
    more = f" The {rest} files after it in the archive were not read." if rest else ""
    return UnreadableFile(error.sentence + more, error.next_step) if more else error
