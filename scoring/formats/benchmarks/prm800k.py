"""PRM800K: human ratings of every step of solutions to competition mathematics.

Lightman et al., "Let's Verify Step by Step", arXiv 2305.20050; fields as the README of `openai/prm800k` explains them.
MIT.
Rows: `labeler, timestamp, generation, question{problem, ground_truth_answer, ...}, label{steps[], finish_reason}`; a
step has `completions[{text, rating, flagged}]`, `human_completion` and `chosen_completion`. Ratings are -1 wrong,
0 right without progress, 1 right.

A row becomes one case, the path its labeler took: at each step the chosen completion, or the one a human wrote, which
counts as right. Where neither was taken the path ends with the first completion rated -1, the error that was found.
The alternatives to it are left out. Rows have no ids: a case is called after its problem and its labelling, whatever
its place in a file.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import polars as pl

from scoring.formats.benchmarks.case_format import (
    CaseFormat,
    labelled,
    note_where,
    problem_id,
    problem_ids,
    quoted,
    warn_where,
)
from scoring.formats.reading.fields import (
    Fields,
    Layout,
    as_made,
    identifier,
    kind_of,
    solution,
    text,
    without_empty_fraction,
)

NAME = "prm800k"

ORIGIN = "MATH"
"""The collection that all its problems were taken from."""

_LABEL_BASE = "ratings of steps: -1 = wrong, 0 and 1 = right"
_RIGHT = {1: True, 0: True, -1: False}
_UNFINISHED = ("give_up", "bad_problem")


def recognises(row: Any) -> bool:
    """Return whether a row has a question with a problem and a label with steps."""
    if not isinstance(row, Mapping):
        return False
    question, label = row.get("question"), row.get("label")
    return isinstance(question, Mapping) and "problem" in question and isinstance(label, Mapping) and "steps" in label


def _identify(fields: Fields) -> str:
    """Twelve hex digits of the problem and eight of labeler and time; the row's place where these are not given."""
    question = fields.value.get("question")
    problem = question.get("problem") if isinstance(question, Mapping) else None
    who, when = fields.value.get("labeler"), fields.value.get("timestamp")
    if not isinstance(problem, str) or who is None or when is None:
        return fields.row_name()
    labelling = blake2b(f"{who}\0{when}".encode(errors="replace"), digest_size=4).hexdigest()
    return f"{problem_id(problem)}-{labelling}"


def _labelling(fields: Fields) -> dict[str, Any]:
    question, label = _object(fields, "question"), _object(fields, "label")
    path = _path(fields, label.get("steps"))
    return {
        "phase": _phase(fields),
        "problem": question.get("problem"),
        "ground_truth_answer": question.get("ground_truth_answer"),
        "steps": [step for step, _ in path],
        "right": [right for _, right in path],
        "finish_reason": label.get("finish_reason"),
    }


def _object(fields: Fields, name: str) -> Mapping[str, Any]:
    value = fields.value.get(name)
    if isinstance(value, Mapping):
        return value
    fields.note("error", "wrong-type", f"{name} is {kind_of(value)}, not an object")
    return {}


def _phase(fields: Fields) -> str | None:
    """Phase 2 labelled generation after generation of solutions; in phase 1 the field is null."""
    if "generation" not in fields.value:
        return None
    return "phase 1" if fields.value["generation"] is None else "phase 2"


def _path(fields: Fields, steps: Any) -> list[tuple[Any, bool | None]]:
    path: list[tuple[Any, bool | None]] = []
    if not isinstance(steps, list):
        fields.note("error", "wrong-type", f"label.steps is {kind_of(steps)}, not a list")
        return path
    for index, step in enumerate(steps):
        taken, ends = _taken(fields, index, step)
        if taken is not None:
            path.append(taken)
        if ends:
            if rest := len(steps) - index - 1:
                message = f"no completion of step {index} was taken; the {rest} steps after it are left out"
                fields.note("warning", "path-cut", message)
            break
    return path


def _taken(fields: Fields, index: int, step: Any) -> tuple[tuple[Any, bool | None] | None, bool]:
    if not isinstance(step, Mapping):
        fields.note("warning", "wrong-type", f"label.steps[{index}] is {kind_of(step)}, not an object")
        return None, True
    parts = step.get("completions")
    completions = [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []
    chosen, written = without_empty_fraction(step.get("chosen_completion")), step.get("human_completion")
    if type(chosen) is int and isinstance(parts, list) and 0 <= chosen < len(parts):
        part = parts[chosen] if isinstance(parts[chosen], Mapping) else {}
        return (part.get("text"), _right(fields, index, part.get("rating"))), False
    if chosen is not None:
        message = f"label.steps[{index}].chosen_completion is {chosen!r:.40}, which names none of its completions"
        fields.note("warning", "bad-choice", message)
        return None, True
    if written is not None:
        return (written.get("text") if isinstance(written, Mapping) else written, True), False
    wrong = next((part for part in completions if _is_wrong(part.get("rating"))), None)
    return (None if wrong is None else (wrong.get("text"), False)), True


def _is_wrong(rating: Any) -> bool:
    return isinstance(rating, int | float) and rating == -1


def _right(fields: Fields, index: int, rating: Any) -> bool | None:
    if rating is None:
        return None
    if isinstance(rating, int | float) and not isinstance(rating, bool) and rating in _RIGHT:
        return _RIGHT[int(rating)]
    fields.note("warning", "bad-label", f"the rating of step {index} is {rating!r:.40}, none of -1, 0, 1")
    return None


_FINISH = pl.col("finish_reason")
_SOLVED = _FINISH.eq_missing("solution")
_EARLIEST, _ERRORS = labelled(pl.col("right"), pl.col("steps").list.len())
_OPEN = (_EARLIEST == -1) & ~_SOLVED
_OPEN_MESSAGE = pl.format(
    "no step is rated -1 and the labelling ended with {}; the case has no gold label", quoted(_FINISH)
)
_UNRATED = pl.col("right").list.eval(pl.element().is_null().arg_true())
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "problem": text(required=True),
            "steps": solution(),
            "right": as_made(pl.List(pl.Boolean())),
            "phase": as_made(pl.String()),
            "finish_reason": text(),
            "ground_truth_answer": text(),
        },
        content=("problem", "steps"),
        name=_identify,
        claimed=frozenset({"question.problem", "question.ground_truth_answer", "label.steps"}),
        flat=_labelling,
    ),
    columns={
        "subset": pl.col("phase"),
        "origin": pl.lit(ORIGIN),
        "problem_id": problem_ids("problem"),
        "earliest_error": pl.when(~_OPEN.fill_null(value=False)).then(_EARLIEST),
        "error_steps": pl.when(~_OPEN.fill_null(value=False)).then(_ERRORS),
        "final_answer_correct": pl.when(_SOLVED).then(pl.lit(value=True)),
        "reference_answer": pl.col("ground_truth_answer"),
    },
    checks=(
        note_where(
            "unrated-step",
            _UNRATED.list.len() > 0,
            "steps [{}] carry no rating",
            _UNRATED.list.eval(pl.element().cast(pl.String)).list.join(", "),
        ),
        note_where("unfinished", _OPEN & _FINISH.is_in(_UNFINISHED), _OPEN_MESSAGE),
        warn_where("unfinished", _OPEN & ~_FINISH.is_in(_UNFINISHED).fill_null(value=False), _OPEN_MESSAGE),
    ),
    conclude=lambda read: (_LABEL_BASE, read.findings),
)
load = FORMAT.load
