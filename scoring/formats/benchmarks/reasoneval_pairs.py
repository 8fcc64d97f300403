"""ReasonEval's perturbation pairs: right solutions of PRM800K, and each with one error put in.

Xia et al., "Evaluating Mathematical Reasoning Beyond Accuracy", arXiv 2404.05692; the README of `GAIR-NLP/ReasonEval`.
Rows: `id`, `rid`, `question`, `ground_truth_answer`, `reference_steps` (the right solution, called `rid`),
`hypothesis_steps` (what is scored), `error_type` and `tags`, which counts from 0 and means by the error's type:

- random number, random operation: the step that was changed. It is the earliest error.
- repeat step: the step that was repeated. Its copy, the step after it, is the earliest error.
- swap steps: the two steps that changed places. The first of them is the earliest error.
- remove step: the step of the right solution that is missing. What stands at its place now is the earliest error;
  nothing does where the last step was removed, and then there is no gold label.
- swap solutions: the `rid` of the problem whose solution this is. It names no step, so there is no gold label.

Only the earliest error is labelled: whether the steps after it are wrong is said nowhere. Each right solution is, as
`original_{rid}`, the twin of the first case made of it; all cases of one `rid` share it as their problem.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.data.schema import STEP_INDEX
from scoring.formats.benchmarks.case_format import (
    MADE,
    CaseFormat,
    ReadSource,
    not_empty,
    note_where,
    problem_ids,
    quoted,
    warn_where,
)
from scoring.formats.reading.fields import Fields, Layout, identifier, kind_of, read_by, solution, text, texts
from scoring.formats.reading.findings import Finding

NAME = "reasoneval_pairs"

ORIGINAL = "original_"
"""What stands before a `rid` in the id of the right solution."""

CHANGED = ("random number", "random operation")
REPEATED, SWAPPED, ANOTHER = "repeat step", "swap steps", "swap solutions"
REMOVED = ("remove step", "remove steps")
"""Both spellings: that of the rows and that of the README."""
ERROR_TYPES = (*CHANGED, REPEATED, SWAPPED, *REMOVED, ANOTHER)

_KEYS = frozenset({"question", "reference_steps", "hypothesis_steps", "error_type", "tags"})


def recognises(row: Any) -> bool:
    """Return whether a row has a solution before and after a perturbation, and what was done to it."""
    return isinstance(row, Mapping) and row.keys() >= _KEYS


def _tags(fields: Fields, name: str) -> list[int] | None:
    tags = fields.value.get(name)
    numbers: list[Any] = tags if isinstance(tags, list) else [tags]
    if numbers and all(
        isinstance(number, int) and not isinstance(number, bool) and abs(number) < 2**31 for number in numbers
    ):
        return numbers
    what = f"{tags!r:.60}" if isinstance(tags, str | list) else kind_of(tags)
    fields.note("warning", "bad-label", f"{name} is {what}, neither a whole number nor a list of these")
    return None


def _rid(fields: Fields, name: str) -> str | None:
    value = fields.value.get(name)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else fields.text(name)


_TYPE, _TAGS, _RID = not_empty("error_type"), pl.col("tags"), not_empty("rid")
_STEPS, _REFERENCE = pl.col("hypothesis_steps"), pl.col("reference_steps")
_N_STEPS = _STEPS.list.len().cast(pl.Int64)
_ONE, _TWO = _TAGS.list.len() == 1, _TAGS.list.len() == 2
_FIRST = _TAGS.list.first()
_NAMED = (
    pl.when(_TYPE.is_in([*CHANGED, *REMOVED]) & _ONE)
    .then(_FIRST)
    .when((_TYPE == REPEATED) & _ONE)
    .then(_FIRST + 1)
    .when((_TYPE == SWAPPED) & _TWO)
    .then(_TAGS.list.min())
)
"""The step that `tags` names, whether or not there is such a one."""
_EARLIEST = pl.when((_NAMED >= 0) & (_NAMED < _N_STEPS)).then(_NAMED).cast(STEP_INDEX)
_MODIFIED = (
    pl.when(_TYPE.is_in([*CHANGED, REPEATED]))
    .then(pl.concat_list(_EARLIEST))
    .when(_TYPE == SWAPPED)
    .then(_TAGS.list.unique().list.sort().cast(pl.List(STEP_INDEX)))
)


def _same(count: pl.Expr) -> pl.Expr:
    return _STEPS.list.head(count) == _REFERENCE.list.head(count)


_LEAVES_THERE = (_same(_EARLIEST) & ~_same(_EARLIEST + 1)).fill_null(value=False)
"""Whether the earliest error is the first step that is not as in the right solution."""
_HAS_REFERENCE = _REFERENCE.list.len().fill_null(0) > 0


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    labelled, there = read.tallies["labelled"], read.tallies["there"]
    label_base = (
        "0-based tags, by type the step changed, after the repeated one, first of the swapped, or after the gap"
        f" (the text leaves the original there in {there:,} of {labelled:,} cases)"
    )
    return label_base, read.findings


FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "question": text(required=True),
            "hypothesis_steps": solution(),
            "reference_steps": texts(),
            "rid": read_by(pl.String(), _rid),
            "error_type": text(),
            "tags": read_by(pl.List(pl.Int64()), _tags, needed=True),
            "ground_truth_answer": text(),
        },
        content=("question", "hypothesis_steps"),
    ),
    columns={
        "problem_id": pl.coalesce(_RID, problem_ids("question")),
        "earliest_error": _EARLIEST,
        "error_type": _TYPE,
        "original_steps": _REFERENCE,
        "modified_steps": pl.when(_EARLIEST.is_not_null()).then(_MODIFIED),
        "reference_answer": pl.col("ground_truth_answer"),
    },
    checks=(
        warn_where(
            "unknown-class",
            ~_TYPE.is_in(ERROR_TYPES).fill_null(value=False),
            "error_type {} is none of ReasonEval's; the case has no gold label",
            quoted(_TYPE),
        ),
        note_where(
            "whole-solution",
            _TYPE == ANOTHER,
            "the whole solution is another problem's: tags names that and no step; the case has no gold label",
        ),
        warn_where(
            "bad-label",
            _TAGS.is_not_null() & (_TYPE.is_in([*CHANGED, *REMOVED, REPEATED]) & ~_ONE | (_TYPE == SWAPPED) & ~_TWO),
            "tags has {} numbers, not as many as its type; the case has no gold label",
            _TAGS.list.len(),
        ),
        note_where(
            "no-error-in-range",
            _TYPE.is_in(REMOVED) & (_NAMED == _N_STEPS),
            "the last step was removed, and no step stands in its place; the case has no gold label",
        ),
        warn_where(
            "label-beyond-end",
            ~_NAMED.is_between(0, _N_STEPS - 1 + _TYPE.is_in(REMOVED).cast(pl.Int64)),
            "tags name step {}, 0-based, of {} steps; the case has no gold label",
            _NAMED,
            _N_STEPS,
        ),
        warn_where(
            "gold-disagrees",
            pl.col(f"{MADE}earliest_error").is_not_null() & _HAS_REFERENCE & ~_LEAVES_THERE,
            "tags name step {}, 0-based, yet the text does not leave the original there",
            _NAMED,
        ),
    ),
    tallies={
        "labelled": (_EARLIEST.is_not_null() & _HAS_REFERENCE).sum(),
        "there": (_EARLIEST.is_not_null() & _HAS_REFERENCE & _LEAVES_THERE).sum(),
    },
    twins={
        "id": pl.concat_str(pl.lit(ORIGINAL), _RID),
        "problem": pl.col("question"),
        "steps": _REFERENCE,
        "twin_of": pl.when(_RID.is_not_null() & _HAS_REFERENCE).then(pl.col(f"{MADE}case")),
    },
    conclude=_concluded,
)
load = FORMAT.load
