r"""GR-Ben's results: details of a PRM and answers of a language model, steps 1-based, -1 = no error.

Details, `{domain}/prm_result/{model}_details.jsonl`: `id, domain, generator, gt_label, pred_label, threshold, probs[],
is_correct_prediction`. A step is judged wrong iff its number in `probs` is below the threshold; where `probs` is empty
none is, so that no error is predicted, whatever the threshold. Rows that only hold `id, domain, gt_label, probs` are
what `run_prm_eval.py eval` takes. GR-Ben, `run_prm_eval.py`, `metrics.py`.

Answers, `{domain}/llm_result/{model}_{mode}.jsonl`: the benchmark's rows with `pred_error_idx` (-999 = not parsed),
`raw_response`, `thinking_mode`, `model_key` and `api_failed`. The prediction is the number in the last `\boxed{...}`
that holds one. GR-Ben, `run_llm_eval.py`.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from scoring.formats.benchmarks.case_format import warn_where
from scoring.formats.reading.boxed_answers import grben_answer, zero_based
from scoring.formats.reading.fields import Fields, Layout, read_by, text, whole
from scoring.formats.reading.findings import Finding
from scoring.formats.results.result_format import (
    SCORER,
    ResultFormat,
    ResultReader,
    ResultRecord,
    ResultRow,
    Results,
    case_id,
    case_id_field,
    whole_records,
)
from scoring.formats.results.reward_lists import number, numbers
from scoring.formats.results.scorer_names import scorer_name

_DEFAULT = 0.5


def recognises_details(row: Any) -> bool:
    """Return whether a row holds a solution's numbers with its gold label."""
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


def _details_concluded(results: Results) -> dict[str, Any]:
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
DETAILS = ResultFormat(
    title="GR-Ben PRM details",
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
        "reason": pl.when(_PROBS.is_null()).then(pl.lit("probs is not a list of numbers")),
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
    conclude=_details_concluded,
)


# -- answers of a language model

ADDED = ("pred_error_idx", "raw_response", "thinking_mode", "model_key", "api_failed")
"""What stands beside the benchmark's own keys."""
UNPARSED = -999
"""What the file holds where no answer could be read."""
_MODE = "(mode)"


def recognises_answers(row: Any) -> bool:
    """Return whether a row is a case with a critic's prediction."""
    return isinstance(row, Mapping) and "pred_error_idx" in row and bool({"raw_response", "api_failed"} & row.keys())


def _records(whole: Fields) -> Iterator[ResultRecord]:
    model, mode = whole.text("model_key"), whole.text("thinking_mode") or ""
    name = model if model and model.strip() else scorer_name(whole.source)
    yield {**whole.value, SCORER: f"{name}-{mode}" if mode and whole.value.get("model_key") else name, _MODE: mode}


def _answer(fields: Fields) -> ResultRow | None:
    problem = fields.text("problem" if fields.value.get("problem") is not None else "question")
    steps = fields.texts("steps")
    content = problem is not None and steps is not None
    if case_id(fields, "id", required=not content) is None and not content:
        return None
    answer = fields.text("raw_response")
    prediction, reason = _prediction(fields, answer)
    return {
        "subset": fields.text("domain"),
        "problem": problem,
        "steps": steps,
        "gold": _gold_of_answer(fields, steps),
        "answer": answer,
        "ballot": None if prediction is None else str(prediction),
        "verdict": None if prediction is None else zero_based(prediction),
        "reason": reason,
    }


def _prediction(fields: Fields, answer: str | None) -> tuple[int | None, str | None]:
    if fields.value.get("api_failed") is True:
        fields.note("warning", "api-failed", "the API gave no answer")
        return None, "the API gave no answer"
    index = fields.integer("pred_error_idx")
    if index is None:
        return None, "pred_error_idx is not a whole number"
    if answer is not None:
        read = grben_answer(answer)
        if (UNPARSED if read is None else read) != index:
            boxed = "no number" if read is None else read
            fields.note("warning", "prediction-differs", f"pred_error_idx is {index}, the answer's box holds {boxed}")
    if index == UNPARSED:
        fields.note("warning", "unparsed", "no box of the answer holds a number")
        return None, "no box of the answer holds a number"
    return index, None


def _gold_of_answer(fields: Fields, steps: list[str] | None) -> int | None:
    """The gold label, 0-based; one beyond the last step names the last, as GR-Ben has it."""
    name = "label" if fields.value.get("label") is not None else "gt_label"
    label = fields.integer(name) if fields.value.get(name) is not None else None
    if label is None or label == 0 or label < -1:
        return None
    return zero_based(label if not steps else min(label, len(steps)))


def _answers_concluded(results: Results) -> dict[str, Any]:
    mode = results.apart[_MODE]
    return {
        "label_base": "1-based, -1 = no error, 0 and other negative numbers name no step",
        "benchmark": "grben",
        "kind": "critic",
        "settings": {"protocol": "grben", **({"thinking_mode": mode} if mode else {})},
    }


ANSWERS = ResultFormat(
    title="GR-Ben LLM results",
    layout=whole_records(_answer, **{SCORER: pl.String(), _MODE: pl.String()}),
    scorer=pl.col(SCORER),
    apart={_MODE: pl.col(_MODE)},
    conclude=_answers_concluded,
    unfold=_records,
)


READERS = {
    "grben_prm": ResultReader(DETAILS.title, recognises_details, DETAILS.load),
    "grben_llm": ResultReader(ANSWERS.title, recognises_answers, ANSWERS.load, ADDED),
}
