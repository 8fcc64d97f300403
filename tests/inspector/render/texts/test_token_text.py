"""Tokens with nothing hidden, and the window around one of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.texts.token_text import visible, window


@pytest.mark.parametrize(
    ("text", "seen", "plain"),
    [
        ("\n\t\r", "⏎⇥␍", r"\n\t\r"),
        ("a\x1b[31m\x00\x7f", "a␛[31m␀␡", r"a\x1b[31m\x00\x7f"),
        ("\u202e\u200b\u00a0", "<U+202E><U+200B><U+00A0>", "<U+202E><U+200B><U+00A0>"),
        ("\u0301x", "<U+0301>x", "<U+0301>x"),
        ("e\u0301 ки", "e\u0301 ки", "e\u0301 ки"),
    ],
)
def test_every_letter_of_a_token_is_seen(text, seen, plain):
    assert visible(text) == seen
    assert visible(text, ascii_only=True) == plain


def test_the_window_says_where_its_token_stands():
    texts = [f"t{at}" for at in range(40)]
    line, start, size = window(texts, 20, 30)
    assert line[start : start + size] == "t20"
    assert (line[0], line[-1]) == ("…", "…")
    assert len(line) <= 30
    assert line.index("t20") > 15
    assert window(texts[:3], 2, 30) == ("t0│t1│t2", 6, 2)
    assert window(texts, 39, 20, ascii_only=True)[0] == "...|t36|t37|t38|t39"


@given(
    st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=60).flatmap(
        lambda texts: st.tuples(st.just(texts), st.integers(0, len(texts) - 1))
    ),
    st.integers(20, 200),
    st.booleans(),
)
def test_the_window_is_never_wider_than_its_place(texts_and_at, width, ascii_only):
    texts, at = texts_and_at
    seen = [visible(text, ascii_only=ascii_only) for text in texts]
    line, start, size = window(seen, at, width, ascii_only=ascii_only)
    assert cell_len(line) <= width
    assert 0 <= start <= start + size <= width
