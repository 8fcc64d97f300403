"""Rows with nothing to be said about become cases many at a time; whatever is odd is left to reading field by field.

A format says which columns it reads, how a frame of them becomes cases, and when a row is plain: when reading it field
by field would give the same case and no finding. The decoder (msgspec) checks every line and every type but takes the
last of repeated keys without a word; so the strings of a row are counted: there must be none but its keys and texts.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import UNSET, UnsetType

from scoring.reading import json_rows
from scoring.reading.blocks import Block
from scoring.reading.json_bytes import CONTROL, holds_control, strings_in
from scoring.schema import content_key

_Row = Any
_Whole = Annotated[int, msgspec.Meta(gt=-(2**31), lt=2**31)]
_SOME = msgspec.Meta(min_length=1)
_TYPES: dict[pl.DataType, Any] = {
    pl.String(): str,
    pl.Int64(): _Whole,
    pl.Boolean(): bool,
    pl.List(pl.String()): Annotated[list[str], _SOME],
    pl.List(pl.Boolean()): Annotated[list[bool], _SOME],
}
_NOT_SOUND = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_LONGEST_NUMBER = 1000
# What the decoder takes as a key.
_NAME = re.compile(r"[ !#-\[\]-~]*")


@dataclass(frozen=True, eq=False)
class Checked:
    """A block, and what is known of the lines that are `sound`: objects with every column of the right type.

    `sound` holds their places among the lines, 0-based, and `raw` their bytes; `keys` and the `values` of each column
    stand row by row beside it. `numbers` are those of all lines among the source's rows, 1-based.
    """

    block: Block
    sound: npt.NDArray[np.int64]
    raw: bytes
    keys: list[str]
    values: dict[str, list[Any]]
    numbers: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PlainRows:
    """How a format's plain rows become cases.

    `required` and `optional` are the columns read, with their dtypes; an optional one may be missing or null. `problem`
    and `steps` name those that make the content. `cases` makes, of the frame of these columns, `key`, `line` and
    `number`, and of the source's name, the columns of CASES that the format fills. `plain` is true (null counts as
    false) for the rows of that frame, which still has the columns read, that field by field would give the same and no
    finding; that texts hold no control character and steps some text is asked of every format's rows.
    """

    required: Mapping[str, pl.DataType]
    optional: Mapping[str, pl.DataType]
    problem: str
    steps: str
    cases: Callable[[pl.DataFrame, str], pl.DataFrame]
    plain: pl.Expr

    def check(self, block: Block, before: int) -> Checked:
        """The block's lines with their types checked; `before` rows were read before it."""
        others = _other_keys(block.lines[0], frozenset(self._columns))
        decode = _decoder(tuple(self.required.items()), tuple(self.optional.items()), others).decode
        names = [*self._columns, *others]
        content = attrgetter(*(f"field_{names.index(name)}" for name in (self.problem, self.steps)))
        rows, keys, sound = _rows(decode, content, block.lines)
        values = {name: list(map(attrgetter(f"field_{number}"), rows)) for number, name in enumerate(names)}
        lines = block.lines if len(sound) == len(block.lines) else [block.lines[place] for place in sound]
        raw = b"".join(lines)
        if odd := self._unaccounted(values, lines, raw):
            kept = [index for index in range(len(rows)) if index not in odd]
            sound, keys = [sound[index] for index in kept], [keys[index] for index in kept]
            values = {name: [column[index] for index in kept] for name, column in values.items()}
            raw = b"".join([block.lines[place] for place in sound])
        for name in self.optional:
            if UNSET in values[name]:
                values[name] = [None if one is UNSET else one for one in values[name]]
        return Checked(
            block,
            np.array(sound, dtype=np.int64),
            raw,
            keys,
            {name: values[name] for name in self._columns},
            before + np.cumsum(_filled(block.lines, set(sound))),
        )

    def frame(self, checked: Checked, source: str) -> pl.DataFrame:
        """The sound rows with the columns of `cases` and `plain`."""
        columns = [_series(name, values, self._columns[name]) for name, values in checked.values.items()]
        frame = pl.DataFrame(
            [
                *columns,
                pl.Series("key", checked.keys, dtype=pl.String),
                pl.Series("line", checked.sound + checked.block.line, dtype=pl.Int64),
                pl.Series("number", checked.numbers[checked.sound], dtype=pl.Int64),
            ]
        )
        made = self.cases(frame, source)
        whole = frame.select(pl.exclude(made.columns)).hstack(made)
        plain = [self.plain, *self._no_finding(control=holds_control(checked.raw))]
        return made.with_columns(whole.select(plain=pl.all_horizontal(plain).fill_null(value=False))["plain"])

    @cached_property
    def _columns(self) -> dict[str, pl.DataType]:
        return {**self.required, **self.optional}

    def _unaccounted(self, values: Mapping[str, list[Any]], lines: list[bytes], raw: bytes) -> set[int]:
        """The indices of the rows with more strings than their keys, once each, and the texts in the columns.

        Or with a value of another key that gives a finding.
        """
        dtypes = {name: self._columns.get(name) for name in values}
        others = [values[name] for name, dtype in dtypes.items() if dtype is None]
        odd = {index for column in others for index, value in enumerate(column) if not _sound_value(value)}
        if sum(_strings(column, dtypes[name]) for name, column in values.items()) == strings_in(raw):
            return odd
        for index, line in enumerate(lines):
            if sum(_strings([column[index]], dtypes[name]) for name, column in values.items()) != strings_in(line):
                odd.add(index)
        return odd

    def _no_finding(self, *, control: bool) -> list[pl.Expr]:
        """What must hold of the texts; `control` where some may hold control characters."""
        steps, step = pl.col(self.steps), pl.element()
        odd = (step.str.strip_chars() == "") | step.str.contains(CONTROL) if control else step.str.strip_chars() == ""
        found = [steps.list.eval(odd).list.any().not_()]
        if control:
            names = [name for name, dtype in self._columns.items() if dtype == pl.String()]
            found += [~pl.col(name).str.contains(CONTROL).fill_null(value=False) for name in names]
        return found


def _series(name: str, values: list[Any], dtype: pl.DataType) -> pl.Series:
    """A column; lists, of which none is empty, by way of one long column of what is in them: much the fastest way."""
    if not isinstance(dtype, pl.List):
        return pl.Series(name, values, dtype=dtype)
    row = np.repeat(np.arange(len(values)), np.fromiter(map(len, values), np.int64, len(values)))
    inner = pl.Series("value", list(chain.from_iterable(values)), dtype=dtype.inner)
    long = pl.DataFrame([pl.Series("row", row, dtype=pl.Int64).set_sorted(), inner])
    return long.group_by("row", maintain_order=True).agg("value")["value"].alias(name)


def _other_keys(line: bytes, columns: frozenset[str]) -> tuple[str, ...]:
    """The keys of the first line that are no columns: other lines probably have them too."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return tuple(key for key in row if _NAME.fullmatch(key) and key not in columns) if isinstance(row, dict) else ()


@lru_cache(maxsize=16)
def _decoder(
    required: tuple[tuple[str, pl.DataType], ...],
    optional: tuple[tuple[str, pl.DataType], ...],
    others: tuple[str, ...],
) -> "msgspec.json.Decoder[_Row]":
    types: list[tuple[str, Any]] = [(name, _TYPES[dtype]) for name, dtype in required]
    types += [(name, _TYPES[dtype] | None | UnsetType) for name, dtype in optional]
    types += [(name, msgspec.Raw | UnsetType) for name in others]
    # Names of columns need be no words of Python.
    fields: list[Any] = [
        (f"field_{number}", kind) if number < len(required) else (f"field_{number}", kind, UNSET)
        for number, (_, kind) in enumerate(types)
    ]
    names = {field[0]: name for field, (name, _) in zip(fields, types, strict=True)}
    return msgspec.json.Decoder(msgspec.defstruct("Row", fields, rename=names, kw_only=True, gc=False))


def _rows(
    decode: Callable[[bytes], _Row], content: Callable[[_Row], tuple[str, list[str]]], lines: list[bytes]
) -> tuple[list[_Row], list[str], list[int]]:
    """The rows of the lines that the decoder takes, their keys, and the places of these lines."""
    rows, keys, sound = [], [], []
    for place, line in enumerate(lines):
        try:
            row = decode(line)
        except _NOT_SOUND:
            continue
        rows.append(row)
        # At once: a moment later the texts are no longer in the processor's cache.
        keys.append(content_key(*content(row)))
        sound.append(place)
    return rows, keys, sound


def _strings(values: list[Any], dtype: pl.DataType | None) -> int:
    """How many strings rows have for these values of a column, their keys included; dtype None: of a key not read."""
    there = len(values) - values.count(UNSET)
    if dtype is None:
        return there + sum(strings_in(bytes(value)) for value in values if value is not UNSET)
    if dtype == pl.List(pl.String()):
        return there + sum(map(len, values))
    return 2 * there - values.count(None) if dtype == pl.String() else there


def _sound_value(value: msgspec.Raw | UnsetType) -> bool:
    """Whether the value of a key that is not read gives no finding either."""
    if value is UNSET:
        return True
    raw = bytes(value)
    if raw.isascii() and raw[:1] not in b"[{" and b"\\" not in raw and (raw[:1] == b'"' or len(raw) <= _LONGEST_NUMBER):
        return True
    try:
        elements = list(json_rows.lines(raw.decode()))
    except UnicodeDecodeError:
        return False
    return len(elements) == 1 and not elements[0].error and not elements[0].repeated


def _filled(lines: list[bytes], sound: set[int]) -> npt.NDArray[np.bool_]:
    """Which of the lines are not blank."""
    filled = np.ones(len(lines), dtype=np.bool_)
    for place in range(len(lines)) if len(sound) < len(lines) else ():
        if place not in sound:
            filled[place] = bool(lines[place].decode(errors="replace").strip())
    return filled
