"""Math-Shepherd: steps labelled by how often solutions that go on from them end in the right answer.

Wang et al., "Math-Shepherd: Verify and Reinforce LLMs Step-by-step without Human Annotations", arXiv 2312.08935.
Rows: `input, label, task`. `input` is the problem and its solution with the tag `ки` after each step; `label` is the
same text with `+` (right) or `-` (wrong) in the place of each tag. Rows have no ids: a case is called after its file
and row.

The problem is the text before the last "Step 1:" in front of the first tag, because a question may say "Step 1:" too.
Without one it is the text up to the last question mark that more text follows. The steps are what stands before each
tag, with their numbering and without the blanks around them.
"""

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.formats.benchmarks.case_format import CaseFormat, labelled, problem_ids
from scoring.formats.reading.fields import Fields, Layout, as_made, read_by

NAME = "math_shepherd"

TAG = "ки"

_LABEL_BASE = (
    f'+ or - in the place of each "{TAG}": - = wrong; the problem ends before the last "Step 1:" in front of the first '
    f'"{TAG}"'
)
_SIGN = {"+": True, "-": False}
_FIRST_STEP = re.compile(r"\bStep 1\s*:", re.IGNORECASE)
_QUESTION = re.compile(r"\?(?=\s*\S)")
_TAG_AT_END = re.compile(rf"(?<!\w){TAG}(?=[^\S\n]*(?:\n|\Z))")
_SIGN_AT_END = re.compile(r"[+-](?=[^\S\n]*(?:\n|\Z))")


def recognises(row: Any) -> bool:
    """Return whether a row has an input with a step tag at the end of a line and a label with a sign at such an end."""
    if not isinstance(row, Mapping):
        return False
    text, label = row.get("input"), row.get("label")
    if not isinstance(text, str) or not isinstance(label, str):
        return False
    return bool(_TAG_AT_END.search(text) and _SIGN_AT_END.search(label))


def _solution(fields: Fields) -> dict[str, Any] | None:
    """The problem, the steps and their labels that a row's two texts hold; None, and fatal, where they hold none."""
    text, label = fields.text("input", required=True), fields.text("label", required=True)
    if text is None or label is None:
        return None
    pieces = _aligned(text, label) or _counted(fields, text, label)
    parted = None if pieces is None else _parted(fields, *pieces)
    if parted is None:
        return None
    problem, steps, right = parted
    return {**fields.value, "problem": problem, "steps": [step.strip() for step in steps], "right": right}


def _aligned(text: str, label: str) -> tuple[list[str], list[bool | None]] | None:
    """What stands before each tag, and what the label has in its place; None where the two texts differ elsewhere.

    A tag that the label repeats is part of the text. Text after the last tag is a piece that is not labelled.
    """
    pieces: list[str] = []
    right: list[bool | None] = []
    start = end = at = 0
    for match in re.finditer(TAG, text):
        between = text[end : match.start()]
        if not label.startswith(between, at):
            return None
        at += len(between)
        end = match.end()
        if label.startswith(TAG, at):
            at += len(TAG)
            continue
        sign = label[at : at + 1]
        if sign not in _SIGN:
            return None
        pieces.append(text[start : match.start()])
        right.append(_SIGN[sign])
        start, at = end, at + 1
    if not right or label[at:].rstrip() != text[end:].rstrip():
        return None
    if text[start:].strip():
        return [*pieces, text[start:]], [*right, None]
    return pieces, right


def _counted(fields: Fields, text: str, label: str) -> tuple[list[str], list[bool | None]] | None:
    """The pieces before each tag with the signs that end the label's lines; None, and fatal, where counts differ."""
    *pieces, rest = text.split(TAG)
    signs = _SIGN_AT_END.findall(label)
    if not pieces or len(pieces) != len(signs):
        message = f"input has {len(pieces)} step tags and label {len(signs)} signs at the end of a line"
        fields.note("error", "label-mismatch", message)
        return None
    fields.note("warning", "label-differs", "label is not the same text as input; its signs are taken in their order")
    right: list[bool | None] = [_SIGN[sign] for sign in signs]
    return ([*pieces, rest], [*right, None]) if rest.strip() else (pieces, right)


def _parted(
    fields: Fields, pieces: list[str], right: list[bool | None]
) -> tuple[str, list[str], list[bool | None]] | None:
    for index, piece in enumerate(pieces):
        *_, match = (None, *_FIRST_STEP.finditer(piece))
        if match is not None:
            if index:
                fields.note("warning", "tag-in-problem", f"{index} step tags before the first step count for nothing")
            problem = "".join([*pieces[:index], piece[: match.start()]]).strip()
            return problem, [piece[match.start() :], *pieces[index + 1 :]], right[index:]
    ends = [match.end() for match in _QUESTION.finditer(pieces[0])]
    if not ends:
        fields.note("error", "no-first-step", 'no "Step 1:" and no question mark say where the solution begins')
        return None
    fields.note("warning", "no-first-step", 'there is no "Step 1:"; the solution begins after the last question mark')
    return pieces[0][: ends[-1]].strip(), [pieces[0][ends[-1] :], *pieces[1:]], right


_EARLIEST, _ERRORS = labelled(pl.col("right"), pl.col("steps").list.len())
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "problem": as_made(pl.String()),
            "steps": read_by(pl.List(pl.String()), lambda fields, name: fields.usable(fields.value[name])),
            "right": as_made(pl.List(pl.Boolean())),
            "subset": read_by(pl.String(), lambda fields, name: fields.text("task") or fields.text(name)),
        },
        content=("problem", "steps"),
        name=Fields.row_name,
        claimed=frozenset({"input", "label"}),
        first_of=(("task", "subset"),),
        flat=_solution,
    ),
    columns={
        "subset": pl.col("subset"),
        "problem_id": problem_ids("problem"),
        "earliest_error": _EARLIEST,
        "error_steps": _ERRORS,
    },
    conclude=lambda read: (_LABEL_BASE, read.findings),
)
load = FORMAT.load
