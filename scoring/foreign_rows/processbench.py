"""Cases as ProcessBench has them: `id, generator, problem, steps, final_answer_correct, label`, 0-based, -1 = no error.

Source: Zheng et al., arXiv 2412.06559, and `code/run_eval.py` of QwenLM/ProcessBench, which reads every key without
asking whether it is there: a null stays as null.
"""

import re
from collections.abc import Mapping
from typing import Any

from scoring.foreign_rows.line import Line, left_out

_NUMBERED = re.compile(r"(.+)-\d+\Z")


def line(case: Mapping[str, Any]) -> Line:
    """The row of one case (a row of `scoring.schema.CASES`).

    A reader takes the subset from what stands before the number in the id; where that says another one, the row has a
    key `subset` as well.
    """
    if case["earliest_error"] is None:
        return left_out("no earliest error is labelled")
    row = {
        "id": case["id"],
        "generator": case["generator"],
        "problem": case["problem"],
        "steps": case["steps"],
        "final_answer_correct": case["final_answer_correct"],
        "label": case["earliest_error"],
    }
    numbered = _NUMBERED.match(case["id"])
    if case["subset"] is not None and (numbered is None or numbered[1] != case["subset"]):
        row["subset"] = case["subset"]
    return Line(row)
