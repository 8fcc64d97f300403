"""Critics on DeltaBench: every section that an answer names as wrong, numbered from 1.

Rows as `evaluation.py` of OpenStellarTeam/DeltaBench writes them: the benchmark's own fields, the answer in `critic`,
and what was made of it (`parsing_success, judge, predicted_sections, precision, tp_step` and so on, which is not taken
over: sections beyond the last one listed are gone from it). The answer is read as `parse_output` reads it: it names no
section unless "yes" stands after the last "Conclusion:", and after each "Error Section Number:" the first number before
"Explanation:" is a section. One without a number is a false alarm to that code; here it is left out with a finding.
"""

import re
from collections.abc import Mapping
from typing import Any

from scoring.formats.benchmarks.deltabench import NAME
from scoring.formats.reading.fields import Fields
from scoring.formats.results.result_format import ResultFormat, ResultReader, ResultRow, Results, case_id, whole_records

TITLE = "DeltaBench critic"
ADDED = (
    *("critic", "messages", "token_info", "info", "parsing_success", "judge", "predicted_sections", "true_sections"),
    *("explanations", "raw_output", "precision", "recall", "f1_score", "tp_step", "fp_step", "fn_step"),
)
"""What stands beside the benchmark's own keys."""

_NUMBER = re.compile(r"\d+")
_LONGEST = 9


def recognises(row: Any) -> bool:
    """Return whether a row of the benchmark has a critic's answer."""
    return isinstance(row, Mapping) and {"critic", "reason_error_section_numbers"} <= row.keys()


def named_sections(answer: str) -> list[int | None]:
    """Return the numbers of the sections that an answer names as wrong, counted from 1, in its order.

    None stands for one that is named without a number.
    """
    conclusion, *named = answer.split("Error Section Number:")
    if "yes" not in conclusion.rsplit("Conclusion:", maxsplit=1)[-1].lower():
        return []
    numbers = [_NUMBER.search(part.split("Explanation:", maxsplit=1)[0]) for part in named]
    return [None if number is None else int(number[0][:_LONGEST]) for number in numbers]


def _result(fields: Fields) -> ResultRow | None:
    if case_id(fields, "id") is None:
        return None
    answer, sections = fields.value.get("critic"), fields.value.get("sections")
    listed = sections if isinstance(sections, list) else []
    parts = [part.get("content") if isinstance(part, Mapping) else None for part in listed]
    content = {"problem": fields.text("question"), "steps": fields.of({"steps": parts}).texts("steps")} if parts else {}
    if not isinstance(answer, str) or not answer.strip():
        return {**content, "reason": "the answer is empty"}
    read = named_sections(answer)
    numbers = sorted({number for number in read if number is not None})
    if None in read:
        message = "a section is named without a number, a false alarm to the benchmark's code: it is left out"
        fields.note("warning", "no-number", message)
    named = [number - 1 for number in numbers if number >= 1]
    verdict = -1 if not read else named[0] if named else -2
    row = {
        **content,
        "answer": fields.text("critic"),
        "ballot": ", ".join(map(str, numbers)) or "-1",
        "verdict": verdict,
    }
    if not parts:
        return {**row, "named_steps": named}
    # All sections are judged, also where those named are none of them.
    return {**row, "rewards": [-1.0 if section in named else 1.0 for section in range(len(parts))]}


def _concluded(_: Results) -> dict[str, Any]:
    return {
        "label_base": "section numbers from 1; none named = no error",
        "benchmark": NAME,
        "kind": "critic",
        "threshold": 0.0,
        "threshold_source": "named or not",
        "low": -1.0,
        "high": 1.0,
        "settings": {"protocol": NAME},
    }


FORMAT = ResultFormat(title=TITLE, layout=whole_records(_result), conclude=_concluded)
READERS = {"deltabench_critic": ResultReader(TITLE, recognises, FORMAT.load, ADDED)}
