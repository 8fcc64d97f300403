"""GR-Ben's details of a PRM, `{domain}/prm_result/{model}_details.jsonl`, and the rows its evaluation takes.

Rows: `id, domain, generator, gt_label, pred_label, threshold, probs[], is_correct_prediction`; the labels are 1-based,
-1 = no error, and a step is judged wrong iff its number in `probs` is below the threshold; where `probs` is empty none
is, so that no error is predicted, whatever the threshold. Rows that only hold `id,
domain, gt_label, probs` are what `run_prm_eval.py eval` takes. GR-Ben, `run_prm_eval.py`, `metrics.py`.
"""

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.benchmarks.base import warn_where
from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.typed import Layout, read_by, text, whole
from scoring.results.base import ResultFormat, Results, case_id, case_id_field
from scoring.results.numbers import number, numbers

TITLE = "GR-Ben PRM details"
_DEFAULT = 0.5


def recognises(row: Any) -> bool:
    """Whether a row holds a solution's numbers with its gold label."""
    return isinstance(row, Mapping) and {"id", "gt_label", "probs"} <= row.keys() and "problem" not in row


def _probs(fields: Fields, name: str) -> list[float] | None:
    return [] if fields.value.get(name) == [] else numbers(fields, name, required=True)


def _threshold(fields: Fields, name: str) -> float | None:
    value = fields.value.get(name)
    threshold = number(value)
    if value is not None and (threshold is None or not math.isfinite(threshold)):
        fields.note("warning", "wrong-type", f"{name} is not a finite number")
        return None
    return threshold


def _concluded(results: Results) -> dict[str, Any]:
    """The threshold is the file's where all its rows have the same, else 0.5."""
    thresholds = results.rows["threshold"].drop_nulls().unique().sort().to_list()
    if len(thresholds) > 1:
        few = ", ".join(f"{value:g}" for value in thresholds[:3])
        message = f"the rows have {len(thresholds)} thresholds, {few} among them; 0.5 is used"
        results.findings.append(Finding("warning", "several-thresholds", message, results.source))
    of_the_file = len(thresholds) == 1
    return {
        "label_base": "1-based, -1 = no error",
        "benchmark": "grben",
        "threshold": thresholds[0] if of_the_file else _DEFAULT,
        "threshold_source": "the file's" if of_the_file else "default",
    }


_PROBS, _GOLD, _GIVEN = pl.col("probs"), pl.col("gt_label"), pl.col("pred_label")
_EMPTY = _PROBS.list.len() == 0
_NO_STEP = (_GOLD == 0) | (_GOLD < -1)
_CUT = pl.col("threshold").fill_null(_DEFAULT)
# Differences of numbers are below 0 where the first is below the second, however close they are.
_BELOW = (_PROBS - _CUT).list.eval((pl.element() < 0).arg_true()).list.first().cast(pl.Int64)
_PREDICTED = (_BELOW + 1).fill_null(-1)
FORMAT = ResultFormat(
    title=TITLE,
    layout=Layout(
        {
            "id": case_id_field(),
            "probs": read_by(pl.List(pl.Float64()), _probs, list[float], needed=True),
            "threshold": read_by(pl.Float64(), _threshold, float),
            "pred_label": whole(needed=False),
            "domain": text(),
            "gt_label": whole(),
        },
        name=lambda fields: case_id(fields, "id"),
    ),
    columns={
        "subset": pl.col("domain"),
        "gold": pl.when(_GOLD >= 1).then(_GOLD - 1).when(_GOLD == -1).then(-1),
        "rewards": pl.when(~_EMPTY).then(_PROBS),
        "ballot": pl.when(_EMPTY).then(pl.lit("-1")),
        "verdict": pl.when(_EMPTY).then(-1),
        "reason": pl.when(_PROBS.is_null()).then(pl.lit("probs is no list of numbers")),
        "threshold": pl.col("threshold"),
    },
    checks=(
        warn_where(
            "prediction-differs",
            _PROBS.is_not_null() & (_GIVEN != _PREDICTED),
            "pred_label is {}, probs below {} give {} (1-based): the numbers count",
            _GIVEN,
            _CUT.map_elements(lambda cut: f"{cut:g}", return_dtype=pl.String),
            _PREDICTED,
        ),
        warn_where(
            "empty-probs",
            _EMPTY,
            "probs is empty: GR-Ben's code predicts no error, which is taken as the verdict at every threshold",
        ),
        warn_where("bad-label", _NO_STEP, "gt_label {} names no step, 1-based", _GOLD),
    ),
    conclude=_concluded,
)
load = FORMAT.load
