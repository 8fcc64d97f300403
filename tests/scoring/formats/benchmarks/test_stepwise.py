import math

import pytest

from benchmark_rows import PROBLEM, STEPS, rows_of, stepwise
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks.case_format import problem_id
from scoring.formats.benchmarks.stepwise import load, recognises


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(**changes):
    imported = load(rows_of([stepwise(**changes)]))
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True), imported


def gold(case):
    return case["earliest_error"], case["error_steps"]


def test_a_row_becomes_a_case_called_after_its_place_without_a_finding():
    case, imported = one()
    assert imported.cases.schema == CASES
    assert not imported.findings
    assert imported.label_base == "labels of steps: true = right"
    assert case == {
        **dict.fromkeys(CASES),
        "case": "stepwise/made#1",
        "key": content_key(PROBLEM, STEPS),
        "benchmark": "stepwise",
        "id": "made#1",
        "n_steps": 3,
        "earliest_error": 1,
        "error_steps": [1, 2],
        "problem_id": problem_id(PROBLEM),
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": STEPS,
    }


@pytest.mark.parametrize(
    ("labels", "expected", "numbers"),
    [
        ([True, True, True], (-1, []), 0),
        ([False, True, False], (0, [0, 2]), 0),
        ([1, 1, 0], (2, [2]), 0),
        ([1.0, 0.0, 1.0], (1, [1]), 0),
        ([1, 0, -1], (1, [1, 2]), 1),
        ([0.9, 0.51, 0.5], (2, [2]), 3),
        ([1, math.inf, -math.inf], (2, [2]), 2),
        ([1, 10**400, -(10**400)], (2, [2]), 2),
    ],
)
def test_labels_of_steps(labels, expected, numbers):
    case, imported = one(labels=labels)
    assert gold(case) == expected
    assert not imported.findings
    assert (f"{numbers} are neither true nor false" in imported.label_base) == bool(numbers)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([True, False], (1, None)),
        ([True, True], (None, None)),
        ([], (None, None)),
        ([True, True, True, False], (-1, [])),
        ([True, False, True, False], (1, [1])),
    ],
)
def test_too_few_or_too_many_labels_are_a_warning(labels, expected):
    case, imported = one(labels=labels)
    assert gold(case) == expected
    assert codes(imported) == [("warning", "label-count")]
    assert f"{len(labels)} labels for 3 steps" in imported.findings[0].message


@pytest.mark.parametrize("label", [None, "true", [True], math.nan, {}])
def test_a_label_of_another_kind_is_a_warning_and_no_label(label):
    case, imported = one(labels=[True, label, True])
    assert gold(case) == (None, None)
    assert codes(imported) == [("warning", "bad-label")]
    assert "labels[1]" in imported.findings[0].message
    assert gold(one(labels=[True, label, False])[0]) == (2, None)


@pytest.mark.parametrize("labels", [None, "+-", {}, ...])
def test_labels_that_are_no_list_are_a_warning(labels):
    case, imported = one(labels=labels)
    assert gold(case) == (None, None)
    assert codes(imported) == [("warning", "wrong-type")]


def test_messages_stand_for_their_contents_and_this_is_said_once():
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROBLEM}]
    said = [{"role": "assistant", "content": STEPS[1]}]
    parts = {"role": "assistant", "content": [{"type": "text", "text": STEPS[2]}]}
    imported = load(rows_of([stepwise(prompt=prompt, completions=[STEPS[0], said, parts]), stepwise()]))
    assert imported.cases["problem"].to_list() == [f"Be brief.\n\n{PROBLEM}", PROBLEM]
    assert [steps.to_list() for steps in imported.cases["steps"]] == [STEPS, STEPS]
    assert codes(imported) == [("note", "conversation")]
    assert imported.findings[0].message.startswith("1 cases hold messages")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"prompt": ...}, "wrong-type"),
        ({"prompt": []}, "wrong-type"),
        ({"prompt": [{"role": "user"}]}, "wrong-type"),
        ({"completions": "one text"}, "wrong-type"),
        ({"completions": ["a", None]}, "wrong-type"),
        ({"completions": ["a", [{"content": "b"}, {"content": 5}]]}, "wrong-type"),
        ({"completions": []}, "no-steps"),
    ],
)
def test_a_row_without_usable_text_is_left_out_and_the_others_keep_their_names(changes, code):
    imported = load(rows_of([stepwise(), stepwise(**changes), stepwise()]))
    assert imported.cases["id"].to_list() == ["made#1", "made#3"]
    assert codes(imported) == [("error", code)]


def test_an_empty_completion_is_an_empty_step():
    case, imported = one(completions=["a", "", "c"])
    assert case["steps"] == ["a", "", "c"]
    assert codes(imported) == [("note", "empty-step")]


def test_what_else_a_row_says():
    case, imported = one(subset="algebra", generator="a-model", origin="made up")
    assert (case["subset"], case["generator"], case["origin"]) == ("algebra", "a-model", "made up")
    assert not imported.findings


def test_recognition():
    assert recognises(stepwise())
    for value in (None, [], {}, stepwise(prompt=...), stepwise(completions=...), stepwise(labels=...)):
        assert not recognises(value)
