"""A critic's judgements in ReasonEval's results: `id, response, correctness_pred, error_step_pred`, steps 1-based.

The words are the model's own ("Correct", "**Wrong**", "Step 4", "3."), so they are read tolerantly and not by the rule
of any benchmark. ReasonEval, Xia et al., arXiv 2404.05692.

On MR-MATH's redundant steps the words are "Present" and "Absent", and every step that is named is meant to be
redundant, all others needed (`mr-math_eval.py` counts them so). They become ratings, -1 and 1 a step, in which wrong
stands for redundant as in the labels of that benchmark. "Present" without a step is a judgement that names none.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from scoring.critics.boxed import zero_based
from scoring.reading.fields import Fields, kind_of, without_empty_fraction
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign, Judges, foreign_frame
from scoring.results.gathered import Result, case_id, one_scorer
from scoring.results.reasoneval import by_folder

TITLE = "ReasonEval critic results"

NO_STEP = -2
"""The verdict of an answer that judges a solution redundant and names no step."""

_JUDGED = {"correct": True, "right": True, "wrong": False, "incorrect": False}
_PRESENT = {"present": True, "absent": False}
_NEGATIONS = {"no", "not", "none", "never", "without", "neither", "nor"}
_NO_STEP = {"", "n a", "na", "nan", "none", "null", "nil", "not applicable", "no", "no error", "no step"}
_LONGEST = 9
_LABEL_BASES: dict[Judges, str] = {
    "errors": "1-based, read tolerantly (the first number that error_step_pred holds)",
    "redundancy": "1-based, read tolerantly (every number that error_step_pred holds is a redundant step)",
}


def recognises(row: Any) -> bool:
    """Whether a row is a judgement with the step it names."""
    return isinstance(row, Mapping) and {"id", "correctness_pred", "error_step_pred"} <= row.keys()


def load(rows: Rows) -> list[Foreign]:
    """The one critic's verdicts; what cannot be read, or contradicts itself, has a reason.

    What a file judges, errors or redundancy, is what most of its rows do; the words of others cannot be read.
    """
    judges = _judges(rows)
    found = one_scorer(rows, lambda fields: _read(fields, judges))
    frame = foreign_frame(found.results)
    unparsed = frame["verdict"].null_count()
    message = f"words of judgement and of steps were read tolerantly; {unparsed} of {frame.height} are unparsed"
    if judges == "redundancy":
        stepless = int((frame["verdict"] == NO_STEP).sum())
        message += f'; they judge redundancy, and {stepless} say "Present" and name no step'
    found.findings.append(Finding("note", "tolerant-reading", message, rows.source))
    return [
        Foreign(
            format=TITLE,
            source=rows.source,
            name=found.name,
            rows=frame,
            read=found.read,
            label_base=_LABEL_BASES[judges],
            benchmark=by_folder(rows.source)[0],
            judges=judges,
            kind="critic",
            threshold_source="between the ratings of a step, -1 and 1" if judges == "redundancy" else "default",
            low=-1.0 if judges == "redundancy" else 0.0,
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
    numbers = _numbers(step)
    if right:
        return (-1, None) if _names_none(step) else (None, f"judged correct, yet a step is named: {_short(step)}")
    return (numbers[0], None) if numbers else (None, f"judged wrong, and no step is named: {_short(step)}")


def redundancy(presence: str, steps: str) -> tuple[list[int] | None, str | None]:
    """(the steps judged redundant, 1-based, [] = none; None) or (None; why there is no reading).

    "Present" and "absent" are told in any case, between any signs and among other words; of the steps every number
    counts. Where redundant steps are present and none is named, the list is [0], which is no step.
    """
    present = _present(presence)
    if present is None:
        return None, f"the judgement is neither present nor absent: {_short(presence)}"
    numbers = sorted(set(_numbers(steps)))
    if present:
        return numbers or [0], None
    return ([], None) if not numbers else (None, f"judged absent, yet a step is named: {_short(steps)}")


def _judged(words: str) -> bool | None:
    """Whether the words say that the solution is right; None where they say neither."""
    letters = _letters(words)
    negated = letters[:1] == ["not"]
    right = _JUDGED.get(letters[negated]) if len(letters) == 1 + negated else None
    return right if right is None else right is not negated


def _present(words: str) -> bool | None:
    """Whether the words say that there are redundant steps; None where they say neither, or both, or deny something."""
    letters = _letters(words)
    if letters[:1] == ["not"] and len(letters) == 2 and letters[1] in _PRESENT:
        return not _PRESENT[letters[1]]
    said = {_PRESENT[word] for word in letters if word in _PRESENT}
    return said.pop() if len(said) == 1 and not _NEGATIONS & set(letters) else None


def _letters(words: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", words.lower())


def _names_none(step: str) -> bool:
    """Whether the words say in so many words that there is no step."""
    return step.strip() == "-1" or " ".join(re.findall(r"\w+", step.lower())) in _NO_STEP


def _numbers(step: str) -> list[int]:
    """The numbers among the words that name steps."""
    return [] if _names_none(step) else [int(number[:_LONGEST]) for number in re.findall(r"\d+", step)]


def _judges(rows: Rows) -> Judges:
    """What most of the rows judge; errors where none can be read."""
    kinds: Counter[Judges] = Counter()
    for row in rows.rows:
        words = row.value.get("correctness_pred") if isinstance(row.value, Mapping) else None
        if isinstance(words, str):
            kinds["redundancy"] += _present(words) is not None
            kinds["errors"] += _judged(words) is not None
    return "redundancy" if kinds["redundancy"] > kinds["errors"] else "errors"


def _read(fields: Fields, judges: Judges) -> Result | None:
    if case_id(fields, "id") is None:
        return None
    words, step = _words(fields, "correctness_pred"), _words(fields, "error_step_pred")
    result = _redundant(words, step) if judges == "redundancy" else _wrong(words, step)
    if result["reason"] is not None:
        fields.note("warning", "unparsed", result["reason"])
    return {"answer": fields.text("response"), **result}


def _wrong(correctness: str, step: str) -> Result:
    read, reason = judgement(correctness, step)
    if read is None:
        return {"ballot": None, "verdict": None, "reason": reason}
    return {"ballot": str(read), "verdict": zero_based(read), "reason": None}


def _redundant(presence: str, steps: str) -> Result:
    read, reason = redundancy(presence, steps)
    if read is None:
        return {"ballot": None, "verdict": None, "reason": reason}
    named = [zero_based(step) for step in read if step > 0]
    if not read:
        return {"ballot": "-1", "verdict": -1, "named_steps": [], "reason": None}
    if not named:
        return {"ballot": "present", "verdict": NO_STEP, "reason": None}
    return {"ballot": ", ".join(map(str, read)), "verdict": named[0], "named_steps": named, "reason": None}


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
