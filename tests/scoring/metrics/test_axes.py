import polars as pl
import pytest

import making
from reference import Case
from scoring.data.errors import UsageError
from scoring.metrics.axes import LIMIT, axis
from scoring.workspace.filtering.filters import passing

CASES = [Case(1, 0), Case(5, None), Case(30, 20), Case(9, 8), Case(10, -1), Case(15, 14), Case(16, 15)]
COLUMNS = {
    "generator": ["b", None, "a", "b", "it's", "a", "a"],
    "final_answer_correct": [True, None, False, None, True, True, False],
}


def values_of(frame, column):
    made = axis(frame, column)
    return [made.values[number] for number in made.numbers]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("generator", ["b", None, "a", "b", "it's", "a", "a"]),
        ("final_answer_correct", ["true", None, "false", None, "true", "true", "false"]),
        ("n_steps", ["1", "5", "30", "9", "10", "15", "16"]),
        ("earliest_error", ["0", None, "20", "8", "-1", "14", "15"]),
        ("steps", ["0 to 4", "5 to 9", "15 or more", "5 to 9", "10 to 14", "15 or more", "15 or more"]),
        ("position", ["0", None, "15 or more", "8", "no error", "14", "15 or more"]),
    ],
)
def test_every_case_has_its_value_and_the_condition_selects_it(column, expected):
    frame = making.frame(CASES, **COLUMNS)
    assert values_of(frame, column) == expected
    made = axis(frame, column)
    for number, condition in enumerate(made.conditions):
        assert passing(frame, [condition]).to_list() == [value == number for value in made.numbers]


def test_the_order_of_values():
    frame = making.frame(CASES, **COLUMNS)
    assert axis(frame, "generator").values == ("b", "a", "it's", None)
    assert axis(frame, "final_answer_correct").values == ("false", "true", None)
    assert axis(frame, "n_steps").values == ("1", "5", "9", "10", "15", "16", "30")
    outcomes = pl.DataFrame({"x.outcome": ["clean", "late", "exact", "late"]})
    assert axis(outcomes, "x.outcome").values == ("exact", "late", "clean")


@pytest.mark.parametrize("column", ["nonsense", "error_steps", "agreement", "id"])
def test_what_makes_no_table_is_refused_in_a_sentence(column):
    frame = making.frame([Case(1)] * (LIMIT + 1))
    with pytest.raises(UsageError) as caught:
        axis(frame, column)
    assert column in str(caught.value)


def test_no_cases_have_no_values():
    assert axis(making.frame([]), "generator").values == ()
    assert axis(making.frame([]), "steps").numbers.tolist() == []
