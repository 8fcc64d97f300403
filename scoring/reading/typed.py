"""What a format reads of its rows: fields with their types, laid out as columns (`Layout`)."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
import polars as pl
from msgspec import Struct

from scoring.reading.fields import Fields

LINE, NUMBER, KEY, KEPT = "_line", "_number", "_key", "_kept"
"""Columns beside the fields: the 1-based line and number of the row, the key of its content, whether it is a case."""

SOME = msgspec.Meta(min_length=1)
WHOLE = Annotated[int, msgspec.Meta(gt=-(2**31), lt=2**31)]
_NO_NAME = re.compile(r'[\x00-\x1f"\\\ud800-\udfff]')
"""What no key that the decoder looks for may hold."""


class Field(Struct, frozen=True):
    """One field of a row.

    Attributes:
        dtype: The column's, in which null means that the row does not say.
        natural: The msgspec type of values that go into the column as they are, without a finding; None = every value
            must be read.
        read: What makes the value of any row, noting whatever is odd: `(fields, name) -> value`.
        needed: Whether there is a finding where the field is missing or null.
        required: Whether a row can be left out because of it: the others are not looked at then.
        steps: Whether blank elements of the list are noted.
        filled: Whether something has to be said of a blank text.
        key: The field's key in the row; "" = the column's name.
        made: Whether only reading value by value gives it, so that it is null in all other rows.
    """

    dtype: pl.DataType
    natural: Any
    read: Callable[[Fields, str], Any]
    needed: bool = False
    required: bool = False
    steps: bool = False
    filled: bool = False
    key: str = ""
    made: bool = False


def identifier() -> Field:
    """Declare the row's id, which also calls it in findings: a text, or a whole number as its digits."""
    return Field(pl.String(), str | int, name_of, needed=True, filled=True)


def text(*, required: bool = False) -> Field:
    """Declare a text; a row without one that is required is left out."""
    return Field(pl.String(), str, lambda fields, name: fields.text(name, required=required), required, required)


def texts() -> Field:
    """Declare a list of texts."""
    return Field(pl.List(pl.String()), list[str], Fields.texts)


def solution() -> Field:
    """Declare a list of steps; a row without any is left out."""
    return Field(pl.List(pl.String()), Annotated[list[str], SOME], Fields.solution, True, True, steps=True)


def whole(*, needed: bool = True) -> Field:
    """Declare a whole number of 32 bits."""

    def read(fields: Fields, name: str) -> int | None:
        return fields.integer(name) if needed or fields.value.get(name) is not None else None

    return Field(pl.Int64(), WHOLE, read, needed=needed)


def wholes() -> Field:
    """Declare a list of whole numbers."""
    return Field(pl.List(pl.Int64()), list[WHOLE], Fields.integers)


def truth() -> Field:
    """Declare a truth value."""
    return Field(pl.Boolean(), bool, Fields.boolean)


def read_by(
    dtype: pl.DataType,
    read: Callable[[Fields, str], Any],
    natural: Any = None,
    *,
    needed: bool = False,
    required: bool = False,
    steps: bool = False,
) -> Field:
    """Declare a field that a function of the format's own reads, from the whole row if need be.

    Unless a `natural` type is named every row goes through the function.
    """
    return Field(dtype, natural, read, needed, required, steps)


def as_made(dtype: pl.DataType, read: Callable[[Fields, str], Any] | None = None) -> Field:
    """Declare a field that no row holds: what makes rows that are read value by value makes it, or `read`.

    It is null in all other rows.
    """
    return Field(dtype, None, read or (lambda fields, name: fields.value.get(name)), made=True)


def name_of(fields: Fields, _name: str) -> str | None:
    """Give what calls the row, which `Layout.name` has read."""
    return fields.case


class Layout(Struct, frozen=True, eq=False):
    """What a format reads of its rows.

    Attributes:
        fields: Column -> field, in the order in which they are read.
        content: The fields that make a solution's content, problem and steps; empty = the format has none.
        name: What calls a row in findings, from its fields; it may note that there is nothing to call it by.
        claimed: Further keys that are read, beside those of the fields.
        first_of: Keys of which only the first that a row has is read.
        flat: What makes a mapping with a value a column of a row that holds them elsewhere; then every row is read
            value by value. None, with an error, of a row that holds none.
        lenient: What makes such a mapping of a row that is read value by value where others need none.
    """

    fields: Mapping[str, Field]
    content: tuple[str, str] | tuple[()] = ()
    name: Callable[[Fields], str | None] = Fields.identifier
    claimed: frozenset[str] = frozenset()
    first_of: tuple[tuple[str, ...], ...] = ()
    flat: Callable[[Fields], Mapping[str, Any] | None] | None = None
    lenient: Callable[[Fields], Mapping[str, Any]] | None = None

    @property
    def natural(self) -> bool:
        """Whether there are rows that need not be read value by value."""
        keys = list(self.row_keys().values())
        natural = self.flat is None and all(field.made or field.natural is not None for field in self.fields.values())
        return natural and len(set(keys)) == len(keys) and not any(map(_NO_NAME.search, keys))

    def row_keys(self) -> dict[str, str]:
        """Column -> its key in rows, of all that rows hold."""
        return {name: field.key or name for name, field in self.fields.items() if not field.made}

    def columns(self) -> dict[str, pl.DataType]:
        """Declare the columns that every chunk has."""
        beside = {LINE: pl.Int64(), NUMBER: pl.Int64(), KEY: pl.String(), KEPT: pl.Boolean()}
        return {**{name: field.dtype for name, field in self.fields.items()}, **beside}
