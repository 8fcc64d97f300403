"""What several result formats have within their records: an object, a gold label, a count of tokens."""

from collections.abc import Mapping
from typing import Any

from scoring.reading.fields import Fields, kind_of

_UNKNOWN_LENGTH = 1 << 31


def within(fields: Fields, value: Any) -> Fields:
    """An object that stands within a record, its findings in the record's place; no fields where it is no object."""
    inner = value if isinstance(value, Mapping) else {}
    return Fields(inner, fields.source, fields.number, fields.line, fields.findings, fields.case)


def inside(fields: Fields, name: str) -> Fields:
    """The object in the field; no fields, with a warning, where it is there and is something else."""
    value = fields.value.get(name)
    if value is not None and not isinstance(value, Mapping):
        fields.note("warning", "wrong-type", f"{name} is {kind_of(value)}, not an object")
    return within(fields, value)


def gold_label(fields: Fields, name: str, steps: list[str] | None) -> int | None:
    """The field as a 0-based gold label, -1 = no error; null where it is absent or, with a warning, no label."""
    if fields.value.get(name) is None:
        return None
    return fields.earliest_error(name, _UNKNOWN_LENGTH if steps is None else len(steps))


def tokens(value: Any) -> int | None:
    """A number of tokens, or None where it is none."""
    return value if type(value) is int and 0 <= value < 2**63 else None
