"""Wrapping text to a width in cells so that words and formulas stay whole where they can.

Every place where a line may end has a price, and the cheapest of those that leave a line well filled is taken: between
words it is free, inside a formula it rises from behind a relation to before an operator, and the middle of a word is
the last resort. Wide characters may be parted anywhere but before closing and behind opening punctuation.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from rich.cells import cell_len, get_character_cell_size

_RELATIONS = frozenset("=<>≤≥≠≡≈∼≅≃≪≫∝∈∉⊂⊆→⇒⟹⟺⟶↦:")
_OPERATORS = frozenset("+-−±∓×·÷*∪∩∖∧∨⊕⋅&") | {"…", "⋯"}
_SIGNS = _RELATIONS | _OPERATORS
_PAUSES = frozenset(",;")
_NOT_FIRST = frozenset("、。，．：；！？）］｝】」』》〉％’”…·,.;:!?)]}%′″°")
_NOT_LAST = frozenset("（［｛【「『《〈‘“([{⟦⌊⌈⟨√∛∜$")

# Prices, in widths of the line: a free place is taken instead of a dearer one if it costs no more empty cells.
_RELATED, _JOINED, _BEFORE_SIGN, _INSIDE, _IN_BRACKETS, _ANYWHERE = 0.4, 0.5, 0.6, 1.0, 0.15, 3.0

_GLANCE = 40  # how many characters of a neighbour tell what it is
# "is", "(where", "metres." and "n-th"; not "x", "2a", "dx" or "f(x)".
_WORD = re.compile(
    r"[\"'(\[“‘]*(?:[^\W\d_]{3,}|[^\W\d_][\w'’-]*[’'-][\w]+|a|I|A|[a-zA-Z][a-z])[\w'’-]*[\"')\].,;:!?”’]*\Z"
)
_FUNCTION = re.compile(r"(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?|ln|log|lg|exp|gcd|lcm|max|min|lim|mod|det|d[a-z]")


def wrap(text: str, width: int) -> list[str]:
    """Break the text into lines of at most `width` cells (but never less than one character a line).

    Line breaks of the text are kept, an empty text is one empty line, and no character is lost but the spaces at which
    a line was broken.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        if cell_len(paragraph) <= width:
            lines.append(paragraph)
        else:
            lines.extend(_Paragraph(paragraph).lines(max(1, width)))
    return lines


def hung(label: str, text: str, width: int, indent: int) -> Iterator[tuple[str, str]]:
    """Yield a label and a text beside it, in pairs of left and right, whose further lines begin at cell `indent`.

    A label that is too long for its place moves the text on.
    """
    first = label + " " * max(int(bool(label)), indent - cell_len(label))
    start = wrap(text, width - cell_len(first))[0]
    yield first, start
    if rest := text[len(start) :].lstrip(" "):
        yield from ((" " * indent, line) for line in wrap(rest, width - indent))


class _Paragraph:
    """One line of text that is to become several."""

    def __init__(self, text: str) -> None:
        self.text = text
        # Cells of each character, and of all up to one; None where every character has one.
        self.sizes: Sequence[int] | None = None
        self.ends: Sequence[int] = ()
        if not text.isascii():
            sizes = [get_character_cell_size(character) for character in text]
            if min(sizes) != 1 or max(sizes) != 1:
                self.sizes, self.ends = sizes, list(accumulate(sizes))

    def lines(self, width: int) -> Iterator[str]:
        """The lines; one empty line for a text of spaces."""
        text, start = self.text, 0
        while True:
            full = self._full(start, width)
            if full >= len(text):
                break
            at = self._break(start, full, width)
            yield text[start:at].rstrip(" ") if text[start:at].strip(" ") else ""
            start = at
            while start < len(text) and text[start] == " ":
                start += 1
            if start == len(text):
                return
        yield text[start:]

    def _full(self, start: int, width: int) -> int:
        """Where a line ends that holds as many characters as fit, but one at least."""
        if self.sizes is None:
            return start + width
        before = self.ends[start - 1] if start else 0
        return max(start + 1, bisect_right(self.ends, before + width, lo=start))

    def _break(self, start: int, full: int, width: int) -> int:
        """The best place to end the line that begins at `start`, `full` at the latest."""
        text = self.text
        first = start
        while first < full and text[first] == " ":
            first += 1
        best, best_price = full, _ANYWHERE
        for at in range(full, first, -1):
            empty = (full - at) / width
            if empty >= best_price:
                break
            if text[at] == " ":
                price = 0.0 if text[at - 1] == " " else self._price_of_space(start, at)
            else:
                price = self._price_within(at)
            if price + empty < best_price:
                best, best_price = at, price + empty
        return best

    def _price_of_space(self, start: int, at: int) -> float:
        """What it costs to break at the space there."""
        text = self.text
        left = text[max(start, at - _GLANCE) : at].rpartition(" ")[2]
        right = text[at + 1 : at + 1 + _GLANCE].partition(" ")[0]
        price = _price_between(left, right)
        if price:
            line = text[start:at]
            price += _IN_BRACKETS * max(0, line.count("(") - line.count(")"))
        return price

    def _price_within(self, at: int) -> float:
        """What it costs to break before a character that no space precedes."""
        sizes, text = self.sizes, self.text
        before, after = text[at - 1], text[at]
        if sizes is not None:
            if not sizes[at]:
                return 2 * _ANYWHERE
            if sizes[at] == 2 or sizes[at - 1] == 2:
                return _INSIDE if after in _NOT_FIRST or before in _NOT_LAST else 0.0
        if before == " ":
            return 2 * _ANYWHERE  # the spaces before it are the place
        if (before in _SIGNS or before in _PAUSES) and after not in _NOT_FIRST and after not in _SIGNS:
            return _INSIDE
        return _ANYWHERE


def _price_between(left: str, right: str) -> float:
    """What it costs to part two neighbours at the space between them."""
    if right[:1] in _SIGNS and (len(right) == 1 or right[0] not in _OPERATORS):
        return _BEFORE_SIGN
    if left in _RELATIONS or left == "mod":
        return _RELATED
    if left in _OPERATORS:
        return _JOINED
    if _FUNCTION.fullmatch(left) and not _WORD.match(right):
        return _JOINED
    if _WORD.match(left) or _WORD.match(right):
        return 0.0
    return _JOINED if not left.endswith((".", "。", ":", "?", "!")) else 0.0
