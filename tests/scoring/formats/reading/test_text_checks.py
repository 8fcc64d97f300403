"""Checks on the texts of an import: empty problems, problems that became one, steps that hold the next one."""

import pytest

from scoring.formats.benchmarks import processbench
from scoring.formats.reading.rows import Rows
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.table import load

MAPPING = ColumnMapping(id="id", problem="problem", steps="steps", problem_id="of", reference_answer="answer")


def codes(changes, count=12):
    """What a table of sound cases is warned of, of which each is changed by a function of its number."""
    rows = Rows("in/own.jsonl", "JSON Lines")
    for number in range(count):
        sound = {
            "id": str(number),
            "problem": f"What is {number} + 1?",
            "steps": ["Step 1: we add one.", f"Step 2: that is {number + 1}."],
            "of": str(number),
            "answer": str(number + 1),
        }
        rows.add({**sound, **changes(number)}, number + 1)
    return {finding.code for finding in load(rows, MAPPING).findings if finding.severity == "warning"}


def test_sound_texts_are_not_doubted():
    assert not codes(lambda _: {})


@pytest.mark.parametrize(
    "changes",
    [
        lambda _: {"problem": "Solve the problem step by step."},
        lambda _: {"problem": "Solve the problem step by step.", "of": "a", "answer": None},
        lambda n: {"problem": "What is 1 + 1?" if n < 6 else f"What is {n}?"},
        lambda n: {"problem": "What is 1 + 1?", "answer": None, "of": str(n // 3)},
    ],
)
def test_several_problems_that_became_one_are_counted(changes):
    assert codes(changes) == {"merged-problems"}


@pytest.mark.parametrize(
    "changes",
    [
        # Several solutions of one problem.
        lambda _: {"problem": "What is 1 + 1?", "of": "a", "answer": "2"},
        lambda _: {"problem": "What is 1 + 1?", "of": None, "answer": None},
        # One answer in two spellings.
        lambda n: {"problem": "What is 1 / 2?", "of": "a", "answer": ["1/2", "0.5"][n % 2]},
        lambda n: {"problem": "Prove the first theorem.", "answer": None, "of": "a"} if n < 5 else {},
    ],
)
def test_solutions_of_one_problem_are_no_merged_problems(changes):
    assert not codes(changes)


def test_empty_problems_of_a_benchmark_are_counted():
    rows = Rows("sums.jsonl", "JSON Lines")
    for number in range(4):
        rows.add({"id": f"s-{number}", "problem": " " * (number % 2), "steps": ["a"], "label": -1}, number + 1)
    found = [finding for finding in processbench.load(rows).findings if finding.code == "empty-problem"]
    assert ["4 cases" in finding.message for finding in found] == [True]


@pytest.mark.parametrize(
    ("steps", "doubted"),
    [
        (["Step 1: we add.\nStep 2: that is 4.\nStep 3: so 4."], True),
        (["We add.\n\n**Step 2:** that is 4.", "So 4."], True),
        (["Step 1: add. Step 2: subtract.", "Step 3: so 4."], True),
        (["Step 1: we add.", "Step 2: by Step 1: it is 4.", "Step 3: so 4."], False),
        (["Step 1: we add.", "Step 2: it is 4.\nStep 1: was needed."], False),
        (["We take step 2: no.", "So 4."], False),
    ],
)
def test_a_step_that_holds_the_next_one_was_not_split(steps, doubted):
    assert codes(lambda _: {"steps": steps}) == ({"unsplit-steps"} if doubted else set())
    # One solution of many is an author's way to write.
    assert not codes(lambda number: {"steps": steps} if number == 3 else {})
