import polars as pl
import pytest

from inspector.state.filtering.completion import JOINS, OF_TEXTS, OPERATORS, ConditionVocabulary, completion

COLUMNS = {
    "subset": pl.String(),
    "subset_group": pl.String(),
    "final_answer_correct": pl.Boolean(),
    "n_steps": pl.Int32(),
    "tags": pl.List(pl.String()),
    "gpt4.outcome": pl.String(),
    "id": pl.String(),
}
VALUES = {
    "subset": ("math", "it's", None, "\x1b]0;t\x07"),
    "gpt4.outcome": ("late", "exact"),
    "tags": ("slip", "odd"),
    "subset_group": ("a",),
}
KNOWN = ConditionVocabulary(COLUMNS, lambda column: VALUES.get(column, ()))


def choices(text, at=None):
    return completion(text, len(text) if at is None else at, KNOWN).choices


@pytest.mark.parametrize("text", ["", "n_steps > 1 AND ", "(", "NOT ", "n_steps > 1 OR ("])
def test_a_condition_begins_with_a_column_whose_name_is_quoted_where_it_must_be(text):
    assert choices(text) == (
        "subset",
        "subset_group",
        "final_answer_correct",
        "n_steps",
        "tags",
        '"gpt4.outcome"',
        "id",
    )


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("su", ("subset", "subset_group")),
        ("subset_g", ("subset_group",)),
        ("GROUP", ("subset_group",)),
        ("gpt", ('"gpt4.outcome"',)),
        ('"gpt', ('"gpt4.outcome"',)),
        ("n_steps > 1 AND out", ('"gpt4.outcome"',)),
        ("zzz", ()),
    ],
)
def test_columns_that_hold_what_was_typed(text, first):
    assert choices(text) == first


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("subset = ", ("'math'", "'it''s'")),
        ("subset =", ("'math'", "'it''s'")),
        ("subset <> 'i", ("'it''s'",)),
        ("subset IN (", ("'math'", "'it''s'")),
        ("subset IN ('math', ", ("'math'", "'it''s'")),
        ("subset NOT IN ('math', 'i", ("'it''s'",)),
        ('n_steps > 1 AND "gpt4.outcome" = ', ("'late'", "'exact'")),
        ('"gpt4.outcome" = \'e', ("'exact'", "'late'")),
        ("final_answer_correct = ", ("true", "false")),
        ("ARRAY_CONTAINS(tags, ", ("'slip'", "'odd'")),
        ("n_steps = ", ()),
        ("id = ", ()),
        ("n_steps > 'a", ()),
    ],
)
def test_values_of_columns_that_have_few(text, expected):
    assert choices(text) == expected


def test_what_comes_after_a_column_and_after_a_comparison():
    assert choices("n_steps ") == OPERATORS
    assert choices("subset ") == OF_TEXTS
    assert choices("subset I") == ("IN (", "IS NULL", "IS NOT NULL", "LIKE")
    for text in ("n_steps > 1 ", "subset = 'a' ", "subset IS NULL ", "(n_steps > 1) ", "final_answer_correct = true "):
        assert choices(text) == JOINS


@pytest.mark.parametrize(
    ("text", "at", "choice", "expected"),
    [
        ("su", 2, "subset", "subset |"),
        ("n > 1 AND su", 12, "subset", "n > 1 AND subset |"),
        ("su = 'a'", 2, "subset", "subset |= 'a'"),
        ("subset I", 8, "IN (", "subset IN (|"),
        ("subset = 'i", 11, "'it''s'", "subset = 'it''s' |"),
        ('"gp', 3, '"gpt4.outcome"', '"gpt4.outcome" |'),
    ],
)
def test_what_is_taken_stands_in_place_of_what_was_typed(text, at, choice, expected):
    found = completion(text, at, KNOWN)
    assert choice in found.choices
    taken, cursor = found.taken(text, at, choice)
    assert f"{taken[:cursor]}|{taken[cursor:]}" == expected
