"""How a query is read: words, phrases, regular expressions, and whether case matters."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import SearchError
from scoring.workspace.filtering.text_query import LONGEST, MOST_WORDS, SCOPES, TextQuery
from thoroughness import also


def matches(query, text):
    found = TextQuery.parse(query)
    return all(pl.Series([text]).str.contains(pattern).item() for pattern in found.patterns)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("premise", "The PREMISE", True),
        ("Premise", "the premise", False),
        ("Premise", "A Premise", True),
        ("b a", "a b", True),
        ('"a b"', "b a", False),
        ('"the premise"', "of the\n  Premise", True),
        ('"the premise', "of the\n  Premise", True),
        ('"the premise', "premise of the", False),
        ('of "the premise', "of the premise", True),
        ('5" x', 'a 5" X', True),
        ('"say ""x"""', 'Say "X" now', True),
        ('x" y', 'y x"', True),
        ("a.c", "abc", False),
        (r"\frac{1}", r"so \frac{1}{2}", True),
        ("/a.c/", "ABC", True),
        ("/a.c/c", "ABC", False),
        ("/A.c/i", "aBC", True),
        (r"/\S+x/", "AX", True),
        ("/[A-Z]x/", "ax", False),
        ("/", "1/2", True),
        ("//", "http://", True),
        ("/2", "1/2", True),
        ("caf\u00e9", "CAFE\u0301", True),
        ("cafe\u0301", "caf\u00e9", True),
        ("\u00e9t\u00e9", "e\u0301t\u00e9", True),
        ("\u00e9te\u0301", "\u00c9TE\u0301", True),
        ('"t\u00e9 s"', "e\u0301te\u0301  s\u00e9", True),
        ("\u1ebf", "\u00ea\u0301", True),
        ("e\u0302\u0301", "\u1ebf", True),
        ("\u00ea\u0301", "e\u0302\u0301", True),
        ("\u00e9", "e", False),
        ("\uac01\uac01", "\u1100\u1161\u11a8\uac01", True),
        ("/\u212bx/c", "\u00c5x", False),
        ("\u212bX", "\u212bX", True),
        ("\u212bX", "A\u030aX", True),
        ("界", "世界", True),
        ("𝒳", "let 𝒳 be", True),
        ("x\u00b2", "x^2", False),
        ("[red]", "[RED]", True),
        ("\x1b[31m", "\x1b[31m", True),
    ],
)
def test_what_a_query_finds(query, text, expected):
    assert matches(query, text) is expected


@pytest.mark.parametrize(
    ("query", "place", "why"),
    [
        ("/(foo/", 2, "unclosed group"),
        ("  /(foo/", 4, "unclosed group"),
        ("/foo[/", 5, "unclosed character class"),
        ("/é(/i", 3, "unclosed group"),
        ("/a\n(b/", 4, "unclosed group"),
        ("/(?=x)/", 2, "look-around"),
        (r"/(a)\1/", 5, "backreferences"),
    ],
)
def test_a_wrong_expression_is_told_with_its_place(query, place, why):
    with pytest.raises(SearchError, match=f"at character {place}: .*{why}"):
        TextQuery.parse(query)


def test_one_that_is_too_large_is_told():
    with pytest.raises(SearchError, match="size limit"):
        TextQuery.parse("/((a{1000}){1000}){1000}/")


def test_scopes():
    assert TextQuery.parse("x").scopes == SCOPES
    assert TextQuery.parse("x", ("all",)).scopes == SCOPES
    assert TextQuery.parse("x", ("Steps", "problem")).scopes == ("problem", "steps")
    assert TextQuery.parse("x", ("critiques",)).scopes == ("answers",)
    assert TextQuery.parse("x y", ("steps",)).words == "x y in steps"
    assert TextQuery.parse("x y").words == "x y"
    for wrong in ("", "question", "p s"):
        with pytest.raises(SearchError, match="no scope"):
            TextQuery.parse("x", (wrong,))


def test_bytes_that_are_no_text():
    with pytest.raises(SearchError, match="UTF-8"):
        TextQuery.parse("a\udcff")


def test_an_empty_query_is_none():
    for text in ("", "  \n", '""'):
        assert not TextQuery.parse(text)


@given(st.text(max_size=20))
def test_no_text_is_misread(text):
    try:
        query = TextQuery.parse(text)
    except SearchError:
        return
    for pattern in query.patterns:
        pl.Series(["x"]).str.contains(pattern)


# Of all letters, this one can be written in most ways.
@pytest.mark.parametrize("part", ["a", "\u1ebf", *also("\u00e9 b", "\u212b")])
def test_the_engine_has_room_for_the_longest_query(part):
    longest = part * ((LONGEST - 2) // len(part))
    (pattern,) = TextQuery.parse(f'"{longest}"').patterns
    assert pl.Series([f"so {longest}", longest[:-1]]).str.contains(pattern).to_list() == [True, False]


def test_a_longer_one_is_refused_before_the_engine_sees_it():
    with pytest.raises(SearchError, match="4,001 characters, more than 4,000"):
        TextQuery.parse("a" * (LONGEST + 1))


def test_many_words_are_one_phrase_or_refused():
    words = " ".join(f"w{number}" for number in range(MOST_WORDS + 1))
    with pytest.raises(SearchError, match=r"65 words, more than 64.*one phrase"):
        TextQuery.parse(words)
    assert len(TextQuery.parse(f'"{words}"').patterns) == 1
    assert len(TextQuery.parse("again " * 100).patterns) == 1
