"""Files become rows with line numbers: JSON array, JSON Lines, CSV, TSV, Parquet or Arrow, told apart by content.

A broken row costs itself only: it becomes a finding and the reading goes on at the next one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.data.errors import UnknownFormat, UnreadableFile
from scoring.data.storage.files import open_plain
from scoring.data.storage.parquet import read_arrow, read_parquet
from scoring.formats.reading.file_bytes import (
    ARROW_FILE,
    ARROW_STREAM,
    LONGEST_LINE,
    PARQUET,
    UTF8_MARK,
    codec_of,
    decoded,
    decoded_as,
    file_bytes,
    printable,
)
from scoring.formats.reading.findings import Finding, Severity, some_of
from scoring.formats.reading.text_rows import (
    CSV_FORMATS,
    RowElement,
    array_elements,
    csv_elements,
    csv_header,
    line_elements,
    object_elements,
    without_surrogates,
)

BLOCK_SIZE = 16 * 1024 * 1024
"""Bytes of a block, or a line more: some blocks are in memory at the same time, in several forms each."""

_SLICE = 256 * 1024
_BREAK, _RETURN, _OPENING, _CLOSING = b"\n\r{}"

_TABLES = {PARQUET: "Parquet", ARROW_FILE: "Arrow", ARROW_STREAM: "Arrow"}
# A text may start with the same four letters.
_EXCEL_LINE = re.compile(r'\ufeff?[ \t]*"?(sep=(?:\t|[^\w\s]))"?[;,\t ]*\r?\n', re.IGNORECASE)
_FEATHER_V1 = b"FEA1\0"
_SAMPLED = 1024 * 1024
"""Bytes by which a file is told to be JSON Lines, and in which the first rows are looked for."""
_NAMED = 3
"""Repaired texts of a row that a finding names."""
_SAMPLED_ROWS = 500
"""Rows at the start of a table, and as many spread over all of it, in which columns are looked at."""
_WANTED = "Give a file of JSON Lines, a JSON array, CSV or TSV with a header line, Parquet, or Arrow."


class LineBlock(Struct, frozen=True, eq=False, dict=True):
    """Whole lines as bytes, the last one with or without its break; `line` is the 1-based number of the first."""

    raw: bytes
    line: int

    @cached_property
    def _breaks(self) -> npt.NDArray[np.int64]:
        return np.concatenate([at + np.flatnonzero(codes == _BREAK) for at, codes in code_slices(self.raw)])

    @property
    def height(self) -> int:
        """How many lines there are, at least one."""
        return self._breaks.size + (not self.raw.endswith(b"\n"))

    @property
    def objects(self) -> bool:
        """Whether every line starts and ends as an object does, so that as many values as lines are one a line.

        `}` and `{` without a comma stand between whole values only, and no line break within a text.
        """
        codes = np.frombuffer(self.raw, dtype=np.uint8)
        within = self._breaks[: self.height - 1]
        last, first = codes[within - 1], codes[within + 1]
        last = np.where(last == _RETURN, codes[within - 2], last)
        return self.raw.startswith(b"{") and bool(((last == _CLOSING) & (first == _OPENING)).all())

    @property
    def first(self) -> bytes:
        """The first line without its break."""
        return self.raw[: self.raw.find(b"\n")] if b"\n" in self.raw else self.raw

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines without their breaks."""
        lines = self.raw.split(b"\n")
        if self.raw.endswith(b"\n"):
            lines.pop()
        return lines


class SourceRow(Struct, frozen=True):
    """One row as it stood in the source.

    `number` is its 1-based place among all rows, broken ones counted; `line` is 1-based, and the number again where
    there are no lines (Parquet, Arrow, hub data sets).
    """

    number: int
    line: int
    value: Any


class Rows:
    """The rows of one source.

    Those of JSON Lines are read when they are asked for: all of them by `rows`, or some megabytes of lines at a time by
    `blocks`. Those of a table stay in its columns until they are asked for one by one.

    Attributes:
        source: What findings call it.
        format: The format, in words.
        table: The columns of all rows, where these came as columns: a data frame, Parquet, Arrow. None = they did not.
        path: The file that they are read from, so that what lies beside it can be looked for; None = there is none.
        records_of: The format whose records they are, which it made of other rows; "" = they are as in the source.
        rows_read: How many rows these were made of.
        cases: The numbers of the rows that became cases, in their order, where a reader of single rows made them.
    """

    def __init__(
        self,
        source: str,
        format: str,  # noqa: A002  # users' own benchmarks know it by this name
        rows: Iterable[SourceRow] = (),
        findings: Iterable[Finding] = (),
        read: int = 0,
        *,
        file: Path | None = None,
        until: int | None = None,
        table: pl.DataFrame | None = None,
    ) -> None:
        self.source = source
        self.format = format
        self._findings = list(findings)
        self._read = read if table is None else table.height
        self._rows = list(rows)
        self._file = file
        self.path = file
        self._until = until
        self.table = table
        self.cases: list[int] = []
        self.records_of = ""
        self.rows_read = 0
        self._sample: list[Any] | None = None
        self.block_size = BLOCK_SIZE
        self.progress: Callable[[int], None] = lambda _: None

    @property
    def streamed(self) -> bool:
        """Whether there are lines of a file that were not read yet."""
        return self._file is not None

    @property
    def rows(self) -> list[SourceRow]:
        """Every row that could be read.

        Raises:
            UnreadableFile: the file has gone, or does not fit into memory.
            UnknownFormat: it holds no rows any more.
        """
        self._read_whole()
        return self._rows

    @property
    def findings(self) -> list[Finding]:
        """What was noticed while reading all rows."""
        if self.table is None:
            self._read_whole()
        return self._findings

    @property
    def read(self) -> int:
        """How many rows there are, broken ones too."""
        if self.table is None:
            self._read_whole()
        return self._read

    def _read_whole(self) -> None:
        if self.table is not None and not self._rows:
            self._rows = list(table_rows(self.table))
        if self._file is not None:
            text, undecodable = decoded(file_bytes(self._file, self.source)[: self._until], self.source)
            self._file = None
            self._findings += undecodable
            some_rows(self.collect(line_elements(text)))

    @property
    def size(self) -> int:
        """Bytes of the file whose lines were not read yet; 0 where there is none."""
        if self._file is None:
            return 0
        size = self._file.stat().st_size
        return size if self._until is None else min(size, self._until)

    def blocks(self, size: int | None = None) -> Iterator[LineBlock]:
        """Read the lines of the file in order: some bytes at a time, and what is missing of a line.

        Raises:
            UnreadableFile: the file has gone, or a line is longer than `LONGEST_LINE`.
        """
        assert self._file is not None  # noqa: S101  # whoever asks knows that it is streamed
        number = 1
        try:
            with open_plain(self._file) as file:
                at = len(UTF8_MARK) if file.read(len(UTF8_MARK)) == UTF8_MARK else 0
                while raw := _whole_lines(file, at, size or self.block_size, self._until):
                    block = LineBlock(raw, number)
                    if len(raw) > LONGEST_LINE:
                        self._refuse_long_lines(block)
                    yield block
                    number += block.height
                    at += len(raw)
                    self.progress(at)
        except OSError as error:
            raise UnreadableFile(f"{self.source}: {error.strerror}.", "Check the path and its permissions.") from None

    def _refuse_long_lines(self, block: LineBlock) -> None:
        for number, line in enumerate(block.lines, start=block.line):
            if len(line) > LONGEST_LINE:
                raise UnreadableFile(
                    f"line {number} of {self.source} is longer than {LONGEST_LINE // 1024**2:,} MB.",
                    "Put each row on a line of its own.",
                )

    def sample(self) -> list[Any]:
        """Return the values of all rows; of some of a table, or of those in the first megabyte of a file of lines."""
        if self.table is None and self._file is None:
            return [row.value for row in self._rows]
        if self._sample is None and self.table is not None:
            height = self.table.height
            step = max(1, (height - _SAMPLED_ROWS) // _SAMPLED_ROWS)
            places = [*range(min(_SAMPLED_ROWS, height)), *range(_SAMPLED_ROWS, height, step)]
            self._sample = self.table[places].rows(named=True)
        if self._sample is None:
            values = map(self._values, self.blocks(_SAMPLED))
            self._sample = next(filter(None, values), [])
        return self._sample

    def _values(self, block: LineBlock) -> list[Any]:
        # The decoder is several times as fast, and gives the same wherever it does not refuse.
        with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            values: list[Any] = msgspec.json.Decoder().decode_lines(block.raw) if block.objects else []
            if len(values) == block.height:
                return values
        text, _ = decoded_as("utf-8", block.raw.removesuffix(b"\n"), self.source)
        return [row.value for row in Rows(self.source, self.format).collect(line_elements(text)).rows]

    def collect(self, elements: Iterable[RowElement]) -> "Rows":
        """Put a row for each element at the end, or say what is wrong with it; the rows themselves are returned."""
        for element in elements:
            if not element.row:
                self._note("warning", "broken-array", element.error, element.line)
            elif element.error:
                self.broken(element.line, element.error)
            else:
                self._append(element.value, element.line, element.repaired)
            if element.repeated:
                keys = ", ".join(element.repeated)
                message = f"repeated within an object, so that the last one counts: {keys}"
                self._note("warning", "repeated-key", message, element.line)
        return self

    def _note(self, severity: Severity, code: str, message: str, line: int) -> None:
        self._findings.append(Finding(severity, code, message, self.source, line))

    def broken(self, line: int, message: str) -> None:
        """Count a row that could not be read."""
        self._read += 1
        self._note("error", "broken-row", message, line)

    def add(self, value: Any, line: int | None = None) -> None:
        """Append a row; lone surrogates in it become U+FFFD, with a warning."""
        line = self._read + 1 if line is None else line
        repaired: list[str] = []
        try:
            value = without_surrogates(value, repaired)
        except RecursionError:
            self.broken(line, "the row holds half a character and is nested too deeply to replace it")
        else:
            self._append(value, line, repaired)

    def _append(self, value: Any, line: int, repaired: Sequence[str]) -> None:
        self._read += 1
        self._rows.append(SourceRow(self._read, line, value))
        if repaired:
            message = f"half a character became U+FFFD in {some_of(repaired, _NAMED)}"
            self._note("warning", "lone-surrogate", message, line)


def code_slices(raw: bytes) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
    """Yield bytes as numbers, some at a time with the place of the first: what is made of these fits into a cache."""
    codes = np.frombuffer(raw, dtype=np.uint8)
    return ((at, codes[at : at + _SLICE]) for at in range(0, codes.size, _SLICE))


def _whole_lines(file: BufferedReader, start: int, size: int, until: int | None) -> bytes:
    """So many bytes of a file from `start` on, and what is missing of a line; of a longer one than is taken, a part.

    Nothing from the byte `until` on, if there is such a bound.

    Where the line ends is looked up first, so that all of it is read into its place and nothing is copied.
    """
    file.seek(start + size - 1)
    file.readline(LONGEST_LINE + 1)
    end = file.tell() if until is None else min(file.tell(), until)
    file.seek(start)
    return file.read(max(0, end - start))


def read_rows(path: Path, source: str = "", until: int | None = None) -> Rows:
    """Read the rows of a file, whatever of the known formats it holds; at least one.

    Args:
        path: the file.
        source: what it is called, "" = its path.
        until: how many bytes of a text are read, where it may be growing; None = all that there are.

    Raises:
        UnreadableFile: not there, not allowed, no plain file, or too large.
        UnknownFormat: the content is none of the known formats, or holds no row.
    """
    source = source or printable(path)
    if is_lines(path):
        return Rows(source, "JSON Lines", file=path, until=until)
    raw = file_bytes(path, source)[:until]
    if raw.startswith(_FEATHER_V1):
        raise UnknownFormat(f"{source} is Feather V1.", "Write it again as V2, which pyarrow and polars do by default.")
    rows = _table(path, source, raw) if raw in _TABLES else text_rows(*decoded(raw, source), source)
    rows.path = path
    return some_rows(rows)


def some_rows(rows: Rows) -> Rows:
    """Return the rows, of which there must be one.

    Raises:
        UnknownFormat: there is none.
    """
    if rows.table.height if rows.table is not None else rows.rows:
        return rows
    broken = [finding for finding in rows.findings if finding.code == "broken-row"]
    why = f"no row of {rows.source} can be read ({broken[0].message})" if broken else f"{rows.source} holds no rows"
    raise UnknownFormat(f"{why}.", _WANTED)


def is_lines(path: Path) -> bool:
    """Return whether a file is JSON Lines: its first line that is not blank is an object, whole by itself."""
    try:
        with open_plain(path) as file:
            start = file.read(_SAMPLED)
    except (OSError, ValueError):
        # Reading it in earnest says what is wrong.
        return False
    if not codec_of(start).startswith("utf-8"):
        return False
    lines = start.removeprefix(UTF8_MARK).split(b"\n")
    first = next((line for line in lines if line.strip()), b"")
    # A first line that is longer than this is looked at by whoever reads all of it.
    if not first.lstrip().startswith(b"{") or (first is lines[-1] and len(start) == _SAMPLED):
        return False
    elements = list(line_elements(first.decode(errors="replace")))
    return len(elements) == 1 and isinstance(elements[0].value, dict)


def json_lines(text: str, undecodable: list[Finding], source: str) -> Rows:
    """Return the rows of a text that is JSON Lines, perhaps none; `undecodable` is what decoding it noticed."""
    rows = Rows(source, "JSON Lines").collect(line_elements(text))
    rows.findings[:0] = undecodable
    return rows


def text_rows(text: str, undecodable: list[Finding], source: str) -> Rows:
    """Return the rows of a text in whatever form it holds them, if any; `undecodable` is what decoding noticed."""
    if match := _EXCEL_LINE.match(text):
        raise UnknownFormat(
            f"{source} begins with the line {match[1]} of Excel, which names the separator and holds no row.",
            f"Delete that line: tail -n +2 {source} > NEW.csv",
        )
    start = text.lstrip()[:1]
    if start == "[":
        rows = Rows(source, "JSON array").collect(array_elements(text))
    else:
        rows = (None if start == "{" else _cells(text, source)) or _objects(text, source)
    rows.findings[:0] = undecodable
    return rows


def _objects(text: str, source: str) -> Rows:
    """JSON Lines; or objects over several lines, one after the other, where the first line is none by itself."""
    rows = Rows(source, "JSON Lines").collect(line_elements(text))
    objects = _has_objects(rows)
    if objects and rows.rows[0].number == 1:
        return rows
    whole = Rows(source, "JSON objects").collect(object_elements(text))
    return whole if whole.rows and (not objects or whole.read == len(whole.rows)) else rows


def _cells(text: str, source: str) -> Rows | None:
    """CSV or TSV; None where there is no header, or where the lines that are no such rows are rather JSON Lines."""
    header = csv_header(text)
    if header is None:
        return None
    rows = Rows(source, CSV_FORMATS[header.separator])
    if header.repeated:
        message = f"repeated in the header, so that the first column counts: {', '.join(header.repeated)}"
        rows.findings.append(Finding("warning", "repeated-key", message, source, header.line))
    rows.collect(csv_elements(text, header))
    if rows.read > len(rows.rows) and _has_objects(Rows(source, "JSON Lines").collect(line_elements(text))):
        return None
    return rows


def _has_objects(rows: Rows) -> bool:
    return any(isinstance(row.value, dict) for row in rows.rows)


def _table(path: Path, source: str, mark: bytes) -> Rows:
    try:
        table = read_parquet(path) if mark == PARQUET else read_arrow(path, stream=mark == ARROW_STREAM)
    except OSError as error:
        why = str(error).replace(str(path), source)
        raise UnreadableFile(
            f"{source} starts like {_TABLES[mark]} and cannot be read: {why}.", "It may be cut off."
        ) from None
    return Rows(source, _TABLES[mark], table=table)


def table_rows(table: pl.DataFrame, numbers: Iterable[int] | None = None) -> Iterator[SourceRow]:
    """Yield the rows of a table one by one; their numbers, also their lines, are those given, else 1, 2, ..."""
    row_numbers = range(1, table.height + 1) if numbers is None else numbers
    for number, value in zip(row_numbers, table.iter_rows(named=True), strict=True):
        yield SourceRow(number, number, value)
