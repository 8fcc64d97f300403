"""The fields of one row, read with their types checked; whatever is odd becomes a finding and never an exception."""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.reading.compressed import plain_name
from scoring.reading.findings import Finding, Severity
from scoring.reading.rows import Row

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
    """Say what a JSON value is, in words."""
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
        """Give the same row with other fields: what a format keeps in nested ones. Findings go to the same list.

        No fields where the value is no object.
        """
        return replace(self, value=value if isinstance(value, Mapping) else {})

    def inside(self, name: str) -> "Fields":
        """Give the object in the field; no fields, with a warning, where it is there and is something else."""
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
        """Give the row's id, a whole number as its digits; without one the row is called after its file and number."""
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
        """Give the steps as they are, empty ones noted; None, and fatal, where there are none."""
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
    row: Row, source: str, findings: list[Finding], identify: Callable[[Fields], str | None] = Fields.identifier
) -> Fields | None:
    """Read the fields of a row that is an object, and its id; None, and a finding, for any other."""
    if not isinstance(row.value, Mapping):
        message = f"the row is {kind_of(row.value)}, not an object"
        findings.append(Finding("error", "broken-row", message, source, row.line))
        return None
    fields = Fields(row.value, source, row.number, row.line, findings)
    fields.case = identify(fields)
    return fields
