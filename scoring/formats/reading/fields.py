"""The fields of one row, read with their types checked; whatever is odd becomes a finding and never an exception."""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Annotated, Any, TypeVar

import msgspec
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.formats.reading.compressed_streams import plain_name
from scoring.formats.reading.findings import Finding, Severity
from scoring.formats.reading.rows import SourceRow

LabelMeaning = TypeVar("LabelMeaning")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_KINDS = {
    str: "text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def kind_of(value: Any) -> str:
    """Describe what a JSON value is, in words."""
    return _KINDS.get(type(value), type(value).__name__)


def without_empty_fraction(value: Any) -> Any:
    """Make an integer of a float that is a whole number (frames with nulls hold labels so); leave anything else."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Fields(Struct, eq=False):
    """One row's fields. `fatal` turns true when the row cannot become a case; the finding says why."""

    value: Mapping[str, Any]
    source: str
    number: int
    line: int
    findings: list[Finding]
    case: str | None = None
    fatal: bool = False

    def note(self, severity: Severity, code: str, message: str) -> None:
        """Add a finding about this row; an error makes the row fatal."""
        self.findings.append(Finding(severity, code, message, self.source, self.line, self.case))
        self.fatal = self.fatal or severity == "error"

    def of(self, value: Any) -> "Fields":
        """Return the same row with other fields: what a format keeps in nested ones. Findings go to the same list.

        No fields where the value is no object.
        """
        return replace(self, value=value if isinstance(value, Mapping) else {})

    def inside(self, name: str) -> "Fields":
        """Return the object in the field; no fields, with a warning, where it is there and is something else."""
        value = self.value.get(name)
        if value is not None and not isinstance(value, Mapping):
            self.note("warning", "wrong-type", f"{name} is {kind_of(value)}, not an object")
        return self.of(value)

    def text(self, name: str, *, required: bool = False) -> str | None:
        """Read the field as text; lone surrogates become U+FFFD."""
        value = self.value.get(name)
        if isinstance(value, str):
            return self._sound(name, value)
        if value is not None or required:
            self.note("error" if required else "warning", "wrong-type", f"{name} is {kind_of(value)}, not text")
        return None

    def texts(self, name: str, *, required: bool = False) -> list[str] | None:
        """Read the field as a list of texts."""
        value = self.value.get(name)
        if value is None and not required:
            return None
        severity: Severity = "error" if required else "warning"
        if not isinstance(value, list):
            self.note(severity, "wrong-type", f"{name} is {kind_of(value)}, not a list of texts")
            return None
        for index, part in enumerate(value):
            if not isinstance(part, str):
                self.note(severity, "wrong-type", f"{name}[{index}] is {kind_of(part)}, not text")
                return None
        return [self._sound(f"{name}[{index}]", part) for index, part in enumerate(value)]

    def identifier(self, field: str = "id") -> str:
        """Return the row's id, a whole number as its digits; without one the row is named after its file and number."""
        value = self.value.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        text = self.text(field)
        if text and text.strip():
            return text
        name = self.row_name()
        self.note("warning", "no-id", f"the row has no id; it is called {name}")
        return name

    def row_name(self) -> str:
        """Name the row in formats that have no ids: by its file and number."""
        return row_name(self.source, self.number)

    def solution(self, name: str = "steps") -> list[str] | None:
        """Read the field as a solution's steps; None, and fatal, where there are none."""
        steps = self.texts(name, required=True)
        return None if steps is None else self.usable(steps)

    def usable(self, steps: list[str]) -> list[str] | None:
        """Return the steps as they are, empty ones noted; None, and fatal, where there are none."""
        if not steps:
            self.note("error", "no-steps", "the solution has no steps")
            return None
        if empty := [index for index, step in enumerate(steps) if not step.strip()]:
            self.note("note", "empty-step", f"steps {empty} are empty")
        return steps

    def earliest_error(self, name: str, n_steps: int) -> int | None:
        """Read the field as a 0-based step or -1; None where it is neither. A step beyond the last is kept."""
        label = self.integer(name)
        if label is None:
            return None
        if label < -1:
            self.note("warning", "bad-label", f"{name} {label} names no step; the case has no gold label")
            return None
        if label >= n_steps:
            last = n_steps - 1
            self.note("warning", "label-beyond-end", f"{name} {label} is beyond the last step ({last}, 0-based)")
        return label

    def integer(self, name: str) -> int | None:
        """Read the field as an integer that fits 32 bits; a float without a fraction counts."""
        value = without_empty_fraction(self.value.get(name))
        if isinstance(value, int) and not isinstance(value, bool):
            if abs(value) < 2**31:
                return value
            self.note("warning", "wrong-type", f"{name} is out of range")
            return None
        self.note("warning", "wrong-type", f"{name} is {kind_of(value)}, not a whole number")
        return None

    def integers(self, name: str) -> list[int] | None:
        """Read the field as a list of integers; None where it is absent or something else. See `integer`."""
        value = self.value.get(name)
        if value is None:
            return None
        parts: list[Any] = [without_empty_fraction(part) for part in value] if isinstance(value, list) else [None]
        if all(type(part) is int and abs(part) < 2**31 for part in parts):
            return parts
        self.note("warning", "wrong-type", f"{name} is not a list of whole numbers")
        return None

    def labels(self, name: str, meanings: Mapping[int, LabelMeaning]) -> list[LabelMeaning | None] | None:
        """Read the field as a list of numbers that label steps: what each means, None where it is none of these.

        None where there is no list. True and false are no numbers.
        """
        labels = self.value.get(name)
        if not isinstance(labels, list):
            self.note("warning", "wrong-type", f"{name} is not a list; the case has no gold label")
            return None
        numbers = [None if isinstance(label, bool) else without_empty_fraction(label) for label in labels]
        known = [number if isinstance(number, int) and number in meanings else None for number in numbers]
        for index, number in enumerate(known):
            if number is None:
                words = ", ".join(map(str, meanings))
                self.note("warning", "bad-label", f"{name}[{index}] is {labels[index]!r:.40}, none of {words}")
        return [None if number is None else meanings[number] for number in known]

    def boolean(self, name: str) -> bool | None:
        """Read the field as a truth value; null where it is absent."""
        value = self.value.get(name)
        if value is None or isinstance(value, bool):
            return value
        self.note("warning", "wrong-type", f"{name} is {kind_of(value)}, not true or false")
        return None

    def _sound(self, name: str, text: str) -> str:
        if _SURROGATE.search(text):
            self.note("warning", "lone-surrogate", f"{name} holds half a character; it became U+FFFD")
            text = _SURROGATE.sub("\ufffd", text)
        if _CONTROL.search(text):
            self.note("note", "control-character", f"{name} holds control characters; they are shown as pictures")
        return text


def row_name(source: str, number: int | str) -> str:
    """Name the row of this number where it has no id."""
    return f"{PurePath(plain_name(source)).stem}#{number}"


def fields_of(
    row: SourceRow, source: str, findings: list[Finding], identify: Callable[[Fields], str | None] = Fields.identifier
) -> Fields | None:
    """Read the fields of a row that is an object, and its id; None, and a finding, for any other."""
    if not isinstance(row.value, Mapping):
        message = f"the row is {kind_of(row.value)}, not an object"
        findings.append(Finding("error", "broken-row", message, source, row.line))
        return None
    fields = Fields(row.value, source, row.number, row.line, findings)
    fields.case = identify(fields)
    return fields


# -- what a format reads of its rows: fields with their types, laid out as columns (`Layout`)


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
    """Return what calls the row, which `Layout.name` has read."""
    return fields.case


class Layout(Struct, frozen=True, eq=False):
    """What a format reads of its rows.

    Attributes:
        fields: Column -> field, in the order in which they are read.
        content: The fields that make a solution's content, problem and steps; empty = the format has none.
        name: What gives a row its id and its name in findings, from the row as it came (before `flat`). It may note
            that there is nothing to call it by. For ids in a field `ref`: `lambda fields: fields.identifier("ref")`.
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
