import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap

TEXT = (st.text(max_size=60) | st.text("ab- 中文é\u0301😀🇩🇪\n", max_size=80)).map(lambda text: clean(text, lines=True))


@given(TEXT, st.integers(-2, 30))
@example("中" * 5, 1)
@example("  indented word", 6)
def test_no_line_is_too_wide(text, width):
    for line in wrap(text, width):
        assert cell_len(line) <= max(1, width) or sum(cell_len(character) > 0 for character in line) == 1


@given(TEXT, st.integers(1, 30))
def test_no_character_is_lost_but_spaces(text, width):
    lines = wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert len(lines) > text.count("\n")


@given(TEXT)
def test_what_fits_stays_as_it_is(text):
    assert wrap(text, 1000) == text.split("\n")


@given(st.lists(st.text("abc中", min_size=1, max_size=5), min_size=1, max_size=12), st.integers(10, 20))
def test_words_that_fit_a_line_are_broken_only_at_spaces_or_beside_wide_characters(words, width):
    lines = wrap(" ".join(words), width)
    narrow = [word for word in words if "中" not in word]
    assert all(any(word in line for line in lines) for word in narrow)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("\n", 5, ["", ""]),
        ("one two three", 7, ["one two", "three"]),
        ("one  two", 4, ["one", "two"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("ab abcdefgh", 4, ["ab", "abcd", "efgh"]),
        ("中文字", 4, ["中文", "字"]),
        ("ab中文", 4, ["ab中", "文"]),
        ("中文", 1, ["中", "文"]),
        ("a\n\nb", 5, ["a", "", "b"]),
        ("  one two", 5, ["  one", "two"]),
        ("e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]),
    ],
)
def test_how_text_is_wrapped(text, width, lines):
    assert wrap(text, width) == lines


FORMULAS = ["x = 5", "2 + 3 = 5", "a ≤ b", "(p + q)/r", "sin θ", "3 1/2", "n → ∞", "{1, 2}"]
WIDE_TEXT = st.text("中文字，。（）", min_size=1, max_size=60)


@given(
    st.lists(st.sampled_from(["where", "is", "hence", "numbers", "the"]) | st.sampled_from(FORMULAS), min_size=1),
    st.integers(25, 60),
)
def test_a_short_formula_between_words_is_on_one_line(pieces, width):
    # Between two formulas a word stands, or they would be read as one.
    text = " so ".join(pieces)
    lines = wrap(text, width)
    for formula in FORMULAS:
        assert sum(line.count(formula) for line in lines) == text.count(formula)


@given(WIDE_TEXT, st.integers(8, 30))
def test_wide_punctuation_stays_with_what_it_belongs_to(text, width):
    lines = wrap(text, width)
    for before, after in itertools.pairwise(lines):
        stuck = before[-1] == "（" or after[0] in "，。）"
        alone = all(char in "，。（）" for char in before) or all(char in "，。（）" for char in after[: width // 2])
        assert not stuck or alone or _parts_of_one_run(before, after)


def _parts_of_one_run(before, after):
    """Whether every place of the upper line's last half lies before closing or behind opening punctuation."""
    joined = before + after[0]
    places = range(max(1, len(before) // 2), len(before) + 1)
    return all(joined[at] in "，。）" or joined[at - 1] == "（" for at in places)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Therefore the sum is x + y = 30 cm", ["Therefore the sum is", "x + y = 30 cm"]),
        ("f(x) = x³ + 3x² + 3x + 1 = (x + 1)³", ["f(x) = x³ + 3x² + 3x", "+ 1 = (x + 1)³"]),
        ("aaaa+bbbb+cccc=dddd+eeee+ffff+gggg", ["aaaa+bbbb+cccc=dddd+", "eeee+ffff+gggg"]),
        ("We find that sin x is even here", ["We find that sin x", "is even here"]),
        ("there were about 3 1/2 bags", ["there were about", "3 1/2 bags"]),
        ("well-known or non-negative", ["well-known or", "non-negative"]),
        ("and so S = {1, 2, 3, 4, 5, 6}", ["and so S = {1, 2, 3,", "4, 5, 6}"]),
    ],
)
def test_where_a_line_ends_in_twenty_cells(text, lines):
    assert wrap(text, 20) == lines
