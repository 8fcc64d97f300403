"""How a query is read: words, phrases, regular expressions, and whether case matters."""

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import SearchError
from scoring.text_query import SCOPES, TextQuery
from scoring.text_spans import spans


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


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.text(max_size=3))
def test_spans_are_where_the_engine_matches(text, query):
    try:
        found = TextQuery.parse(query)
    except SearchError:
        return
    places = spans(found, text)
    assert all(0 <= start < stop <= len(text) for start, stop in places)
    assert all(before[1] < after[0] for before, after in pairwise(places))
    anywhere = any(pl.Series([text]).str.contains(pattern).item() for pattern in found.patterns)
    assert bool(places) == (anywhere and bool(text))
    for start, stop in places:
        assert any(pl.Series([text[start:stop]]).str.contains(pattern).item() for pattern in found.patterns)


def test_spans_of_several_words_and_hostile_text():
    assert spans(TextQuery.parse("ab bc"), "xabcx ab") == ((1, 4), (6, 8))
    assert spans(TextQuery.parse("/x*/"), "axxb") == ((1, 3),)
    assert spans(TextQuery.parse("m"), "\ud800 M \ue000m\ue001") == ((2, 3), (5, 6))
    assert spans(TextQuery.parse("𝒳"), "a𝒳界𝒳") == ((1, 2), (3, 4))
    assert spans(TextQuery.parse(r"/\bfoo\b/"), "foofoo foo") == ((7, 10),)
