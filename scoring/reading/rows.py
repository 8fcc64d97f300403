"""Files become rows with line numbers: JSON array, JSON Lines, CSV, TSV, Parquet or Arrow, told apart by content.

A broken row costs itself only: it becomes a finding and the reading goes on at the next one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.errors import UnknownFormat, UnreadableFile
from scoring.parquet import read_arrow, read_parquet
from scoring.reading import csv_rows, json_rows
from scoring.reading.file_bytes import ARROW_FILE, ARROW_STREAM, PARQUET, decoded, file_bytes, printable
from scoring.reading.findings import Finding

_TABLES = {PARQUET: "Parquet", ARROW_FILE: "Arrow", ARROW_STREAM: "Arrow"}
# A text may start with the same four letters.
_FEATHER_V1 = b"FEA1\0"
_WANTED = "Give a file of JSON Lines, a JSON array, CSV or TSV with a header line, Parquet, or Arrow."


@dataclass(frozen=True)
class Row:
    """One row as it stood in the source.

    `number` is its 1-based place among all rows, broken ones counted; `line` is 1-based, and the number again where
    there are no lines (Parquet, Arrow, hub data sets).
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


def read_rows(path: Path, source: str = "") -> Rows:
    """The rows of a file, whatever of the known formats it holds; at least one.

    `source` is what the file is called, "" = its path.

    Raises:
        UnreadableFile: not there, not allowed, no plain file, or too large.
        UnknownFormat: the content is none of the known formats, or holds no row.
    """
    source = source or printable(path)
    raw = file_bytes(path, source)
    if raw.startswith(_FEATHER_V1):
        raise UnknownFormat(f"{source} is Feather V1.", "Write it again as V2, which pyarrow and polars do by default.")
    rows = _table(path, source, raw) if raw in _TABLES else text_rows(*decoded(raw, source), source)
    if not rows.rows:
        broken = [finding for finding in rows.findings if finding.code == "broken-row"]
        why = f"no row of {source} can be read ({broken[0].message})" if broken else f"{source} holds no rows"
        raise UnknownFormat(f"{why}.", _WANTED)
    return rows


def json_lines(text: str, undecodable: list[Finding], source: str) -> Rows:
    """The rows of a text that is JSON Lines, perhaps none; `undecodable` is what decoding it noticed."""
    rows = _collect(json_rows.lines(text), Rows(source, "JSON Lines"))
    rows.findings[:0] = undecodable
    return rows


def text_rows(text: str, undecodable: list[Finding], source: str) -> Rows:
    """The rows of a text in whatever form it holds them, perhaps none; `undecodable` is what decoding it noticed."""
    start = text.lstrip()[:1]
    if start == "[":
        rows = _collect(json_rows.array(text), Rows(source, "JSON array"))
    else:
        rows = (None if start == "{" else _cells(text, source)) or _objects(text, source)
    rows.findings[:0] = undecodable
    return rows


def _objects(text: str, source: str) -> Rows:
    """JSON Lines; or objects over several lines, one after the other, where the first line is none by itself."""
    rows = _collect(json_rows.lines(text), Rows(source, "JSON Lines"))
    found = _has_objects(rows)
    if found and rows.rows[0].number == 1:
        return rows
    whole = _collect(json_rows.objects(text), Rows(source, "JSON objects"))
    return whole if whole.rows and (not found or whole.read == len(whole.rows)) else rows


def _cells(text: str, source: str) -> Rows | None:
    """CSV or TSV; None where there is no header, or where the lines that are no such rows are rather JSON Lines."""
    header = csv_rows.header(text)
    if header is None:
        return None
    rows = Rows(source, csv_rows.FORMATS[header.separator])
    if header.repeated:
        message = f"repeated in the header, so that the first column counts: {', '.join(header.repeated)}"
        rows.findings.append(Finding("warning", "repeated-key", message, source, header.line))
    _collect(csv_rows.elements(text, header), rows)
    if rows.read > len(rows.rows) and _has_objects(_collect(json_rows.lines(text), Rows(source, "JSON Lines"))):
        return None
    return rows


def _has_objects(rows: Rows) -> bool:
    return any(isinstance(row.value, dict) for row in rows.rows)


def _collect(elements: Iterable[json_rows.Element], rows: Rows) -> Rows:
    """The rows, with every element or what is wrong with it added."""
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
    return rows


def _table(path: Path, source: str, mark: bytes) -> Rows:
    rows = Rows(source, _TABLES[mark])
    try:
        frame = read_parquet(path) if mark == PARQUET else read_arrow(path, stream=mark == ARROW_STREAM)
    except OSError as error:
        why = str(error).replace(str(path), source)
        raise UnreadableFile(
            f"{source} starts like {rows.format} and cannot be read: {why}.", "It may be cut off."
        ) from None
    for value in frame.iter_rows(named=True):
        rows.add(value)
    return rows
