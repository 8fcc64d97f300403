import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.render.mathtext import symbols, unicode_math
from inspector.render.mathtext.commands import SIMPLE, SPECIAL, STRUCTURES
from inspector.render.mathtext.dollar_signs import is_formula
from inspector.render.mathtext.source import ARGUMENTS
from thoroughness import THOROUGH, up_to

GRADED = Path(__file__).parent / "data" / "mathtext_graded.tsv"
LONG = 50_000 if THOROUGH else 15_000
CONTROLS = str.maketrans("⏎␇␈␉␋␌", "\n\a\b\t\v\f")


def graded() -> Iterator[tuple[str, str, str]]:
    for line in GRADED.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            group, latex, text = line.split("\t")
            yield group, latex.translate(CONTROLS), text.translate(CONTROLS)


def test_the_graded_set_is_large_and_has_no_case_twice() -> None:
    sources = [latex for _, latex, _ in graded()]
    assert len(sources) >= 300
    assert len(set(sources)) == len(sources)


def test_graded_expressions() -> None:
    given = {(group, latex): unicode_math(latex) for group, latex, _ in graded()}
    assert given == {(group, latex): text for group, latex, text in graded()}


# Everything that has a meaning somewhere, to be strung together without one.
FRAGMENTS = [
    *"xyAB0123 +-=<>()[]|!'.,:;/&~%#\n\t{}^_$\\",
    *(f"\\{name}" for name in ("frac", "sqrt", "binom", "text", "mathbf", "overline", "hat", "boxed", "pmod", "tag")),
    *(f"\\{name} " for name in ("alpha", "cdot", "le", "sum", "sin", "lim", "quad", "displaystyle", "foo", "not")),
    *("\\left(", "\\right)", "\\left\\{", "\\right.", "\\bigl|", "\\{", "\\}", "\\\\", "\\,", "\\|", "\\%", "\\$"),
    *("\\(", "\\)", "\\[", "\\]", "$$", "\\begin{pmatrix}", "\\end{pmatrix}", "\\begin{cases}", "\\end{cases}"),
    *("\\begin{align*}", "\\end{align*}", "\\begin{array}{c|c}", "\\end{array}", "\\hline", "\\over", "\\substack"),
    *("\\stackrel", "\\underset", "\\mathbb", "\\operatorname", "\\n", "\\ne", "[asy]", "[/asy]", "求", "é", "ₙ", "²"),
]
soups = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)


@up_to(500, 40)
@given(st.one_of(st.text(), soups, soups.map(lambda soup: f"${soup}$"), soups.map(lambda soup: f"\\[{soup}\\]")))
@example("$\\substack{}$")
@example("$\\mathbb{}\\operatorname{}\\hat{}\\text{}\\boxed{}\\frac{}{}\\sqrt{}\\binom{}{}$")
@example("{}^{} $^_$ $\\left$ \\begin{} \\")
def test_any_text_converts_without_an_error_or_a_new_control_character(text: str) -> None:
    converted = unicode_math(text)
    new = set(converted) - set(text) - {"\n"}
    assert not {char for char in new if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}}


KEPT = [
    *"xyzAB0123456789 +-=()[]{}^_&",
    *("\\frac", "\\alpha ", "\\cdot ", "\\foo", "\\foo{", "\\sin ", "\\left(", "\\right)", "\\text{if }", "\\mathbf{"),
    *("\\overline{", "\\boxed{", "\\sum_{", "\\\\", "\\begin{pmatrix}", "\\end{pmatrix}"),
]


@up_to(500)
@given(st.lists(st.sampled_from(KEPT), max_size=40).map("".join))
def test_no_letter_and_no_digit_is_dropped(soup: str) -> None:
    written = re.sub(r"\\(?:begin|end)\{pmatrix\}|\\[A-Za-z]+", "", soup)
    kept = Counter(unicodedata.normalize("NFKD", unicode_math(f"${soup}$")))
    for char, count in Counter(filter(str.isalnum, written)).items():
        assert kept[char] >= count, f"{char} of {soup}"


plain_texts = st.text(st.characters(exclude_characters="\\$\a\b\t\v\f"), max_size=200).filter(
    lambda text: "^{" not in text and "_{" not in text
)


@given(plain_texts)
@example("50% of x^2, a_1, **bold**, {1, 2}, [asy], `code`, 求\tx\r\n")
def test_text_without_latex_is_returned_as_it_is(text: str) -> None:
    assert unicode_math(text) is text


words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=8)
prices = st.decimals(0, 10_000, places=2).map(lambda price: f"${price}")


@given(st.lists(st.tuples(words, words, prices), min_size=1, max_size=6))
def test_prices_in_prose_stay(parts: list[tuple[str, str, str]]) -> None:
    text = ". ".join(" ".join(part) for part in parts)
    assert unicode_math(text) == text


@given(words.filter(lambda word: f"\\{word}" and word not in {*SIMPLE, *STRUCTURES, *SPECIAL, *symbols.UNSEEN}))
def test_an_unknown_command_keeps_its_arguments(word: str) -> None:
    text = rf"\z{word}{{\frac{{1}}{{2}}}}[x]"
    assert unicode_math(f"${text}$") == text


def test_every_simple_command_becomes_text() -> None:
    assert [name for name in SIMPLE if "\\" in unicode_math(f"$a \\{name} b$")] == []


def test_every_command_with_arguments_has_a_count_and_a_meaning() -> None:
    assert set(ARGUMENTS) == set(STRUCTURES) | symbols.STYLES
    tables = [SIMPLE, STRUCTURES, SPECIAL, symbols.UNSEEN]
    assert sum(map(len, tables)) == len(set().union(*tables))


def test_small_characters_stand_for_one_character_each() -> None:
    for table in (symbols.SUPERSCRIPTS, symbols.SUBSCRIPTS):
        assert len(set(table.values())) == len(table)
        for char, small in table.items():
            assert small == char or unicodedata.normalize("NFKC", small) == char.replace("-", "−")


@pytest.mark.parametrize(
    ("inside", "after", "expected"),
    [
        ("x", "", True),
        ("5", ".", True),
        (" x + y ", " ", True),
        ("2 sin x cos x", " ", True),
        (r"\text{if it is so}", "", True),
        ("设函数g(t)=t", "", True),
        ("(length + 3)(width + 3)", "", True),
        (r"\begin{pmatrix} 1 \\[4pt] 2 \end{pmatrix}", "", True),
        ("", "", False),
        (" ", "", False),
        ("5 and ", "7", False),
        ("5, ", "6", False),
        ("5/", "2", False),
        ("x = ", "5", False),
        (" per week, so the total is ", "4", False),
        ("20 for ", "x", False),
        ("45.00:\n", "$", False),
        ("5\n\nNext", "", False),
        (r"5 and \(x\) is ", "7", False),
    ],
)
def test_what_stands_between_dollars(inside: str, after: str, expected: bool) -> None:
    assert is_formula(inside, after) is expected


NESTED = [
    *("{", "\\frac{", "\\sqrt{", "x^{", "x_{", "\\overline{", "\\text{", "\\mathbf{", "\\boxed{", "\\foo{"),
    *("\\left(", "("),
]
REPEATED = [
    *("\\", "{", "}", "$", "$$", "\\(", "\\[", "\\)", "^", "_", "'", "|", " ", "\n", "a", "1", "a ", "abc, ", "((a)"),
    *("|a", "\\frac", "\\frac{a}", "\\sqrt\\frac", "\\sqrt[", "x^", "x^{a}_", "1\\frac12", "\\begin{a}", "\\end{a}"),
    *("\\bar\\bar", "\\begin{cases}a&b\\\\\\end{cases}", "\\left\\{", "\\right.", "\\n", "\\ne", "[asy]", "\\foo{x}"),
    *("\\text{$", "{a\\over"),
]


@pytest.mark.parametrize("unit", [*NESTED, *REPEATED])
def test_time_grows_with_the_length_only(unit: str) -> None:
    many = LONG // len(unit)
    long = unit * (many // 2) + "x" + "}" * (many // 2) if unit in NESTED and unit[-1] == "{" else unit * many
    for frame in ("{}", "${}$", r"\frac{{{}x}}{{2}}"):
        text = frame.format(long)
        start = time.process_time()
        unicode_math(text)
        # A quarter of that is enough; anything quadratic takes far longer.
        assert time.process_time() - start < LONG / 25_000, frame


def test_deep_nesting_stays_as_it_is_written_from_some_depth_on() -> None:
    assert unicode_math("$" + r"\sqrt{" * 5 + "x" + "}" * 5 + "$") == "√(√(√(√(√x))))"
    deep = unicode_math("$" + r"\sqrt{" * 500 + "x" + "}" * 500 + "$")
    assert deep.startswith("√(√(√(")
    assert r"\sqrt{\sqrt{x}}" in deep
