"""JSON text becomes elements with their lines: those of an array, of lines, or objects one after the other.

What costs no element is tolerated: a missing or surplus comma, text after the end of an array.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_OBJECT = re.compile(r'\{[ \t\r\n]*["}]')
_FIRST_KEY = re.compile(r'\{[ \t\r\n]*("(?:[^"\\\n]|\\.)*")[ \t\r\n]*:')
_KEYS = 8
_NEARBY = 65_536
_WINDOW = 8192
_LONGEST_WORD = len("-Infinity") + 1


@dataclass(frozen=True)
class Element:
    """One element on its 1-based line: a value, or the error why there is none.

    `repeated` are the keys that stand more than once in one of its objects. An element that is no `row` only says what
    is wrong with the array.
    """

    line: int
    value: Any = None
    error: str = ""
    repeated: tuple[str, ...] = ()
    row: bool = True


def lines(text: str) -> Iterator[Element]:
    """One element a line that is not blank."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        element, end = _element(line, _after_blanks(line, 0), number)
        if not element.error and (end := _after_blanks(line, end)) < len(line):
            element = Element(number, error=f"not valid JSON (more text after the value at column {end + 1})")
        yield element


def array(text: str) -> Iterator[Element]:
    """The elements of an array, decoded one by one, so that each has its line and a broken one costs only itself."""
    return _Cursor(text, text.index("[") + 1).elements(in_array=True)


def objects(text: str) -> Iterator[Element]:
    """Objects one after the other, each over as many lines as it takes."""
    return _Cursor(text, 0).elements(in_array=False)


class _Cursor:
    """A place in a text of many elements."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._at = at
        self._line = 1
        self._counted_to = 0
        self._first_keys: set[str] = set()

    def elements(self, *, in_array: bool) -> Iterator[Element]:
        closed = False
        while self._next() < len(self._text):
            character = self._text[self._at]
            if closed:
                yield Element(self._line, error="there is text after the end of the array", row=False)
                closed = False
                self._at += character == "["
            elif character == "]" and in_array:
                closed = True
                self._at += 1
            elif character == ",":
                self._at += 1
            else:
                yield self._take()
        if in_array and not closed and self._text.rstrip()[-1:] != "]":
            yield Element(self._line, error="the array is not closed: the file may be cut off", row=False)

    def _next(self) -> int:
        """Go to the next character that is not blank."""
        self._at = _after_blanks(self._text, self._at)
        self._line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        return self._at

    def _take(self) -> Element:
        first_key = _FIRST_KEY.match(self._text, self._at)
        element, end = _element(self._text, self._at, self._line)
        if element.error:
            self._at = self._resume(first_key[1] if first_key else None)
        else:
            self._at = end
            if first_key and len(self._first_keys) < _KEYS:
                self._first_keys.add(first_key[1])
        return element

    def _resume(self, first_key: str | None) -> int:
        """Where the next row starts after a broken one: at an object with a first key that rows have had so far.

        Failing that nearby, at the next object that is whole and could end where it does.
        """
        keys = self._first_keys | ({first_key} if first_key else set())
        if keys:
            alike = re.compile(rf"\{{[ \t\r\n]*(?:{'|'.join(map(re.escape, sorted(keys)))})[ \t\r\n]*:")
            for match in alike.finditer(self._text, self._at + 1, self._at + _NEARBY):
                if self._may_start(match.start()):
                    return match.start()
        for match in _OBJECT.finditer(self._text, self._at + 1):
            if self._may_start(match.start()):
                element, end = _element(self._text, match.start(), 0)
                end = _after_blanks(self._text, end)
                if not element.error and self._text[end : end + 1] in {",", "]", "{", ""}:
                    return match.start()
        return len(self._text)

    def _may_start(self, at: int) -> bool:
        """Whether a row may start here: not as the value of a key, nor as the first of a list within a row."""
        return self._text[max(0, at - 80) : at].rstrip()[-1:] not in {":", "["}


def _element(text: str, at: int, line: int) -> tuple[Element, int]:
    """The element that starts at `at`, and where it ends."""
    repeated: dict[str, None] = {}

    def as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            count = Counter(key for key, _ in pairs)
            repeated.update(dict.fromkeys(key for key in found if count[key] > 1))
        return found

    # Not strict: control characters as they are within a text are no reason to lose it.
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=as_dict)
    try:
        value, end = _decode(decoder, text, at)
    except json.JSONDecodeError as error:
        place = line + error.lineno - 1
        column = error.colno + (at - text.rfind("\n", 0, at) - 1 if error.lineno == 1 else 0)
        where = f"column {column}" if place == line else f"column {column} of line {place}"
        return Element(line, error=f"not valid JSON ({error.msg} at {where})"), at
    except ValueError:
        return Element(line, error="not valid JSON (a number with too many digits)"), at
    except RecursionError:
        return Element(line, error="not valid JSON (nested too deeply)"), at
    return Element(line, value, repeated=tuple(repeated)), end


def _decode(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    """What starts at `at`, and where it ends; looks at no more of the text than it needs.

    A decoding error counts the lines of all the text it is given, so that a long file of broken rows would take
    quadratic time. What may be wrong only because the window ends is tried in a wider one.
    """
    size = _WINDOW
    while True:
        window = text[at : at + size]
        complete = at + size >= len(text)
        settled = len(window) - _LONGEST_WORD
        try:
            value, end = decoder.raw_decode(window)
        except json.JSONDecodeError as error:
            if complete or (error.pos <= settled and not error.msg.startswith("Unterminated")):
                raise
        else:
            if complete or end <= settled:
                return value, at + end
        size *= 16


def _after_blanks(text: str, at: int) -> int:
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty string
