"""Text of cells becomes elements with their lines: CSV with commas or semicolons, TSV with tabs, under one header line.

Quoting is that of RFC 4180, read strictly: a cell in double quotes may hold separators, line breaks and, doubled,
quotes. A cell is text, whatever it looks like.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from scoring.reading.json_rows import Element

FORMATS = {",": "CSV", "\t": "TSV", ";": "CSV with semicolons"}
"""What a text is called by its separator, in the order in which they are tried."""

LONGEST_CELL = 16 * 1024 * 1024
"""Characters of one cell above which its row is broken."""

_SAMPLE = 50
_LINE_END = re.compile(r"\r\n?|\n")
_NO_HEADER = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]")


@dataclass(frozen=True)
class Header:
    """The names of the columns, in order, and what separates cells. `line` is the 1-based line it ends on.

    `repeated` are names that stand more than once: the first column of a name counts.
    """

    names: tuple[str, ...]
    separator: str
    line: int

    @property
    def repeated(self) -> tuple[str, ...]:
        """Names that stand more than once, in order."""
        return tuple(name for name, times in Counter(self.names).items() if times > 1)


def header(text: str) -> Header | None:
    """The header line of a text of cells; None where the text does not start with two names or more.

    Of the separators the one that gives most of the first rows as many cells as names counts, then the one that gives
    more names.
    """
    best: tuple[float, int] = (-1.0, 0)
    found = None
    for separator in FORMATS:
        records = _Records(text, separator)
        first = next(records, None)
        if first is None or isinstance(first.cells, str) or len(first.cells) < 2:
            continue
        if _NO_HEADER.search("".join(first.cells)):
            continue
        sample = [record for record, _ in zip(records, range(_SAMPLE), strict=False)]
        fitting = sum(len(record.cells) == len(first.cells) for record in sample if not isinstance(record.cells, str))
        rank = (fitting / len(sample) if sample else 0.0, len(first.cells))
        if rank > best:
            best, names = rank, tuple(name.strip() for name in first.cells)
            found = Header(names, separator, first.last_line)
    return found


def elements(text: str, head: Header) -> Iterator[Element]:
    """One element a row under the header: an object of texts by name, on the line where the row starts."""
    names = head.names
    # Assigned from the right, so that of repeated names the first stays.
    backwards = range(len(names) - 1, -1, -1) if head.repeated else range(len(names))
    records = _Records(text, head.separator)
    next(records, None)
    for record in records:
        if isinstance(record.cells, str):
            yield Element(record.line, error=f"not valid {FORMATS[head.separator]} ({record.cells})")
        elif len(record.cells) != len(names):
            yield Element(record.line, error=f"{len(record.cells)} cells under {len(names)} names{record.extent}")
        else:
            yield Element(record.line, {names[place]: record.cells[place] for place in backwards})


@dataclass(frozen=True)
class _Record:
    """The cells of one record on lines `line` to `last_line`, or what is wrong with it."""

    line: int
    last_line: int
    cells: list[str] | str

    @property
    def extent(self) -> str:
        return f" (the row ends on line {self.last_line})" if self.last_line > self.line else ""


class _Records:
    """The records of a text, one after the other; blank lines are none.

    A broken one costs the lines it was read from. A quote that is not closed would take the rest of the text with it:
    it costs its first line only, and the reading goes on below. No line is read a third time, for a cell that stays
    open to the end has only paired quotes in it, and these open nothing that stays open.
    """

    def __init__(self, text: str, separator: str) -> None:
        self._lines = _Lines(text)
        self._separator = separator
        self._reader = self._new_reader()

    def __iter__(self) -> "_Records":
        return self

    def __next__(self) -> _Record:
        while True:
            line = self._lines.ended + 1
            start = self._lines.at
            try:
                cells: list[str] | str = self._next()
            except csv.Error as error:
                cells = str(error)
                if "unexpected end" in cells or ("larger" in cells and self._lines.ended > line):
                    cells = "a quote is opened and not closed"
                    self._lines.back(start, line - 1)
                    next(self._lines)
                self._reader = self._new_reader()
            if isinstance(cells, str) or len(cells) > 1 or any(cell.strip() for cell in cells):
                return _Record(line, max(line, self._lines.ended), cells)

    def _next(self) -> list[str]:
        # The csv module's limit is one for the whole process: raised for this record, and put back.
        before = csv.field_size_limit(LONGEST_CELL)
        try:
            return next(self._reader)
        finally:
            csv.field_size_limit(before)

    def _new_reader(self) -> Iterator[list[str]]:
        return csv.reader(self._lines, delimiter=self._separator, strict=True)


class _Lines:
    """The lines of a text with their ends as they are; `ended` counts those that are over."""

    def __init__(self, text: str) -> None:
        self._text = text
        # A carriage return alone ends lines where it ends the first.
        first = _LINE_END.search(text)
        self._end = "\r" if first and first[0] == "\r" else "\n"
        self.at = 0
        self.ended = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        start, end = self.at, self._text.find(self._end, self.at) + 1
        if end:
            self.at = end
            self.ended += 1
        else:
            self.at = len(self._text)
        if start == self.at:
            raise StopIteration
        return self._text[start : self.at]

    def back(self, at: int, ended: int) -> None:
        self.at, self.ended = at, ended
