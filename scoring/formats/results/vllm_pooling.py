"""vLLM's `/pooling` responses, bare or in the lines of an OpenAI batch: rewards of a PRM that runs there.

Response: `id, object, created, model, data[{index, object: "pooling", data}], usage`; the inner data is, for each step
tag, [P(wrong), P(right)] or one number, or all of these as base64 of little-endian float32, which loses their shape.
Batch lines are those of `openai_batch`, in any order. vLLM 0.32, `entrypoints/pooling`; Apache-2.0. No response names a
case by itself: `custom_id` does, chosen by whoever asked.
"""

import base64
import binascii
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from scoring.formats.reading.fields import Fields
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results import openai_batch
from scoring.formats.results.openai_batch import batch_body, is_batch_line, request_failure
from scoring.formats.results.result_format import (
    SCORER,
    ExternalResults,
    ResultFormat,
    ResultReader,
    ResultRecord,
    ResultRow,
    Results,
    case_id,
    whole_records,
)
from scoring.formats.results.reward_lists import numbers, reward_bounds
from scoring.formats.results.scorer_names import scorer_name

TITLE = "vLLM pooling"
_SUM = 1e-3
"""How far the two probabilities of a step may be from 1 in sum (half precision)."""


def recognises(row: Any) -> bool:
    """Return whether a row is a pooling response, or a line of a batch with one or with what went wrong."""
    if not isinstance(row, Mapping):
        return False
    if is_batch_line(row):
        body = batch_body(row)
        return _pooled(body) or not {"choices", "data", "output"} & body.keys()
    return _pooled(row)


def load(rows: Rows) -> list[ExternalResults]:
    """Read the rewards of each model in the source, a row a solution; of a batch of answers, the answers.

    A line that failed does not say what was asked for, and most lines of a batch may have failed.
    """
    sample = [row for row in rows.sample() if isinstance(row, Mapping)]
    if any(map(openai_batch.recognises, sample)) and not any(_pooled(batch_body(row)) for row in sample):
        return openai_batch.load(rows)
    pairs = _encoded_pairs(rows)
    return ResultFormat(
        title=TITLE,
        layout=whole_records(lambda fields: _result(fields, pairs=pairs), **{SCORER: pl.String()}),
        scorer=pl.col(SCORER),
        conclude=_concluded,
        named=_named,
        unfold=lambda whole: _items(whole.value),
    ).load(rows)


def _named(rows: Rows) -> str:
    """What a model is called whose response does not say it: as the first one that does."""
    models = (name for row in rows.rows if isinstance(row.value, Mapping) and (name := _model(row.value)))
    return next(models, scorer_name(rows.source))


def _concluded(results: Results) -> dict[str, Any]:
    low, high = reward_bounds(results.rows["rewards"])
    if low < 0 or high > 1:
        message = f"rewards lie in [{low:g}, {high:g}], so that they are not probabilities; they are taken as they are"
        results.findings.append(Finding("warning", "no-probabilities", message, results.source))
    return {"settings": {"engine": "vllm"}}


def _pooled(body: ResultRecord) -> bool:
    data = body.get("data")
    return isinstance(data, list) and bool(data) and _pooled_item(data[0])


def _pooled_item(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("object") == "pooling" and "data" in item


def _model(row: ResultRecord) -> str | None:
    name = batch_body(row).get("model")
    return name.encode(errors="replace").decode() if isinstance(name, str) and name.strip() else None


def _items(row: Any) -> list[ResultRecord]:
    """The row once for each solution that was asked about: `item` is what the response holds of it."""
    if not isinstance(row, Mapping):
        return []
    data = batch_body(row).get("data")
    every = data if isinstance(data, list) and data else [None]
    return [{**row, "item": item, "alone": len(every) == 1, SCORER: _model(row)} for item in every]


def _result(fields: Fields, *, pairs: bool) -> ResultRow:
    if not fields.value["alone"]:
        fields.note("warning", "no-id", "a response about several solutions does not say which case each one is")
    elif is_batch_line(fields.value):
        case_id(fields, "custom_id", required=False)
    else:
        case_id(fields, "id", required=False)
        fields.note("note", "server-id", "the id is the server's for this request, unless the request gave its own")
    if fields.case is None and fields.value["alone"]:
        fields.note("warning", "no-id", "the row names no case")
    failure = request_failure(fields)
    if failure is not None:
        fields.note("warning", "failed-request", failure)
        return {"reason": failure}
    item = fields.inside("item")
    rewards = _rewards(item, pairs=pairs)
    return {"reason": "the response holds no number for each step"} if rewards is None else {"rewards": rewards}


def _rewards(item: Fields, *, pairs: bool) -> list[float] | None:
    data = item.value.get("data")
    if isinstance(data, str):
        return _decoded(item, data, pairs=pairs)
    if isinstance(data, list) and len(data) == 1 and isinstance(data[0], list) and _rows(data[0]):
        data = data[0]
    if not isinstance(data, list) or not _rows(data):
        # One number a step already, or nothing that can be used.
        return numbers(item.of({"data": data}), "data")
    widths = {len(row) for row in data}
    if widths not in ({1}, {2}):
        listed = ", ".join(map(str, sorted(widths)))
        item.note("warning", "wrong-shape", f"data has rows of {listed} numbers, not 1 or 2")
        return None
    return _last_column(item, data)


def _rows(data: list[Any]) -> bool:
    return bool(data) and all(isinstance(row, list) for row in data)


def _last_column(item: Fields, data: list[list[Any]]) -> list[float] | None:
    """The only number of each step, or that of being right."""
    flat = numbers(item.of({"data": [value for row in data for value in row]}), "data")
    if flat is None:
        return None
    width = len(data[0])
    if width == 2 and not _pairs(flat):
        message = "the two numbers of a step do not sum to 1; the second is taken as it is"
        item.note("warning", "no-probabilities", message)
    return flat[width - 1 :: width]


def _pairs(flat: Sequence[float]) -> bool:
    return len(flat) % 2 == 0 and all(abs(a + b - 1) <= _SUM for a, b in zip(flat[::2], flat[1::2], strict=True))


def _encoded_pairs(rows: Rows) -> bool:
    """Whether all that stands in base64 in the source are pairs of probabilities."""
    data = [item["item"].get("data") for row in rows.rows for item in _items(row.value) if _pooled_item(item["item"])]
    encoded = [flat for text in data if isinstance(text, str) and (flat := _floats(text))]
    return bool(encoded) and all(map(_pairs, encoded))


def _floats(data: str) -> tuple[float, ...] | None:
    """The little-endian float32 numbers in the base64; None where there are none."""
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return struct.unpack(f"<{len(raw) // 4}f", raw) if raw and len(raw) % 4 == 0 else None


def _decoded(item: Fields, data: str, *, pairs: bool) -> list[float] | None:
    flat = _floats(data)
    if flat is None:
        item.note("warning", "bad-base64", "data is text, and no base64 of float32 numbers")
        return None
    read = "pairs of probabilities, the second taken" if pairs else "one number a step"
    item.note("note", "base64", f"data is base64, which loses its shape: read as float32, {read}")
    return numbers(item.of({"data": list(flat[1::2] if pairs else flat)}), "data")


READERS = {"vllm_pooling": ResultReader(TITLE, recognises, load)}
