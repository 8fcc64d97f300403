"""Cases as GR-Ben has them, 1-based, -1 = no error.

Rows: `id, domain, generator, problem, steps, label, final_answer_correct, error_type, reason`. Source: README and
`evaluation/run_prm_eval.py` of spirit-moon-fly/GR-Ben, which sorts the domains and makes folders of them: a row without
one stops it. Its own file holds null for an error type or reason that is not there. An error type is spelt, and a
label beyond the last step given, as in the file that it was read from.
"""

from collections.abc import Mapping
from typing import Any

from scoring.foreign_rows.line import Line, left_out


def line(case: Mapping[str, Any]) -> Line:
    """The row of one case (a row of `scoring.schema.CASES`); its domain is the subset."""
    if case["earliest_error"] is None:
        return left_out("no earliest error is labelled")
    if case["subset"] is None:
        return left_out("no subset, which is GR-Ben's domain")
    beyond = case["earliest_error_as_given"]
    row = {
        "id": case["id"],
        "domain": case["subset"],
        "generator": case["generator"],
        "problem": case["problem"],
        "steps": case["steps"],
        "label": one_based(case["earliest_error"] if beyond is None else beyond),
        "final_answer_correct": case["final_answer_correct"],
        "error_type": case["error_type_as_given"] or case["error_type"],
        "reason": case["reason"],
    }
    return Line(row)


def one_based(step: int) -> int:
    """A 0-based step counted from 1; -1 stays "no error"."""
    return step if step < 0 else step + 1
