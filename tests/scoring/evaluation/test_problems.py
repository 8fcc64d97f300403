import pytest

import making
from reference import Case
from scoring.evaluation.gold import problem_numbers, problems

NAMED = {
    "id": ["circular_p1", "deception_p1", "p1", "circular_p2", "x"],
    "error_type": ["circular", "deception", None, "circular", "circular"],
    "problem_id": [None, None, None, None, "p1"],
}


def test_cases_of_one_problem_have_one_name():
    found = problems(making.frame([Case(1)] * 5, "b", **NAMED))
    assert found.to_list() == ["b/p1", "b/p1", "b/p1", "b/p2", "b/p1"]
    assert problem_numbers(found).tolist() == [0, 0, 0, 1, 0]


def test_an_error_type_in_the_middle_of_an_id_stays():
    frame = making.frame([Case(1)], "b", id=["a_circular_1"], error_type=["circular"])
    assert problems(frame).to_list() == ["b/a_circular_1"]


@pytest.mark.parametrize("n", [0, 1])
def test_numbers_are_0_based(n):
    assert problem_numbers(problems(making.frame([Case(1)] * n))).tolist() == [0] * n
