"""Text becomes elements with their lines: values of JSON in whatever form, or rows of cells under a header line.

What costs no element of JSON is tolerated: a missing or surplus comma, text after the end of an array. Cells are read
strictly by RFC 4180: one in double quotes may hold separators, line breaks and, doubled, quotes. A cell is text,
whatever it looks like.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

CSV_FORMATS = {",": "CSV", "\t": "TSV", ";": "CSV with semicolons"}
"""What a text is called by its separator, in the order in which they are tried."""

LONGEST_CELL = 16 * 1024 * 1024
"""Characters of one cell above which its row is broken."""

_BLANK = re.compile(r"[ \t\r\n]*")
_OBJECT = re.compile(r'\{[ \t\r\n]*["}]')
_FIRST_KEY = re.compile(r'\{[ \t\r\n]*("(?:[^"\\\n]|\\.)*")[ \t\r\n]*:')
_KEYS = 8
_NEARBY = 65_536
_WINDOW = 8192
_LONGEST_WORD = len("-Infinity") + 1
_SAMPLED_RECORDS = 50
_LINE_END = re.compile(r"\r\n?|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NO_HEADER = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]")


class RowElement(Struct, frozen=True):
    """One element on its 1-based line: a value, or the error why there is none.

    `repeated` are the keys that stand more than once in one of its objects, `repaired` the paths of its texts and keys
    that held a lone surrogate. If `row` is false, the element only reports an error of the array.
    """

    line: int
    value: Any = None
    error: str = ""
    repeated: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()
    row: bool = True


def line_elements(text: str) -> Iterator[RowElement]:
    """Yield one element for each line that is not blank."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        element, end = _element(line, _after_blanks(line, 0), number)
        if not element.error and (end := _after_blanks(line, end)) < len(line):
            element = RowElement(number, error=f"not valid JSON (more text after the value at column {end + 1})")
        yield element


def array_elements(text: str) -> Iterator[RowElement]:
    """Decode the elements of an array one by one, so that each has its line and a broken one costs only itself."""
    return _Cursor(text, text.index("[") + 1).elements(in_array=True)


def object_elements(text: str) -> Iterator[RowElement]:
    """Decode objects one after the other, each over as many lines as it takes."""
    return _Cursor(text, 0).elements(in_array=False)


class _Cursor:
    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._at = at
        self._line = 1
        self._counted_to = 0
        self._first_keys: set[str] = set()

    def elements(self, *, in_array: bool) -> Iterator[RowElement]:
        closed = False
        while self._next() < len(self._text):
            character = self._text[self._at]
            if closed:
                yield RowElement(self._line, error="there is text after the end of the array", row=False)
                closed = False
                self._at += character == "["
            elif character == "]" and in_array:
                closed = True
                self._at += 1
            elif character == ",":
                self._at += 1
            else:
                yield self._take()
        if in_array and not closed and self._text.rstrip()[-1:] != "]":
            yield RowElement(self._line, error="the array is not closed: the file may be cut off", row=False)

    def _next(self) -> int:
        self._at = _after_blanks(self._text, self._at)
        self._line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        return self._at

    def _take(self) -> RowElement:
        first_key = _FIRST_KEY.match(self._text, self._at)
        element, end = _element(self._text, self._at, self._line)
        if element.error:
            self._at = self._resume(first_key[1] if first_key else None)
        else:
            self._at = end
            if first_key and len(self._first_keys) < _KEYS:
                self._first_keys.add(first_key[1])
        return element

    def _resume(self, first_key: str | None) -> int:
        """Where the next row starts after a broken one: at an object with a first key that rows have had so far.

        Failing that nearby, at the next object that is whole and could end where it does.
        """
        keys = self._first_keys | ({first_key} if first_key else set())
        if keys:
            alike = re.compile(rf"\{{[ \t\r\n]*(?:{'|'.join(map(re.escape, sorted(keys)))})[ \t\r\n]*:")
            for match in alike.finditer(self._text, self._at + 1, self._at + _NEARBY):
                if self._may_start(match.start()):
                    return match.start()
        for match in _OBJECT.finditer(self._text, self._at + 1):
            if self._may_start(match.start()):
                element, end = _element(self._text, match.start(), 0)
                end = _after_blanks(self._text, end)
                if not element.error and self._text[end : end + 1] in {",", "]", "{", ""}:
                    return match.start()
        return len(self._text)

    def _may_start(self, at: int) -> bool:
        """Whether a row may start here: not as the value of a key, nor as the first of a list within a row."""
        return self._text[max(0, at - 80) : at].rstrip()[-1:] not in {":", "["}


def _element(text: str, at: int, line: int) -> tuple[RowElement, int]:
    repeated: dict[str, None] = {}

    def as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            count = Counter(key for key, _ in pairs)
            repeated.update(dict.fromkeys(key for key in values if count[key] > 1))
        return values

    # Not strict: control characters as they are within a text are no reason to lose it.
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=as_dict)
    repaired: list[str] = []
    try:
        value, end = _decode(decoder, text, at)
        # Text that was decoded from UTF-8 holds no surrogates: only an escape can make one.
        if _ESCAPED_SURROGATE.search(text, at, end):
            value = without_surrogates(value, repaired)
    except json.JSONDecodeError as error:
        place = line + error.lineno - 1
        column = error.colno + (at - text.rfind("\n", 0, at) - 1 if error.lineno == 1 else 0)
        where = f"column {column}" if place == line else f"column {column} of line {place}"
        return RowElement(line, error=f"not valid JSON ({error.msg} at {where})"), at
    except ValueError:
        return RowElement(line, error="not valid JSON (a number with too many digits)"), at
    except RecursionError:
        return RowElement(line, error="not valid JSON (nested too deeply)"), at
    return RowElement(line, value, repeated=tuple(repeated), repaired=tuple(repaired)), end


def without_surrogates(value: Any, repaired: list[str]) -> Any:
    """Return a JSON value whose lone surrogates, which no file can store, are U+FFFD: in texts and in keys.

    Args:
        value: the value; it is returned unchanged if nothing in it has to be repaired.
        repaired: takes the path of each text or key that was repaired, such as `steps[1]`.

    Raises:
        RecursionError: something has to be repaired, and the value is nested too deeply for that.
    """
    return _repaired(value, repaired, "") if _holds_surrogate(value) else value


def _holds_surrogate(value: Any) -> bool:
    ahead = [value]
    while ahead:
        part = ahead.pop()
        if isinstance(part, str):
            if not part.isascii() and _SURROGATE.search(part):
                return True
        elif isinstance(part, dict):
            ahead += part
            ahead += part.values()
        elif isinstance(part, list):
            ahead += part
    return False


def _repaired(value: Any, repaired: list[str], path: str) -> Any:
    if isinstance(value, str):
        sound = _SURROGATE.sub("\ufffd", value)
        if sound != value:
            repaired.append(path or "the row")
        return sound
    if isinstance(value, list):
        return [_repaired(part, repaired, f"{path}[{index}]") for index, part in enumerate(value)]
    if not isinstance(value, dict):
        return value
    pairs = []
    for key, inner in value.items():
        name = _repaired(key, repaired, f"a key of {path}" if path else "a key")
        pairs.append((name, _repaired(inner, repaired, f"{path}.{name}" if path else str(name))))
    return _with_every_key(pairs)


def _with_every_key(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Build a dictionary of pairs. If repaired keys are equal, append U+FFFD to the later ones."""
    values: dict[Any, Any] = {}
    for key, value in pairs:
        name = key
        while name in values:
            name += "\ufffd"
        values[name] = value
    return values


def _decode(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    """What starts at `at`, and where it ends; looks at no more of the text than it needs.

    A decoding error counts the lines of all the text it is given, so that a long file of broken rows would take
    quadratic time. What may be wrong only because the window ends is tried in a wider one.
    """
    size = _WINDOW
    while True:
        window = text[at : at + size]
        complete = at + size >= len(text)
        settled = len(window) - _LONGEST_WORD
        try:
            value, end = decoder.raw_decode(window)
        except json.JSONDecodeError as error:
            if complete or (error.pos <= settled and not error.msg.startswith("Unterminated")):
                raise
        else:
            if complete or end <= settled:
                return value, at + end
        size *= 16


def _after_blanks(text: str, at: int) -> int:
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty string


class CsvHeader(Struct, frozen=True):
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


def csv_header(text: str) -> CsvHeader | None:
    """Read the header line of a text of cells; None where the text does not start with two names or more.

    Of the separators the one that gives most of the first rows as many cells as names counts, then the one that gives
    more names.
    """
    best: tuple[float, int] = (-1.0, 0)
    best_header = None
    for separator in CSV_FORMATS:
        records = _Records(text, separator)
        first = next(records, None)
        if first is None or isinstance(first.cells, str) or len(first.cells) < 2:
            continue
        if _NO_HEADER.search("".join(first.cells)):
            continue
        sample = [record for record, _ in zip(records, range(_SAMPLED_RECORDS), strict=False)]
        fitting = sum(len(record.cells) == len(first.cells) for record in sample if not isinstance(record.cells, str))
        rank = (fitting / len(sample) if sample else 0.0, len(first.cells))
        if rank > best:
            best, names = rank, tuple(name.strip() for name in first.cells)
            best_header = CsvHeader(names, separator, first.last_line)
    return best_header


def csv_elements(text: str, header: CsvHeader) -> Iterator[RowElement]:
    """Yield one element for each row under the header: an object of texts by name, on the line where the row starts."""
    names = header.names
    # Assigned from the right, so that of repeated names the first stays.
    backwards = range(len(names) - 1, -1, -1) if header.repeated else range(len(names))
    records = _Records(text, header.separator)
    next(records, None)
    for record in records:
        if isinstance(record.cells, str):
            yield RowElement(record.line, error=f"not valid {CSV_FORMATS[header.separator]} ({record.cells})")
        elif len(record.cells) != len(names):
            yield RowElement(record.line, error=f"{len(record.cells)} cells under {len(names)} names{record.extent}")
        else:
            yield RowElement(record.line, {names[place]: record.cells[place] for place in backwards})


class _Record(Struct, frozen=True):
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
