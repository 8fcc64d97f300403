"""Members of an archive that hold one row each: they are read together, as one file of JSON Lines.

Reading a file takes milliseconds even if it holds one row, which adds up to minutes for 70,000 members.
"""

from typing import Any

import msgspec

MANY_MEMBERS = 1_000
"""The number of such members from which on they are read together. Fewer are read one by one, under their own names."""


def row_line(content: bytes) -> tuple[frozenset[str], bytes] | None:
    """Return the keys of a row and the row as a line of JSON; None if the content is not a plain row.

    A plain row is an object of texts, numbers and lists of these. An object that holds objects is often a whole file,
    such as a log, and one that holds only lists is a table with a list per column.
    """
    try:
        row = msgspec.json.decode(content)
        line = msgspec.json.format(content, indent=-1)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if not isinstance(row, dict) or any(map(_holds_object, row.values())):
        return None
    if not any(isinstance(value, str | int | float) for value in row.values()):
        return None
    return frozenset(row), line + b"\n"


def _holds_object(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_holds_object, value)))
