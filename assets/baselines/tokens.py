"""A step's text as tokens: numbers, operators, words. LaTeX and Unicode signs come out as the plain ones."""

import re
from dataclasses import dataclass
from fractions import Fraction

NUMBER, WORD, SIGN, STOP = "number", "word", "sign", "stop"

LONGEST_STEP = 20_000
"""Characters of a step that are read; the rest is ignored."""
LONGEST_NUMBER = 18
"""A number with more digits is a word."""


@dataclass(frozen=True)
class Token:
    """A piece of text. `value` and `decimals` (digits after the point) are of numbers only."""

    kind: str
    text: str
    value: Fraction = Fraction(0)
    decimals: int = 0


_SIGNS = {
    r"\times": "*", r"\cdot": "*", r"\ast": "*", "×": "*", "·": "*", "∗": "*", "*": "*", r"\div": "/", "÷": "/",
    "∕": "/", "/": "/", "−": "-", "–": "-", "-": "-", "+": "+", "=": "=", "＝": "=", "^": "^", r"\%": "%", "%": "%",
    "(": "(", "[": "(", "{": "(", ")": ")", "]": ")", "}": ")", r"\approx": "≈", "≈": "≈", r"\frac": "frac",
    r"\dfrac": "frac", r"\tfrac": "frac", "²": "sq", "³": "cube",
}  # fmt: skip
_SKIPPED = {
    r"\left",
    r"\right",
    r"\,",
    r"\!",
    r"\;",
    r"\:",
    r"\ ",
    r"\(",
    r"\)",
    r"\[",
    r"\]",
    r"\displaystyle",
    "$",
    "&",
}
_UNWRAPPED = {r"\boxed", r"\text", r"\mathrm", r"\textbf", r"\mathbf"}

_TOKEN = re.compile(
    r"(?P<command>\\(?:[A-Za-z]{1,20}|.))"
    r"|(?P<term>\d{1,18}(?:\.\d{1,18})?[A-Za-z]\w{0,40})"
    r"|(?P<number>\d{1,3}(?:,\d{3}){1,5}(?!\d)(?:\.\d{1,18})?|\d+(?:\.\d+)?)"
    r"|(?P<word>[^\W\d_][\w'’]{0,60})"
    r"|(?P<space>\s+)"
    r"|(?P<sign>.)",
    re.DOTALL,
)


def tokens(text: str) -> list[Token]:
    """The tokens in order. A term such as `3x` is one word; `1,200` is one number; brackets are all round."""
    found = []
    for match in _TOKEN.finditer(text[:LONGEST_STEP]):
        token = _token(match.lastgroup or "", match[0])
        if token is not None:
            found.append(token)
    return found


def _token(group: str, text: str) -> Token | None:
    if group == "space" or text in _SKIPPED or text in _UNWRAPPED:
        return None
    if text in _SIGNS:
        return Token(SIGN, _SIGNS[text])
    if group == "number":
        plain = text.replace(",", "")
        if len(plain) > LONGEST_NUMBER:
            return Token(WORD, text[:LONGEST_NUMBER])
        return Token(NUMBER, plain, Fraction(plain), len(plain.partition(".")[2]))
    if group in {"word", "term"}:
        return Token(WORD, text.lower())
    return Token(STOP, text)
