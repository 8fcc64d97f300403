"""Files become rows with line numbers: JSON array, JSON Lines or Parquet, told apart by content.

A broken row costs itself only: it becomes a finding and the reading goes on at the next one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.benchmarks import json_rows
from scoring.benchmarks.findings import Finding
from scoring.errors import InputError, UnknownFormat, UnreadableFile

_WANTED = "Give a file of JSON Lines, a JSON array or Parquet."
# Longer marks first: that of UTF-32 begins like that of UTF-16.
_CODECS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"\xef\xbb\xbf": "utf-8-sig",
}
_FOREIGN = {
    b"\x1f\x8b": "gzip-compressed",
    b"PK\x03\x04": "a zip archive",
    b"(\xb5/\xfd": "zstd-compressed",
    b"BZh": "bzip2-compressed",
    b"\xfd7zXZ": "xz-compressed",
}


@dataclass(frozen=True)
class Row:
    """One row as it stood in the source.

    `number` is its 1-based place among all rows, broken ones counted; `line` is 1-based, and the number again where
    there are no lines (Parquet, hub data sets).
    """

    number: int
    line: int
    value: Any


@dataclass(eq=False)
class Rows:
    """All rows of one source and what was noticed while reading them; `read` counts the broken ones too."""

    source: str
    format: str
    rows: list[Row] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    read: int = 0

    def add(self, value: Any, line: int | None = None) -> None:
        """Put a row at the end."""
        self.read += 1
        self.rows.append(Row(self.read, self.read if line is None else line, value))

    def broken(self, line: int, message: str) -> None:
        """Count a row that could not be read."""
        self.read += 1
        self.findings.append(Finding("error", "broken-row", message, self.source, line))


def read_rows(path: Path) -> Rows:
    """The rows of a file, whatever of the known formats it holds; at least one.

    Raises:
        UnreadableFile: not there, not allowed, or a folder.
        UnknownFormat: the content is none of the known formats, or holds no row.
    """
    source = printable(path)
    raw = _bytes(path)
    for magic, what in _FOREIGN.items():
        if raw.startswith(magic):
            raise UnknownFormat(f"{source} is {what}.", "Unpack it first.")
    rows = _parquet(path) if raw.startswith(b"PAR1") else _json(raw, source)
    if not rows.rows:
        broken = [finding for finding in rows.findings if finding.code == "broken-row"]
        why = f"no row of {source} can be read ({broken[0].message})" if broken else f"{source} holds no rows"
        raise UnknownFormat(f"{why}.", _WANTED)
    return rows


def printable(path: Path | str) -> str:
    """A path as text that can be stored: bytes of a file's name that are no UTF-8 become question marks."""
    return str(path).encode(errors="replace").decode()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UnreadableFile(f"there is no file {printable(path)}.", "Check the path.") from None
    except IsADirectoryError:
        raise UnreadableFile(f"{printable(path)} is a folder.", "Name the files in it.") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UnreadableFile(f"{printable(path)}: {why}.", "Check the path and its permissions.") from None


def _json(raw: bytes, source: str) -> Rows:
    text, undecodable = _decode(raw, source)
    rows = Rows(source, "JSON array" if text.lstrip()[:1] == "[" else "JSON Lines", findings=list(undecodable))
    _collect(json_rows.array(text) if rows.format == "JSON array" else json_rows.lines(text), rows)
    if rows.format == "JSON Lines" and not any(isinstance(row.value, dict) for row in rows.rows):
        # Objects over several lines, one after the other: no line of them is one.
        whole = Rows(source, "JSON objects", findings=list(undecodable))
        _collect(json_rows.objects(text), whole)
        return whole if whole.rows else rows
    return rows


def _collect(elements: Iterable[json_rows.Element], rows: Rows) -> None:
    for element in elements:
        if not element.row:
            rows.findings.append(Finding("warning", "broken-array", element.error, rows.source, element.line))
            continue
        if element.error:
            rows.broken(element.line, element.error)
            continue
        rows.add(element.value, element.line)
        if element.repeated:
            message = f"repeated within an object, so that the last one counts: {', '.join(element.repeated)}"
            rows.findings.append(Finding("warning", "repeated-key", message, rows.source, element.line))


def _decode(raw: bytes, source: str) -> tuple[str, list[Finding]]:
    """The text without its byte order mark, and a finding if bytes had to be replaced."""
    codec = next((codec for mark, codec in _CODECS.items() if raw.startswith(mark)), "utf-8")
    try:
        return raw.decode(codec), []
    except UnicodeDecodeError as error:
        text = raw.decode(codec, errors="replace")
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"bytes that are not {codec.upper()} became U+FFFD, here for the first time"
        return text, [Finding("warning", "undecodable", message, source, line)]


def _parquet(path: Path) -> Rows:
    from scoring.parquet import read_parquet

    source = printable(path)
    try:
        frame = read_parquet(path)
    except OSError as error:
        raise UnreadableFile(
            f"{source} starts like Parquet and cannot be read: {error}.", "It may be cut off."
        ) from None
    rows = Rows(source, "Parquet")
    for value in frame.iter_rows(named=True):
        rows.add(value)
    return rows


def expand(paths: list[Path]) -> Iterator[Path]:
    """The files among the paths: a folder stands for the readable-looking files directly in it, in order of name.

    Raises:
        InputError: a folder without any, or one that cannot be listed.
    """
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        try:
            files = sorted(file for file in path.iterdir() if _looks_readable(file))
        except OSError as error:
            raise UnreadableFile(f"{printable(path)}: {error.strerror}.", "Check its permissions.") from None
        if not files:
            raise InputError(f"the folder {path} holds no .json, .jsonl or .parquet file.", "Name the files to import.")
        yield from files


def _looks_readable(file: Path) -> bool:
    return file.suffix.lower() in {".json", ".jsonl", ".parquet"} and not file.name.startswith(".") and file.is_file()
