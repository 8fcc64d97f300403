r"""GR-Ben's answers of a language model, `{domain}/llm_result/{model}_{mode}.jsonl`.

Rows: those of GR-Ben with `pred_error_idx` (1-based, -1 = no error, -999 = not parsed), `raw_response`,
`thinking_mode`, `model_key` and `api_failed`. The prediction is the number in the last `\boxed{...}` that holds one.
GR-Ben, `run_llm_eval.py`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from scoring.critics.boxed import grben_answer, zero_based
from scoring.reading.fields import Fields
from scoring.results.base import SCORER, Record, Result, ResultFormat, Results, case_id, whole_records
from scoring.results.names import scorer_name

TITLE = "GR-Ben LLM results"
ADDED = ("pred_error_idx", "raw_response", "thinking_mode", "model_key", "api_failed")
"""What stands beside the benchmark's own keys."""
UNPARSED = -999
"""What the file holds where no answer could be read."""
_MODE = "(mode)"


def recognises(row: Any) -> bool:
    """Whether a row is a case with a critic's prediction."""
    return isinstance(row, Mapping) and "pred_error_idx" in row and bool({"raw_response", "api_failed"} & row.keys())


def _records(whole: Fields) -> Iterator[Record]:
    """The row, with the model and its mode of thinking beside it."""
    model, mode = whole.text("model_key"), whole.text("thinking_mode") or ""
    name = model if model and model.strip() else scorer_name(whole.source)
    yield {**whole.value, SCORER: f"{name}-{mode}" if mode and whole.value.get("model_key") else name, _MODE: mode}


def _read(fields: Fields) -> Result | None:
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
        "gold": _gold(fields, steps),
        "answer": answer,
        "ballot": None if prediction is None else str(prediction),
        "verdict": None if prediction is None else zero_based(prediction),
        "reason": reason,
    }


def _prediction(fields: Fields, answer: str | None) -> tuple[int | None, str | None]:
    """What the row predicts, 1-based; or None, and why there is nothing."""
    if fields.value.get("api_failed") is True:
        fields.note("warning", "api-failed", "the API gave no answer")
        return None, "the API gave no answer"
    given = fields.integer("pred_error_idx")
    if given is None:
        return None, "pred_error_idx is not a whole number"
    if answer is not None:
        read = grben_answer(answer)
        if (UNPARSED if read is None else read) != given:
            said = "no number" if read is None else read
            fields.note("warning", "prediction-differs", f"pred_error_idx is {given}, the answer's box holds {said}")
    if given == UNPARSED:
        fields.note("warning", "unparsed", "no box of the answer holds a number")
        return None, "no box of the answer holds a number"
    return given, None


def _gold(fields: Fields, steps: list[str] | None) -> int | None:
    """The gold label, 0-based; one beyond the last step names the last, as GR-Ben has it."""
    name = "label" if fields.value.get("label") is not None else "gt_label"
    label = fields.integer(name) if fields.value.get(name) is not None else None
    if label is None or label == 0 or label < -1:
        return None
    return zero_based(label if not steps else min(label, len(steps)))


def _concluded(results: Results) -> dict[str, Any]:
    mode = results.apart[_MODE]
    return {
        "label_base": "1-based, -1 = no error, 0 and other negative numbers name no step",
        "benchmark": "grben",
        "kind": "critic",
        "settings": {"protocol": "grben", **({"thinking_mode": mode} if mode else {})},
    }


FORMAT = ResultFormat(
    title=TITLE,
    layout=whole_records(_read, **{SCORER: pl.String(), _MODE: pl.String()}),
    scorer=pl.col(SCORER),
    apart={_MODE: pl.col(_MODE)},
    conclude=_concluded,
    unfold=_records,
)
load = FORMAT.load
