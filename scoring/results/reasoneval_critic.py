"""A critic's judgements in ReasonEval's results: `id, response, correctness_pred, error_step_pred`, steps 1-based.

The words are the model's own ("Correct", "**Wrong**", "Step 4", "3."), so they are read tolerantly and not by the rule
of any benchmark. ReasonEval, Xia et al., arXiv 2404.05692.
"""

import re
from collections.abc import Mapping
from typing import Any

from scoring.critics.boxed import zero_based
from scoring.reading.fields import Fields, kind_of, without_empty_fraction
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign, foreign_frame
from scoring.results.gathered import Result, case_id, one_scorer

TITLE = "ReasonEval critic results"

_JUDGED = {"correct": True, "right": True, "wrong": False, "incorrect": False}
_NO_STEP = {"", "n a", "na", "nan", "none", "null", "nil", "not applicable", "no", "no error", "no step"}
_LONGEST = 9


def recognises(row: Any) -> bool:
    """Whether a row is a judgement with the step it names."""
    return isinstance(row, Mapping) and {"id", "correctness_pred", "error_step_pred"} <= row.keys()


def load(rows: Rows) -> list[Foreign]:
    """The one critic's verdicts; what cannot be read, or contradicts itself, has a reason."""
    found = one_scorer(rows, _read)
    frame = foreign_frame(found.results)
    unparsed = frame["verdict"].null_count()
    message = f"words of judgement and of steps were read tolerantly; {unparsed} of {frame.height} are unparsed"
    found.findings.append(Finding("note", "tolerant-reading", message, rows.source))
    return [
        Foreign(
            format=TITLE,
            source=rows.source,
            name=found.name,
            rows=frame,
            read=found.read,
            label_base="1-based, read tolerantly (the first number that error_step_pred holds)",
            kind="critic",
            settings={"reading": "tolerant"},
            findings=tuple(found.findings),
        )
    ]


def judgement(correctness: str, step: str) -> tuple[int | None, str | None]:
    """(the step judged wrong, 1-based, -1 = none; None) or (None; why there is no reading).

    "Correct" and "right", "wrong", "incorrect" and "not correct" are told in any case and between any signs; of a step
    the first number counts. A solution judged wrong must name a step and one judged right none.
    """
    right = _judged(correctness)
    if right is None:
        return None, f"the judgement is neither correct nor wrong: {_short(correctness)}"
    none_named = step.strip() == "-1" or " ".join(re.findall(r"\w+", step.lower())) in _NO_STEP
    if right:
        return (-1, None) if none_named else (None, f"judged correct, yet a step is named: {_short(step)}")
    number = None if none_named else re.search(r"\d+", step)
    if number is None:
        return None, f"judged wrong, and no step is named: {_short(step)}"
    return int(number[0][:_LONGEST]), None


def _judged(words: str) -> bool | None:
    """Whether the words say that the solution is right; None where they say neither."""
    found = re.findall(r"[^\W\d_]+", words.lower())
    negated = found[:1] == ["not"]
    told = _JUDGED.get(found[negated]) if len(found) == 1 + negated else None
    return told if told is None else told is not negated


def _read(fields: Fields) -> Result | None:
    if case_id(fields, "id") is None:
        return None
    read, reason = judgement(_words(fields, "correctness_pred"), _words(fields, "error_step_pred"))
    if reason is not None:
        fields.note("warning", "unparsed", reason)
    return {
        "answer": fields.text("response"),
        "ballot": None if read is None else str(read),
        "verdict": None if read is None else zero_based(read),
        "reason": reason,
    }


def _words(fields: Fields, name: str) -> str:
    """The field as words; a whole number is its digits, null is nothing."""
    value = without_empty_fraction(fields.value.get(name))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31:
        return str(value)
    if value is None or isinstance(value, str):
        return fields.text(name) or ""
    fields.note("warning", "wrong-type", f"{name} is {kind_of(value)}, not text")
    return ""


def _short(words: str) -> str:
    words = words.strip()
    return (words if len(words) <= 40 else f"{words[:39]}…") or "(nothing)"
