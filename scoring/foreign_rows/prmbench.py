"""Cases as PRMBench has them, steps 1-based.

Rows: `original_question, modified_question, original_process, modified_process, modified_steps, error_steps, reason,
idx, question, classification`. Source: `docs/data_format.md` and `mr_eval/tasks/prmtest_classified/task.py` of
ssmisya/PRMBench, which makes a row's identity of its classification and idx. A row of the class multi_solutions has a
`ground_truth` as well.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.foreign_rows.line import Line, left_out


def line(case: Mapping[str, Any]) -> Line:
    """The row of one case (a row of `scoring.schema.CASES`).

    A reader takes the class for the subset; where it is another, the row has a key `domain` as well.
    """
    if case["error_steps"] is None:
        return left_out("not every step is labelled")
    if case["error_type"] is None:
        return left_out("no error type, of which PRMBench makes ids")
    row = {
        "original_question": case["original_problem"],
        "modified_question": case["problem"],
        "original_process": case["original_steps"],
        "modified_process": case["steps"],
        "modified_steps": _one_based(case["modified_steps"]),
        "error_steps": _one_based(case["error_steps"]),
        "reason": case["reason"],
        "idx": bare_id(case),
        "question": case["question"],
        "classification": case["error_type"],
    }
    if case["subset"] not in {None, case["error_type"]}:
        row["domain"] = case["subset"]
    if case["reference_answer"] is not None:
        row["ground_truth"] = case["reference_answer"]
    return Line(row)


def official_id(case: Mapping[str, Any]) -> str:
    """What PRMBench's own loader calls the case: `{classification}_{idx}`, of a twin `correct_{idx}`."""
    plain: str = case["id"]
    unnamed = case["twin_of"] is not None or case["error_type"] is None
    return plain if unnamed else f"{case['error_type']}_{bare_id(case)}"


def bare_id(case: Mapping[str, Any]) -> str:
    """The id less its classification."""
    plain: str = case["id"]
    return plain.removeprefix(f"{case['error_type']}_")


def _one_based(steps: Sequence[int] | None) -> list[int] | None:
    return None if steps is None else [step + 1 for step in steps]
