import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_rows import PROBLEM, STEPS, reasoneval_pair, rows_of
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks.reasoneval_pairs import ERROR_TYPES, load, recognises
from scoring.formats.reading.rows import read_rows
from thoroughness import up_to

REFERENCE = [STEPS[0], "Each holds 4 pens.", STEPS[2]]


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(**changes):
    imported = load(rows_of([reasoneval_pair(**changes)]))
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True), imported


def test_a_row_becomes_a_case_and_its_right_solution_a_twin():
    case, imported = one()
    assert imported.cases.schema == CASES
    common = {"benchmark": "reasoneval_pairs", "source": "folder/made.jsonl", "line": 1, "n_steps": 3}
    assert case == {
        **dict.fromkeys(CASES),
        **common,
        "case": "reasoneval_pairs/0",
        "key": content_key(PROBLEM, STEPS),
        "id": "0",
        "earliest_error": 1,
        "error_type": "random number",
        "problem_id": "7",
        "problem": PROBLEM,
        "steps": STEPS,
        "original_steps": REFERENCE,
        "modified_steps": [1],
        "reference_answer": "12",
    }
    assert imported.twins.row(0, named=True) == {
        **dict.fromkeys(CASES),
        **common,
        "case": "reasoneval_pairs/original_7",
        "key": content_key(PROBLEM, REFERENCE),
        "id": "original_7",
        "earliest_error": -1,
        "error_steps": [],
        "twin_of": "reasoneval_pairs/0",
        "problem": PROBLEM,
        "steps": REFERENCE,
        # A PRM that reads the reference answer of the case reads that of its original.
        "reference_answer": "12",
    }
    assert not imported.findings


A, B, C, D = "a", "b", "c", "d"


@pytest.mark.parametrize(
    ("error_type", "tags", "steps", "earliest", "modified"),
    [
        ("random number", 2, [A, B, "x", D], 2, [2]),
        ("random operation", 0, ["x", B, C, D], 0, [0]),
        ("repeat step", 1, [A, B, B, C, D], 2, [2]),
        ("repeat step", 3, [A, B, C, D, D], 4, [4]),
        ("swap steps", [1, 3], [A, D, C, B], 1, [1, 3]),
        ("swap steps", [3, 1], [A, D, C, B], 1, [1, 3]),
        ("remove step", 1, [A, C, D], 1, None),
        ("remove steps", 0, [B, C, D], 0, None),
    ],
)
def test_tags_by_type(error_type, tags, steps, earliest, modified):
    changes = {"reference_steps": [A, B, C, D], "hypothesis_steps": steps, "error_type": error_type, "tags": tags}
    case, imported = one(**changes)
    assert (case["earliest_error"], case["error_steps"], case["modified_steps"]) == (earliest, None, modified)
    assert case["error_type"] == error_type
    assert not imported.findings
    assert "in 1 of 1 cases" in imported.label_base


@pytest.mark.parametrize(
    ("changes", "severity", "code"),
    [
        ({"error_type": "swap solutions", "tags": 82}, "note", "whole-solution"),
        ({"error_type": "remove step", "tags": 3}, "note", "no-error-in-range"),
        ({"error_type": "remove step", "tags": 4}, "warning", "label-beyond-end"),
        ({"error_type": "repeat step", "tags": 2}, "warning", "label-beyond-end"),
        ({"tags": 3}, "warning", "label-beyond-end"),
        ({"tags": -1}, "warning", "label-beyond-end"),
        ({"tags": [0, 1]}, "warning", "bad-label"),
        ({"error_type": "swap steps", "tags": 1}, "warning", "bad-label"),
        ({"tags": "1"}, "warning", "bad-label"),
        ({"tags": None}, "warning", "bad-label"),
        ({"tags": []}, "warning", "bad-label"),
        ({"error_type": "random word"}, "warning", "unknown-class"),
        ({"error_type": None}, "warning", "unknown-class"),
    ],
)
def test_what_tags_do_not_tell_is_no_gold_label_and_said(changes, severity, code):
    case, imported = one(**changes)
    assert (case["earliest_error"], case["modified_steps"]) == (None, None)
    assert codes(imported) == [(severity, code)]


def test_tags_are_held_against_the_text():
    case, imported = one(tags=0)
    assert case["earliest_error"] == 0
    assert codes(imported) == [("warning", "gold-disagrees")]
    assert "in 0 of 1 cases" in imported.label_base


def test_one_right_solution_is_one_twin_for_all_cases_made_of_it():
    rows = [reasoneval_pair(0, rid=1, reference_steps=None), *(reasoneval_pair(n, rid=n % 2) for n in range(1, 5))]
    imported = load(rows_of(rows))
    assert imported.cases["problem_id"].to_list() == ["1", "1", "0", "1", "0"]
    assert imported.twins.select("id", "twin_of").rows() == [
        ("original_1", "reasoneval_pairs/1"),
        ("original_0", "reasoneval_pairs/2"),
    ]
    assert load(rows_of([reasoneval_pair(rid=...)])).twins.is_empty()


def test_what_is_recognised():
    assert recognises(reasoneval_pair())
    for value in (None, [], {}, reasoneval_pair(tags=...), reasoneval_pair(hypothesis_steps=...)):
        assert not recognises(value)


@st.composite
def perturbed(draw):
    """A perturbation as ReasonEval's repository describes it, with the step at which it should be seen."""
    steps = [f"step {number}" for number in range(draw(st.integers(2, 6)))]
    error_type = draw(st.sampled_from([name for name in ERROR_TYPES if name != "swap solutions"]))
    at = draw(st.integers(0, len(steps) - 1))
    if error_type == "swap steps":
        other = draw(st.integers(0, len(steps) - 1).filter(lambda one: one != at))
        swapped = list(steps)
        swapped[at], swapped[other] = steps[other], steps[at]
        return error_type, [at, other], steps, swapped, min(at, other)
    made = {
        "repeat step": ([*steps[: at + 1], *steps[at:]], at + 1),
        "remove step": (steps[:at] + steps[at + 1 :], at if at < len(steps) - 1 else None),
    }
    changed = [*steps[:at], "another", *steps[at + 1 :]]
    hypothesis, earliest = made.get(error_type.removesuffix("s"), (changed, at))
    return error_type, at, steps, hypothesis, earliest


@up_to(100, 15)
@given(perturbed())
def test_the_earliest_error_is_where_the_text_leaves_the_original(made):
    error_type, tags, reference, hypothesis, earliest = made
    changes = {"error_type": error_type, "tags": tags, "reference_steps": reference, "hypothesis_steps": hypothesis}
    case, imported = one(**changes)
    assert case["earliest_error"] == earliest
    assert {code for _, code in codes(imported)} <= {"no-error-in-range"}


def test_an_original_in_several_chunks_is_one_twin(tmp_path):
    filler = "x" * 1000
    rows = [reasoneval_pair(number, question=filler, rid=1) for number in range(12)]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    read = read_rows(path)
    read.block_size = 5000
    imported = load(read)
    assert imported.cases.height == 12
    assert imported.twins["id"].to_list() == ["original_1"]
    assert imported.cases["key"].equals(pl.Series("key", [content_key(filler, STEPS)] * 12))
