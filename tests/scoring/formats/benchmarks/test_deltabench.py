import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_json import ANY_JSON
from benchmark_rows import PROBLEM, RIGHT, STEPS, WRONG, notes, rows_of
from benchmark_rows import deltabench as row
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks.benchmark_registry import MODULES, benchmark_module
from scoring.formats.benchmarks.case_format import problem_id
from scoring.formats.benchmarks.deltabench import load, recognises
from scoring.importing.sources import recognised
from thoroughness import up_to

ERRORS, UNUSEFUL, NOTES = "reason_error_section_numbers", "reason_unuseful_section_numbers", "sections_labeled_info"
NOTHING = dict.fromkeys(RIGHT, "")


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(**changes):
    imported = load(rows_of([row(**changes)]))
    assert imported.cases.height == 1, imported.findings
    return imported.cases.row(0, named=True), imported


def test_a_row_becomes_a_case():
    case, imported = one()
    assert imported.cases.schema == CASES
    assert not imported.findings
    assert case == {
        **dict.fromkeys(CASES),
        "case": "deltabench/a0",
        "key": content_key(PROBLEM, STEPS),
        "benchmark": "deltabench",
        "id": "a0",
        "subset": "math",
        "origin": "a-collection",
        "n_steps": 3,
        "earliest_error": 1,
        "error_steps": [1],
        "error_type": "Premise Error",
        "final_answer_correct": False,
        "problem_id": problem_id(PROBLEM),
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": STEPS,
        "reference_answer": "12",
        "reason": "A box holds four.",
    }


@pytest.mark.parametrize(
    ("errors", "unuseful", "said", "earliest", "steps"),
    [
        ([], [], [RIGHT] * 3, -1, []),
        ([2], [2], [RIGHT, WRONG, RIGHT], 1, [1]),
        ([3], [1], [WRONG, RIGHT, WRONG], 0, [0, 2]),
        ([3, 1, 1], [], [], 0, [0, 2]),
        # The annotators stopped at the last wrong section.
        ([2], [], [RIGHT, WRONG, NOTHING], 1, None),
        ([2], [], [RIGHT, WRONG], 1, None),
        ([2], [], None, 1, None),
    ],
)
def test_error_and_unuseful_sections_are_wrong_from_1_and_others_are_right_where_that_is_said(
    errors, unuseful, said, earliest, steps
):
    noted = said if said is None else notes(*said)
    case, imported = one(**{ERRORS: errors, UNUSEFUL: unuseful, NOTES: noted})
    assert (case["earliest_error"], case["error_steps"]) == (earliest, steps)
    assert codes(imported) == [("note", "unlabelled-steps")] * (steps is None)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({ERRORS: [], NOTES: notes(RIGHT, RIGHT, NOTHING)}, "no-label"),
        ({ERRORS: [], NOTES: None}, "no-label"),
        ({ERRORS: None}, "no-label"),
        ({UNUSEFUL: ...}, "no-label"),
        ({ERRORS: "2"}, "wrong-type"),
        ({ERRORS: "[2"}, "wrong-type"),
        ({ERRORS: "[[[[" * 200}, "wrong-type"),
        ({ERRORS: "[__import__(1)]"}, "wrong-type"),
        ({ERRORS: [-2]}, "bad-label"),
    ],
)
def test_labels_that_cannot_be_told_are_null_with_a_warning(changes, code):
    case, imported = one(**changes)
    assert (case["earliest_error"], case["error_steps"]) == (None, None)
    assert codes(imported) == [("warning", code)]


def test_a_section_beyond_the_last_is_kept_with_a_warning():
    case, imported = one(**{ERRORS: [2, 5]})
    assert (case["earliest_error"], case["error_steps"]) == (1, [1, 4])
    assert codes(imported) == [("warning", "label-beyond-end")]


def test_the_base_is_said_with_its_evidence():
    imported = load(rows_of([row(), row(1, **{ERRORS: [1], NOTES: None}), row(2)]))
    assert imported.label_base == (
        "1-based section numbers, [] = none is wrong (0 rows list 0, 1 list 1, 0 one beyond the last; "
        "2 of 2 lines with an error lie in the section of their number)"
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({ERRORS: [0]}, "look counted from 0"),
        ({NOTES: [{**WRONG, "section_number": 1}]}, "1 of 1 lines with an error lie outside"),
    ],
)
def test_another_base_is_suspected(changes, said):
    imported = load(rows_of([row(**changes)]))
    (message,) = (one.message for one in imported.findings if one.code == "label-base")
    assert said in message


@pytest.mark.parametrize("written", [repr, json.dumps])
def test_lists_that_are_written_as_text_are_read(written):
    """As the table of the hub and CSV have them."""
    sound = row(**{NOTES: notes(RIGHT, WRONG, RIGHT)})
    text = {name: written(value) if isinstance(value, list) else str(value) for name, value in sound.items()}
    expected, as_text = one(**{NOTES: notes(RIGHT, WRONG, RIGHT)})[0], load(rows_of([text]))
    assert as_text.cases.row(0, named=True) == expected
    assert not as_text.findings


@pytest.mark.parametrize("changes", [{"sections": "[]"}, {"sections": []}, {"sections": ["s"]}, {"question": None}])
def test_a_row_without_usable_text_is_left_out(changes):
    imported = load(rows_of([row(), row(1, **changes)]))
    assert imported.cases["id"].to_list() == ["a0"]
    assert {one.severity for one in imported.findings} == {"error"}


@up_to(100, 12)
@given(st.dictionaries(st.sampled_from(list(row())), ANY_JSON, max_size=3), st.lists(ANY_JSON, max_size=3))
def test_any_values_become_cases_or_findings(changes, noted):
    for value in (row(**changes), row(**{NOTES: [{**WRONG, **dict.fromkeys(WRONG, part)} for part in noted]})):
        imported = load(rows_of([value]))
        assert imported.cases.schema == CASES
        assert imported.cases.height or "error" in {one.severity for one in imported.findings}
        for errors, earliest in imported.cases.select("error_steps", "earliest_error").iter_rows():
            assert errors is None or (errors or [-1])[0] == earliest


def test_recognition():
    assert [name for name in MODULES if benchmark_module(name).recognises(row())] == ["deltabench"]
    assert recognised(rows_of([row()])) == ("benchmark", "deltabench")
    for value in (None, [], {}, row(**{ERRORS: ...}), row(sections=...), row(question=...)):
        assert not recognises(value)
