"""Metadata columns are gathered from rows: every key that a reader does not claim is kept or left out by name."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

import polars as pl
from msgspec import Struct, field

from scoring.data.metadata_columns import ColumnFates, columns_frame, is_wide, metadata_name, number_text, together
from scoring.formats.reading.findings import Finding

MOST_COLUMNS = 64
"""Metadata columns of a file that are kept: the first ones."""
DEEPEST = 4
"""Objects within each other that are looked into."""
LONG = 200
"""Characters from which on a text is long; a column is left out where more than half of its texts are."""
LONGEST_NAME = 100
"""Characters of a name."""
_BLOCK = 4096
_FOLLOWED = 4 * MOST_COLUMNS
"""Columns whose values are remembered while it is not known yet which of them will be kept."""
_NAMED = 1000
"""Columns that are known by name."""
_DECIDING = 1000
"""Texts of a column after which it is decided whether they are long."""

LISTS = "it holds lists"
TEXTS = f"more than half of its texts are longer than {LONG} characters"
DEPTH = f"it lies more than {DEEPEST} objects deep"
TOO_MANY = f"the file has more than {MOST_COLUMNS} columns of its own"
NOTHING = "it is empty in every case"
NO_NAME = "it has no name"
LONG_NAME = f"its name is longer than {LONGEST_NAME} characters"
NO_VALUE = "it holds bytes"

# What could act on a terminal or cannot be stored.
_UNSOUND = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?\Z")
_PRINTED_LIST = re.compile(r"\s*\[.*\]\s*\Z", re.DOTALL)


class _Key(Struct, eq=False):
    """One key of an object, wherever its object stands: a column, or an object of further keys, or both in turn.

    `name` is its dotted path; `number` its place among the columns that are followed, -1 = its values are not.
    """

    name: str
    depth: int
    claimed: bool = False
    number: int = -1
    why: str = ""
    column: bool = False
    filled: bool = False
    texts: int = 0
    long: int = 0
    keys: dict[str, "_Key"] = field(default_factory=dict)
    values: dict[int, Any] = field(default_factory=dict)


class MetadataCollector:
    """Gathers the metadata columns of rows that come block by block, in the memory of the columns that it may keep."""

    def __init__(self, claimed: Iterable[str], *, cells: bool = False) -> None:
        """Start without rows.

        Args:
            claimed: keys that the reader takes; a dotted path is one inside objects, and a key claims all inside it.
            cells: the values are cells of a text file, so that numbers and truth values are told by their columns.
        """
        self._claimed = frozenset(claimed)
        self._cells = cells
        self._root = _Key("", 0)
        self._order: list[_Key] = []
        self._followed: list[_Key] = []
        self._unnamed: set[int] = set()
        self._blocks: list[pl.DataFrame] = []
        self.mended = 0
        """Values in which half a character became U+FFFD."""

    def add(self, rows: Sequence[Mapping[str, Any] | None]) -> None:
        """Look at the rows of the next cases, one each; None where a case has no row."""
        for place, row in enumerate(rows):
            if row:
                self._walk(self._root, row, place)
        live = [key for key in self._followed if not key.why]
        columns = [self._series(key, len(rows)) for key in live if key.values]
        self._blocks.append(columns_frame(columns, len(rows)))
        for key in self._followed:
            key.values = {}

    def see(self, words: Iterable[str]) -> None:
        """Note keys that rows have, of which nothing else is looked at."""
        for word in words:
            if word not in self._root.keys:
                self._new(self._root, word)

    def wants(self, word: str) -> Literal["", "objects", "all"]:
        """Return which values under a key of rows may still be kept: of a column left out, what objects hold."""
        key = self._root.keys.get(word)
        if key is None:
            return "all"
        return "" if key.claimed else "objects" if key.why else "all"

    def finish(self) -> tuple[pl.DataFrame, ColumnFates]:
        """Return the columns that are kept, a row for every row added, and what became of each column."""
        every = together(self._blocks)
        kept: dict[str, str] = {}
        left_out: dict[str, str] = {}
        columns: dict[str, pl.Series] = {}
        for key in (key for key in self._order if key.column and not key.claimed):
            name = metadata_name(_UNSOUND.sub("\ufffd", key.name))
            why = self._why(key)
            if not why and name in columns:
                why = f"its name here, {name}, is that of another column"
            elif not why and len(columns) >= MOST_COLUMNS:
                why = TOO_MANY
            if why:
                left_out[key.name] = why
                continue
            column = every[str(key.number)]
            columns[name] = (_told(column) if self._cells else column).alias(name)
            kept[key.name] = name
        claimed = tuple(key.name for key in self._order if key.claimed)
        return columns_frame(list(columns.values()), every.height), ColumnFates(
            claimed, kept, left_out, len(self._unnamed)
        )

    def _walk(self, parent: _Key, row: Mapping[str, Any], place: int) -> None:
        for word, value in row.items():
            key = parent.keys.get(word) or self._new(parent, word)
            if key is None or key.claimed:
                continue
            if isinstance(value, Mapping):
                if key.depth < DEEPEST:
                    self._walk(key, value, place)
                else:
                    key.column, key.why = True, DEPTH
                continue
            key.column = True
            if not key.why and value is not None:
                self._put(key, value, place)

    def _new(self, parent: _Key, word: str) -> _Key | None:
        """The key's first occurrence; None where there are too many to be known by name."""
        name = f"{parent.name}.{word}" if parent.depth else str(word)
        if len(self._order) >= _NAMED:
            self._unnamed.add(hash(name))
            return None
        key = _Key(name, parent.depth + 1, claimed=name in self._claimed)
        parent.keys[word] = key
        self._order.append(key)
        return key

    def _put(self, key: _Key, value: Any, place: int) -> None:
        if isinstance(value, list | tuple) or (self._cells and isinstance(value, str) and _PRINTED_LIST.match(value)):
            self._leave_out(key, LISTS)
            return
        if isinstance(value, bytes):
            self._leave_out(key, NO_VALUE)
            return
        if (isinstance(value, float) and math.isnan(value)) or (self._cells and value == ""):
            return
        if not isinstance(value, bool | int | float):
            value = self._text(key, value if isinstance(value, str) else str(value))
            if key.why:
                return
        if key.number < 0:
            if sum(not followed.why for followed in self._followed) >= _FOLLOWED:
                key.why = TOO_MANY
                return
            key.number = len(self._followed)
            self._followed.append(key)
        key.filled = True
        key.values[place] = value

    def _text(self, key: _Key, value: str) -> str:
        if not value.isascii() and _SURROGATE.search(value):
            self.mended += 1
            value = _SURROGATE.sub("\ufffd", value)
        key.texts += 1
        key.long += len(value) > LONG
        if key.texts == _DECIDING and 2 * key.long > key.texts:
            self._leave_out(key, TEXTS)
        return value

    def _leave_out(self, key: _Key, why: str) -> None:
        key.why, key.values = why, {}

    def _why(self, key: _Key) -> str:
        if key.why:
            return key.why
        if not key.name.strip():
            return NO_NAME
        if len(key.name) > LONGEST_NAME:
            return LONG_NAME
        if not key.filled:
            return NOTHING
        return TEXTS if 2 * key.long > key.texts else ""

    def _series(self, key: _Key, height: int) -> pl.Series:
        return _typed(str(key.number), [key.values.get(place) for place in range(height)])


def metadata_of(
    rows: Iterable[Mapping[str, Any] | None], claimed: Iterable[str], *, cells: bool = False
) -> tuple[pl.DataFrame, ColumnFates, int]:
    """Return the metadata columns of the rows of n cases, what became of every column, and how many texts were mended.

    Columns are Boolean, Int64, Float64 (whole numbers and fractions mixed) or String (anything else mixed, by its JSON
    text); null where a row has none. See `MetadataCollector` for the arguments.
    """
    collector = MetadataCollector(claimed, cells=cells)
    left = iter(rows)
    while block := list(islice(left, _BLOCK)):
        collector.add(block)
    frame, fates = collector.finish()
    return frame, fates, collector.mended


def half_characters(mended: int, source: str) -> list[Finding]:
    """Warn of values in which half a character became U+FFFD, if there are any."""
    message = f"{mended:,} values of metadata columns hold half a character; it became U+FFFD"
    return [Finding("warning", "lone-surrogate", message, source)] if mended else []


def _typed(name: str, values: Sequence[Any]) -> pl.Series:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float} and all(-(2**63) <= value < 2**63 for value in values if type(value) is int):
        whole = pl.Series(name, [value if type(value) is int else None for value in values], dtype=pl.Int64)
        if kinds == {int}:
            return whole
        if float not in kinds or not is_wide(whole):
            return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    return pl.Series(name, [None if value is None else _json_text(value) for value in values], dtype=pl.String)


def _json_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number_text(value)


def _told(column: pl.Series) -> pl.Series:
    """A column of cells as what all of them say: whole numbers, numbers, truth values, or texts."""
    if column.dtype != pl.String():
        return column
    cells = column.to_list()
    there = [cell.strip() for cell in cells if cell is not None]
    if all(map(_WHOLE.match, there)):
        return column.str.strip_chars().cast(pl.Int64)
    if all(_is_number(cell) for cell in there):
        numbers = [None if cell is None or cell.strip().lower() == "nan" else float(cell) for cell in cells]
        whole = pl.Series([int(cell) for cell in there if _WHOLE.match(cell)], dtype=pl.Int64)
        return column if is_wide(whole) else pl.Series(column.name, numbers, dtype=pl.Float64)
    truth = {cell.lower() for cell in there}
    if truth <= {"true", "false"}:
        return pl.Series(column.name, [None if cell is None else cell.strip().lower() == "true" for cell in cells])
    return column


def _is_number(cell: str) -> bool:
    """Whether a cell is a number as one writes it, without leading zeros; `nan` stands for a missing one."""
    return cell.lower() == "nan" or (bool(_NUMBER.match(cell)) and any(map(str.isdigit, cell.partition("e")[0])))
