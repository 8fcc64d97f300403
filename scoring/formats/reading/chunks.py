"""Rows become typed columns, some megabytes at a time: what every format's expressions are evaluated on.

A line of JSON whose fields all have their natural types, and of which nothing has to be said, is decoded by msgspec,
thousands in one go. The rows of a table whose columns hold values of the natural types are taken over column by column.
Any other row goes through `Fields`, value by value, which notes what is odd. All give the same columns, so that a
broken line costs itself only.

The decoder checks every line and every type but takes the last of repeated keys without a word; so the strings of a row
are counted: there must be none but its keys and texts.
"""

import gc
import json
import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from scoring.data.schema import content_key
from scoring.formats.reading.fields import KEPT, KEY, LINE, NUMBER, Field, Layout, fields_of
from scoring.formats.reading.file_bytes import decoded_as
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import LineBlock, Rows, SourceRow, code_slices, json_lines, table_rows
from scoring.formats.reading.text_rows import line_elements

Wanted = Literal["", "objects", "all"]
"""Which values under a key are wanted."""

T = TypeVar("T")

_NOT_SOUND = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_NOT_STORABLE = (UnicodeEncodeError, OverflowError, TypeError, ValueError, pl.exceptions.PolarsError)
_PLAIN = re.compile(rb"[-0-9.]{1,200}(?:[eE][-+]?[0-9]{1,2})?")
"""Numbers that are within those of floats."""
_NAME = re.compile(r"[ !#-\[\]-~]*")
"""Names of keys that the decoder takes as they are."""
_NO_VALUES: Mapping[str, Any] = MappingProxyType({})
_OTHER = "\0"
"""What stands before the key of a value that is no field."""
_OBJECT = ord("{")
_AHEAD = 2
_TABLE_ROWS = 65_536
"""Rows of a table that are looked at together."""
_TURN_SECONDS = 0.0001
"""How long one thread keeps the interpreter while another waits for it: the writer needs it often and briefly."""
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]"
"""For polars: the control characters that are noted wherever a row is read field by field."""
_BACKSLASH, _QUOTE, _U = b'\\"u'
_CONTROLS = np.zeros(0x10000, dtype=np.bool_)
_CONTROLS[[*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F)]] = True
_CONTROLS[0x2066:0x206A] = True
_DIGITS = np.zeros(256, dtype=np.uint32)
_DIGITS[list(b"0123456789abcdef")] = range(16)
_DIGITS[list(b"ABCDEF")] = range(10, 16)


class Chunk(Struct, frozen=True, eq=False):
    """Some rows of a source, in order.

    Attributes:
        frame: A row a row of the source that is an object, with the columns of `Layout.columns`; those that are no
            cases, because a required field is not there, have false in `KEPT`.
        findings: (number of the row, finding) of what was noticed, in order; the number is 0 where it is of no row.
        read: How many rows were read, broken ones too.
        whole: Row's number -> the row, of rows that were read value by value.
        others: Key that is no field -> its values of the other rows, as JSON or as a column; `sound` are their numbers.
        tabular: Whether they are rows of a table, all of which have the same keys.
    """

    frame: pl.DataFrame
    findings: list[tuple[int, Finding]]
    read: int
    whole: Mapping[int, Mapping[str, Any]]
    others: Mapping[str, list[Any] | pl.Series]
    sound: npt.NDArray[np.int64]
    tabular: bool = False

    def rows(self, numbers: pl.Series, wanted: Callable[[str], Wanted]) -> list[Mapping[str, Any]]:
        """Return the rows of these numbers with what is in them beside the fields, as far as it is `wanted` by key."""
        places = np.searchsorted(self.sound, numbers.to_numpy())
        columns = {
            key: (values.to_list() if isinstance(values, pl.Series) else values, how)
            for key, values in self.others.items()
            if (how := wanted(key))
        }
        if not columns and not self.whole:
            return [_NO_VALUES] * len(numbers)
        selected: list[Mapping[str, Any]] = []
        for number, place in zip(numbers.to_list(), places.tolist(), strict=True):
            row = self.whole.get(number)
            if row is None:
                row = {}
                for key, (values, how) in columns.items():
                    value = values[place]
                    if not isinstance(value, msgspec.Raw):
                        if value is not UNSET and (how == "all" or isinstance(value, dict)):
                            row[key] = value
                    elif how == "all" or memoryview(value)[0] == _OBJECT:
                        row[key] = msgspec.json.decode(value)
            selected.append(row)
        return selected


def chunks(rows: Rows, layout: Layout, work: Callable[[Chunk], T]) -> Iterator[T]:
    """Yield what `work` makes of each chunk of a source, in order.

    Lines are decoded here while `work` is done in another thread on the chunk before.

    Raises:
        UnreadableFile: the file cannot be read, or a line of it is too long.
    """
    reader = _Reader(layout, rows.source)
    if rows.table is not None:
        for before in range(0, rows.table.height, _TABLE_ROWS):
            # Expressions over lists that lie in several pieces may end the process (polars 2.1).
            yield work(reader.table(rows.table[before : before + _TABLE_ROWS].rechunk(), before))
        return
    if not rows.streamed:
        yield work(reader.slowly(rows.rows, rows.findings, rows.read))
        return
    if rows.size <= rows.block_size:
        # For a small file, starting a thread takes longer than reading it.
        for block in rows.blocks():
            yield work(reader.chunk(reader.check(block, 0), 0))
        return
    read = 0
    pending: deque[Future[T]] = deque()
    with _INTERPRETER.hurried(), ThreadPoolExecutor(1) as worker:
        for block in rows.blocks():
            checked = reader.check(block, read)
            pending.append(worker.submit(lambda block, before: work(reader.chunk(block, before)), checked, read))
            read = int(checked.numbers[-1])
            while len(pending) > _AHEAD:
                yield pending.popleft().result()
        yield from (future.result() for future in pending)


class _Checked(Struct, frozen=True, eq=False):
    """A block, and what is known of the lines that are `sound`: objects with every field of its natural type.

    `sound` holds their places among the lines, 0-based, and `raw` their bytes; `keys` and the `values` of each field
    stand row by row beside it, as do the `others`, the values of keys that are no fields. `numbers` are those of all
    lines among the source's rows, 1-based.
    """

    block: LineBlock
    sound: npt.NDArray[np.int64]
    raw: bytes
    keys: list[str]
    values: dict[str, list[Any]]
    others: dict[str, list[Any]]
    numbers: npt.NDArray[np.int64]


class _Reader(Struct, frozen=True, eq=False):
    layout: Layout
    source: str

    def check(self, block: LineBlock, before: int) -> _Checked:
        """The block's lines with their types checked; `before` rows were read before it."""
        fields = self.layout.fields
        if not self.layout.natural:
            nothing: dict[str, list[Any]] = {name: [] for name in self.layout.row_keys()}
            numbers = before + np.cumsum(_filled(block, ()))
            return _Checked(block, np.empty(0, np.int64), b"", [], nothing, {}, numbers)
        keys_of = self.layout.row_keys()
        others = _other_keys(block.first, frozenset(keys_of.values()))
        names = [*keys_of, *(f"{_OTHER}{key}" for key in others)]
        natural = tuple((key, fields[name].natural, fields[name].needed) for name, key in keys_of.items())
        decoder = _decoder(natural, others)
        decoded, sound = _rows(decoder, block)
        values = {name: list(map(attrgetter(f"field_{at}"), decoded)) for at, name in enumerate(names)}
        # Lines are split only where one of them is odd.
        raw = block.raw if len(sound) == block.height else b"\n".join([block.lines[place] for place in sound])
        if odd := self._unaccounted(values, block, sound, raw):
            kept = [index for index in range(len(sound)) if index not in odd]
            sound = [sound[index] for index in kept]
            values = {name: [column[index] for index in kept] for name, column in values.items()}
            raw = b"\n".join([block.lines[place] for place in sound])
        for name in keys_of:
            if not fields[name].needed and UnsetType in map(type, values[name]):
                values[name] = [None if value is UNSET else value for value in values[name]]
        keys = list(map(content_key, *(values[name] for name in self.layout.content))) if self._keyed else []
        numbers = before + np.cumsum(_filled(block, sound))
        kept_values = {name: values[name] for name in keys_of}
        kept_others = {key: values[f"{_OTHER}{key}"] for key in others}
        return _Checked(block, np.array(sound, dtype=np.int64), raw, keys, kept_values, kept_others, numbers)

    @property
    def _keyed(self) -> bool:
        return bool(self.layout.content)

    def chunk(self, checked: _Checked, before: int) -> Chunk:
        """One block; `before` rows were read before it."""
        frame = self._sound(checked)
        odd: Sequence[int] = ()
        if frame.height < checked.block.height:
            odd = sorted({*range(checked.block.height)} - {*(frame[LINE] - checked.block.line).to_list()})
        read = int(checked.numbers[-1]) - before
        sound = checked.numbers[checked.sound]
        if not odd:
            return Chunk(frame, [], read, {}, checked.others, sound)
        slow = self._lines(checked, odd)
        whole = pl.concat([frame, slow.frame]).sort(NUMBER)
        return Chunk(whole, slow.findings, read, slow.whole, checked.others, sound)

    def table(self, table: pl.DataFrame, before: int) -> Chunk:
        """Some rows of a table; `before` rows stand before them."""
        numbers = np.arange(before + 1, before + table.height + 1)
        if not self.layout.natural:
            return self.slowly(table_rows(table, numbers.tolist()), (), table.height)
        keys, height = self.layout.row_keys(), table.height
        made = {LINE: pl.Series(LINE, numbers), NUMBER: pl.Series(NUMBER, numbers)}
        made |= {
            name: pl.Series([None], dtype=field.dtype).new_from_index(0, height)
            for name, field in self.layout.fields.items()
            if name not in keys
        }
        sound = pl.Series([True]).new_from_index(0, height)
        for name, key in keys.items():
            cells = table[key] if key in table.columns else pl.Series([None], dtype=pl.Null).new_from_index(0, height)
            made[name], fits = _natural_values(cells, self.layout.fields[name])
            sound &= fits
        frame = pl.DataFrame(made)
        quiet = [pl.lit(sound), *self._no_finding(control=True)]
        sound = frame.select(sound=pl.all_horizontal(quiet).fill_null(value=False))["sound"]
        frame = frame.filter(sound)
        contents = zip(*(frame[name].to_list() for name in self.layout.content), strict=True)
        content_keys = [content_key(*content) for content in contents] if self._keyed else [None] * frame.height
        frame = frame.with_columns(pl.Series(KEY, content_keys, dtype=pl.String), pl.lit(value=True).alias(KEPT))
        frame = frame.select(list(self.layout.columns()))
        fields = set(keys.values())
        others = {column.name: column.filter(sound) for column in table if column.name not in fields}
        places = sound.to_numpy()
        if places.all():
            return Chunk(frame, [], height, {}, others, numbers, tabular=True)
        slow = self.slowly(table_rows(table.filter(~sound), numbers[~places].tolist()), (), height)
        whole = pl.concat([frame, slow.frame]).sort(NUMBER)
        return Chunk(whole, slow.findings, height, slow.whole, others, numbers[places], tabular=True)

    def slowly(self, rows: Iterable[SourceRow], findings: Sequence[Finding], read: int) -> Chunk:
        """Rows read value by value; `findings` are those that were made before, of rows or of none."""
        noticed: list[tuple[int, Finding]] = [(0, finding) for finding in findings]
        columns: dict[str, list[Any]] = {name: [] for name in self.layout.columns()}
        whole: dict[int, Mapping[str, Any]] = {}
        for row in rows:
            own: list[Finding] = []
            fields = fields_of(row, self.source, own, self.layout.name)
            flatten = self.layout.flat or self.layout.lenient
            if fields is not None and flatten is not None:
                flat = flatten(fields)
                fields = None if flat is None else fields.of(flat)
            if fields is not None:
                whole[row.number] = row.value
                values: dict[str, Any] = {}
                for name, field in self.layout.fields.items():
                    values[name] = field.read(fields, name) if field.required or not _fatal(own) else None
                problem, steps = (values[name] for name in self.layout.content) if self._keyed else (None, None)
                values[KEY] = None if problem is None or steps is None else content_key(problem, steps)
                values |= {LINE: row.line, NUMBER: row.number, KEPT: not _fatal(own)}
                for name, value in values.items():
                    columns[name].append(value)
            noticed += [(row.number, finding) for finding in own]
        frame, refused = _storable_rows(columns, self.layout.columns(), self.source)
        for number, finding in refused:
            whole.pop(number, None)
            noticed.append((number, finding))
        return Chunk(frame, noticed, read, whole, {}, np.empty(0, np.int64))

    def _sound(self, checked: _Checked) -> pl.DataFrame:
        """The sound rows of which nothing has to be said."""
        fields = self.layout.fields
        number = checked.sound.size
        columns = {name: _series(name, values, fields[name].dtype) for name, values in checked.values.items()}
        columns[LINE] = pl.Series(LINE, checked.sound + checked.block.line, dtype=pl.Int64)
        columns[NUMBER] = pl.Series(NUMBER, checked.numbers[checked.sound], dtype=pl.Int64)
        columns[KEPT] = pl.Series(KEPT, [True], dtype=pl.Boolean).new_from_index(0, number)
        if self._keyed:
            columns[KEY] = pl.Series(KEY, checked.keys, dtype=pl.String)
        frame = pl.DataFrame(
            [
                columns[name] if name in columns else pl.Series(name, [None], dtype=dtype).new_from_index(0, number)
                for name, dtype in self.layout.columns().items()
            ]
        )
        quiet = [*self._no_finding(control=holds_control(checked.raw))]
        return frame.filter(pl.all_horizontal(quiet).fill_null(value=False)) if quiet else frame

    def _no_finding(self, *, control: bool) -> Iterator[pl.Expr]:
        """What must hold of the texts; `control` where some may hold control characters."""
        for name in self.layout.row_keys():
            field, column = self.layout.fields[name], pl.col(name)
            if field.filled:
                # Where nothing is there that need not be, nothing has to be said.
                yield (column.str.strip_chars() != "").fill_null(value=True)
            if field.dtype == pl.String() and control:
                yield ~column.str.contains(CONTROL).fill_null(value=False)
            if field.dtype == pl.List(pl.String()) and (field.steps or control):
                element = pl.element()
                odd = [element.str.strip_chars() == ""] * field.steps + [element.str.contains(CONTROL)] * control
                yield column.list.eval(pl.any_horizontal(odd)).list.any().not_().fill_null(value=True)

    def _unaccounted(
        self, values: Mapping[str, list[Any]], block: LineBlock, sound: Sequence[int], raw: bytes
    ) -> set[int]:
        """The indices of the rows with more strings than their keys, once each, and the texts in the fields.

        Or with a value of another key that gives a finding.
        """
        dtypes = {name: self.layout.fields[name].dtype if name in self.layout.fields else None for name in values}
        count = {name: _strings(dtype) for name, dtype in dtypes.items()}
        others = [values[name] for name, dtype in dtypes.items() if dtype is None]
        odd = {index for column in others for index, value in enumerate(column) if not _sound_value(value)}
        if sum(count[name](column) for name, column in values.items()) == strings_in(raw):
            return odd
        for index, place in enumerate(sound):
            strings = sum(count[name]([column[index]]) for name, column in values.items())
            if strings != strings_in(block.lines[place]):
                odd.add(index)
        return odd

    def _lines(self, checked: _Checked, places: Sequence[int]) -> Chunk:
        start = checked.block.line
        raw = b"\n".join(checked.block.lines[place] for place in places)
        rows = json_lines(*decoded_as("utf-8", raw, self.source), self.source)
        noticed = [
            (int(checked.numbers[places[finding.line - 1]]), replace(finding, line=start + places[finding.line - 1]))
            for finding in rows.findings
            if finding.line
        ]
        numbered = (
            replace(row, number=int(checked.numbers[places[row.line - 1]]), line=start + places[row.line - 1])
            for row in rows.rows
        )
        slow = self.slowly(numbered, (), 0)
        return replace(slow, findings=sorted([*noticed, *slow.findings], key=lambda pair: pair[0]))


def _storable_rows(
    columns: Mapping[str, list[Any]], schema: Mapping[str, pl.DataType], source: str
) -> tuple[pl.DataFrame, list[tuple[int, Finding]]]:
    """Build a frame of the rows that can be stored, and return the others as numbers with an error each.

    Readers convert the odd values that they know. A value that none of them expects must cost only its own row.
    """
    try:
        return pl.DataFrame(columns, schema=schema), []
    except _NOT_STORABLE as error:
        height = len(columns[NUMBER])
        if height == 1:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            message = f"the row holds a value that cannot be stored: {why}"
            finding = Finding("error", "broken-row", message, source, columns[LINE][0])
            return pl.DataFrame(schema=schema), [(columns[NUMBER][0], finding)]
    # Halves, because most rows are sound and a frame of a single row is slow to build.
    halves = (slice(0, height // 2), slice(height // 2, height))
    built = [
        _storable_rows({name: values[half] for name, values in columns.items()}, schema, source) for half in halves
    ]
    return pl.concat([frame for frame, _ in built]), [refused for _, further in built for refused in further]


def _fatal(findings: list[Finding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def _series(name: str, values: list[Any], dtype: pl.DataType) -> pl.Series:
    """A column; lists that all hold something by way of one long column of what is in them: much the fastest way."""
    if dtype == pl.String() and int in set(map(type, values)):
        values = [str(value) if type(value) is int else value for value in values]
    if not isinstance(dtype, pl.List) or not values or not all(values):
        return pl.Series(name, values, dtype=dtype)
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    row = np.repeat(np.arange(len(values)), lengths)
    flat = chain.from_iterable(values)
    inner: Any = np.fromiter(flat, np.float64, int(lengths.sum())) if dtype.inner == pl.Float64() else list(flat)
    long = pl.DataFrame(
        [pl.Series("row", row, dtype=pl.Int64).set_sorted(), pl.Series("value", inner, dtype=dtype.inner)]
    )
    return long.group_by("row", maintain_order=True).agg("value")["value"].alias(name)


def _natural_values(series: pl.Series, field: Field) -> tuple[pl.Series, pl.Series]:
    """A column as the field's, and which of its values are of the field's natural type; null is where it may be."""
    # A name may look like a pattern, which expressions take it for.
    column, value = series.alias("given").to_frame(), pl.col("given")
    nested = isinstance(series.dtype, pl.List | pl.Array)
    fitting = _fitting(msgspec.inspect.type_info(field.natural), series.dtype, value)
    if fitting is None or nested != isinstance(field.dtype, pl.List):
        fitting, made = pl.lit(value=False), pl.lit(None, dtype=field.dtype)
    else:
        made = value.cast(field.dtype, strict=False)
    fits = fitting.fill_null(value=False) if field.needed else fitting.fill_null(value=False) | value.is_null()
    tried = column.with_columns(made=made, fits=fits)
    return tried["made"], tried["fits"]


def _fitting(natural: msgspec.inspect.Type, dtype: Any, value: pl.Expr) -> pl.Expr | None:
    """When a value of a column is of a natural type; false or null where it is null. None = no value can be."""
    fitting = None
    match natural:
        case msgspec.inspect.UnionType(types):
            each = [fits for part in types if (fits := _fitting(part, dtype, value)) is not None]
            fitting = pl.any_horizontal(each) if each else None
        case msgspec.inspect.StrType(shortest) if dtype in {pl.String, pl.Categorical, pl.Enum}:
            fitting = value.cast(pl.String).str.len_bytes() >= (shortest or 0)
        case msgspec.inspect.IntType(above, _, below) if dtype.is_integer():
            fitting = value.is_not_null() if above is None or below is None else (value > above) & (value < below)
        case msgspec.inspect.FloatType() if dtype.is_float():
            fitting = value.is_finite()
        case msgspec.inspect.FloatType() if dtype.is_integer():
            fitting = value.is_not_null()
        case msgspec.inspect.BoolType() if dtype == pl.Boolean():
            fitting = value.is_not_null()
        case msgspec.inspect.ListType(item, shortest) if isinstance(dtype, pl.List | pl.Array):
            listed, inner = value.cast(pl.List(dtype.inner)), _fitting(item, dtype.inner, pl.element())
            if inner is not None:
                every = listed.list.eval(inner.fill_null(value=False)).list.all()
                fitting = every & (listed.list.len() >= (shortest or 0))
    return fitting


def _other_keys(line: bytes, fields: frozenset[str]) -> tuple[str, ...]:
    """The keys of the first line that are no fields: other lines probably have them too."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return tuple(key for key in row if _NAME.fullmatch(key) and key not in fields) if isinstance(row, dict) else ()


@lru_cache(maxsize=16)
def _decoder(fields: tuple[tuple[str, Any, bool], ...], others: tuple[str, ...]) -> "msgspec.json.Decoder[Any]":
    """What decodes a line into an object with `field_0`, `field_1`, ...: of fields (key, natural type, needed)."""
    defined: list[Any] = []
    names: dict[str, str] = {}
    for at, (key, natural, needed) in enumerate([*fields, *((key, None, False) for key in others)]):
        names[f"field_{at}"] = key
        if needed:
            defined.append((f"field_{at}", natural))
        else:
            optional = msgspec.Raw | UnsetType if natural is None else natural | None | UnsetType
            defined.append((f"field_{at}", optional, UNSET))
    # Names of fields need be no words of Python.
    return msgspec.json.Decoder(msgspec.defstruct("Row", defined, rename=names, kw_only=True, gc=False))


def _rows(decoder: "msgspec.json.Decoder[Any]", block: LineBlock) -> tuple[list[Any], Sequence[int]]:
    """The rows of the lines that the decoder takes, and the places of these lines."""
    try:
        # It would also take several objects on a line, and one over several.
        rows = decoder.decode_lines(block.raw) if block.objects else []
    except _NOT_SOUND:
        rows = []
    places: Sequence[int] = range(block.height)
    if len(rows) != block.height:
        rows, places = [], []
        for place, line in enumerate(block.lines):
            with suppress(*_NOT_SOUND):
                rows.append(decoder.decode(line))
                places.append(place)
    return rows, places


def _strings(dtype: pl.DataType | None) -> Callable[[list[Any]], int]:
    """What counts the strings that rows have for the values of a field, their keys included; None: of one not read."""
    if dtype is None:
        return lambda values: _keys(values) + strings_in(b" ".join(value for value in values if value is not UNSET))
    if dtype == pl.List(pl.String()):
        return lambda values: _keys(values) + sum(len(value) for value in values if type(value) is list)
    if dtype == pl.String():
        return lambda values: _keys(values) + list(map(type, values)).count(str)
    return _keys


def _keys(values: list[Any]) -> int:
    # Types are compared by identity, which is much quicker than comparing texts with what is no text.
    return len(values) - list(map(type, values)).count(UnsetType)


def _sound_value(value: msgspec.Raw | UnsetType) -> bool:
    """Whether the value of a key that is not read gives no finding either."""
    if value is UNSET:
        return True
    raw = bytes(value)
    if raw.isascii() and raw[:1] not in b"[{" and b"\\" not in raw and (raw[:1] in b'"tfn' or _PLAIN.fullmatch(raw)):
        return True
    try:
        # The decoder, which will read the value, takes no number that is beyond those of floats.
        msgspec.json.decode(value)
        elements = list(line_elements(raw.decode()))
    except _NOT_SOUND:
        return False
    return len(elements) == 1 and not elements[0].error and not elements[0].repeated


def _filled(block: LineBlock, sound: Sequence[int]) -> npt.NDArray[np.bool_]:
    filled = np.ones(block.height, dtype=np.bool_)
    if len(sound) < block.height:
        for place in {*range(block.height)} - {*sound}:
            filled[place] = bool(block.lines[place].decode(errors="replace").strip())
    return filled


class _Interpreter:
    """How the interpreter works while rows are read, and as it did before once nobody reads any more.

    Millions of lists are made here and no circle of them: looking for some takes a third of the time. And the threads
    take turns often.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers = 0
        self._before = (False, 0.0)

    @contextmanager
    def hurried(self) -> Iterator[None]:
        """Hurry until this and every other reader is done, in whatever order they are."""
        with self._lock:
            if not self._readers:
                self._before = (gc.isenabled(), sys.getswitchinterval())
                gc.disable()
                sys.setswitchinterval(min(self._before[1], _TURN_SECONDS))
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1
                if not self._readers:
                    collecting, interval = self._before
                    sys.setswitchinterval(interval)
                    if collecting:
                        gc.enable()


_INTERPRETER = _Interpreter()


# -- what bytes of JSON hold, counted without decoding them; they must be valid JSON, or several lines of it


def strings_in(raw: bytes) -> int:
    """Count how many strings there are: keys and values, at any depth."""
    # Four times as fast as `bytes.count`, where there are many.
    quotes = sum(int(np.count_nonzero(codes == _QUOTE)) for _, codes in code_slices(raw))
    if b"\\" in raw:
        codes = np.frombuffer(raw, dtype=np.uint8)
        quotes -= int(np.count_nonzero(codes[_escaped(codes)] == _QUOTE))
    return quotes // 2


def holds_control(raw: bytes) -> bool:
    """Return whether one of the strings holds one of the characters of `CONTROL`, as it is or escaped."""
    if raw.isascii():
        # JSON has none below a blank within a string, and between strings those are no such characters.
        if b"\x7f" in raw:
            return True
    elif pl.Series([raw.decode()]).str.contains(CONTROL).item():
        return True
    if b"\\" not in raw:
        return False
    codes = np.frombuffer(raw, dtype=np.uint8)
    at = _escaped(codes)
    names = codes[at]
    if np.isin(names, list(b"bf")).any():
        return True
    at = at[names == _U]
    value = np.zeros(at.size, dtype=np.uint32)
    for place in range(1, 5):
        value = value * 16 + _DIGITS[codes[at + place]]
    return bool(_CONTROLS[value].any())


def _escaped(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Where the characters are that a backslash escapes, the backslash itself among them."""
    at = np.flatnonzero(codes == _BACKSLASH)
    number = np.arange(at.size)
    first = np.concatenate([[True], np.diff(at) != 1])
    # Within a run of backslashes every other one, from the first on, escapes what follows it.
    start = np.maximum.accumulate(np.where(first, number, 0))
    escaped: npt.NDArray[np.int64] = at[(number - start) % 2 == 0] + 1
    return escaped
