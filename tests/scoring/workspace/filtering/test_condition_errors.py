import polars as pl
import pytest

from scoring.data.errors import FilterError
from scoring.workspace.filtering.filters import passing

FRAME = pl.DataFrame({"subset": ["a"], "n_steps": [3], "gpt4.outcome": ["late"]})


def error(condition):
    with pytest.raises(FilterError) as found:
        passing(FRAME, [condition])
    return found.value


@pytest.mark.parametrize(
    ("condition", "pointed", "words"),
    [
        ("n_step > 3", "n_step", "there is no column 'n_step'; did you mean n_steps?"),
        ("adjudication = 'changed'", "adjudication", "it is there with `--labels adjudicated`"),
        ("n_steps > 3 AND subzet = 'a'", "subzet", "did you mean subset?"),
        ('subset = "a\'b"', '"a\'b"', "A text stands in single quotes: 'a''b'."),
        ("n_steps > 2 AND gpt4.outcome = 'late'", "gpt4.outcome", 'write "gpt4.outcome", in double quotes'),
        ("'gpt4.outcome' = gpt4.outcome", "gpt4.outcome", "in double quotes"),
        ("n_steps > 1 AND )", ")", "unexpected )."),
        ("n_steps = = 2", "=", "unexpected =."),
        ("subset = 'a", "'a", "the closing ' is missing."),
        ('n_steps > 1 AND "gpt4', '"gpt4', 'the closing " is missing.'),
        ("n_steps IN ()", ")", "unexpected )."),
        ("n_steps > 1)", ")", "unexpected )."),
    ],
)
def test_the_place_is_that_of_the_word_that_is_wrong(condition, pointed, words):
    found = error(condition)
    assert condition[slice(*found.place)] == pointed
    assert words in found.fault
    # Of two equal words the second is wrong where the first makes sense.
    assert found.place[0] == condition.rindex(pointed)


@pytest.mark.parametrize(
    "condition",
    [
        "n_steps >",
        "n_steps > ",
        "n_steps > 1 AND",
        "(n_steps > 1",
        "n_steps BETWEEN",
        "n_steps BETWEEN 1",
        "n_steps BETWEEN 1 AND",
        "subset IS",
        "subset IS NOT",
        "subset IN ('a',",
        "CASE WHEN n_steps > 1",
    ],
)
def test_what_is_not_finished_is_pointed_at_behind_its_end(condition):
    found = error(condition)
    assert found.place[0] == len(condition.rstrip())
    assert found.fault == "something is missing here."


@pytest.mark.parametrize(
    ("condition", "words"),
    [("n_steps", "compare it with something"), ("subset > 3", "cannot compare"), ("n_steps = 'x'", "cannot compare")],
)
def test_what_can_be_read_and_not_evaluated_has_no_place(condition, words):
    found = error(condition)
    assert found.place is None
    assert words in found.fault
    assert condition in str(found)


@pytest.mark.parametrize("condition", ["right = 'yes'", "n_steps > 1 AND \"right\" <> 'no'"])
def test_a_column_of_true_and_false_is_no_text(condition):
    frame = FRAME.with_columns(right=pl.lit(True))
    with pytest.raises(FilterError, match="is true or false, and no text") as found:
        passing(frame, [condition])
    assert condition[slice(*found.value.place)] in {"'yes'", "'no'"}
    for fine in ("right = true", "right = 'true'", "subset = 'yes'", "right IS NULL", "right IN (true)", "right"):
        passing(frame, [fine])
