"""Reads a flat formula back and evaluates it, more strictly than people do.

Products of neighbours bind as tightly as a written division, or with `close` more tightly; a text that has two values
is ambiguous. Where people could disagree on where a root, an exponent or an argument ends, the reader raises.
"""

import cmath
import math
import re

Value = complex

VALUES = {"a": 2.25, "b": 1.5, "x": 3.5, "y": 0.75, "α": 1.25, "θ": 0.3, "x₁": 4.5, "x_A": 2.75, "n": 3.0, "q": 0.6}
FUNCTIONS = {"sin": cmath.sin, "cos": cmath.cos, "exp": cmath.exp}


def power(base: Value, exponent: Value) -> Value:
    """The principal power; a base beside the negative axis counts as on it, whatever the sign of its zero."""
    return complex(base.real, 0.0 if abs(base.imag) < 1e-9 * abs(base.real) else base.imag) ** exponent


class AmbiguousError(Exception):
    """The text may be read in more than one way."""


SMALL = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵃᵇˣʸⁿᶜᵒˢⁱᵉᵖ", "0123456789+-()abxyncosiep", strict=True))
TOKEN = re.compile(
    r"(?P<mixed>\d+ \d+/\d+)(?![\d.])|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<name>sin|cos|exp)|(?P<choose>C\((?P<n>\d+),(?P<k>\d+)\))"
    rf"|(?P<var>x₁|x_A|[abxynqαθ])|(?P<small>[{''.join(SMALL)}]+)|(?P<op>[-+·×÷/()|√∛∜!^])|(?P<space> +)"
)


class Reader:
    """Evaluates a flat text; with `close`, neighbours bind more tightly than a written division."""

    def __init__(self, text: str, *, close: bool) -> None:
        self.close = close
        self.tokens: list[tuple[str, re.Match[str]]] = []
        pos = 0
        while pos < len(text):
            match = TOKEN.match(text, pos)
            assert match, f"cannot read {text[pos:]!r}"
            self.tokens.append((match.lastgroup or "", match))
            pos = match.end()
        self.pos = 0

    def peek(self, ahead: int = 0) -> str:
        """The next token: its text for operators, else its kind; "" at the end."""
        if self.pos + ahead >= len(self.tokens):
            return ""
        kind, match = self.tokens[self.pos + ahead]
        return match[0] if kind == "op" else kind

    def next_thing(self) -> str:
        return self.peek(1) if self.peek() == "space" else self.peek()

    def take(self) -> str:
        self.pos += 1
        return self.tokens[self.pos - 1][1][0]

    def skip_space(self) -> bool:
        spaced = self.peek() == "space"
        self.pos += spaced
        return spaced

    def whole(self) -> Value:
        result = self.sum()
        assert not self.next_thing(), "left over"
        return result

    def sum(self) -> Value:
        self.skip_space()
        sign = self.peek()
        if sign in {"+", "-"}:
            self.take()
        result = 0 - self.term() if sign == "-" else self.term()
        while self.next_thing() in {"+", "-"}:
            self.skip_space()
            if self.take() == "+":
                result += self.term()
            else:
                result -= self.term()
        return result

    def term(self) -> Value:
        self.skip_space()
        operand = self.neighbours if self.close else self.factor
        result = operand()
        while True:
            thing = self.next_thing()
            if thing in {"·", "×"}:
                self.skip_space()
                self.take()
                self.skip_space()
                result *= operand()
            elif thing in {"/", "÷"}:
                self.skip_space()
                self.take()
                self.skip_space()
                result /= operand()
            elif not self.close and self.starts_factor():
                self.skip_space()
                result *= self.factor()
            else:
                return result

    def starts_factor(self) -> bool:
        thing = self.next_thing()
        if thing == "|":
            return self.bars == 0 or self.peek() == "space"
        if thing == "small":
            return self.peek() == "space" and self.peek(2) == "√"
        return thing in {"mixed", "number", "name", "choose", "var", "(", "√", "∛", "∜"}

    bars = 0

    def neighbours(self) -> Value:
        result = self.factor()
        while self.starts_factor():
            self.skip_space()
            result *= self.factor()
        return result

    def factor(self) -> Value:
        kind = self.peek()
        if kind == "name":
            return self.called()
        if kind in {"√", "∛", "∜", "small"}:
            return self.rooted()
        result = self.atom()
        while self.peek() in {"small", "^", "!"}:
            kind = self.peek()
            if kind == "!":
                self.take()
                result = complex(math.factorial(round(result.real)))
            else:
                result = power(result, self.exponent())
        return result

    def exponent(self) -> Value:
        if self.peek() == "small":
            small = self.take()
            if self.peek() in {"small", "^"}:
                raise AmbiguousError("a power of a power")
            return Reader("".join(SMALL[c] for c in small), close=self.close).whole()
        self.take()
        bare = self.peek() != "("
        result = self.atom()
        if self.peek() in {"small", "^"} or (bare and self.peek() in {"var", "number", "name", "("}):
            raise AmbiguousError("where does the exponent end?")
        return result

    def rooted(self) -> Value:
        if self.peek() == "small":
            degree = float("".join(SMALL[c] for c in self.take()))
            assert self.take() == "√"
        else:
            degree = {"√": 2.0, "∛": 3.0, "∜": 4.0}[self.take()]
        if self.peek() not in {"number", "var", "(", "mixed"}:
            raise AmbiguousError("a root of what?")
        result = power(self.atom(), 1 / degree)
        if self.peek() in {"small", "^", "!", "var", "number", "name", "(", "choose"}:
            raise AmbiguousError("where does the root end?")
        return result

    def called(self) -> Value:
        function = FUNCTIONS[self.take()]
        spaced = self.skip_space()
        if not spaced and self.peek() not in {"(", "|"}:
            raise AmbiguousError("a name without an end")
        result = function(self.factor())
        if spaced and self.starts_factor():
            raise AmbiguousError("where does the argument end?")
        return result

    def atom(self) -> Value:
        kind, match = self.tokens[self.pos]
        text = self.take()
        if kind == "number":
            return complex(float(text))
        if kind == "var":
            return complex(VALUES[text])
        if kind == "choose":
            return complex(math.comb(int(match["n"]), int(match["k"])))
        if kind == "mixed":
            whole, above, below = map(int, re.split("[ /]", text))
            return complex(whole + above / below)
        bars, self.bars = self.bars, int(text == "|")
        result = self.sum()
        self.skip_space()
        closer = self.take()
        self.bars = bars
        assert text + closer in {"()", "||"}, f"{text} closed by {closer}"
        return complex(abs(result)) if text == "|" else result
