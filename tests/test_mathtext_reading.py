"""Random expressions, written as LaTeX, converted, and read back from the flat text: their values must agree."""

import cmath
import math
import random
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from flat_reader import FUNCTIONS, VALUES, AmbiguousError, Reader, Value, power
from inspector.render.mathtext import unicode_math
from thoroughness import up_to

Tree = tuple  # ("num", "3"), ("var", "x"), (operation, *subtrees)

LATEX = {"α": r"\alpha", "θ": r"\theta", "x₁": "x_1", "x_A": "x_A"}
ATOM, POWER, FACTORS, TERM, SUM = range(5)


MEANINGS: dict[str, Callable[..., Value]] = {
    "num": lambda text: complex(float(text)),
    "var": lambda name: complex(VALUES[name]),
    "mixed": lambda whole, above, below: complex(whole + above / below),
    "binom": lambda n, k: complex(math.comb(n, k)),
    "factorial": lambda n: complex(math.factorial(n)),
    "call": lambda name, a: FUNCTIONS[name](a),
    "root": lambda degree, a: power(a, 1 / degree),
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "minus": lambda a: 0 - a,
    "dot": lambda a, b: a * b,
    "neighbours": lambda a, b: a * b,
    "fraction": lambda a, b: a / b,
    "divide": lambda a, b: a / b,
    "power": power,
    "absolute": lambda a: complex(abs(a)),
}


def value(tree: Tree) -> Value:
    kind, *parts = tree
    return MEANINGS[kind](*[value(part) if isinstance(part, tuple) else part for part in parts])


class Writer:
    """A tree as LaTeX that prints unambiguously; `pick` chooses among the ways to write the same."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed).choice

    def at(self, tree: Tree, level: int) -> str:
        text, own = self.write(tree)
        if own <= level:
            return text
        opener, closer = self.pick([(r"\left(", r"\right)"), ("(", ")"), (r"\bigl( ", r" \bigr)")])
        return f"{opener}{text}{closer}"

    def write(self, tree: Tree) -> tuple[str, int]:
        return getattr(self, tree[0])(*tree[1:])

    def num(self, text: str) -> tuple[str, int]:
        return text, ATOM

    def var(self, name: str) -> tuple[str, int]:
        return LATEX.get(name, name), ATOM

    def mixed(self, whole: int, above: int, below: int) -> tuple[str, int]:
        return rf"{whole}\frac{{{above}}}{{{below}}}", FACTORS

    def binom(self, n: int, k: int) -> tuple[str, int]:
        return self.pick([rf"\binom{{{n}}}{{{k}}}", rf"{{{n} \choose {k}}}"]), ATOM

    def factorial(self, n: int) -> tuple[str, int]:
        return f"{n}!", POWER

    def sum(self, a: Tree, b: Tree) -> tuple[str, int]:
        return self.at(a, SUM) + self.pick(["+", " + "]) + self.at(b, TERM), SUM

    def difference(self, a: Tree, b: Tree) -> tuple[str, int]:
        return self.at(a, SUM) + self.pick(["-", " - "]) + self.at(b, TERM), SUM

    def minus(self, a: Tree) -> tuple[str, int]:
        return "-" + self.at(a, TERM), SUM

    def dot(self, a: Tree, b: Tree) -> tuple[str, int]:
        return self.at(a, TERM) + self.pick([r"\cdot ", r" \cdot ", r"\times "]) + self.at(b, FACTORS), TERM

    def divide(self, a: Tree, b: Tree) -> tuple[str, int]:
        return self.at(a, POWER) + self.pick([r"\div ", " / ", "/"]) + self.at(b, POWER), TERM

    def neighbours(self, a: Tree, b: Tree) -> tuple[str, int]:
        left, right = self.at(a, FACTORS), self.at(b, POWER)
        if left[-1].isalnum() and right[0].isalnum() and not left[-1].isdigit():
            return f"{left} {right}", FACTORS
        if right[0].isdigit() or (left[-1].isdigit() and b[0] == "fraction") or "sin" in left:
            return rf"\left({left}\right)\left({right}\right)", FACTORS
        return left + self.pick(["", " "]) + right, FACTORS

    def fraction(self, a: Tree, b: Tree) -> tuple[str, int]:
        above, below = self.at(a, SUM), self.at(b, SUM)
        return self.pick(
            [rf"\frac{{{above}}}{{{below}}}", rf"\dfrac {{{above}}} {{{below}}}", rf"{{{above} \over {below}}}"]
        ), ATOM

    def power(self, a: Tree, b: Tree) -> tuple[str, int]:
        return f"{self.at(a, ATOM)}^{{{self.at(b, SUM)}}}", POWER

    def root(self, degree: int, a: Tree) -> tuple[str, int]:
        return rf"\sqrt{f'[{degree}]' if degree > 2 else ''}{{{self.at(a, SUM)}}}", ATOM

    def absolute(self, a: Tree) -> tuple[str, int]:
        inside = self.at(a, SUM)
        ways = [(r"\left|", r"\right|"), (r"\lvert ", r"\rvert ")]
        opener, closer = self.pick(ways if "|" in inside or "vert" in inside else [*ways, ("|", "|")])
        return f"{opener}{inside}{closer}", ATOM

    def call(self, name: str, a: Tree) -> tuple[str, int]:
        if a[0] in {"var", "fraction", "root"} and self.pick([True, False]):
            return rf"\{name} {self.write(a)[0]}", TERM
        return rf"\{name}\left({self.at(a, SUM)}\right)", FACTORS


numbers = st.sampled_from(["2", "3", "5", "10", "12", "0.5", "1.25"]).map(lambda n: ("num", n))
variables = st.sampled_from(sorted(VALUES)).map(lambda v: ("var", v))
leaves = st.one_of(
    numbers,
    variables,
    st.tuples(st.just("mixed"), st.integers(1, 12), st.integers(1, 5), st.integers(6, 12)),
    st.tuples(st.just("binom"), st.integers(3, 6), st.integers(1, 3)),
    st.tuples(st.just("factorial"), st.integers(2, 4)),
)
trees = st.recursive(
    leaves,
    lambda sub: st.one_of(
        st.tuples(st.sampled_from(["sum", "difference", "dot", "divide", "neighbours", "fraction", "power"]), sub, sub),
        st.tuples(st.just("fraction"), sub, sub),
        st.tuples(st.just("neighbours"), sub, sub),
        st.tuples(st.sampled_from(["minus", "absolute"]), sub),
        st.tuples(st.just("root"), st.integers(2, 6), sub),
        st.tuples(st.just("call"), st.sampled_from(sorted(FUNCTIONS)), sub),
    ),
    max_leaves=8,
)


@up_to(400)
@given(trees, st.integers(0, 2**32))
def test_the_flat_text_has_the_value_of_the_formula(tree: Tree, seed: int) -> None:
    try:
        expected = value(tree)
    except (ZeroDivisionError, OverflowError):
        assume(False)
    assume(1e-9 < abs(expected) < 1e9)
    latex = Writer(seed).write(tree)[0]
    flat = unicode_math(f"${latex}$")
    for close in (False, True):
        read = Reader(flat, close=close).whole()
        assert cmath.isclose(read, expected, rel_tol=1e-6), f"{latex}  became  {flat}"


@pytest.mark.parametrize("text", ["1/2x", "a/b(x+1)", "1/x√2", "6 ÷ 2(x)", "12/2 1/3x"])
def test_the_reader_sees_two_values_in_a_careless_text(text: str) -> None:
    first, second = (Reader(text, close=close).whole() for close in (False, True))
    assert not cmath.isclose(first, second)


@pytest.mark.parametrize("text", ["√2x", "√x²", "√(x)(y)", "2^ab", "sinx", "sin x y", "x²^3"])
def test_the_reader_refuses_a_text_without_a_clear_end(text: str) -> None:
    with pytest.raises(AmbiguousError):
        Reader(text, close=False).whole()
