"""Where a text holds what is searched for."""

from itertools import pairwise

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import SearchError
from scoring.workspace.filtering.text_query import TextQuery
from scoring.workspace.filtering.text_spans import occurs, spans


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
    # An expression may occur without a single character, as ^ does.
    assert bool(places) == (anywhere and bool(text)) or (anywhere and query[0] == "/")
    for start, stop in places:
        assert any(pl.Series([text[start:stop]]).str.contains(pattern).item() for pattern in found.patterns)


def test_spans_of_several_words_and_hostile_text():
    assert spans(TextQuery.parse("ab bc"), "xabcx ab") == ((1, 4), (6, 8))
    assert spans(TextQuery.parse("/x*/"), "axxb") == ((1, 3),)
    assert spans(TextQuery.parse("m"), "\ud800 M \ue000m\ue001") == ((2, 3), (5, 6))
    assert spans(TextQuery.parse("𝒳"), "a𝒳界𝒳") == ((1, 2), (3, 4))
    assert spans(TextQuery.parse(r"/\bfoo\b/"), "foofoo foo") == ((7, 10),)


def test_composed_and_decomposed_letters_are_marked_whole():
    assert spans(TextQuery.parse("\u00e9t\u00e9"), "e\u0301t\u00e9 \u00e9te\u0301") == ((0, 4), (5, 9))
    assert spans(TextQuery.parse("\u1ebf"), "\u00ea\u0301e\u0302\u0301\u1ebf") == ((0, 6),)


def test_nothing_occurs_nowhere():
    assert not occurs(TextQuery.parse(""), "a")
    assert not occurs(TextQuery.parse("a"), "")
    assert occurs(TextQuery.parse("b a"), "a")
