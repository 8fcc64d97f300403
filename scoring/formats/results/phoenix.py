"""Phoenix's annotations of spans: one number for all that a span did, given by people, models or code.

Row: `span_id, annotation_name, annotator_kind` (HUMAN, LLM or CODE), and any of `score`, `label` and `explanation`.
Arize-ai/phoenix, annotations as data frames; rows in that shape were tried, and no export of anybody's.

A scorer is an annotation's name together with who gave it. Its number is one for a whole solution, which names no step;
it joins cases whose ids are those of spans. A label without a score may be any word and is no number: it is kept as the
reason why there is none. Explanations are counted, and not kept.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.formats.reading.fields import Fields
from scoring.formats.reading.findings import Finding
from scoring.formats.results.result_format import (
    SCORER,
    ResultFormat,
    ResultReader,
    ResultRow,
    Results,
    case_id,
    whole_records,
)
from scoring.formats.results.reward_lists import number, reward_bounds

TITLE = "Phoenix annotations"
_NEEDED = frozenset({"span_id", "annotation_name", "annotator_kind"})
_GIVEN = frozenset({"score", "label", "explanation"})
_EXPLAINED = "(explained)"
_KIND = "(kind)"
_KINDS = {"HUMAN": "a person", "LLM": "a model", "CODE": "code"}


def recognises(row: Any) -> bool:
    """Return whether a row is an annotation of a span."""
    return isinstance(row, Mapping) and row.keys() >= _NEEDED and bool(row.keys() & _GIVEN)


def _result(fields: Fields) -> ResultRow:
    case_id(fields, "span_id")
    name, kind = fields.text("annotation_name"), fields.text("annotator_kind")
    label, explanation = fields.text("label"), fields.text("explanation")
    scorer = f"{name} ({kind.lower()})" if name and kind else name
    row: ResultRow = {SCORER: scorer, _KIND: kind or "", _EXPLAINED: explanation is not None}
    value = fields.value.get("score")
    score = number(value)
    if score is not None and abs(score) < float("inf"):
        return row | {"solution": score}
    if value is not None:
        fields.note("warning", "wrong-type", "score is no finite number")
    what = "there is no score" if label is None else f"a label without a score: {label[:40]}"
    return row | {"reason": what}


def _concluded(results: Results) -> dict[str, Any]:
    """A scorer's kind in words; what was not kept is said."""
    explained = int(results.rows[_EXPLAINED].sum())
    if explained:
        message = f"{explained:,} annotations have an explanation, which is not kept"
        results.findings.append(Finding("note", "explanations", message, results.source))
    low, high = reward_bounds(results.rows["solution"])
    kind = results.apart[_KIND]
    return {
        "low": low,
        "high": high,
        "about": f"imported, {TITLE}: given by {_KINDS.get(kind.upper(), 'nobody knows whom')}",
        "settings": {"annotator_kind": kind},
    }


FORMAT = ResultFormat(
    title=TITLE,
    layout=whole_records(_result, **{SCORER: pl.String(), _KIND: pl.String(), _EXPLAINED: pl.Boolean()}),
    columns={_EXPLAINED: pl.col(_EXPLAINED)},
    scorer=pl.col(SCORER),
    apart={_KIND: pl.col(_KIND).fill_null("")},
    conclude=_concluded,
)
READERS = {"phoenix": ResultReader(TITLE, recognises, FORMAT.load)}
