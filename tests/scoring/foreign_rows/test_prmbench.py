import pytest

from rows_out import case, labelled
from scoring.foreign_rows.prmbench import line, official_id


def test_a_case_becomes_a_row_with_the_official_keys_in_their_order():
    assert list(line(labelled()).value.items()) == [
        ("original_question", "What is 4 + 1?"),
        ("modified_question", "What is 4 + 1?"),
        ("original_process", ["Take 4.", "Add 1.", "So 5."]),
        ("modified_process", ["Take 4.", "Add 2.", "So 6."]),
        ("modified_steps", [2, 3]),
        ("error_steps", [2, 3]),
        ("reason", "4 + 1 is no 6."),
        ("idx", "sums-4"),
        ("question", "4 + 1 = ?"),
        ("classification", "slip"),
    ]


def test_error_steps_count_from_1_wherever_they_lie():
    assert line(labelled(error_steps=[])).value["error_steps"] == []
    assert line(labelled(error_steps=[0, 9], earliest_error=0)).value["error_steps"] == [1, 10]
    assert line(labelled(error_steps=[9], earliest_error=None)).value["error_steps"] == [10]


def test_what_is_not_known_is_null():
    bare = labelled(original_problem=None, original_steps=None, modified_steps=None, reason=None, question=None)
    value = line(bare).value
    assert {key for key in value if value[key] is None} == {
        "original_question",
        "original_process",
        "modified_steps",
        "reason",
        "question",
    }


@pytest.mark.parametrize("missing", ["error_steps", "error_type"])
def test_a_case_without_a_label_for_every_step_or_without_a_class_is_left_out(missing):
    left = line(labelled(**{missing: None}))
    assert left.value is None
    assert [number for _, number in left.notes] == [1]


def test_a_domain_and_a_reference_answer_are_said_where_there_are_any():
    value = line(labelled(subset="physics", reference_answer="5")).value
    assert (value["domain"], value["ground_truth"]) == ("physics", "5")
    assert "domain" not in line(labelled(subset=None)).value


def test_the_official_id_is_what_the_official_loader_makes_of_the_row():
    for one in (labelled(), labelled(id="sums-4"), labelled(id="slip_slip_4"), labelled(id="slip_")):
        value = line(one).value
        assert official_id(one) == f"{value['classification']}_{value['idx']}"


def test_the_official_id_of_a_twin_and_of_a_case_without_a_class_is_its_own():
    assert official_id(labelled(id="correct_7", twin_of="bench/redundency_7")) == "correct_7"
    assert official_id(case()) == "sums-4"
