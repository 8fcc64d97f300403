"""Steps that a text mentions by number: "paragraph 3", "steps 2, 4 and 5", `<paragraph_3>`, 第3步."""

import re
from collections.abc import Iterator

from msgspec import Struct

_CHINESE = "零〇一二两三四五六七八九十百"
_NUMBER = rf"\d{{1,9}}(?!\d|[.．]\d)|[{_CHINESE}]+"
_WORD = re.compile(
    # "Step #3", "paragraph_3", "steps (3", "Paragraph 3"; no minus sign, since no step has one.
    r"(?<![A-Za-z])(?:paragraphs?|steps?)[\s_]*[#(]?\s?(?P<english>\d{1,9})(?![\d]|\.\d|%)"
    rf"|第\s*(?P<counted>{_NUMBER})\s*个?(?:步骤|步|段落|段)"
    rf"|(?:步骤|段落)\s*[#(（]?\s?(?P<named>{_NUMBER})",
    re.IGNORECASE,
)
_FURTHER = re.compile(
    r"\s*(?:,\s*and|,|and|or|&|to|through|-|–|、|和|至|到)\s*(?:(?:paragraph|step)[\s_]?)?"
    r"(\d{1,9})(?!\d|\.\d|%|\s*[-+*/=^])",
    re.IGNORECASE,
)
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100}


class Mention(Struct, frozen=True):
    """Characters `start` to `end` (the end not among them) that name a step, and its number as it is written."""

    start: int
    end: int
    number: int


def mentions(text: str) -> Iterator[Mention]:
    """Yield all of a text, in order; they do not overlap. Of "steps 2, 4" each number is one. Takes linear time."""
    for match in _WORD.finditer(text):
        written = match["english"] or match["counted"] or match["named"]
        number = _value(written)
        if number is None:
            continue
        yield Mention(match.start(), match.end(), number)
        if _plural(match[0]):
            yield from _listed(text, match.end())


def _listed(text: str, at: int) -> Iterator[Mention]:
    """The further numbers of a list that begins before a place."""
    while further := _FURTHER.match(text, at):
        yield Mention(further.start(1), further.end(1), int(further[1]))
        at = further.end()


def _plural(words: str) -> bool:
    return words.lower().startswith(("steps", "paragraphs"))


def _value(written: str) -> int | None:
    """A number in digits of any script, or in Chinese numerals below 1000; None where it is neither."""
    if not set(written) <= set(_CHINESE):
        return int(written)
    total, digit = 0, None
    for character in written:
        if character in _DIGITS:
            # 二三 is no number, and 一〇 is two digits side by side.
            digit = _DIGITS[character] if digit is None else digit * 10 + _DIGITS[character]
        else:
            total += (1 if digit is None else digit) * _UNITS[character]
            digit = None
    return total + (digit or 0)
