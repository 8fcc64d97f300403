"""VisualProcessBench: steps over images, each right, wrong, or neither.

Wang et al., "VisualPRM", arXiv 2503.10291. Rows: `image[], question, answer, response{steps[],
process_correctness[1|0|-1]}, policy_model, data_source`; a label of 1 says right, -1 wrong and 0 neutral. The rows have
no ids; evaluations number them from 0, and cases are called so here. Images are named, relative to the folder of the
file, and no import looks at them.

Which label is which, that neutral steps count in neither class, and that the figure is of all steps pooled was read in
evaluations of others: the mean of the F1s of right and of wrong steps, which is called PRMScore here. Beside it stands
the mean over sources, which some report. A step is right iff its score is above the threshold, not at it.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.data.schema import STEP_INDEX
from scoring.formats.benchmarks.case_format import (
    CaseFormat,
    ReadSource,
    StepLabelled,
    not_empty,
    problem_ids,
    warn_where,
)
from scoring.formats.reading.fields import Fields, Layout, as_made, identifier, kind_of, read_by, solution, text
from scoring.formats.reading.findings import Finding

NAME = "visualprocessbench"

STEP_LABELLED = StepLabelled(group="error_category")

RIGHT, NEUTRAL, WRONG = 1, 0, -1
_MEANINGS = {label: label for label in (RIGHT, NEUTRAL, WRONG)}

_LABELS, _PROBLEM = "process_correctness", "(problem)"


def recognises(row: Any) -> bool:
    """Return whether a row has a question and a response with steps and their correctness."""
    response = row.get("response") if isinstance(row, Mapping) else None
    return isinstance(response, Mapping) and "question" in row and {"steps", _LABELS} <= response.keys()


def _flat(fields: Fields) -> Mapping[str, Any] | None:
    """The row, with what its response holds beside its other fields, and a line an image."""
    response = fields.value.get("response")
    if not isinstance(response, Mapping):
        fields.note("error", "wrong-type", f"response is {kind_of(response)}, not an object")
        return None
    images = fields.value.get("image")
    named = [images] if isinstance(images, str) else images if isinstance(images, list) else []
    names = [name for name in named if isinstance(name, str) and name.strip() and "\n" not in name]
    if len(names) < len(named) or (images is not None and not isinstance(images, str | list)):
        fields.note("warning", "bad-image", "image names something that is no file name; it is left out")
    labels = response.get(_LABELS)
    return {
        **{name: fields.value.get(name) for name in ("question", "answer", "policy_model", "data_source")},
        "steps": response.get("steps"),
        _LABELS: labels,
        "image": "\n".join(names) or None,
        _PROBLEM: "\n".join([str(fields.value.get("question")), *names]),
    }


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    counts = read.tallies
    words = (
        f"labels of steps: 1 = right, -1 = wrong, 0 = neutral ({counts['right']:,} are 1, {counts['wrong']:,} are -1, "
        f"{counts['neutral']:,} are 0)"
    )
    findings = [*read.findings]
    if counts["neutral"]:
        message = f"{counts['neutral']:,} steps are neutral: figures of right and wrong steps leave them out"
        findings.append(Finding("note", "neutral-steps", message, read.source))
    if counts["images"]:
        message = f"{counts['images']:,} cases name images, which are shown to nobody who scores texts here"
        findings.append(Finding("note", "images", message, read.source))
    return words, findings


def _where(label: int) -> pl.Expr:
    """The 0-based steps with a label, ascending."""
    return pl.col(_LABELS).list.head(_N_STEPS).list.eval((pl.element() == label).fill_null(value=False).arg_true())


def _count(label: int) -> pl.Expr:
    return pl.col(_LABELS).list.eval((pl.element() == label).sum()).list.first().sum()


_N_STEPS = pl.col("steps").list.len()
_GIVEN = pl.col(_LABELS).list.len()
_WRONG = _where(WRONG).cast(pl.List(STEP_INDEX))
_COMPLETE = (_GIVEN >= _N_STEPS) & ~pl.col(_LABELS).list.head(_N_STEPS).list.eval(pl.element().is_null()).list.any()
_FIRST = _WRONG.list.first()
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "question": text(required=True),
            "steps": solution(),
            _LABELS: read_by(pl.List(pl.Int64()), lambda fields, name: fields.labels(name, _MEANINGS), needed=True),
            "image": as_made(pl.String()),
            _PROBLEM: as_made(pl.String()),
            **{name: text() for name in ("answer", "policy_model", "data_source")},
        },
        content=("question", "steps"),
        name=lambda fields: str(fields.number - 1) if fields.value.get("id") is None else fields.identifier(),
        claimed=frozenset({"id", "question", "response", "answer", "policy_model", "data_source"}),
        flat=_flat,
    ),
    columns={
        "subset": not_empty("data_source"),
        "generator": not_empty("policy_model"),
        # The same question is asked of different images.
        "problem_id": problem_ids(_PROBLEM),
        "earliest_error": pl.when(_FIRST.is_not_null()).then(_FIRST).when(_COMPLETE).then(-1).cast(STEP_INDEX),
        "error_steps": pl.when(_COMPLETE).then(_WRONG),
        "neutral_steps": _where(NEUTRAL).cast(pl.List(STEP_INDEX)),
        "reference_answer": pl.col("answer"),
    },
    checks=(
        warn_where(
            "label-count",
            _GIVEN != _N_STEPS,
            "{} labels for {} steps; the surplus ones count for nothing",
            _GIVEN,
            _N_STEPS,
        ),
    ),
    tallies={
        "right": _count(RIGHT),
        "neutral": _count(NEUTRAL),
        "wrong": _count(WRONG),
        "images": pl.col("image").count(),
    },
    metadata={"image": pl.col("image")},
    conclude=_concluded,
)
load = FORMAT.load
