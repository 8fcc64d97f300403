"""The words of an SQL condition: where each stands, how a name and a value are written."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from scoring.data.schema import METADATA

WordKind = Literal["name", "quoted", "text", "number", "sign"]

BARE = frozenset({*METADATA, "tags", "note"})
"""Columns of cases, and of what people say of them, whose names are no words of SQL."""
_WORD = re.compile(
    r"""--[^\n]*|(?P<quoted>"[^"]*(?:""[^"]*)*"?)|(?P<text>'[^']*(?:''[^']*)*'?)|(?P<number>-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|-?\.\d+)"""
    r"""|(?P<name>[^\W\d]\w*)|(?P<sign><=|>=|<>|!=|\S)"""
)


class Word(NamedTuple):
    """One word of a condition and where it stands (characters, 0-based, `end` not included).

    A `quoted` name and a `text` keep their quotes; the last word may lack its closing one.
    """

    kind: WordKind
    text: str
    start: int
    end: int

    @property
    def open(self) -> bool:
        """Whether it is quoted and its closing quote is not there."""
        return self.text[:1] in "'\"" and self.text.count(self.text[0]) % 2 == 1

    @property
    def value(self) -> str:
        """The name or text that is meant, without quotes."""
        if self.kind not in {"quoted", "text"}:
            return self.text
        quote = self.text[0]
        return self.text[1 : None if self.open else -1].replace(quote * 2, quote)


def words_of(condition: str) -> Iterator[Word]:
    """Yield the words of a condition, in their order, without comments."""
    for match in _WORD.finditer(condition):
        if match.lastgroup is None:
            continue
        kind: WordKind = match.lastgroup  # type: ignore[assignment]  # the groups are the kinds
        yield Word(kind, match[0], *match.span())


def comments_of(condition: str) -> Iterator[str]:
    """Yield the comments of a condition: each from -- to the end of its line."""
    return (match[0] for match in _WORD.finditer(condition) if match.lastgroup is None)


def quoted(text: str) -> str:
    """Quote a text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def literal(value: str | float) -> str:
    """Write a value as an SQL literal: `true` and `false` for booleans, digits for numbers, quotes around a text."""
    return quoted(value) if isinstance(value, str) else str(value).lower()


def named(column: str) -> str:
    """Write a column's name as SQL: bare where it is one of BARE, else in double quotes."""
    return column if column in BARE else '"' + column.replace('"', '""') + '"'
