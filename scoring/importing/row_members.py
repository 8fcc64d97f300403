"""Archives of many members that hold one row each: they are read as one file, a line per member.

Reading a member by itself takes milliseconds whatever it holds, which is minutes for 70,000 members of a row.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

MANY_MEMBERS = 1_000
"""Members from which on an archive may be one file. Smaller archives are read member by member."""


class NotRows(Exception):  # noqa: N818  # it says what the members are
    """The members of an archive are not one row each."""


def lines_of_rows(members: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a line of JSON Lines per member.

    Raises:
        NotRows: a member is not a plain row (texts, numbers and lists of these), or has other keys than the first one.
    """
    keys = None
    for content in members:
        try:
            row = msgspec.json.decode(content)
            line = msgspec.json.format(content, indent=-1)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise NotRows from None
        if not isinstance(row, dict) or not _is_plain_row(row) or keys not in {None, frozenset(row)}:
            raise NotRows
        keys = frozenset(row)
        yield line + b"\n"


def _is_plain_row(row: dict[str, Any]) -> bool:
    # An object of objects is often a whole file (a log, a report), and one of lists alone a table by columns.
    values = list(row.values())
    return not any(map(_holds_object, values)) and any(isinstance(value, str | int | float) for value in values)


def _holds_object(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_holds_object, value)))
