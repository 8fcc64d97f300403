"""A file's bytes and the text in them; whatever is no plain file of text or of a table is refused in one sentence."""

import os
import re
from collections.abc import Collection
from io import BufferedReader
from pathlib import Path, PurePath

from scoring.data.errors import UnknownFormat, UnreadableFile
from scoring.data.storage.files import NotPlain, open_plain
from scoring.formats.reading.compressed_streams import plain_name
from scoring.formats.reading.findings import Finding

LONGEST_LINE = 512 * 1024 * 1024
"""Bytes of one line above which a file is refused: its row would have to be in memory several times over."""

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""What a zip archive starts with; the second form is an empty archive."""

PARQUET = b"PAR1"
"""What a Parquet file starts with."""

ARROW_FILE = b"ARROW1"
"""What an Arrow IPC file starts with, which Feather V2 is."""

ARROW_STREAM = b"\xff\xff\xff\xff"
"""What an Arrow IPC stream starts with."""

UTF8_MARK = b"\xef\xbb\xbf"
"""What a text that is UTF-8 may start with, and no part of it."""

ENDINGS = (".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".csv", ".tsv", ".eval")
"""What the names of files end with that hold rows. What is in them is told by their content."""

_CHUNK = 16 * 1024 * 1024
_LOOK = 64
# Longer marks first: that of UTF-32 begins like that of UTF-16.
_CODECS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    UTF8_MARK: "utf-8-sig",
}
# Without a mark: text that starts with two letters of ASCII, each beside the zero byte of its code unit.
_UNMARKED = {
    "utf-16-le": re.compile(rb"[\x09-\x7e]\x00[\x09-\x7e]\x00"),
    "utf-16-be": re.compile(rb"\x00[\x09-\x7e]\x00[\x09-\x7e]"),
}
_FOREIGN = {
    "gzip-compressed": rb"\x1f\x8b",
    "a zip archive": rb"PK(?:\x03\x04|\x05\x06)",
    "zstd-compressed": rb"\x28\xb5\x2f\xfd",
    "bzip2-compressed": rb"BZh[1-9](?:\x31\x41\x59\x26\x53\x59|\x17\x72\x45\x38\x50\x90)",
    "xz-compressed": rb"\xfd7zXZ",
}
_TABLE_STEP = "Save its rows as JSON Lines, CSV or Parquet, and import that file."
_NO_TABLES = {
    "a Python pickle, which is never opened, for it may run any program": (
        rb"\x80[\x02-\x05]",
        "Load it where you trust it and save its rows as JSON Lines or Parquet, for example with pandas' to_parquet.",
    ),
    "a NumPy array": (rb"\x93NUMPY", "Save it as JSON Lines with an id a row, or as Parquet."),
    "an HDF5 file": (rb"\x89HDF\r\n", _TABLE_STEP),
    "an SQLite database": (rb"SQLite format 3\0", _TABLE_STEP),
    "an old Excel workbook or Word document": (
        rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "Save the sheet as CSV and import that.",
    ),
    "a PNG image": (rb"\x89PNG\r\n", _TABLE_STEP),
    "a JPEG image": (rb"\xff\xd8\xff", _TABLE_STEP),
    "a GIF image": (rb"GIF8[79]a", _TABLE_STEP),
    "a PDF document": (rb"%PDF-", _TABLE_STEP),
    "a web page (HTML)": (
        rb"(?i)(?:\xef\xbb\xbf)?\s*(?:<!doctype html|<html)",
        "A download may have failed or needs a login: download the file itself, not the page that shows it.",
    ),
    "a pointer of Git LFS, not the file itself": (
        rb"version https://git-lfs\.github\.com/spec/",
        "Fetch the file with: git lfs pull",
    ),
}
"""What a file is that holds no rows -> what it starts with, and what to do instead."""


def printable(path: Path | str) -> str:
    """Make a text that can be stored of a path: bytes of a file's name that are no UTF-8 become question marks."""
    return str(path).encode(errors="replace").decode()


def looks_readable(file: PurePath) -> bool:
    """Return whether a file's name says that it holds rows, compressed or not: it ends with one of `ENDINGS`."""
    return PurePath(plain_name(file.name)).suffix.lower() in ENDINGS


def lies_beside_rows(name: str, files: Collection[str]) -> bool:
    """Return whether a file of a folder is no rows, but what datasets' save_to_disk or lm-eval writes beside them."""
    if name == "state.json":
        return "dataset_info.json" in files
    if name.startswith("results_") and name.endswith(".json"):
        ending = f"{name.removeprefix('results').removesuffix('.json')}.jsonl"
        return any(other.startswith("samples_") and other.endswith(ending) for other in files)
    return name in {"dataset_dict.json", "dataset_info.json"}


def file_bytes(path: Path, source: str = "") -> bytes:
    """Read the content of a plain file that is not compressed; of Parquet and Arrow only the mark: they go by path.

    A pipe or a device is refused without waiting for it. `source` is what the file is called, "" = its path.

    Raises:
        UnreadableFile: not there, not allowed, no plain file, or larger than the memory takes.
        UnknownFormat: it is compressed, or a kind of file that holds no rows.
    """
    source = source or printable(path)
    try:
        with open_plain(path) as file:
            _may_hold_rows(file.peek(_LOOK)[:_LOOK], source)
            for mark in (PARQUET, ARROW_FILE, ARROW_STREAM):
                if file.peek(len(mark)).startswith(mark):
                    return mark
            _lines_in_bounds(file, source)
            return file.read()
    except FileNotFoundError:
        raise UnreadableFile(f"there is no file {source}.", "Check the path.") from None
    except IsADirectoryError:
        raise UnreadableFile(f"{source} is a folder.", "Name the files in it.") from None
    except NotPlain as error:
        next_step = "Write its rows to a file, or pipe them in and name -."
        raise UnreadableFile(f"{source} is {error.kind}, not a file.", next_step) from None
    except MemoryError:
        raise UnreadableFile(f"{source} does not fit into memory.", "Split it into smaller files.") from None
    except (OSError, ValueError) as error:
        why = (error.strerror or error) if isinstance(error, OSError) else error
        raise UnreadableFile(f"{source}: {why}.", "Check the path and its permissions.") from None


def decoded(raw: bytes, source: str) -> tuple[str, list[Finding]]:
    """Return the text without its byte order mark, and a finding if bytes had to be replaced."""
    codec = codec_of(raw)
    # The codec that skips the mark tells the places of errors without it.
    return (
        decoded_as("utf-8", raw[len(UTF8_MARK) :], source) if codec == "utf-8-sig" else decoded_as(codec, raw, source)
    )


def codec_of(raw: bytes) -> str:
    """Return the encoding of the bytes of a file, or its first few: `utf-8` unless a mark or zero bytes deny it."""
    codec = next((codec for mark, codec in _CODECS.items() if raw.startswith(mark)), None)
    return codec or next((codec for codec, start in _UNMARKED.items() if start.match(raw)), "utf-8")


def decoded_as(codec: str, raw: bytes, source: str) -> tuple[str, list[Finding]]:
    """Return the text in a codec, and a finding if bytes had to be replaced."""
    try:
        return raw.decode(codec), []
    except UnicodeDecodeError as error:
        text = raw.decode(codec, errors="replace")
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"bytes that are not {codec.upper()} became U+FFFD, here for the first time"
        return text, [Finding("warning", "undecodable", message, source, line)]


def _may_hold_rows(start: bytes, source: str) -> None:
    for what, magic in _FOREIGN.items():
        if re.match(magic, start):
            raise UnknownFormat(f"{source} is {what}.", "Unpack it first.")
    for what, (magic, next_step) in _NO_TABLES.items():
        if re.match(magic, start):
            raise UnknownFormat(f"{source} is {what}.", next_step)


def _lines_in_bounds(file: BufferedReader, source: str) -> None:
    """Refuse a text with a line that is too long, before any of it is kept; the file is at its start again."""
    if os.fstat(file.fileno()).st_size <= LONGEST_LINE:
        return
    length = 0
    while chunk := file.read(_CHUNK):
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        length += len(chunk) if first < 0 else first
        if length > LONGEST_LINE:
            raise UnreadableFile(
                f"{source} has a line of more than {LONGEST_LINE // 1024**2:,} MB.",
                "Put each row on a line of its own.",
            )
        if first >= 0:
            length = len(chunk) - last - 1
    file.seek(0)
