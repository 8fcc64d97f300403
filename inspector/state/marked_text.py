"""Text of a critique made ready to be read, with places in it marked: formulas readable, wrapped, and clean."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from inspector.render.mathtext import unicode_math
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_PRIVATE = range(0xF0000, 0xF00FF)
"""Where characters are taken from that mean nothing to anybody, and that `clean` and formulas leave alone."""


class TextMark(Struct, frozen=True):
    """Characters `start` to `end` (the end not among them), and what they are, by the number that the caller gave.

    Those at its edges are no white space.
    """

    start: int
    end: int
    name: int


class ReadableText(Struct, frozen=True):
    """A text for the screen and its marks in it, in the order in which they begin; `raw` where formulas are as written.

    Marks lie within one another or apart.
    """

    text: str
    marks: tuple[TextMark, ...]
    raw: bool


def readable(text: str, marks: Sequence[TextMark], *, raw: bool, precious: int | None = None) -> ReadableText:
    """Return the text cleaned, its formulas in Unicode unless `raw`, and the marks at their new places.

    A mark that would change how a formula is read is left out; where that is the one whose name is `precious`, the
    formulas stay as they were written instead.
    """
    marks = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    ends = _unused(text)
    if raw or ends is None:
        return _without_ends(_cleaned(text, marks, ends), ends, raw=True)
    plain = unicode_math(text)
    kept, converted = _harmless(text, marks, ends, plain)
    if precious is not None and any(mark.name == precious for mark in set(marks) - set(kept)):
        return readable(text, marks, raw=True)
    cleaned = clean(_BLANK_LINES.sub("\n\n", converted), lines=True)
    return _without_ends((cleaned, kept), ends, raw=False)


Ends = tuple[str, str]
"""The two characters around a marked place."""


def _unused(text: str) -> Ends | None:
    """Two characters that are not in the text; None where it has all of them."""
    free = [chr(code) for code in _PRIVATE if chr(code) not in text]
    return (free[0], free[1]) if len(free) > 1 else None


def _cleaned(text: str, marks: Sequence[TextMark], ends: Ends | None) -> tuple[str, Sequence[TextMark]]:
    return (clean(text, lines=True), []) if ends is None else (clean(_between(text, marks, ends), lines=True), marks)


def _between(text: str, marks: Sequence[TextMark], ends: Ends) -> str:
    """The text with every marked place between two ends; of marks that begin together the longer comes first."""
    pieces, last = [], 0
    for at, _, end in sorted(_events(marks)):
        pieces += [text[last:at], ends[end]]
        last = at
    return "".join([*pieces, text[last:]])


def _events(marks: Sequence[TextMark]) -> Iterator[tuple[int, tuple[int, int], int]]:
    """(where, order there, 0 for a beginning or 1 for an end). What ends comes before what begins."""
    for mark in marks:
        yield mark.start, (1, -mark.end), 0
        yield mark.end, (0, -mark.start), 1


def _harmless(text: str, marks: Sequence[TextMark], ends: Ends, plain: str) -> tuple[Sequence[TextMark], str]:
    """The marks with which the conversion gives the same text, and what it gives with them.

    Those that harm are found by halving; where marks harm only together, none is kept.
    """
    converted = _marked(text, marks, ends, plain)
    if converted is not None:
        return marks, converted
    alone = _each_alone(text, marks, ends, plain)
    converted = _marked(text, alone, ends, plain)
    return (alone, converted) if converted is not None else ((), plain)


def _each_alone(text: str, marks: Sequence[TextMark], ends: Ends, plain: str) -> list[TextMark]:
    if not marks or _marked(text, marks, ends, plain) is not None:
        return list(marks)
    if len(marks) == 1:
        return []
    middle = len(marks) // 2
    return _each_alone(text, marks[:middle], ends, plain) + _each_alone(text, marks[middle:], ends, plain)


def _marked(text: str, marks: Sequence[TextMark], ends: Ends, plain: str) -> str | None:
    """The conversion of the text with its marks; None where it is another than without."""
    converted = unicode_math(_between(text, marks, ends))
    same = converted.replace(ends[0], "").replace(ends[1], "") == plain
    return converted if same and _nested(converted, ends, len(marks)) else None


def _nested(text: str, ends: Ends, count: int) -> bool:
    """Whether every place that begins also ends, within one another or apart."""
    depth = 0
    for character in text:
        depth += (character == ends[0]) - (character == ends[1])
        if depth < 0:
            return False
    return not depth and text.count(ends[0]) == count


def _without_ends(marked: tuple[str, Sequence[TextMark]], ends: Ends | None, *, raw: bool) -> ReadableText:
    text, marks = marked
    if ends is None or not marks:
        return ReadableText(text, (), raw)
    names = [mark.name for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end))]
    placed: list[TextMark] = []
    going: list[int] = []
    pieces, length = [], 0
    for piece in re.split(f"([{ends[0]}{ends[1]}])", text):
        if piece == ends[0]:
            going.append(len(placed))
            placed.append(TextMark(length, length, names[len(placed)]))
        elif piece == ends[1]:
            at = going.pop()
            placed[at] = TextMark(placed[at].start, length, placed[at].name)
        else:
            pieces.append(piece)
            length += len(piece)
    return ReadableText("".join(pieces), tuple(mark for mark in placed if mark.end > mark.start), raw)


class WrappedLine(Struct, frozen=True):
    """One wrapped line and the character of the text that it begins with."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The character behind its last one."""
        return self.start + len(self.text)


def placed_lines(text: str, width: int) -> Iterator[WrappedLine]:
    """Wrap the text, each line with its place: what a break replaced belongs to no line."""
    before = 0
    for paragraph in text.split("\n"):
        at = 0
        for line in wrap(paragraph, width):
            while not paragraph.startswith(line, at):
                at += 1
            yield WrappedLine(line, before + at)
            at += len(line)
        before += len(paragraph) + 1
