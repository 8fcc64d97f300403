import pytest

from rows_out import case
from scoring.foreign_rows.line import Line
from scoring.foreign_rows.processbench import line


def test_a_case_becomes_a_row_with_the_official_keys_in_their_order():
    assert list(line(case()).value.items()) == [
        ("id", "sums-4"),
        ("generator", "a-model"),
        ("problem", "What is 4 + 1?"),
        ("steps", ["Take 4.", "Add 2.", "So 6."]),
        ("final_answer_correct", False),
        ("label", 1),
    ]
    assert line(case()).notes == ()


@pytest.mark.parametrize("label", [-1, 0, 2, 3, 70])
def test_labels_stay_as_they_are_even_beyond_the_end(label):
    assert line(case(earliest_error=label)).value["label"] == label


def test_what_is_not_known_is_null_for_official_code_reads_the_keys():
    value = line(case(generator=None, final_answer_correct=None)).value
    assert (value["generator"], value["final_answer_correct"]) == (None, None)


def test_a_case_without_gold_is_left_out_with_a_reason():
    assert line(case(earliest_error=None)) == Line(None, (("cases left out, no earliest error is labelled", 1),))


@pytest.mark.parametrize(
    ("id_", "subset", "extra"),
    [
        ("sums-4", "sums", {}),
        ("a-b-4", "a-b", {}),
        ("sums-4", None, {}),
        ("a-b-4", "a", {"subset": "a"}),
        ("four", "sums", {"subset": "sums"}),
        ("sums-x", "sums", {"subset": "sums"}),
        ("s\n-4", "s\n", {"subset": "s\n"}),
    ],
)
def test_a_subset_that_the_id_does_not_say_is_said(id_, subset, extra):
    value = line(case(id=id_, subset=subset)).value
    assert {key: value[key] for key in value if key == "subset"} == extra
