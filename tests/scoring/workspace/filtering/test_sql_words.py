"""The words of a condition, and how names and values are written in one."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.workspace.filtering.sql_words import BARE, literal, named, quoted, words_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(TEXT | st.text("'\"ab 1.<=!(-", max_size=12))
def test_words_are_what_stands_there_and_nothing_is_left_out(condition):
    words = list(words_of(condition))
    assert all(condition[word.start : word.end] == word.text for word in words)
    bounds = [0, *(place for word in words for place in (word.start, word.end)), len(condition)]
    assert bounds == sorted(bounds)
    assert not any(condition[end:start].strip() for end, start in zip(bounds[::2], bounds[1::2], strict=True))


def test_each_kind():
    words = list(words_of("n_steps >= -1.5e3 AND \"x\"\"y.outcome\" <> 'it''s'"))
    assert [(word.kind, word.value) for word in words] == [
        ("name", "n_steps"),
        ("sign", ">="),
        ("number", "-1.5e3"),
        ("name", "AND"),
        ("quoted", 'x"y.outcome'),
        ("sign", "<>"),
        ("text", "it's"),
    ]


@pytest.mark.parametrize(("condition", "value"), [("'abc", "abc"), ('"a b', "a b"), ("'it''", "it'"), ("'", "")])
def test_a_quote_that_is_not_closed_is_told(condition, value):
    *_, last = words_of(condition)
    assert last.open
    assert last.value == value


@given(TEXT)
def test_a_text_is_read_back_as_it_is(text):
    (word,) = words_of(quoted(text))
    assert (word.kind, word.value, word.open) == ("text", text, False)
    assert pl.select(pl.sql_expr(quoted(text))).item() == text


@given(TEXT.filter(bool))
def test_a_name_is_read_back_as_it_is(name):
    (word,) = words_of(named(name))
    assert word.value == name
    assert pl.sql_expr(named(name)).meta.root_names() == [name]


def test_names_of_cases_stand_bare_and_engines_read_them():
    for name in BARE:
        assert pl.sql_expr(f"{named(name)} IS NULL").meta.root_names() == [name] == [named(name)]


def test_values():
    assert [literal(value) for value in ("a'b", True, False, 3, 0.5)] == ["'a''b'", "true", "false", "3", "0.5"]
