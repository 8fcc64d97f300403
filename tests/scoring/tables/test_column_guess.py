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
    found = propose(table({"prompt": "q", "answer": "a\n\nb", "first_error": 1}))
    assert found == ColumnMapping(problem="prompt", steps="answer", earliest_error="first_error")
    # What may be a reference solution is none that somebody judged.
    assert propose(table({"prompt": "q", "answer": "a\n\nb"})) is None


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
    value = {
        "problem": "q",
        "steps": ["a"],
        "scores": [0.5],
        "probs": "[0.1]",
        "rewards": "good",
        "step_scores": [1, 2],
    }
    assert propose(table(value)).rewards == {"scores": "scores", "probs": "probs"}


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


def many(make, count=12):
    return table(*(make(number) for number in range(count)))


TWO = "First {0}.\n\nThen {0}."
SHAPES = {
    "VisualProcessBench": (
        lambda n: {
            "image": ["a.png"],
            "question": f"q{n}",
            "answer": "First this, then that.\n\nSo 4.",
            "response": {"policy_model": "m", "steps": ["a", "b", "c"], "process_correctness": [1, 0, -1]},
            "data_source": "invented",
        },
        ColumnMapping(
            problem="question",
            steps="response.steps",
            step_labels="response.process_correctness",
            generator="response.policy_model",
            reference_answer="answer",
            origin="data_source",
        ),
    ),
    "DeltaBench-shaped": (
        lambda n: {
            "id": f"d{n}",
            "question": f"q{n}",
            "solution": TWO.format(n),
            "answer": "4",
            "section_texts": [{"number": 1, "body": "x"}],
            "error_numbers": [1],
        },
        None,
    ),
    "search-and-learn": (
        lambda n: {
            "problem": f"q{n}",
            "solution": TWO.format(n),
            "answer": "4",
            "unique_id": f"test/{n}.json",
            "completions": [TWO.format("a"), TWO.format("b")],
            "scores": [[0.5, 0.25], [0.75, 0.5]],
            "pred": "4",
        },
        None,
    ),
    "best of N with a number a completion": (
        lambda n: {"id": n, "prompt": f"q{n}", "completions": ["a", "b"], "scores": [0.5, 0.25]},
        None,
    ),
    "openr": (
        lambda n: {"question": f"q{n}", "process": "One. ки\nTwo, in\n\ntwo parts. ки", "label": ["+", "-"]},
        ColumnMapping(problem="question", steps="process", separator=" ки", step_labels="label"),
    ),
    "openr with its later tag": (
        lambda n: {"question": f"q{n}", "process": "One.\n\n\n\n\nTwo.\n\n\n\n\n", "label": ["+", "-"]},
        ColumnMapping(problem="question", steps="process", step_labels="label"),
    ),
    "a line a step": (
        lambda n: {"question": f"q{n}", "response": "One.\nTwo.\nThree.", "step_labels": [True, True, False]},
        ColumnMapping(problem="question", steps="response", separator="\n", step_labels="step_labels"),
    ),
    "RewardBench 2": (
        lambda n: {
            "id": str(n),
            "prompt": f"q{n}",
            "chosen": ["a"],
            "rejected": ["b", "c", "d"],
            "num_correct": 1,
            "subset": "Math",
            "scores": [0.5, 0.25, 0.125, 0.0],
        },
        None,
    ),
    "a Langfuse export": (
        lambda n: {
            "id": f"obs-{n}",
            "traceId": f"t{n}",
            "name": "judge",
            "input": f"q{n}",
            "output": TWO.format(n),
            "scores": [{"name": "accuracy", "value": 0.5}],
            "latency": 1.5,
        },
        None,
    ),
    "VersaPRM": (
        lambda n: {
            "id": n // 6,
            "cot_id": n % 6,
            "question": f"q{n // 6}",
            "answer": "I",
            "category": "law",
            "chain_of_thoughts": ["a", "b", "c"],
            "labels": [1, 1, -1],
        },
        ColumnMapping(
            problem="question",
            steps="chain_of_thoughts",
            step_labels="labels",
            subset="category",
            reference_answer="answer",
        ),
    ),
    "VersaPRM, N solutions with rewards": (
        lambda n: {"id": n, "question": f"q{n}", "chain_of_thoughts": [TWO, TWO], "rewards": [[0.5, 0.5], [0.25, 1.0]]},
        None,
    ),
    "MATH-APS": (
        lambda n: {
            "problem": f"q{n}",
            "final_answer": "4",
            "reasoning_steps": [{"step": "a", "mc_value": 0.5}, {"step": "b", "mc_value": 0.0}],
        },
        ColumnMapping(
            problem="problem",
            steps="reasoning_steps[].step",
            rewards={"mc_value": "reasoning_steps[].mc_value"},
            reference_answer="final_answer",
        ),
    ),
    "steps with ratings": (
        lambda n: {"problem": f"q{n}", "steps": [{"step": "a", "rating": 1}, {"step": "b", "rating": -1}]},
        ColumnMapping(problem="problem", steps="steps[].step", step_labels="steps[].rating"),
    ),
    "whether the whole is right": (
        lambda n: {"id": n, "question": f"q{n}", "response": TWO.format(n), "label": n % 2},
        ColumnMapping(id="id", problem="question", steps="response"),
    ),
    "a prediction of the final answer": (lambda n: {"id": n, "problem": f"q{n}", "pred": -5 - n, "output": "x"}, None),
    "places of tokens": (lambda n: {"id": n, "tokens": [1, 5, 9], "ends": [3, 4]}, None),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_proposed_of_real_shapes_is_right_or_nothing(shape):
    make, expected = SHAPES[shape]
    assert propose(many(make)) == expected


def test_rewards_beside_steps_may_be_missing_in_half_of_the_rows():
    found = propose(many(lambda n: {"problem": "q", "steps": ["a", "b"], "scores": [0.5, 0.25] if n % 2 else None}))
    assert found.rewards == {"sums": "scores"}
    found = propose(many(lambda n: {"problem": "q", "steps": ["a", "b"], "scores": [0.5, 0.25][: 1 + n % 2]}))
    assert found.rewards == {"sums": "scores"}
    found = propose(many(lambda n: {"problem": f"q{n}", "steps": ["a", "b"], "scores": [0.5]}))
    assert found.rewards == {}
