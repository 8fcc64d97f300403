"""Rows with nothing to be said about become cases many at a time; whatever is odd is read field by field.

A format says which columns it reads, how a frame of them becomes cases, and when a row is plain: when reading it field
by field would give the same case and no finding. Two decoders read a block: one checks every type (msgspec), so that
the other (polars), which would turn a number into a text without a word, only sees what it cannot change.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from types import NoneType, UnionType
from typing import Any

import msgspec
import polars as pl

from scoring.reading.blocks import Block
from scoring.schema import content_key

_TYPES: dict[pl.DataType, type | UnionType] = {
    pl.String(): str,
    pl.Int64(): int,
    pl.Boolean(): bool,
    pl.List(pl.String()): list[str],
    pl.List(pl.Boolean()): list[bool],
}
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]"
"""The control characters that reading field by field notes, for polars."""


@dataclass(frozen=True, eq=False)
class PlainRows:
    """How a format's plain rows become cases.

    `required` and `optional` are the columns read, with their dtypes; an optional one may be missing or null. `problem`
    and `steps` name those that make the content. `cases` makes, of the frame of these columns and `line`, the columns
    of CASES that the format fills; `plain` is true (null counts as false) for the rows of that frame, which still has
    the columns read, that field by field would give the same and no finding.
    """

    required: Mapping[str, pl.DataType]
    optional: Mapping[str, pl.DataType]
    problem: str
    steps: str
    cases: Callable[[pl.DataFrame], pl.DataFrame]
    plain: pl.Expr

    @cached_property
    def _decoder(self) -> "msgspec.json.Decoder[Any]":
        fields: list[Any] = [(name, _TYPES[dtype]) for name, dtype in self.required.items()]
        fields += [(name, _TYPES[dtype] | NoneType, None) for name, dtype in self.optional.items()]
        # Names of columns need be no words of Python.
        renamed = {f"field_{number}": field[0] for number, field in enumerate(fields)}
        fields = [(f"field_{number}", *field[1:]) for number, field in enumerate(fields)]
        return msgspec.json.Decoder(msgspec.defstruct("Row", fields, rename=renamed, kw_only=True, gc=False))

    def decode(self, block: Block) -> "Decoded | None":
        """The block's rows with their types checked and their keys; None where a line of it is not as it should be.

        That is: broken, blank, without a required column, with a value of another type. Field by field says which.
        """
        try:
            rows = self._decoder.decode_lines(block.raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if len(rows) != block.raw.count(b"\n") + (not block.raw.endswith(b"\n")):
            return None
        names = list(self._columns)
        problem, steps = (f"field_{names.index(name)}" for name in (self.problem, self.steps))
        keys = [content_key(getattr(row, problem), getattr(row, steps)) for row in rows]
        small = {
            name: [getattr(row, f"field_{number}") for row in rows]
            for number, name in enumerate(names)
            if name not in {self.problem, self.steps}
        }
        return Decoded(block, keys, small)

    def frame(self, decoded: "Decoded") -> pl.DataFrame | None:
        """The rows with the columns of `cases`, `key`, `line` and `plain`; None if a key of a row is repeated.

        The first decoder takes the last of repeated keys and this one the first.
        """
        raw, lines = decoded.block.raw, len(decoded.keys)
        # No text can hold a key's quotes without a backslash before the last one.
        if any(raw.count(f'"{name}"'.encode()) != lines for name in (self.problem, self.steps)):
            return None
        try:
            frame = pl.read_ndjson(BytesIO(raw), schema=self._columns)
        except pl.exceptions.PolarsError:
            return None
        if frame.height != lines or any(frame[name].to_list() != values for name, values in decoded.small.items()):
            return None
        start = decoded.block.line
        numbers = pl.int_range(start, start + lines, dtype=pl.Int64, eager=True)
        frame = frame.with_columns(numbers.alias("line"), pl.Series("key", decoded.keys, dtype=pl.String))
        made = self.cases(frame)
        whole = frame.select(pl.exclude(made.columns)).hstack(made)
        return made.with_columns(whole.select(plain=self.plain.fill_null(value=False))["plain"])

    @property
    def _columns(self) -> dict[str, pl.DataType]:
        return {**self.required, **self.optional}


@dataclass(frozen=True, eq=False)
class Decoded:
    """A block whose rows have the right types: their keys, and the values of the columns that are no content."""

    block: Block
    keys: list[str]
    small: dict[str, list[Any]]
