import pytest

from rows_out import case
from scoring.foreign_rows.trl import line

STEPS = case()["steps"]


def labels(**changes):
    value = line(case(**changes)).value
    assert value["completions"] == STEPS[: len(value["labels"])]
    return value["labels"]


def test_a_row_has_the_official_keys():
    assert line(case(error_steps=[1])).value == {
        "prompt": "What is 4 + 1?",
        "completions": STEPS,
        "labels": [True, False, True],
    }


def test_every_label_is_written_where_every_step_is_labelled():
    assert labels(error_steps=[0, 2], earliest_error=0) == [False, True, False]
    assert labels(error_steps=[], earliest_error=-1) == [True, True, True]
    assert labels(error_steps=None, earliest_error=-1) == [True, True, True]


@pytest.mark.parametrize(("earliest", "kept"), [(0, [False]), (1, [True, False]), (2, [True, True, False])])
def test_what_follows_the_only_labelled_error_is_cut_and_counted(earliest, kept):
    assert labels(earliest_error=earliest) == kept
    numbers = [number for _, number in line(case(earliest_error=earliest)).notes]
    assert numbers == ([1, 3 - len(kept)] if len(kept) < 3 else [])


def test_labels_beyond_the_last_step_are_left_out_and_counted():
    assert labels(error_steps=[1, 3, 9]) == [True, False, True]
    (note,) = line(case(error_steps=[1, 3, 9])).notes
    assert note[1] == 2


@pytest.mark.parametrize(
    "changes", [{"earliest_error": None}, {"earliest_error": None, "error_steps": [7]}, {"earliest_error": 3}]
)
def test_a_case_whose_labels_name_no_step_is_left_out_rather_than_called_right(changes):
    left = line(case(**changes))
    assert left.value is None
    assert [number for _, number in left.notes] == [1]
