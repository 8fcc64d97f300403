import pytest

from authored import rows
from scoring.reading.rows import Rows
from scoring.tables.column_guess import propose, rewards_beside
from scoring.tables.column_mapping import ColumnMapping


def table(*values):
    found = Rows("sums.csv", "CSV")
    for value in values:
        found.add(value)
    return found


def test_common_names():
    assert propose(table(*rows(4))) == ColumnMapping(
        id="id",
        problem="problem",
        steps="steps",
        earliest_error="label",
        generator="generator",
        final_answer_correct="final_answer_correct",
    )
    found = propose(table({"UID": "1", "Question": "q", "response": "a\n\nb", "First Error Step": "-1", "answer": "4"}))
    assert found == ColumnMapping(
        id="UID", problem="Question", steps="response", earliest_error="First Error Step", reference_answer="answer"
    )
    assert propose(table({"prompt": "q", "answer": "a\n\nb"})) == ColumnMapping(problem="prompt", steps="answer")


@pytest.mark.parametrize(
    ("label", "field"),
    [
        (1, "earliest_error"),
        ("-1", "earliest_error"),
        ([True, False], "step_labels"),
        ("[1, 0]", "step_labels"),
        ("?", None),
        ({}, None),
    ],
)
def test_what_a_column_is_depends_on_what_is_in_it(label, field):
    found = propose(table({"problem": "q", "steps": ["a", "b"], "label": label}))
    assert [one for one, column in found.named if column == "label"] == [one for one in [field] if one]


def test_a_column_that_does_not_fit_in_every_row_is_not_taken():
    values = [
        {"problem": "q", "steps": ["a"], "label": 0, "correct": 1},
        {"problem": "q", "steps": ["a"], "label": "x"},
    ]
    found = propose(table(*values))
    assert (found.earliest_error, found.final_answer_correct) == (None, "correct")


def test_lists_of_numbers_are_somebodys_rewards():
    found = propose(table({"problem": "q", "steps": ["a"], "scores": [0.5], "probs": "[0.1, 0.2]", "rewards": "good"}))
    assert found.rewards == {"scores": "scores", "probs": "probs"}


def test_several_solutions_a_problem():
    found = propose(table({"id": "1", "problem_id": "p", "problem": "q", "steps": ["a"]}))
    assert (found.id, found.problem_id) == ("id", "problem_id")


@pytest.mark.parametrize("cell", [[0.5, 1], "[0.5, 1]"])
def test_ids_with_lists_of_numbers_are_results(cell):
    assert propose(table({"id": "1", "rewards": cell})) == ColumnMapping(id="id", rewards={"sums": "rewards"})
    assert propose(table({"uid": 1, "my-prm": cell, "other": cell, "note": "x"})) == ColumnMapping(
        id="uid", rewards={"my-prm": "my-prm", "other": "other"}
    )
    # Of several columns those count whose names say that they are rewards.
    assert propose(table({"id": "1", "tokens": [5, 6], "scores": cell})).rewards == {"sums": "scores"}


@pytest.mark.parametrize("value", [{"id": "1", "rewards": [0.5, None]}, {"id": "1", "rewards": 0.5}, {"rewards": [1]}])
def test_nothing_is_guessed_of_results_without_ids_or_with_other_cells(value):
    assert propose(table(value)) is None


def test_rewards_beside_a_benchmarks_own_fields():
    row = {"id": "1", "problem": "q", "steps": ["a", "b"], "label": 1}
    assert rewards_beside(table(row)) is None
    found = rewards_beside(table({**row, "step_rewards": [0.9, 0.5], "my-prm": [1, 0.25]}, row))
    assert found == ColumnMapping(rewards={"step_rewards": "step_rewards", "my-prm": "my-prm"})
    assert rewards_beside(table({**row, "my-prm": [1, 0.25]}), claimed={"my-prm"}) is None
    assert rewards_beside(table({"lines": ["a"], "my-prm": [0.25]}), "lines").rewards == {"my-prm": "my-prm"}
    assert rewards_beside(table({**row, "rewards": [0.9, 0.5]})).rewards == {"sums": "rewards"}


@pytest.mark.parametrize("cell", [[1, 0], [0.5], [0.5, "x"], "[0.5, 0.5]", [0.5, float("nan"), 1], True, {}])
def test_what_may_be_something_else_is_no_reward_beside_them(cell):
    assert rewards_beside(table({"problem": "q", "steps": ["a", "b"], "label": 1, "beside": cell})) is None


@pytest.mark.parametrize("value", [{}, {"problem": "q"}, {"steps": ["a"]}, {"problem": 1.5, "steps": ["a"]}, 5, "x"])
def test_nothing_is_guessed_without_a_problem_and_a_solution(value):
    assert propose(table(value)) is None
    assert propose(table()) is None
