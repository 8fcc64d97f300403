"""MR-MATH and what has its layout (MR-GSM8K): the earliest error in solutions that end in the right answer.

Xia et al., "Evaluating Mathematical Reasoning Beyond Accuracy", arXiv 2404.05692.
Rows: `id` or `uuid`, `question`, `ground_truth_answer`, `generator`, `model_output_step_format` (or
`model_output_steps`), `model_output_answer_correctness`, `model_output_solution_correctness`,
`model_output_solution_first_error_step`: the 1-based number of the first wrong step, as a number or in text, "N/A"
where there is none. A step is a text, or a list of sub-steps: then its text is theirs joined by a line break.

MR-MATH's second set, of redundant steps (`rating` in place of a first error), is not read: its steps are all right.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import polars as pl

from scoring.benchmarks.imported import Imported, cases_frame
from scoring.benchmarks.one_based import OneBased
from scoring.benchmarks.step_labels import problem_id
from scoring.reading.fields import Fields, each_case, kind_of
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows

NAME = "mrmath"
TITLE = "MR-MATH"
PAPER = "arXiv 2404.05692"
LICENCE = "not stated"
HUB_NAME = None

_GOLD = "model_output_solution_first_error_step"
_STEPS = ("model_output_step_format", "model_output_steps")
_NONE = {"n/a", "na", "none"}
_STEP = re.compile(r"(?:step\s*)?(-?\d{1,9})(?:\.0*)?", re.IGNORECASE)
_CORRECT = {"correct": True, "right": True, "true": True, "wrong": False, "incorrect": False, "false": False}


def recognises(row: Any) -> bool:
    """Whether a row has MR-MATH's question, its steps and its gold label."""
    return isinstance(row, Mapping) and {"question", _GOLD} <= row.keys() and bool({*_STEPS} & row.keys())


def load(rows: Rows) -> Imported:
    """The cases of an MR-MATH source.

    A row without usable text is left out with a finding of severity error; one without a usable label is kept with a
    null earliest error and a warning. The first row with an id wins. Where steps join several sub-steps, `sub_steps`
    says how many, and one note counts these cases.
    """
    findings = list(rows.findings)
    labels = OneBased(_GOLD, none="N/A")
    frame = cases_frame(NAME, rows.source, each_case(rows, findings, partial(_case, labels), _identify))
    findings += labels.suspicion(rows.source)
    findings += _grouped(frame, rows.source)
    return Imported(NAME, rows.source, rows.format, labels.said(), rows.read, frame, tuple(findings))


def _identify(fields: Fields) -> str:
    return fields.identifier("uuid" if "id" not in fields.value and "uuid" in fields.value else "id")


def _case(labels: OneBased, fields: Fields) -> dict[str, Any] | None:
    problem = fields.text("question", required=True)
    steps, sub_steps = _steps(fields)
    if problem is None or steps is None:
        return None
    earliest = _earliest_error(labels, fields, len(steps))
    return {
        "subset": fields.text("question_type") or fields.text("subset"),
        "generator": fields.text("generator"),
        "problem": problem,
        "problem_id": problem_id(problem),
        "steps": steps,
        "sub_steps": sub_steps,
        "earliest_error": earliest,
        "error_steps": [] if earliest == -1 else None,
        "final_answer_correct": _correctness(fields, "model_output_answer_correctness"),
        "reference_answer": _answer(fields),
        "reason": _reason(fields),
    }


def _steps(fields: Fields) -> tuple[list[str] | None, list[int] | None]:
    """The steps, and how many sub-steps each joins; None for the latter where every step is a single one."""
    name = next((name for name in _STEPS if fields.value.get(name) is not None), _STEPS[0])
    given = fields.value.get(name)
    if not isinstance(given, list) or not any(isinstance(step, list) for step in given):
        return fields.solution(name), None
    # One flat list, so that each sub-step is checked under its own place.
    parts = [step if isinstance(step, list) else [step] for step in given]
    named = {f"{name}[{index}]": part for index, part in enumerate(parts)}
    nested = fields.of(named)
    steps = [nested.texts(each, required=True) for each in named]
    if any(step is None for step in steps):
        return None, None
    joined = fields.usable(["\n".join(step or ()) for step in steps])
    counts = [len(part) for part in parts]
    return joined, None if set(counts) == {1} else counts


def _earliest_error(labels: OneBased, fields: Fields, n_steps: int) -> int | None:
    given = _given(fields)
    if given is None:
        return None
    step = labels.step(fields, given, n_steps)
    if step is not None and step >= n_steps:
        fields.note("warning", "label-beyond-end", f"{_GOLD} {given} is beyond the last of {n_steps} steps")
    return _with_correctness(fields, step)


def _given(fields: Fields) -> int | None:
    """The label as it is, 1-based; -1 for "N/A"; None, with a warning, where it is neither."""
    value = fields.value.get(_GOLD)
    if not isinstance(value, str):
        return fields.integer(_GOLD)
    text = value.strip()
    if text.casefold() in _NONE:
        return -1
    if match := _STEP.fullmatch(text):
        return int(match[1])
    fields.note("warning", "bad-label", f"{_GOLD} {value!r:.60} names no step; the case has no gold label")
    return None


def _with_correctness(fields: Fields, step: int | None) -> int | None:
    """The step, unless there is none and the solution is said to be wrong; a warning where the two columns disagree."""
    correct = _correctness(fields, "model_output_solution_correctness")
    if step is None or correct is None or correct == (step == -1):
        return step
    if correct:
        fields.note("warning", "gold-disagrees", "the solution is labelled correct, yet a first error step is named")
        return step
    message = "the solution is labelled wrong, yet no first error step is named; the case has no gold label"
    fields.note("warning", "gold-disagrees", message)
    return None


def _correctness(fields: Fields, name: str) -> bool | None:
    value = fields.value.get(name)
    if value is None or isinstance(value, bool):
        return value
    known = _CORRECT.get(value.strip().casefold()) if isinstance(value, str) else None
    if known is None:
        seen = f"{value!r:.60}" if isinstance(value, str) else kind_of(value)
        fields.note("warning", "wrong-type", f"{name} is {seen}, neither correct nor wrong")
    return known


def _answer(fields: Fields) -> str | None:
    value = fields.value.get("ground_truth_answer")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return fields.text("ground_truth_answer")


def _reason(fields: Fields) -> str | None:
    reason = fields.text("model_output_solution_first_error_reason")
    return None if reason is None or reason.strip().casefold() in {*_NONE, ""} else reason


def _grouped(frame: pl.DataFrame, source: str) -> list[Finding]:
    grouped = frame.height - frame["sub_steps"].null_count()
    if not grouped:
        return []
    message = (
        f"{grouped:,} of {frame.height:,} cases have steps that join several sub-steps: "
        "rewards given a sub-step are grouped by the lowest"
    )
    return [Finding("note", "grouped-steps", message, source)]
