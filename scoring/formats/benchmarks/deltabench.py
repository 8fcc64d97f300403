"""DeltaBench: wrong sections in long chains of thought.

He et al., "Can Large Language Models Detect Errors in Long Chain-of-Thought Reasoning?", arXiv 2502.19361.
Rows: `id, origin, task_l1, question, answer, sections[{start, end, content}], reason_error_section_numbers[],
reason_unuseful_section_numbers[], sections_labeled_info[], final_correct, error_type`. A section is a step, and the
numbers count from 1; the table of the hub holds lists as Python writes them. Error and unuseful sections together are
those to be found, as in the benchmark's own code (`evaluation.py`).

Annotators often stopped at the last wrong section: those after it are labelled only where `sections_labeled_info` says
of each whether it is right and useful. The benchmark's own code leaves answers about them out as well; its figures are
in `scoring.metrics.sections`.
"""

import ast
import json
from collections.abc import Mapping
from contextlib import suppress
from itertools import takewhile
from typing import Any

import polars as pl

from scoring.data.schema import STEP_INDEX
from scoring.formats.benchmarks.case_format import CaseFormat, ReadSource, not_empty, problem_ids, warn_where
from scoring.formats.reading.fields import Fields, Layout, as_made, identifier, kind_of, read_by, solution, text
from scoring.formats.reading.findings import Finding

NAME = "deltabench"

_ERRORS, _UNUSEFUL = "reason_error_section_numbers", "reason_unuseful_section_numbers"


def recognises(row: Any) -> bool:
    """Return whether a row has a question, sections and the numbers of the wrong ones, and no critic's answer."""
    return isinstance(row, Mapping) and {"question", "sections", _ERRORS} <= row.keys() and "critic" not in row


def _unwritten(value: Any) -> Any:
    """The list that a text is of, in JSON or as Python writes it; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    for read in (json.loads, ast.literal_eval):
        # Python's parser has limits of its own for what is nested too deep.
        with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return read(value.strip())
    return value


def _flat(fields: Fields) -> Mapping[str, Any] | None:
    """The row, with the texts of its sections in their place and what is annotated of each beside them."""
    lists = ("sections", "sections_labeled_info", _ERRORS, _UNUSEFUL)
    fields = fields.of({**fields.value, **{name: _unwritten(fields.value.get(name)) for name in lists}})
    sections = fields.value.get("sections")
    if not isinstance(sections, list):
        message = f"sections is {kind_of(sections)}, not a list"
        fields.note("error", "wrong-type", message)
        return None
    parts = [section if isinstance(section, Mapping) else {} for section in sections]
    annotated = fields.value.get("sections_labeled_info")
    notes = [note for note in annotated if isinstance(note, Mapping)] if isinstance(annotated, list) else []
    placed = [_in_its_section(note, parts) for note in notes if note.get("error_step")]
    explanations = [note.get("explanation") for note in notes]
    numbered = {_number(note.get("section_number")): note for note in notes}
    return {
        **fields.value,
        "sections": [part.get("content") for part in parts],
        "labelled": sum(1 for _ in takewhile(lambda at: _is_labelled(numbered.get(at)), range(1, len(parts) + 1))),
        "placed": len(placed),
        "inside": sum(placed),
        "reason": "\n".join(why for why in explanations if isinstance(why, str) and why.strip()) or None,
    }


def _is_labelled(note: Mapping[str, Any] | None) -> bool:
    """Whether it is said of a section that it is right or wrong, useful or not."""
    marks = () if note is None else (note.get("reasoning_correctness"), note.get("reasoning_usefulness"))
    return bool(marks) and all(str(value) in {"0", "1"} for value in marks)


def _in_its_section(note: Mapping[str, Any], sections: list[Mapping[str, Any]]) -> bool:
    """Whether the line at which an error begins is in the section of the note's number, counted from 1."""
    number, line = _number(note.get("section_number")), _number(note.get("error_step"))
    if not 1 <= number <= len(sections):
        return False
    start, end = (_number(sections[number - 1].get(name)) for name in ("start", "end"))
    return start <= line <= end


def _number(value: Any) -> int:
    digits = str(value)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1


def _numbers(fields: Fields, name: str) -> list[int] | None:
    if fields.value.get(name) is None:
        fields.note("warning", "no-label", f"{name} is not there; the case has no gold label")
    return fields.integers(name)


def _final_correct(fields: Fields, name: str) -> bool | None:
    value = fields.value.get(name)
    return str(value) == "1" if str(value) in {"0", "1"} else fields.boolean(name)


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    counts = read.tallies
    label_base = (
        f"1-based section numbers, [] = none is wrong ({counts['zeros']:,} rows list 0, {counts['ones']:,} list 1, "
        f"{counts['beyond']:,} one beyond the last; {counts['inside']:,} of {counts['placed']:,} lines with an error "
        "lie in the section of their number)"
    )
    findings = [*read.findings]
    if counts["zeros"]:
        message = f"{counts['zeros']:,} rows list section 0: the numbers look counted from 0"
        findings.append(Finding("warning", "label-base", message, read.source))
    elif 2 * counts["inside"] < counts["placed"]:
        outside = f"{counts['placed'] - counts['inside']:,} of {counts['placed']:,}"
        message = f"{outside} lines with an error lie outside the section of their number: it counts otherwise"
        findings.append(Finding("warning", "label-base", message, read.source))
    if count := counts["open"]:
        message = f"in {count:,} cases sections after the last wrong one carry no label: only the first error is known"
        findings.append(Finding("note", "unlabelled-steps", message, read.source))
    return label_base, findings


_N_STEPS = pl.col("sections").list.len().cast(pl.Int64)
_LISTED = pl.concat_list(_ERRORS, _UNUSEFUL).list.unique().list.sort()
_FIRST, _LAST = _LISTED.list.first(), _LISTED.list.last()
_NO_SECTION = (_FIRST < 1).fill_null(value=False)
_COMPLETE = pl.max_horizontal(pl.col("labelled"), _LAST) >= _N_STEPS
_WRONG = _LISTED.list.eval(pl.element() - 1)
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "question": text(required=True),
            "sections": solution(),
            _ERRORS: read_by(pl.List(pl.Int64()), _numbers),
            _UNUSEFUL: read_by(pl.List(pl.Int64()), _numbers),
            "labelled": as_made(pl.Int64()),
            "placed": as_made(pl.Int64()),
            "inside": as_made(pl.Int64()),
            **{name: text() for name in ("task_l1", "origin", "answer", "error_type", "reason")},
            "final_correct": read_by(pl.Boolean(), _final_correct),
        },
        content=("question", "sections"),
        claimed=frozenset(
            {"id", "question", "sections", "sections_labeled_info", _ERRORS, _UNUSEFUL, "task_l1", "origin"}
        )
        | {"answer", "error_type", "final_correct"},
        flat=_flat,
    ),
    columns={
        "subset": not_empty("task_l1"),
        "origin": not_empty("origin"),
        "problem_id": problem_ids("question"),
        "earliest_error": pl.when(_FIRST >= 1).then(_FIRST - 1).when((_LISTED.list.len() == 0) & _COMPLETE).then(-1),
        "error_steps": pl.when(_COMPLETE & ~_NO_SECTION).then(_WRONG).cast(pl.List(STEP_INDEX)),
        "errors_so_far": pl.when(~_COMPLETE & (_FIRST >= 1)).then(_WRONG).cast(pl.List(STEP_INDEX)),
        "error_type": not_empty("error_type"),
        "final_answer_correct": pl.col("final_correct"),
        "reference_answer": pl.col("answer"),
        "reason": pl.col("reason"),
    },
    checks=(
        warn_where("bad-label", _NO_SECTION, "section number {} names no section; the case has no gold label", _FIRST),
        warn_where(
            "no-label",
            (_LISTED.list.len() == 0) & ~_COMPLETE,
            "no section is listed, and not each is said to be right; the case has no gold label",
        ),
        warn_where(
            "label-beyond-end", _LAST > _N_STEPS, "section number {} is beyond the last of {} sections", _LAST, _N_STEPS
        ),
    ),
    tallies={
        "zeros": _LISTED.list.contains(0).sum(),
        "ones": _LISTED.list.contains(1).sum(),
        "beyond": (_LAST > _N_STEPS).sum(),
        "placed": pl.col("placed").sum(),
        "inside": pl.col("inside").sum(),
        "open": (~_COMPLETE & (_FIRST >= 1)).sum(),
    },
    conclude=_concluded,
)
load = FORMAT.load
