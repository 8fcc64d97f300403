r"""The equations a step states in plain numbers, evaluated exactly by a parser of our own.

`2 boxes * 8 = 16 pens`, `3x = 20 - 5 = 15`, `25% of 80 = 20` and `\frac{54}{6} + 1 = 10` are read; a side with a
variable in it is left out. A decimal on one side may be rounded, `≈` allows one per cent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from baselines.tokens import NUMBER, SIGN, STOP, WORD, Token

OPERATORS = frozenset("+-*/^")
LARGEST_EXPONENT = 12
LARGEST_BITS = 400
"""Values that need more bits are not followed further."""
DEEPEST = 40
END = Token(STOP, "")
UNIT_WORDS = 3
"""So many words between a number and an operator are taken for its unit."""


@dataclass(frozen=True)
class Equation:
    """Two neighbouring sides of one chain of equalities. `operands` are the numbers on the left side."""

    left: Fraction
    right: Fraction
    operands: tuple[Fraction, ...]
    holds: bool


def equations(tokens: Sequence[Token]) -> list[Equation]:
    """Every equation between two sides that can be evaluated and of which one has an operator."""
    found = []
    for chain, signs in _chains(tokens):
        values = [_value(side) for side in chain]
        for i, sign in enumerate(signs):
            left, right = values[i], values[i + 1]
            if left is None or right is None or not (_computes(chain[i]) or _computes(chain[i + 1])):
                continue
            operands = tuple(t.value for t in chain[i] if t.kind == NUMBER)
            found.append(Equation(left, right, operands, _equal(left, right, chain[i], chain[i + 1], sign)))
    return found


def _computes(side: Sequence[Token]) -> bool:
    return any(token.kind == SIGN and (token.text in OPERATORS or token.text == "frac") for token in side)


def _equal(left: Fraction, right: Fraction, a: Sequence[Token], b: Sequence[Token], sign: str) -> bool:
    gap = abs(left - right)
    places = [side[0].decimals for side in (a, b) if len(side) == 1 and side[0].decimals]
    rounding = max((Fraction(1, 2 * 10**n) for n in places), default=Fraction(0))
    slack = max(abs(left), abs(right)) / 100 if sign == "≈" else Fraction(0)
    return gap <= max(rounding, slack)


def _chains(tokens: Sequence[Token]) -> Iterator[tuple[list[list[Token]], list[str]]]:
    r"""Runs of mathematics with at least one equality sign: the sides, and the signs between them.

    A side that touches a symbol (`f(2)`, `x - 3`, `3\sum`) is no plain number and comes as an empty list.
    """
    sides: list[list[Token]] = [[]]
    signs: list[str] = []
    symbol = False
    for kind, token in (*_marked(tokens), ("end", END)):
        if kind == "equal":
            sides[-1] = [] if symbol else sides[-1]
            signs.append(token.text)
            sides.append([])
            symbol = False
        elif kind == "math":
            sides[-1].append(token)
        else:
            if signs:
                sides[-1] = [] if symbol or token.text.startswith("\\") else sides[-1]
                yield sides, signs
            sides, signs = [[]], []
            symbol = _symbolic(token)


def _symbolic(token: Token) -> bool:
    """Whether what follows this token is part of an expression with it: a LaTeX command, a letter, a term like `3x`."""
    text = token.text
    return text.startswith("\\") or (token.kind == WORD and text.isascii() and (len(text) == 1 or text[0].isdigit()))


def _marked(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """Each token as part of a formula ("math"), an equality sign, or the end of a run; words for units fall out."""
    operators = 0
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind == SIGN and token.text in "=≈":
            operators = 0
            yield "equal", token
        elif token.kind in {NUMBER, SIGN}:
            operators += token.text in OPERATORS
            yield "math", token
        elif token.text in {"x", "of"} and _joins(tokens, at):
            operators += 1
            yield "math", Token(SIGN, "*")
        else:
            skipped = _unit(tokens, at, after_operator=operators > 0)
            if skipped:
                at += skipped
                continue
            operators = 0
            yield "end", token
        at += 1


def _joins(tokens: Sequence[Token], at: int) -> bool:
    """Whether the word stands between two numbers (`3 x 4`) or a percentage and a number (`25% of 80`)."""
    if not 0 < at < len(tokens) - 1 or tokens[at + 1].kind != NUMBER:
        return False
    before = tokens[at - 1]
    return before.kind == NUMBER if tokens[at].text == "x" else before.text == "%"


def _unit(tokens: Sequence[Token], at: int, *, after_operator: bool) -> int:
    """How many words from here are a unit inside a formula, 0 if the formula ends here.

    They must follow a number and an operator must come after them; before an equality sign only if the side has an
    operator already, so that `the cost of 3 pens = 3 * 2` is not read as `3 = 6`.
    """
    if at == 0 or tokens[at - 1].kind != NUMBER:
        return 0
    end = at
    while end < len(tokens) and tokens[end].kind == WORD and end - at < UNIT_WORDS:
        end += 1
    if end == at or end >= len(tokens) or tokens[end].kind != SIGN or (end - at == 1 and len(tokens[at].text) == 1):
        return 0
    if tokens[end].text == "/" and end + 1 < len(tokens) and tokens[end + 1].kind == WORD:
        return end + 2 - at
    return end - at if tokens[end].text in OPERATORS or (tokens[end].text in "=≈" and after_operator) else 0


def _value(side: Sequence[Token]) -> Fraction | None:
    """The side evaluated with the usual precedence, or None. A bracket around the whole equation does not matter."""
    try:
        return _Parser(_inside(side)).all()
    except (_NoValueError, ZeroDivisionError):
        return None


def _inside(side: Sequence[Token]) -> Sequence[Token]:
    """The side without opening brackets at its start and closing ones at its end that have no partner in it."""
    depth = lowest = 0
    for token in side:
        if token.kind == SIGN:
            depth += (token.text == "(") - (token.text == ")")
            lowest = min(lowest, depth)
    start, end = max(0, depth - lowest), len(side) + min(0, lowest)
    kept = side[start:end]
    dropped = (*side[:start], *side[max(start, end) :])
    return kept if all(token.text in "()" for token in dropped) else ()


class _NoValueError(Exception):
    """The tokens are no formula in plain numbers."""


class _Parser:
    """Recursive descent over one side of an equation."""

    def __init__(self, side: Sequence[Token]) -> None:
        self.side = side
        self.at = 0
        self.depth = 0

    def all(self) -> Fraction:
        value = self.sum()
        if self.at != len(self.side):
            raise _NoValueError
        return value

    def peek(self) -> str:
        if self.at >= len(self.side):
            return ""
        token = self.side[self.at]
        return "#" if token.kind == NUMBER else token.text

    def sum(self) -> Fraction:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _NoValueError
        value = self.product()
        while self.peek() in {"+", "-"}:
            self.at += 1
            sign = 1 if self.side[self.at - 1].text == "+" else -1
            value = _small(value + sign * self.product())
        self.depth -= 1
        return value

    def product(self) -> Fraction:
        value = self.signed()
        while self.peek() in {"*", "/", "(", "frac"}:
            sign = self.peek()
            self.at += sign in {"*", "/"}
            other = self.signed()
            value = _small(value / other if sign == "/" else value * other)
        return value

    def signed(self) -> Fraction:
        sign = 1
        while self.peek() == "-":
            self.at += 1
            sign = -sign
        return sign * self.power()

    def power(self) -> Fraction:
        value = self.atom()
        while self.peek() in {"%", "^", "sq", "cube"}:
            sign = self.peek()
            self.at += 1
            if sign == "%":
                value /= 100
                continue
            exponent = {"sq": Fraction(2), "cube": Fraction(3)}.get(sign) or self.atom()
            if exponent.denominator != 1 or abs(exponent) > LARGEST_EXPONENT:
                raise _NoValueError
            value = _small(value ** int(exponent))
        return value

    def atom(self) -> Fraction:
        sign = self.peek()
        self.at += 1
        if sign == "#":
            return self.side[self.at - 1].value
        if sign == "(":
            value = self.sum()
            if self.peek() != ")":
                raise _NoValueError
            self.at += 1
            return value
        if sign == "frac" and self.peek() == "(":
            top = self.atom()
            return _small(top / self.atom())
        raise _NoValueError


def _small(value: Fraction) -> Fraction:
    if value.numerator.bit_length() + value.denominator.bit_length() > LARGEST_BITS:
        raise _NoValueError
    return value
