"""Files become rows with line numbers: JSON array, JSON Lines or Parquet, told apart by content.

A broken row costs itself only: it becomes a finding and the reading goes on at the next one.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.benchmarks.findings import Finding
from scoring.errors import InputError, UnknownFormat, UnreadableFile

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")
# Where an array element may start again after a broken one: an opening brace after a comma, or on a line of its own.
_NEXT_OBJECT = re.compile(r",[ \t\r\n]*(?=\{)|\n[ \t]*(?=\{)")
_CODECS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_FOREIGN = {
    b"\x1f\x8b": "gzip-compressed",
    b"PK\x03\x04": "a zip archive",
    b"(\xb5/\xfd": "zstd-compressed",
    b"BZh": "bzip2-compressed",
    b"\xfd7zXZ": "xz-compressed",
}


@dataclass(frozen=True)
class Row:
    """One row as it stood in the file; `line` is 1-based (for Parquet and hub data sets the row's number)."""

    line: int
    value: Any


@dataclass(eq=False)
class Rows:
    """All rows of one source and what was noticed while reading them."""

    source: str
    format: str
    rows: list[Row] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def read(self) -> int:
        """How many rows there were, broken ones included."""
        return len(self.rows) + sum(finding.code == "broken-row" for finding in self.findings)

    def broken(self, line: int, message: str) -> None:
        """Count a row that could not be read."""
        self.findings.append(Finding("error", "broken-row", message, self.source, line))


def read_rows(path: Path) -> Rows:
    """The rows of a file, whatever of the known formats it holds.

    Raises:
        UnreadableFile: not there, not allowed, or a folder.
        UnknownFormat: the content is none of the known formats.
    """
    raw = _bytes(path)
    for magic, what in _FOREIGN.items():
        if raw.startswith(magic):
            raise UnknownFormat(f"{path} is {what}.", "Unpack it first.")
    if raw.startswith(b"PAR1"):
        return _parquet(path)
    text, repaired = _decode(raw)
    rows = Rows(str(path), "JSON array" if text.lstrip()[:1] == "[" else "JSON Lines")
    if repaired:
        rows.findings.append(
            Finding("warning", "not-utf8", f"{repaired} bytes that are not UTF-8 became U+FFFD", rows.source)
        )
    if not text.strip():
        raise UnknownFormat(f"{path} is empty.", "Give a file of JSON Lines, a JSON array or Parquet.")
    if rows.format == "JSON array":
        _array(text, rows)
    else:
        _lines(text, rows)
    if not rows.rows and rows.findings and rows.format == "JSON Lines":
        raise UnknownFormat(
            f"no line of {path} is JSON ({rows.findings[0].message}).",
            "Give a file of JSON Lines, a JSON array or Parquet.",
        )
    return rows


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UnreadableFile(f"there is no file {path}.", "Check the path.") from None
    except IsADirectoryError:
        raise UnreadableFile(f"{path} is a folder.", "Name the files in it.") from None
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}.", "Check the path and its permissions.") from None


def _decode(raw: bytes) -> tuple[str, int]:
    """The text without its byte order mark, and how many bytes had to be replaced."""
    codec = next((codec for mark, codec in _CODECS.items() if raw.startswith(mark)), "utf-8")
    try:
        return raw.decode(codec), 0
    except UnicodeDecodeError:
        text = raw.decode(codec, errors="replace")
        return text, max(1, text.count("\ufffd") - raw.count("\ufffd".encode()))


def _array(text: str, rows: Rows) -> None:
    """Decode the array element by element, so that every element has a line and a broken one costs only itself."""
    line, counted_to = 1, 0
    at = text.index("[") + 1
    while True:
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty string
        line, counted_to = line + text.count("\n", counted_to, at), at
        if at >= len(text):
            rows.broken(line, "the array is not closed: the file may be cut off")
            return
        if text[at] == "]":
            return
        if text[at] == ",":
            at += 1
            continue
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            rows.broken(line, f"not valid JSON ({_reason(error)}); skipped to the next row")
            at = _resume(text, at)
        else:
            rows.rows.append(Row(line, value))


def _resume(text: str, at: int) -> int:
    """Where the next whole row of an array starts after a broken one at `at`.

    Objects nested in a row would decode as well, so only one that closes before a comma or the end of the array counts.
    """
    for match in _NEXT_OBJECT.finditer(text, at):
        try:
            value, end = _DECODER.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            continue
        if "steps" in value and text[_BLANK.match(text, end).end() :][:1] in {",", "]", ""}:  # type: ignore[union-attr]
            return match.end()
    return len(text)


def _lines(text: str, rows: Rows) -> None:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.rows.append(Row(number, json.loads(line)))
        except (ValueError, RecursionError) as error:
            rows.broken(number, f"not valid JSON ({_reason(error)})")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _parquet(path: Path) -> Rows:
    import polars as pl

    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).splitlines()[0]
        raise UnreadableFile(f"{path} starts like Parquet and cannot be read: {first}.", "It may be cut off.") from None
    return Rows(str(path), "Parquet", [Row(i, value) for i, value in enumerate(frame.iter_rows(named=True), start=1)])


def expand(paths: list[Path]) -> Iterator[Path]:
    """The files among the paths: a folder stands for the readable-looking files directly in it, in order of name.

    Raises:
        InputError: a folder without any.
    """
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        files = [file for file in sorted(path.iterdir()) if file.suffix in {".json", ".jsonl", ".parquet"}]
        if not files:
            raise InputError(f"the folder {path} holds no .json, .jsonl or .parquet file.", "Name the files to import.")
        yield from files
