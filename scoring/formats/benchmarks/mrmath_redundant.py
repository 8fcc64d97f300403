"""MR-MATH's second set: which steps of right solutions are redundant.

Xia et al., "Evaluating Mathematical Reasoning Beyond Accuracy", arXiv 2404.05692; the README of `GAIR-NLP/ReasonEval`.
Rows: `id`, `question`, `ground_truth_answer`, `generator`, `model_output_step_format` and `rating`, one a step: 1 =
right and a step towards the answer, 0 = right but no progress.

Its authors' evaluation (`mr-math_eval.py`) takes the steps rated 0 for those to be found, and its macro F1 of steps is
what is called PRMScore here. So does this program: in the labels of these cases "wrong" stands for "redundant", and
scorers that judge redundancy are asked for that, as in PRMBench's class of this name. It is a benchmark of its own, as
the ids of the first set mean other cases.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.formats.benchmarks.case_format import (
    CaseFormat,
    ReadSource,
    StepLabelled,
    labelled,
    problem_ids,
    warn_where,
)
from scoring.formats.benchmarks.mrmath import FIRST_ERROR, SOLUTION_FIELDS, STEP_FIELDS, grouped
from scoring.formats.reading.fields import Layout, identifier, read_by
from scoring.formats.reading.findings import Finding

NAME = "mrmath_redundant"

ERROR_TYPE = "redundancy"
"""The one class of this benchmark: that of every case, with redundant steps or without."""
STEP_LABELLED = StepLabelled(group="error_category", by_redundancy=frozenset({ERROR_TYPE}))

_NEEDED = {1: True, 0: False}


def recognises(row: Any) -> bool:
    """Return whether a row has MR-MATH's question and steps, ratings of these, and no first error."""
    wanted = {"question", "model_output_step_format", "rating"}
    return isinstance(row, Mapping) and wanted <= row.keys() and FIRST_ERROR not in row


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    needed, redundant = read.tallies["needed"], read.tallies["redundant"]
    label_base = f"ratings of steps: 1 = needed, 0 = right but redundant ({needed:,} are 1, {redundant:,} are 0)"
    message = 'the labels mark redundant steps, none of which is wrong: read "wrong" as "redundant" in all figures'
    noted = [Finding("note", "redundant-steps", message, read.source)] if read.cases.height else []
    return label_base, [*read.findings, *noted, *grouped(read.cases, read.source)]


_N_STEPS = pl.col("steps").list.len()
_GIVEN = pl.col("rating").list.len()
_EARLIEST, _REDUNDANT = labelled(pl.col("rating"), _N_STEPS)
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            **SOLUTION_FIELDS,
            "rating": read_by(pl.List(pl.Boolean()), lambda fields, name: fields.labels(name, _NEEDED), needed=True),
        },
        content=("question", "steps"),
        first_of=(STEP_FIELDS,),
    ),
    columns={
        "generator": pl.col("generator"),
        "problem_id": problem_ids("question"),
        "sub_steps": pl.col("sub_steps"),
        "earliest_error": _EARLIEST,
        "error_steps": _REDUNDANT,
        "error_type": pl.lit(ERROR_TYPE),
        "reference_answer": pl.col("ground_truth_answer"),
    },
    checks=(
        warn_where(
            "label-count",
            _GIVEN != _N_STEPS,
            "{} ratings for {} steps; those beyond the last step count for nothing",
            _GIVEN,
            _N_STEPS,
        ),
    ),
    tallies={
        "needed": pl.col("rating").list.eval(pl.element().sum()).list.first().sum(),
        "redundant": pl.col("rating").list.eval((~pl.element()).sum()).list.first().sum(),
    },
    conclude=_concluded,
)
load = FORMAT.load
