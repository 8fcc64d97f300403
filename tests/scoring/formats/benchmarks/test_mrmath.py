import json
from collections import Counter

import pytest

from benchmark_rows import PROBLEM, STEPS, mrmath, rows_of
from imports import import_source
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks.case_format import problem_id
from scoring.formats.benchmarks.mrmath import load, recognises
from scoring.formats.reading.findings import worst

GOLD = "model_output_solution_first_error_step"
CORRECT = "model_output_solution_correctness"


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(**changes):
    imported = load(rows_of([mrmath(**changes)]))
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True), imported


def test_a_row_becomes_a_case():
    case, imported = one()
    assert imported.cases.schema == CASES
    assert not imported.findings
    assert case == {
        **dict.fromkeys(CASES),
        "case": "mrmath/0",
        "key": content_key(PROBLEM, STEPS),
        "benchmark": "mrmath",
        "id": "0",
        "generator": "a-model",
        "n_steps": 3,
        "earliest_error": 1,
        "final_answer_correct": False,
        "problem_id": problem_id(PROBLEM),
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": STEPS,
        "reference_answer": "12",
    }


def test_a_clean_row():
    case, imported = one(**{GOLD: "N/A", CORRECT: "correct", "model_output_answer_correctness": "correct"})
    assert (case["earliest_error"], case["error_steps"], case["final_answer_correct"]) == (-1, [], True)
    assert not imported.findings


@pytest.mark.parametrize(("given", "earliest"), [(1, 0), ("3", 2), ("Step 2", 1), ("3.", 2), (" 1 ", 0), (2.0, 1)])
def test_gold_is_a_number_from_1_or_says_it_in_text(given, earliest):
    case, imported = one(**{GOLD: given})
    assert case["earliest_error"] == earliest
    assert not imported.findings


@pytest.mark.parametrize("none", ["N/A", "n/a", "NA", -1, "-1", "None"])
def test_no_error_in_its_spellings(none):
    case, imported = one(**{GOLD: none, CORRECT: "correct"})
    assert case["earliest_error"] == -1
    assert not imported.findings


@pytest.mark.parametrize(
    ("given", "code"),
    [
        *((given, "bad-label") for given in (0, "0", "the second", "2 or 3", "", "9" * 5000)),
        *((given, "wrong-type") for given in (None, [2], 2.5, True)),
    ],
)
def test_gold_that_names_no_step_is_null_with_a_warning(given, code):
    case, imported = one(**{GOLD: given})
    assert (case["earliest_error"], case["error_steps"]) == (None, None)
    assert ("warning", code) in codes(imported)


@pytest.mark.parametrize("gold", [4, 7])
def test_gold_beyond_the_last_step_is_kept_with_a_warning(gold):
    imported = load(rows_of([mrmath(), mrmath(1, **{GOLD: gold}), mrmath(2, **{GOLD: 1})]))
    assert imported.cases["earliest_error"].to_list() == [1, gold - 1, 0]
    assert codes(imported) == [("warning", "label-beyond-end")]


def test_a_file_that_counts_from_0_is_flagged():
    imported = load(rows_of([mrmath(number, **{GOLD: number % 3}) for number in range(6)]))
    assert codes(imported)[-1] == ("warning", "label-base")


@pytest.mark.parametrize(("gold", "correct", "kept"), [(2, "correct", 1), ("N/A", "wrong", None)])
def test_columns_that_disagree_are_a_warning(gold, correct, kept):
    case, imported = one(**{GOLD: gold, CORRECT: correct})
    assert case["earliest_error"] == kept
    assert codes(imported) == [("warning", "gold-disagrees")]


def test_without_the_column_of_correctness_gold_stands_alone():
    assert one(**{GOLD: "N/A", CORRECT: ...})[0]["earliest_error"] == -1
    assert not one(**{CORRECT: ...})[1].findings


@pytest.mark.parametrize(("given", "read"), [("Correct", True), ("incorrect", False), (True, True), (None, None)])
def test_correctness_of_the_answer(given, read):
    case, imported = one(model_output_answer_correctness=given)
    assert case["final_answer_correct"] is read
    assert not imported.findings


def test_correctness_in_other_words_is_a_warning():
    case, imported = one(model_output_answer_correctness="partly")
    assert case["final_answer_correct"] is None
    assert codes(imported) == [("warning", "wrong-type")]


def test_steps_are_their_sub_steps_joined_by_a_line_break():
    nested = [[STEPS[0]], [STEPS[1], "That is odd.", ""], [STEPS[2]]]
    imported = load(rows_of([mrmath(model_output_step_format=nested), mrmath(1)]))
    assert imported.cases["steps"][0].to_list() == [STEPS[0], f"{STEPS[1]}\nThat is odd.\n", STEPS[2]]
    assert imported.cases["sub_steps"].to_list() == [[1, 3, 1], None]
    assert imported.cases["earliest_error"].to_list() == [1, 1]
    assert codes(imported) == [("note", "grouped-steps")]
    assert "1 of 2 cases have steps that join several sub-steps" in imported.findings[0].message
    assert "grouped by the lowest" in imported.findings[0].message


@pytest.mark.parametrize("steps", [STEPS, [[STEPS[0]], *STEPS[1:]]])
def test_plain_steps_are_taken_as_well(steps):
    case, imported = one(model_output_step_format=steps)
    assert (case["steps"], case["sub_steps"]) == (STEPS, None)
    assert not imported.findings


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "no steps"),
        ("one text", "model_output_step_format is text"),
        ([["a"], [5]], r"model_output_step_format[1][0] is a number"),
        ([["a"], 5], r"model_output_step_format[1][0] is a number"),
        (..., "model_output_step_format is null"),
    ],
)
def test_unusable_steps_leave_the_row_out(steps, said):
    imported = load(rows_of([mrmath(), mrmath(1, model_output_step_format=steps)]))
    assert imported.cases["id"].to_list() == ["0"]
    assert [finding.severity for finding in imported.findings] == ["error"]
    assert said in imported.findings[0].message


def test_an_empty_group_keeps_its_place():
    case, imported = one(model_output_step_format=[["a"], [], ["c"]])
    assert (case["steps"], case["sub_steps"]) == (["a", "", "c"], [1, 0, 1])
    assert codes(imported) == [("note", "empty-step"), ("note", "grouped-steps")]


def test_the_layout_of_mr_gsm8k():
    row = {
        "uuid": "4cf-1",
        "question": PROBLEM,
        "ground_truth_answer": 12,
        "model_output_steps": STEPS,
        "model_output_answer_correctness": "incorrect",
        CORRECT: "incorrect",
        GOLD: "2",
        "model_output_solution_first_error_reason": "A box holds four.",
        "question_type": "reversed",
    }
    imported = load(rows_of([row, {**row, "uuid": "4cf-2", "model_output_solution_first_error_reason": "N/A"}]))
    assert recognises(row)
    assert not imported.findings
    case = imported.cases.row(0, named=True)
    assert (case["id"], case["subset"], case["steps"], case["earliest_error"]) == ("4cf-1", "reversed", STEPS, 1)
    assert (case["reference_answer"], case["reason"]) == ("12", "A box holds four.")
    assert imported.cases["reason"][1] is None


def test_recognition():
    assert recognises(mrmath())
    for value in (None, [], {}, mrmath(question=...), mrmath(**{GOLD: ...}), mrmath(model_output_step_format=...)):
        assert not recognises(value)


def test_the_published_file(data_folder):
    path = data_folder / "mr-math" / "mr-math_invalid_errors.json"
    if not path.is_file():
        pytest.skip("the published files have no MR-MATH")
    imported = import_source(str(path))
    assert (imported.benchmark, imported.format) == ("mrmath", "JSON Lines")
    assert (imported.read, imported.cases.height, imported.erroneous, imported.clean) == (159, 159, 83, 76)
    assert codes(imported) == [("note", "grouped-steps")]
    assert "67 of 159 cases" in imported.findings[0].message
    assert worst(imported.findings) == "note"
    assert imported.label_base.startswith("1-based, N/A = no error (5 labels are 1, 0 are 0, 0 are beyond")
    assert sorted(Counter(imported.cases["generator"].to_list()).values()) == [29, 37, 40, 53]
    assert imported.cases["problem_id"].n_unique() == 129


def test_the_published_file_read_without_this_program(data_folder):
    path = data_folder / "mr-math" / "mr-math_invalid_errors.json"
    if not path.is_file():
        pytest.skip("the published files have no MR-MATH")
    cases = import_source(str(path)).cases
    for case, line in zip(cases.iter_rows(named=True), path.read_text().splitlines(), strict=True):
        row = json.loads(line)
        nested, gold = row["model_output_step_format"], row[GOLD]
        lengths = [len(group) for group in nested]
        assert case["id"] == str(row["id"])
        assert case["earliest_error"] == (-1 if gold == "N/A" else gold - 1)
        assert case["sub_steps"] == (lengths if max(lengths) > 1 else None)
        assert case["steps"] == ["\n".join(group) for group in nested]
        assert case["final_answer_correct"] is True
    assert sum(lengths is not None for lengths in cases["sub_steps"].to_list()) == 67
