"""Where a table can be read in two ways, that which was taken is said with the flags for the other."""

import pytest

from scoring.importing.sources import ReadOptions, read_source
from scoring.reading.rows import Rows
from scoring.tables.column_guess import doubtful_rewards, propose
from scoring.tables.column_mapping import ColumnMapping
from scoring.tables.readings import readings


def table(make, count=12):
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
        (lambda _: {"steps": ["a", "b"], "labels": [-1, 0]}, [("--wrong-below 0.5", "--wrong-below 0")]),
        (lambda _: {"steps": ["a", "b"], "labels": [1, 0]}, []),
        (lambda _: {"steps": ["a", "b"], "solution": "c\n\nd"}, [("--steps steps", "--steps solution")]),
        (lambda _: {"steps": ["a", "b"], "answer": "4"}, []),
    ],
)
def test_what_only_a_person_can_decide(make, flags):
    assert words(table(make)) == flags


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
    assert words(table(make), stated) == []


@pytest.mark.parametrize(
    "make", [lambda _: {"response": PARAGRAPHS}, lambda n: {"steps": ["a", "b", "c"], "label": n % 3}]
)
def test_each_choice_states_one_reading_and_the_first_is_what_is_read_anyway(make):
    rows = table(make)
    mapping = propose(rows)
    (reading,) = readings(rows, mapping)
    read = [cases(rows, mapping.overridden(choice.states)) for choice in reading.choices]
    assert cases(rows, mapping) == read[0] != read[1]


def cases(rows, mapping):
    from scoring.tables.table import load

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
    (scorer,) = read_source(str(path)).foreign
    (note,) = [finding.message for finding in scorer.findings if finding.code == "left-out-columns"]
    assert note.endswith("left out: seconds, note")
