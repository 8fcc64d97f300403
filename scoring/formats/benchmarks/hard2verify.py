"""Hard2Verify: every step of hard, open-ended mathematics labelled, with errors that carry forward.

Pandit et al., "Hard2Verify", arXiv 2510.13744. Rows: `unique_id, canary, question, model_response_by_step[],
human_labels[1|0], human_labels_first_error_idx`, steps from 0 and -1 = no error. A step that rests on a wrong one is
labelled wrong as well. How rows are decrypted, and graded (`scoring.metrics.balanced`), was read in copies of the
authors' `utils.py` (`decrypt_sample`, `grade_step_level_responses`).

The last four fields are published encrypted, so that no training data holds them: each is JSON, then XOR with the
sha256 of the row's canary, repeated, then base64. Here they are decrypted in memory. A workspace holds plain text, so
that whoever imports such rows has to want that (`--plain-text`). Rows that somebody decrypted are read as well.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import polars as pl

from scoring.data.schema import STEP_INDEX
from scoring.formats.benchmarks.case_format import DECRYPTED, CaseFormat, ReadSource, labelled, problem_ids, warn_where
from scoring.formats.reading.fields import Fields, Layout, as_made, identifier, read_by, solution, text
from scoring.formats.reading.findings import Finding

NAME = "hard2verify"

_STEPS, _LABELS, _FIRST = "model_response_by_step", "human_labels", "human_labels_first_error_idx"
_ENCRYPTED = ("question", _STEPS, _LABELS, _FIRST)
_RIGHT = {1: True, 0: False}


def recognises(row: Any) -> bool:
    """Return whether a row has a question, a response by step and its labels, encrypted or not, and no answer."""
    return isinstance(row, Mapping) and {"question", _STEPS, _LABELS} <= row.keys() and "parsed_eval_output" not in row


def decrypted(value: str, canary: str) -> Any:
    """Decrypt a field: a JSON value, or the text where it is not JSON.

    Raises:
        ValueError: it is not base64, or not text under this canary.
    """
    try:
        data = base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(str(error)) from None
    digest = sha256(canary.encode()).digest()
    stream = (digest * (len(data) // len(digest) + 1))[: len(data)]
    plain = bytes(byte ^ key for byte, key in zip(data, stream, strict=True)).decode()
    try:
        return json.loads(plain)
    except (ValueError, RecursionError):
        return plain


def _flat(fields: Fields) -> Mapping[str, Any] | None:
    """The row with its fields decrypted where its response is; None where they are not what the canary decrypts."""
    row, canary = fields.value, fields.value.get("canary")
    if not isinstance(row.get(_STEPS), str):
        return {**row, "decrypted": False}
    if not isinstance(canary, str):
        fields.note("error", "not-decrypted", "the row is encrypted and has no canary, which is the key")
        return None
    plain = {}
    for name in _ENCRYPTED:
        value = row.get(name)
        try:
            plain[name] = decrypted(value, canary) if isinstance(value, str) else value
        except ValueError:
            fields.note("error", "not-decrypted", f"{name} cannot be decrypted with the canary of its row")
            return None
    if not isinstance(plain["question"], str):
        # A problem that is JSON by itself, such as a number.
        plain["question"] = json.dumps(plain["question"], ensure_ascii=False)
    return {**row, **plain, "decrypted": True}


def _first_error(fields: Fields, name: str) -> int | None:
    """The earliest error as the file gives it; None where it does not."""
    return None if fields.value.get(name) is None else fields.integer(name)


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    counts = read.tallies
    label_base = (
        f"labels of steps: 1 = right, 0 = wrong ({counts['right']:,} are 1, {counts['wrong']:,} are 0); first errors "
        "0-based, -1 = no error"
    )
    if not counts["decrypted"]:
        return label_base, read.findings
    message = (
        f"{counts['decrypted']:,} rows were decrypted: what is made of them is plain text, which is published "
        "encrypted so that no model is trained on it; keep it, exports and reports of it to yourself (CC BY-NC)"
    )
    return label_base, [*read.findings, Finding("note", DECRYPTED, message, read.source)]


_N_STEPS = pl.col(_STEPS).list.len().cast(pl.Int64)
_GIVEN = pl.col(_LABELS).list.len().cast(pl.Int64)
_EARLIEST, _WRONG = labelled(pl.col(_LABELS), _N_STEPS)
_STATED = pl.when(pl.col(_FIRST) >= -1).then(pl.col(_FIRST)).cast(STEP_INDEX)
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "question": text(required=True),
            _STEPS: solution(),
            _LABELS: read_by(pl.List(pl.Boolean()), lambda fields, name: fields.labels(name, _RIGHT), needed=True),
            _FIRST: read_by(pl.Int64(), _first_error),
            "decrypted": as_made(pl.Boolean()),
        },
        content=("question", _STEPS),
        name=lambda fields: fields.identifier("unique_id"),
        claimed=frozenset({"unique_id", *_ENCRYPTED}),
        flat=_flat,
    ),
    columns={
        "problem_id": problem_ids("question"),
        # The authors grade first errors by their own field, and steps by the labels.
        "earliest_error": pl.coalesce(_STATED, _EARLIEST),
        "error_steps": _WRONG,
    },
    checks=(
        warn_where(
            "label-count",
            _GIVEN != _N_STEPS,
            "{} labels for {} steps; the surplus ones count for nothing",
            _GIVEN,
            _N_STEPS,
        ),
        warn_where("bad-label", pl.col(_FIRST) < -1, f"{_FIRST} {{}} names no step", pl.col(_FIRST)),
        warn_where(
            "labels-differ",
            _STATED.is_not_null() & _EARLIEST.is_not_null() & (_STATED != _EARLIEST),
            f"{_FIRST} is {{}} and by the labels of steps it is {{}}: first errors count by the former",
            pl.col(_FIRST),
            _EARLIEST,
        ),
    ),
    tallies={
        "right": pl.col(_LABELS).list.eval(pl.element().sum()).list.first().sum(),
        "wrong": pl.col(_LABELS).list.eval((~pl.element()).sum()).list.first().sum(),
        "decrypted": pl.col("decrypted").sum(),
    },
    conclude=_concluded,
)
load = FORMAT.load
