import json

import pytest

from authored import rows
from scoring.data.errors import UnknownFormat
from scoring.formats.reading.rows import Rows
from scoring.formats.tables.column_guess import doubtful_rewards, propose, rewards_beside
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.column_readings import readings
from scoring.importing.sources import ReadOptions, read_source


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


@pytest.mark.parametrize(
    ("column", "cell", "path"),
    [
        ("step_scores", [[0.5, 1]], "step_scores[0]"),
        ("scores", [{"step": 0, "score": 0.5}, {"step": 1, "score": 1}], "scores[].score"),
        ("steps", [{"text": "a", "reward": 0.5}, {"text": "b", "reward": 1}], "steps[].reward"),
        ("scores", [[0.5, 0.5], [0.25, 0.75]], None),
        ("scores", [{"step": 0}, {"step": 1}], None),
    ],
)
def test_rewards_may_lie_one_level_further_in(column, cell, path):
    found = propose(table({"id": "1", column: cell, "other": [0.5]} if path else {"id": "1", column: cell}))
    assert found == (None if path is None else ColumnMapping(id="id", rewards={"sums": path}))


@pytest.mark.parametrize(
    ("values", "stated"),
    [
        ([{"id": "1", "verdict": 2}], ColumnMapping(verdict_base=1, clean="0", benchmark="sums")),
        ([{"id": "1", "verdict": n, "who": str(n)} for n in (1, 2)], ColumnMapping(scorer="who")),
        ([{"id": "1", "step": n, "reward": 0.5, "judge": "a"} for n in (1, 2)], ColumnMapping(scorer="judge")),
        ([{"id": "1", "reward": 0.5, "again": n % 2} for n in range(8)], ColumnMapping(run="again")),
    ],
    ids=["verdicts", "verdicts by scorer", "a row a step", "a row a step, in order"],
)
def test_what_is_stated_beside_columns_that_are_found_is_kept(values, stated):
    found = propose(table(*values), stated)
    assert found.verdicts or found.rewards
    assert found.overridden(stated) == found


@pytest.mark.parametrize("value", [{"id": "1", "rewards": [None, 0.5]}, {"id": "1", "rewards": 0.5}, {"rewards": [1]}])
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


def table_readings(make, count=12):
    rows = Rows("sums.jsonl", "JSON Lines")
    for number in range(count):
        rows.add({"id": f"s{number}", "question": f"q{number}", **make(number)})
    return rows


PARAGRAPHS = "First, a\nand b.\n\nThen c."


def words(rows, stated=None):
    mapping = (stated or ColumnMapping()) if propose(rows, stated) is None else propose(rows, stated)
    return [tuple(choice.flags for choice in one.choices) for one in readings(rows, mapping, stated)]


@pytest.mark.parametrize(
    ("make", "flags"),
    [
        (lambda _: {"response": PARAGRAPHS}, [(r"--separator '\n\n'", r"--separator '\n'")]),
        (lambda _: {"response": "a\nb\nc"}, [(r"--separator '\n'", r"--separator '\n\n'")]),
        # The labels show where a step ends.
        (lambda _: {"response": PARAGRAPHS, "step_labels": [True, False]}, []),
        (lambda _: {"response": "a\nb\nc", "step_labels": [True, True, False]}, []),
        (lambda _: {"response": "a\n\nb"}, []),
        (lambda _: {"steps": ["a\nb", "c"]}, []),
        (lambda n: {"steps": ["a", "b", "c"], "label": n % 3}, [("--label-base 0", "--label-base 1 --clean 0")]),
        (lambda n: {"steps": ["a"] * 5, "label": 1 + n % 3}, [("--label-base 0", "--label-base 1")]),
        (lambda n: {"steps": ["a", "b", "c"], "label": n % 3 - 1}, []),
        (lambda n: {"steps": ["a", "b", "c"], "label": 1 + n % 3}, []),
        (lambda _: {"steps": ["a", "b"], "labels": [-1, 0]}, [("--wrong-below 0", "--wrong-below 0.5")]),
        (lambda _: {"steps": ["a", "b"], "labels": [1, 0]}, []),
        (lambda _: {"steps": ["a", "b"], "solution": "c\n\nd"}, [("--steps steps", "--steps solution")]),
        (lambda _: {"steps": ["a", "b"], "answer": "4"}, []),
    ],
)
def test_what_only_a_person_can_decide(make, flags):
    assert words(table_readings(make)) == flags


@pytest.mark.parametrize(
    ("make", "stated"),
    [
        (lambda _: {"response": PARAGRAPHS}, ColumnMapping(separator="\n")),
        (lambda n: {"steps": ["a", "b", "c"], "label": n % 3}, ColumnMapping(label_base=1, clean="0")),
        (lambda _: {"steps": ["a", "b"], "labels": [-1, 0]}, ColumnMapping(wrong_below=0.0)),
        (lambda _: {"steps": ["a", "b"], "solution": "c\n\nd"}, ColumnMapping(steps="solution")),
    ],
)
def test_what_is_stated_is_not_asked(make, stated):
    assert words(table_readings(make), stated) == []


@pytest.mark.parametrize(
    "make", [lambda _: {"response": PARAGRAPHS}, lambda n: {"steps": ["a", "b", "c"], "label": n % 3}]
)
def test_each_choice_states_one_reading_and_the_first_is_what_is_read_anyway(make):
    rows = table_readings(make)
    mapping = propose(rows)
    (reading,) = readings(rows, mapping)
    read = [cases(rows, mapping.overridden(choice.states)) for choice in reading.choices]
    assert cases(rows, mapping) == read[0] != read[1]


def cases(rows, mapping):
    from scoring.formats.tables.table import load

    return load(rows, mapping).cases.select("steps", "earliest_error").rows()


def test_an_import_says_which_reading_was_taken(tmp_path):
    path = tmp_path / "sums.jsonl"
    path.write_text("\n".join('{"question": "q", "response": "a\\nb\\n\\nc"}' for _ in range(3)))
    (imported,) = read_source(str(path)).imported
    (note,) = [finding.message for finding in imported.findings if finding.code == "two-readings"]
    assert note == ("one step a paragraph (a blank line between two) was assumed; --separator '\\n' = one step a line")
    (imported,) = read_source(str(path), ReadOptions(columns=ColumnMapping(separator="\n\n"))).imported
    assert not [finding for finding in imported.findings if finding.code == "two-readings"]


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ([1, 0], "whole numbers"),
        ([0.5], "less than half"),
        ([0.5, 0.25], None),
        ("good", None),
        ([0.5, "x"], "less than"),
    ],
)
def test_columns_called_like_rewards_that_are_not_taken_are_named(cell, why):
    rows = Rows("sums.jsonl", "JSON Lines")
    for _ in range(3):
        rows.add({"problem": "q", "steps": ["a", "b"], "label": 1, "scores": cell})
    found = [finding.message for finding in doubtful_rewards(rows)]
    assert [why in message and "--rewards scores" in message for message in found] == ([] if why is None else [True])


def test_columns_of_results_that_are_not_kept_are_named(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "a", "rewards": [0.5, 0.25], "seconds": 3, "note": "x"}\n')
    (scorer,) = read_source(str(path)).results
    (note,) = [finding.message for finding in scorer.findings if finding.code == "left-out-columns"]
    assert note.endswith("left out: seconds, note")


def test_a_column_without_a_name_is_called_so(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(',id,rewards\n0,a,"[0.5, 0.25]"\n')
    (scorer,) = read_source(str(path)).results
    (note,) = [finding.message for finding in scorer.findings if finding.code == "left-out-columns"]
    assert note.endswith("left out: (no name)")
    path.write_text(",case,what\n0,a,b\n")
    with pytest.raises(UnknownFormat, match=r"have the keys \(no name\), case, what"):
        read_source(str(path))


@pytest.mark.parametrize(
    ("given", "column", "told"),
    [
        ({"rewards": [0.5, 0.25]}, "model", "--scorer-column model"),
        ({"prediction": 1}, "model", "--scorer-column model"),
        ({"prediction": 1}, "seed", '{"run": "seed"} in a mapping'),
        # Only verdicts have runs.
        ({"rewards": [0.5, 0.25]}, "seed", None),
        ({"rewards": [0.5, 0.25]}, "seconds", None),
    ],
)
def test_what_may_tell_rows_of_one_id_apart_is_told_where_the_first_rows_do_not_show_it(tmp_path, given, column, told):
    path = tmp_path / "mine.jsonl"
    rows = [{"id": f"a{at}", column: f"v{turn}", **given} for turn in range(2) for at in range(300)]
    rows = [row | ({"prediction": turn} if "prediction" in row else {}) for turn, row in enumerate(rows)]
    rows += [row | {"rewards": [0.1, 0.2]} if "rewards" in row else row for row in rows[:300]]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (scorer,) = read_source(str(path)).results
    notes = [finding.message for finding in scorer.findings if finding.code == "two-readings"]
    assert [note.partition("apart: ")[2].startswith(told or "") for note in notes] == ([] if told is None else [True])
