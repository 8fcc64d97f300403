import pytest

from scoring.benchmarks.step_labels import gold, problem_id


@pytest.mark.parametrize(
    ("right", "earliest", "errors"),
    [
        ([True, True], -1, []),
        ([True, False, True, False], 1, [1, 3]),
        ([False], 0, [0]),
        ([True, None], None, None),
        ([None, False], 1, None),
        ([False, None], 0, None),
    ],
)
def test_gold(right, earliest, errors):
    assert gold(right) == {"earliest_error": earliest, "error_steps": errors}


def test_problems_have_stable_names():
    assert problem_id("What is 1 + 1?") == problem_id("What is 1 + 1?") != problem_id("What is 1 + 2?")
    assert len(problem_id("")) == 12
