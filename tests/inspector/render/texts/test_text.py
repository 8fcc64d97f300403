import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.texts.text import LINE_BREAKS, cell, clean, json_text

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
ACTING = ["RLE", "LRE", "RLO", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI"]


def test_no_character_of_unicode_can_act_on_a_terminal():
    for character in clean("".join(map(chr, range(0x110000)))):
        assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}, hex(ord(character))
        assert unicodedata.bidirectional(character) not in ACTING, hex(ord(character))


@given(ANY, st.booleans())
def test_what_is_clean_stays_as_it_is(text, lines):
    once = clean(text, lines=lines)
    assert clean(once, lines=lines) == once
    once.encode()


@given(ANY)
def test_every_character_takes_its_own_width(text):
    found = clean(text)
    assert cell_len(found) == sum(map(cell_len, found))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text {}[]~", "plain text {}[]~"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("a\x00b\x7fc", "a␀b␡c"),
        ("\x9b31m", "\ufffd31m"),
        ("half \ud83d", "half \ufffd"),
        ("\u202eevil\u202c", "\ufffdevil\ufffd"),
        ("zero\u200b\u200d\ufeffwidth\u00ad", "zerowidth"),
        ("\U000e0041tag", "tag"),
        ("a\tb\u00a0c", "a    b c"),
        ("[bold red]x[/] \\[y\\]", "[bold red]x[/] \\[y\\]"),
        ("中文 e\u0301 😀", "中文 e\u0301 😀"),
        ("👩\u200d🔬", "👩🔬"),
        ("", ""),
    ],
)
def test_how_text_is_shown(text, shown):
    assert clean(text) == shown


@pytest.mark.parametrize("line_break", ["\r\n", *LINE_BREAKS])
def test_every_line_break_is_one(line_break):
    assert clean(f"a{line_break}b") == "a b"
    assert clean(f"a{line_break}b", lines=True) == "a\nb"


@given(ANY, st.integers(0, 40), st.booleans())
def test_a_cell_is_one_line_of_its_width(text, width, right):
    found = cell(text, width, right=right)
    assert cell_len(found) == width
    assert "\n" not in found


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("ab", 4, "ab  "),
        ("abcd", 4, "abcd"),
        ("abcde", 4, "abc…"),
        ("中文字", 4, "中 …"),
        ("abc", 1, "a"),
        ("中", 1, " "),
        ("abc", 0, ""),
        ("a\nb", 3, "a b"),
    ],
)
def test_how_a_cell_is_cut(text, width, shown):
    assert cell(text, width) == shown


def test_a_number_stands_right():
    assert cell("7", 3, right=True) == "  7"
    assert cell("12345", 3, right=True) == "12…"


@given(st.recursive(st.text() | st.none() | st.integers(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)))
@example("\x1b[2J\x7f\x85\x9b\u2028\u202e\u200b\ufeff\U000e0001 \t\n\r\ud800")
def test_json_is_exact_and_cannot_act(value):
    text = json_text(value)
    assert json.loads(text) == value
    assert clean(text, lines=True).replace("\u00a0", " ") == text.replace("\u00a0", " ")
