r"""GR-Ben's answers of a language model, `{domain}/llm_result/{model}_{mode}.jsonl`.

Rows: those of GR-Ben with `pred_error_idx` (1-based, -1 = no error, -999 = not parsed), `raw_response`,
`thinking_mode`, `model_key` and `api_failed`. The prediction is the number in the last `\boxed{...}` that holds one.
GR-Ben, `run_llm_eval.py`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from scoring.benchmarks.base import MADE, Check
from scoring.critics.boxed import grben_answer
from scoring.reading.fields import Fields
from scoring.reading.typed import WHOLE, Layout, read_by, text, texts
from scoring.results.base import ResultFormat, Results, case_id, case_id_field, scorer_field
from scoring.results.names import scorer_name

TITLE = "GR-Ben LLM results"
UNPARSED = -999
"""What the file holds where no answer could be read."""
_NO_ANSWER = "the API gave no answer"
_NO_BOX = "no box of the answer holds a number"


def recognises(row: Any) -> bool:
    """Whether a row is a case with a critic's prediction."""
    return isinstance(row, Mapping) and "pred_error_idx" in row and bool({"raw_response", "api_failed"} & row.keys())


def _model(fields: Fields, name: str) -> str | None:
    """The model; where it cannot be used, the source's name, which the mode of thinking may follow as well."""
    given = fields.text(name) or ""
    return given if given.strip() else scorer_name(fields.source) if fields.value.get(name) else None


def _other(fields: Fields, name: str, other: str) -> str:
    """The second name where nothing stands under the first."""
    return name if fields.value.get(name) is not None else other


def _identify(fields: Fields) -> str | None:
    """The id, which rows that repeat their content need not have."""
    problem, steps = fields.value.get(_other(fields, "problem", "question")), fields.value.get("steps")
    listed = isinstance(steps, list) and all(isinstance(step, str) for step in steps)
    return case_id(fields, "id", required=not (isinstance(problem, str) and listed))


def _api_failed(fields: Fields, name: str = "api_failed") -> bool:
    return fields.value.get(name) is True


def _label(fields: Fields, name: str) -> int | None:
    name = _other(fields, name, "gt_label")
    return fields.integer(name) if fields.value.get(name) is not None else None


def _concluded(results: Results) -> dict[str, Any]:
    mode = results.apart["thinking_mode"]
    return {
        "label_base": "1-based, -1 = no error, 0 and other negative numbers name no step",
        "benchmark": "grben",
        "kind": "critic",
        "settings": {"protocol": "grben", **({"thinking_mode": mode} if mode else {})},
    }


def _zero_based(label: pl.Expr) -> pl.Expr:
    """What `scoring.critics.boxed.zero_based` makes of it."""
    return pl.when(label >= 1).then(label - 1).when(label == -1).then(-1).when(label.is_not_null()).then(-2)


_MODE, _MODEL = pl.col("thinking_mode").fill_null(""), pl.col("model_key")
_ANSWER, _GIVEN = pl.col("raw_response"), pl.col("pred_error_idx")
_FAILED = pl.col("api_failed").fill_null(value=False)
_READ = pl.col(f"{MADE}read")
_PREDICTION = pl.when(~_FAILED & (_GIVEN != UNPARSED)).then(_GIVEN)
# One beyond the last step names the last, as GR-Ben has it.
_STEPS = pl.col("steps").list.len().cast(pl.Int64)
_GOLD = pl.when(_STEPS > 0).then(pl.min_horizontal("label", _STEPS)).otherwise("label")
FORMAT = ResultFormat(
    title=TITLE,
    layout=Layout(
        {
            "model_key": replace(scorer_field(), read=_model, filled=True),
            "thinking_mode": scorer_field(),
            "id": case_id_field(),
            "problem": read_by(
                pl.String(), lambda fields, name: fields.text(_other(fields, name, "question")), str, needed=True
            ),
            "steps": texts(),
            "raw_response": text(),
            "api_failed": read_by(pl.Boolean(), _api_failed, bool),
            "pred_error_idx": read_by(
                pl.Int64(),
                lambda fields, name: None if _api_failed(fields) else fields.integer(name),
                WHOLE,
                needed=True,
            ),
            "domain": text(),
            "label": read_by(pl.Int64(), _label, WHOLE, needed=True),
        },
        name=_identify,
    ),
    scorer=pl.when((_MODE != "") & _MODEL.is_not_null()).then(pl.format("{}-{}", _MODEL, _MODE)).otherwise(_MODEL),
    apart={"thinking_mode": _MODE},
    columns={
        "subset": pl.col("domain"),
        "gold": pl.when((pl.col("label") >= 1) | (pl.col("label") == -1)).then(_zero_based(_GOLD)),
        "answer": _ANSWER,
        "ballot": _PREDICTION.cast(pl.String),
        "verdict": _zero_based(_PREDICTION),
        "reason": pl.when(_FAILED)
        .then(pl.lit(_NO_ANSWER))
        .when(_GIVEN.is_null())
        .then(pl.lit("pred_error_idx is not a whole number"))
        .when(_GIVEN == UNPARSED)
        .then(pl.lit(_NO_BOX)),
        "read": _ANSWER.map_elements(grben_answer, return_dtype=pl.Int64),
    },
    checks=(
        Check(_FAILED, "warning", "api-failed", _NO_ANSWER),
        # The prediction counts.
        Check(
            ~_FAILED & _ANSWER.is_not_null() & (_READ.fill_null(UNPARSED) != _GIVEN),
            "warning",
            "prediction-differs",
            pl.format(
                "pred_error_idx is {}, the answer's box holds {}", _GIVEN, _READ.cast(pl.String).fill_null("no number")
            ),
        ),
        Check(~_FAILED & (_GIVEN == UNPARSED), "warning", "unparsed", _NO_BOX),
    ),
    conclude=_concluded,
)
load = FORMAT.load
