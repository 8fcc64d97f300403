import pytest

from rows_out import case
from scoring.foreign_rows.grben import line


def test_a_case_becomes_a_row_with_the_official_keys_in_their_order():
    value = line(case(error_type="logical", reason="4 + 1 is no 6.")).value
    assert list(value.items()) == [
        ("id", "sums-4"),
        ("domain", "sums"),
        ("generator", "a-model"),
        ("problem", "What is 4 + 1?"),
        ("steps", ["Take 4.", "Add 2.", "So 6."]),
        ("label", 2),
        ("final_answer_correct", False),
        ("error_type", "logical"),
        ("reason", "4 + 1 is no 6."),
    ]


@pytest.mark.parametrize(("ours", "theirs"), [(-1, -1), (0, 1), (2, 3), (7, 8)])
def test_labels_count_from_1(ours, theirs):
    assert line(case(earliest_error=ours)).value["label"] == theirs


def test_an_error_type_or_reason_that_is_not_there_is_null_as_in_the_official_file():
    value = line(case()).value
    assert (value["error_type"], value["reason"]) == (None, None)


@pytest.mark.parametrize("missing", ["earliest_error", "subset"])
def test_a_case_that_would_stop_or_mislead_the_official_code_is_left_out(missing):
    left = line(case(**{missing: None}))
    assert left.value is None
    assert [number for _, number in left.notes] == [1]
