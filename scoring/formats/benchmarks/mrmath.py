"""MR-MATH and what has its layout (MR-GSM8K): the earliest error in solutions that end in the right answer.

Xia et al., "Evaluating Mathematical Reasoning Beyond Accuracy", arXiv 2404.05692.
Rows: `id` or `uuid`, `question`, `ground_truth_answer`, `generator`, `model_output_step_format` (or
`model_output_steps`), `model_output_answer_correctness`, `model_output_solution_correctness`,
`model_output_solution_first_error_step`: the 1-based number of the first wrong step, as a number or in text, "N/A"
where there is none. A step is a text, or a list of sub-steps: then its text is theirs joined by a line break.

MR-MATH's second set (`rating` in place of a first error) is `scoring.formats.benchmarks.mrmath_redundant`.
"""

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.formats.benchmarks.case_format import CaseFormat, OneBased, ReadSource, none_wrong, problem_ids, warn_where
from scoring.formats.reading.fields import Fields, Layout, identifier, kind_of, read_by, text
from scoring.formats.reading.findings import Finding

NAME = "mrmath"

FIRST_ERROR = "model_output_solution_first_error_step"
"""The field with the gold label."""
STEP_FIELDS = ("model_output_step_format", "model_output_steps")
_NONE = {"n/a", "na", "none"}
_STEP = re.compile(r"(?:step\s*)?(-?\d{1,9})(?:\.0*)?", re.IGNORECASE)
_CORRECT = {"correct": True, "right": True, "true": True, "wrong": False, "incorrect": False, "false": False}


def recognises(row: Any) -> bool:
    """Return whether a row has MR-MATH's question, its steps and its gold label."""
    return isinstance(row, Mapping) and {"question", FIRST_ERROR} <= row.keys() and bool({*STEP_FIELDS} & row.keys())


def _identify(fields: Fields) -> str:
    return fields.identifier("uuid" if "id" not in fields.value and "uuid" in fields.value else "id")


def _steps(fields: Fields, _: str) -> list[str] | None:
    """The steps; of one that is a list, its sub-steps joined by a line break. None, and fatal, where there are none."""
    name, value = _given_steps(fields)
    if _counts(value) is None:
        return fields.solution(name)
    # One flat list, so that each sub-step is checked under its own place.
    nested = {f"{name}[{index}]": step if isinstance(step, list) else [step] for index, step in enumerate(value)}
    steps = [fields.of(nested).texts(each, required=True) for each in nested]
    return None if None in steps else fields.usable(["\n".join(step or ()) for step in steps])


def _sub_steps(fields: Fields, _: str) -> list[int] | None:
    counts = _counts(_given_steps(fields)[1])
    return None if counts is None or set(counts) == {1} else counts


def _given_steps(fields: Fields) -> tuple[str, Any]:
    name = next((name for name in STEP_FIELDS if fields.value.get(name) is not None), STEP_FIELDS[0])
    return name, fields.value.get(name)


def _counts(value: Any) -> list[int] | None:
    if not isinstance(value, list) or not any(isinstance(step, list) for step in value):
        return None
    return [len(step) if isinstance(step, list) else 1 for step in value]


def _label(fields: Fields, name: str) -> int | None:
    """The label as it is, 1-based; -1 for "N/A"; None, with a warning, where it is neither."""
    value = fields.value.get(name)
    if not isinstance(value, str):
        return fields.integer(name)
    label = value.strip()
    if label.casefold() in _NONE:
        return -1
    if match := _STEP.fullmatch(label):
        return int(match[1])
    fields.note("warning", "bad-label", f"{name} {value!r:.60} names no step; the case has no gold label")
    return None


def _correctness(fields: Fields, name: str) -> bool | None:
    value = fields.value.get(name)
    if value is None or isinstance(value, bool):
        return value
    known = _CORRECT.get(value.strip().casefold()) if isinstance(value, str) else None
    if known is None:
        quoted_value = f"{value!r:.60}" if isinstance(value, str) else kind_of(value)
        fields.note("warning", "wrong-type", f"{name} is {quoted_value}, neither correct nor wrong")
    return known


def _answer(fields: Fields, name: str) -> str | None:
    value = fields.value.get(name)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else fields.text(name)


def _reason(fields: Fields, name: str) -> str | None:
    reason = fields.text(name)
    return None if reason is None or reason.strip().casefold() in {*_NONE, ""} else reason


def grouped(cases: pl.DataFrame, source: str) -> list[Finding]:
    """Note how many cases have steps that join several sub-steps.

    Args:
        cases: the column `sub_steps`.
        source: the file's.
    """
    count = cases.height - cases["sub_steps"].null_count()
    if not count:
        return []
    message = (
        f"{count:,} of {cases.height:,} cases have steps that join several sub-steps: "
        "rewards given a sub-step are grouped by the lowest"
    )
    return [Finding("note", "grouped-steps", message, source)]


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    label_base, suspicion = _LABEL.concluded(read)
    return label_base, [*read.findings, *suspicion, *grouped(read.cases, read.source)]


SOLUTION_FIELDS = {
    "question": text(required=True),
    "steps": read_by(pl.List(pl.String()), _steps, needed=True, required=True),
    "sub_steps": read_by(pl.List(pl.Int32()), _sub_steps),
    "generator": text(),
    "ground_truth_answer": read_by(pl.String(), _answer),
}
"""The fields of a solution, in both sets of MR-MATH."""

_LABEL = OneBased(FIRST_ERROR, none="N/A")
_CORRECT_SOLUTION = pl.col("model_output_solution_correctness")
_NAMED_YET_CORRECT = _CORRECT_SOLUTION & (_LABEL.step() >= 0)
_WRONG_YET_NONE = (~_CORRECT_SOLUTION & (_LABEL.step() == -1)).fill_null(value=False)
_EARLIEST = pl.when(~_WRONG_YET_NONE).then(_LABEL.step())
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            **SOLUTION_FIELDS,
            FIRST_ERROR: read_by(pl.Int64(), _label),
            "model_output_solution_correctness": read_by(pl.Boolean(), _correctness),
            "model_output_answer_correctness": read_by(pl.Boolean(), _correctness),
            "model_output_solution_first_error_reason": read_by(pl.String(), _reason),
            "subset": read_by(pl.String(), lambda fields, name: fields.text("question_type") or fields.text(name)),
        },
        content=("question", "steps"),
        name=_identify,
        first_of=(("question_type", "subset"), STEP_FIELDS),
    ),
    columns={
        "subset": pl.col("subset"),
        "generator": pl.col("generator"),
        "problem_id": problem_ids("question"),
        "sub_steps": pl.col("sub_steps"),
        "earliest_error": _EARLIEST,
        "error_steps": none_wrong(_EARLIEST),
        "final_answer_correct": pl.col("model_output_answer_correctness"),
        "reference_answer": pl.col("ground_truth_answer"),
        "reason": pl.col("model_output_solution_first_error_reason"),
    },
    checks=(
        _LABEL.check(),
        warn_where(
            "label-beyond-end",
            _LABEL.beyond,
            f"{FIRST_ERROR} {{}} is beyond the last of {{}} steps",
            pl.col(FIRST_ERROR),
            _LABEL.n_steps,
        ),
        warn_where(
            "gold-disagrees", _NAMED_YET_CORRECT, "the solution is labelled correct, yet a first error step is named"
        ),
        warn_where(
            "gold-disagrees",
            _WRONG_YET_NONE,
            "the solution is labelled wrong, yet no first error step is named; the case has no gold label",
        ),
    ),
    tallies=_LABEL.tallies(),
    conclude=_concluded,
)
load = FORMAT.load
