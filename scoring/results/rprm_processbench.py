"""R-PRM on ProcessBench: step rewards beside the rows of the benchmark.

Rows: those of ProcessBench with `responses` (for each step the mean probability of "Yes, the step is correct"),
`PRM_CoT` (a sampled analysis a step) and, once they have been compared, `match` (1 iff the first step below the
threshold is the label; 0-based, -1 = none). The scripts judge steps up to the gold error only, so that most erroneous
solutions have fewer numbers than steps. She et al., "R-PRM: Reasoning-Driven Process Reward Modeling",
`return-to-origin.py` and `get-GenPRM-Score.py`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from scoring.benchmarks.base import first_step, first_step_checks, warn_where
from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.typed import Layout, read_by, text, texts, whole
from scoring.results.base import ResultFormat, Results, case_id, case_id_field, rewards
from scoring.results.numbers import number, numbers

TITLE = "R-PRM on ProcessBench"
ADDED = ("responses", "PRM_CoT", "match")
"""What stands beside the benchmark's own keys."""
THRESHOLD = 0.5
"""A step is judged wrong iff its number is lower (`get-GenPRM-Score.py`, default of --threshold)."""

_TEXTS = "the responses are texts, not a number a step"


def recognises(row: Any) -> bool:
    """Whether a row is one of ProcessBench with a list of responses."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and isinstance(row.get("responses"), list)
        and "generated_critique" not in row
    )


def _are_texts(fields: Fields) -> bool:
    responses = fields.value.get("responses")
    return isinstance(responses, list) and any(isinstance(response, str) for response in responses)


def _match(fields: Fields, name: str) -> float | None:
    value = fields.value.get(name)
    return float(value) if isinstance(value, bool) else number(value)


def _concluded(results: Results) -> dict[str, Any]:
    """A warning if some solutions were judged in part."""
    judged = results.rows.select(numbers=pl.col("rewards").list.len(), steps=pl.col("steps").list.len()).drop_nulls()
    if short := judged.filter(pl.col("numbers") < pl.col("steps")).height:
        few = f"{short} of {judged.height} solutions have fewer numbers than steps"
        message = f"{few}: R-PRM's scripts stop at the gold error"
        results.findings.append(Finding("warning", "fewer-rewards", message, results.source))
    return {
        "label_base": "0-based, -1 = no error",
        "benchmark": "processbench",
        "family": "r-prm",
        "threshold": THRESHOLD,
        "threshold_source": "R-PRM's own",
    }


_RESPONSES = pl.col("responses")
_ARE_TEXTS = pl.col("(responses are texts)").fill_null(value=False)
_FIRST = _RESPONSES.list.eval((pl.element() < THRESHOLD).arg_true()).list.first().cast(pl.Int64).fill_null(-1)
FORMAT = ResultFormat(
    title=TITLE,
    layout=Layout(
        {
            "id": case_id_field(needed=False),
            "steps": texts(),
            "subset": text(),
            "problem": text(),
            "label": whole(needed=False),
            "(responses are texts)": read_by(pl.Boolean(), lambda fields, _: _are_texts(fields), bool),
            "responses": replace(
                rewards(), read=lambda fields, name: None if _are_texts(fields) else numbers(fields, name)
            ),
            "match": read_by(pl.Float64(), _match, float),
        },
        name=lambda fields: case_id(fields, "id", required=False),
    ),
    columns={
        "gold": first_step("label"),
        "rewards": _RESPONSES,
        "reason": pl.when(_ARE_TEXTS)
        .then(pl.lit(_TEXTS))
        .when(_RESPONSES.is_null())
        .then(pl.lit("there is no number for each step")),
    },
    checks=(
        *first_step_checks("label"),
        warn_where("wrong-type", _ARE_TEXTS, _TEXTS),
        warn_where(
            "match-differs",
            _RESPONSES.is_not_null() & ((pl.col("label") == _FIRST) != (pl.col("match") != 0)),
            f"match does not follow from the numbers and a threshold of {THRESHOLD}: another one may have been used",
        ),
    ),
    conclude=_concluded,
)
load = FORMAT.load
