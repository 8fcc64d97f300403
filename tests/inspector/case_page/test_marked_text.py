"""Marked text: places keep what they mark through formulas, cleaning and wrapping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.render.mathtext import unicode_math
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.state.marked_text import TextMark, placed_lines, readable

PIECES = (
    *("paragraph 1", r"\boxed{3}", "$", r"\frac{1}{2}", " ", "\n\n\n\n", "第1步", "x^2", r"\(", r"\)", "\x1b[2J"),
    *("\u202e", "\U000f0000", "\u200b", "é", "{", "}", "\\n", "\r\n"),
)


def marked(text, *words, name=1):
    return [TextMark(text.index(word), text.index(word) + len(word), name) for word in words]


def shown(text, marks, **how):
    found = readable(text, marks, raw=how.pop("raw", False), **how)
    return [found.text[mark.start : mark.end] for mark in found.marks]


@pytest.mark.parametrize(
    ("text", "word", "seen"),
    [
        (r"So $\boxed{3}$ it is", r"\boxed{3}", "⟦3⟧"),
        (r"$\frac{1}{2}$ in paragraph 1", "paragraph 1", "paragraph 1"),
        (r"In $\text{paragraph 1}$", "paragraph 1", "paragraph 1"),
        ("第1步 $x^2$", "第1步", "第1步"),
        ("\u200bpar\u200bagraph 1", "par\u200bagraph 1", "paragraph 1"),
        ("a\r\nparagraph\t1", "paragraph\t1", "paragraph    1"),
        ("\U000f0000paragraph 1", "paragraph 1", "paragraph 1"),
    ],
)
def test_a_place_is_that_of_the_same_words(text, word, seen):
    assert shown(text, marked(text, word)) == [seen]


def test_marks_within_one_another():
    text = r"So \boxed{paragraph_2}, see paragraph 3"
    marks = [*marked(text, r"\boxed{paragraph_2}", name=0), *marked(text, "paragraph_2", name=2)]
    found = readable(text, [*marks, *marked(text, "paragraph 3", name=3)], raw=True)
    assert [mark.name for mark in found.marks] == [0, 2, 3]
    assert found.text == text


def test_a_mark_that_would_change_a_formula_is_left_out():
    text = r"$\frac12$, and step 1$"
    harmful = [TextMark(6, 7, 1)]
    plain = clean(unicode_math(text), lines=True)
    found = readable(text, [*harmful, *marked(text, "step 1")], raw=False)
    assert found.text == plain
    assert not found.raw


def test_what_was_read_is_shown_as_written_sooner_than_not_at_all():
    text = r"$\boxed{\frac{1}{2}}$"
    start = text.index(r"\boxed")
    found = readable(text, [TextMark(start, text.index("}") + 1, -1)], raw=False, precious=-1)
    assert found.raw
    assert [found.text[mark.start : mark.end] for mark in found.marks] == [r"\boxed{\frac{1}"]


def test_a_text_of_all_private_characters_loses_its_marks_and_nothing_else():
    text = "".join(map(chr, range(0xF0000, 0xF0200))) + "paragraph 1"
    found = readable(text, marked(text, "paragraph 1"), raw=False)
    assert (found.text, found.marks) == (text, ())


@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4),
)
def test_marks_change_nothing_that_is_read(text, places):
    marks = []
    for start, length in places:
        one = TextMark(start, min(start + length, len(text)), len(marks))
        edges = text[one.start : one.start + 1] + text[one.end - 1 : one.end] if one.start < one.end else " "
        if edges.isalnum() and all(one.end <= other.start or one.start >= other.end for other in marks):
            marks.append(one)
    for raw in (False, True):
        bare, found = readable(text, [], raw=raw), readable(text, marks, raw=raw)
        assert found.text == bare.text
        assert all(0 <= mark.start < mark.end <= len(found.text) for mark in found.marks)
        assert {mark.name for mark in found.marks} <= {mark.name for mark in marks}


@given(st.text(alphabet="ab 语\u3000\n  x", max_size=80), st.integers(1, 12))
def test_wrapped_lines_know_their_places(text, width):
    lines = list(placed_lines(text, width))
    assert [line.text for line in lines] == wrap(text, width)
    assert all(text[line.start : line.end] == line.text for line in lines)
    starts = [line.start for line in lines]
    assert starts == sorted(starts)
