"""Plain local files: unpacked from compressed ones, cut after the last whole line, deleted after use.

Compression is recognised by content. A plain file stays where it is; everything else is written into a folder of the
import under a name of our own.
"""

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import InputError, UnreadableFile
from scoring.data.storage.files import open_plain, unwritable, uuid7
from scoring.formats.reading.compressed_streams import (
    CHUNK,
    LARGEST,
    Allowance,
    Unpacked,
    compression_of,
    size_words,
    start_of,
)
from scoring.formats.reading.file_bytes import ARROW_FILE, ARROW_STREAM, PARQUET, UTF8_MARK, ZIP, codec_of
from scoring.formats.reading.findings import Finding
from scoring.formats.results import inspect_log

INSIDE = "#"
"""What stands between an archive and its member in the place of a file."""
# Of the disk, so much may be filled at most.
_OF_FREE = 0.9
_TAR, _TAR_AT = b"ustar", 257
_START = 4096


class LocalFile(Struct, frozen=True, eq=False):
    """One plain local file.

    `name` is what findings call it (`runs.zip/part-1.jsonl`), `place` the same from one import to the next (a real
    path, `#` and a member of it, an address without its query, or `-`). `findings` were made on the way; where there
    is a `refusal`, it could not be brought. `alone` says that its source stands for nothing else. `until` is how many
    bytes of a text are read, where it may be growing; None = all that there are. `parts` is the 0-based number of
    the file among those of its source, and how many these are.
    """

    name: str
    place: str
    path: Path
    findings: tuple[Finding, ...] = ()
    refusal: InputError | None = None
    alone: bool = True
    until: int | None = None
    parts: tuple[int, int] = (0, 1)


@contextmanager
def unpacked_file(source: LocalFile, compression: str, folder: Path) -> Iterator[LocalFile]:
    """Unpack a compressed file into the folder, and delete the copy after use."""
    allowance = Allowance(source.name, free_room(folder))
    try:
        file = open_plain(source.path)
    except OSError as error:
        raise UnreadableFile(f"{source.name}: {error.strerror}.", "Check the path and its permissions.") from None
    with file:
        stream = Unpacked(file, compression, allowance)
        path = write_temporary(folder, source.name, stream)
    with temporary(path):
        findings = source.findings
        if stream.cut_off:
            if not allowance.unpacked:
                what = f"{source.name} is cut off: nothing can be unpacked from its {size_words(allowance.packed)}"
                raise UnreadableFile(f"{what} of {compression}.", "Get the file again.")
            amount = f"{size_words(allowance.packed)} of {compression} gave {size_words(allowance.unpacked)}"
            findings += cut_off_finding(path, source.name, amount)
        if stream.trailing:
            message = f"{stream.trailing:,} bytes after the end of the {compression} data are none, and were left out"
            findings += (Finding("warning", "trailing-bytes", message, source.name),)
        yield replace(source, path=path, findings=findings, until=None)


def innermost_file(unpacked: LocalFile, inside: str) -> LocalFile:
    """Return an unpacked file, or raise UnreadableFile if it is compressed or an archive again."""
    start, name = start_of(unpacked.path), unpacked.name
    if compression_of(start):
        raise UnreadableFile(f"{name} is compressed more than once.", "Unpack it once and import what comes out.")
    if start.startswith(ZIP) and not inspect_log.recognises_file(start, unpacked.path):
        raise UnreadableFile(f"{name} is an archive inside {inside}.", "Unpack that, and import the archive in it.")
    return refuse_tar(unpacked)


def refuse_tar(source: LocalFile) -> LocalFile:
    """Return a file, or raise UnreadableFile if it is a tar archive."""
    if start_of(source.path, _START).startswith(_TAR, _TAR_AT):
        raise UnreadableFile(f"{source.name} is a tar archive.", "Unpack it (tar -xf FILE) and import the folder.")
    return source


def cut_off_finding(path: Path, name: str, amount: str) -> tuple[Finding, ...]:
    """Cut a text of lines after its last whole line, and say what was read of the `amount` that came."""
    lines = _whole_lines(path)
    read = "" if lines is None else f"; {lines:,} whole lines of it were read"
    message = f"the file is cut off: {amount}{read}, and what came after is missing"
    return (Finding("warning", "cut-off", message, name),)


def _whole_lines(path: Path) -> int | None:
    """Cut a text of lines after its last whole line; how many are left. None, and nothing cut, where it is no such."""
    with path.open("r+b") as file:
        start = file.read(_START)
        binary = compression_of(start) or start.startswith((*ZIP, PARQUET, ARROW_FILE, ARROW_STREAM))
        if binary or not codec_of(start).startswith("utf-8") or start.removeprefix(UTF8_MARK).lstrip()[:1] == b"[":
            return None
        file.seek(0)
        lines = end = at = 0
        while part := file.read(CHUNK):
            lines += part.count(b"\n")
            last = part.rfind(b"\n")
            end = at + last + 1 if last >= 0 else end
            at += len(part)
        file.seek(end)
        if at > end and is_whole_row(file.read()):
            return lines + 1
        if lines:
            file.truncate(end)
        return lines


def is_whole_row(line: bytes) -> bool:
    """Return whether a last line without a break is an object of JSON, which no beginning of one is."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def write_temporary(folder: Path, name: str, parts: Iterable[bytes]) -> Path:
    """Write parts to a new file in the folder, under a name that is no part of `name`; whole or not at all."""
    # A log that is damaged is known by its name alone.
    path = folder / f"source-{uuid7()}{'.eval' if name.lower().endswith('.eval') else ''}"
    with _as_unwritable(path):
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("xb")
    try:
        with file:
            for part in parts:
                with _as_unwritable(path):
                    file.write(part)
            with _as_unwritable(path):
                file.flush()
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


@contextmanager
def _as_unwritable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """Delete a file after use."""
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def free_room(folder: Path) -> int:
    """Return how many bytes a source may take in a folder."""
    home = next(home for home in (folder, *folder.absolute().parents) if home.is_dir())
    return min(LARGEST, int(shutil.disk_usage(home).free * _OF_FREE))
