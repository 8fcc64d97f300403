r"""Which formulas are kept. That what is kept compiles was tried with pdflatex; here stands what that rests on."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.render.documents.latex_prose import latex_prose, whole_formula
from thoroughness import up_to

PIECES = [
    *"ab12+-=()[]|.,<>'{}^_ $%#&~\\",
    *(r"\frac", r"\sqrt", r"\left(", r"\right)", r"\left", r"\right", r"\alpha", r"\input", r"\write18", r"\text{ a}"),
    *(r"{12}", r"\\", "\n", r"\(", r"\)", r"\[", r"\]", "$$", "\x00", "题", "π", r"\big", r"\begin{a}", r"\end{a}"),
]
HOSTILE = st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=25).map("".join)
ALLOWED = re.compile(r"\\(text(backslash|asciitilde|asciicircum|less|greater|bar)|ensuremath|[{}$&%#_])")


@pytest.mark.parametrize(
    "formula",
    [
        r"r = \sqrt{x^2 + y^2}",
        r"\frac{\pi}{2}",
        r"\frac12",
        r"\boxed{\left(3, \frac{\pi}{2}\right)}",
        r"\sqrt[3]{8} \text{ cm}",
        r"90^\circ",
        r"f''(x)",
        r"x_1^2",
        r"\left.\frac{a}{b}\right|",
        r"\{1, 2\}",
        r"5\%",
        r"\big(a\big)",
        "a < b",
        "{}",
    ],
)
def test_formulas_that_are_kept(formula):
    assert whole_formula(formula) == formula
    assert latex_prose(f"so ${formula}$.") == f"so ${formula}$."


@pytest.mark.parametrize(
    "formula",
    [
        "",
        " ",
        "x^2^3",
        "x^2 ^3",
        "x^2'",
        "x_a_b",
        "x^",
        r"x^\frac12",
        r"x^\neq",
        r"\frac{1}",
        r"\frac 1",
        r"\left(a",
        r"a\right)",
        r"{\left(}\right)",
        r"\left x\right)",
        "{a",
        "a}",
        r"\input{a}",
        r"\write18{a}",
        r"\def\a{b}",
        r"\begin{matrix}a\end{matrix}",
        r"a \\ b",
        "a & b",
        "50%",
        "#1",
        "a~b",
        r"\text{$a$}",
        r"\text{\input{a}}",
        "题",
        "\\",
        "{" * 30 + "}" * 30,
    ],
)
def test_formulas_that_are_not(formula):
    assert whole_formula(formula) is None


def test_every_way_to_write_a_formula_becomes_the_same():
    for text in ("$x_1$", "$$x_1$$", r"\(x_1\)", r"\[x_1\]"):
        assert latex_prose(f"a {text} b") == "a $x_1$ b"


def test_prices_are_no_formulas_and_what_is_not_known_stays_readable():
    assert latex_prose("costs $5 and $7") == r"costs \$5 and \$7"
    assert latex_prose(r"$\foo{x}$") == r"\$\textbackslash{}foo\{x\}\$"
    assert latex_prose("a\nb") == "a b"
    assert latex_prose("2π ≤ √9 − 1") == r"2\ensuremath{\pi} \ensuremath{\le} \ensuremath{\surd}9 \ensuremath{-} 1"


def balanced(text):
    depth = 0
    for brace in re.findall(r"(?:\\\\|\\[{}])|([{}])", text):
        depth += {"{": 1, "}": -1, "": 0}[brace]
        assert depth >= 0
    return depth == 0


@up_to(300)
@given(HOSTILE)
def test_nothing_of_a_text_acts_and_no_group_stays_open(text):
    found = latex_prose(text)
    assert not re.search(r"[\x00-\x1f\x7f]", found)
    assert balanced(found)
    *pieces, last = re.split(r"(?<!\\)\$", found)
    assert len(pieces) % 2 == 0  # Every formula that opens closes.
    for literal in (*pieces[::2], last):
        assert re.findall(r"[\\$&%#_~^]", ALLOWED.sub("", re.sub(r"\\ensuremath\{[^}]*\}", "", literal))) == []
    for formula in pieces[1::2]:
        assert whole_formula(formula) == formula
        assert not re.search(r"\\(input|write|begin|end|\\)", formula)


@up_to(200)
@given(HOSTILE)
def test_a_kept_formula_is_the_text_itself(text):
    found = whole_formula(text)
    if found is not None:
        assert found == re.sub(r"\s+", " ", text).strip()
        assert balanced(found)
