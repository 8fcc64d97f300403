"""Judges on AgentProcessBench: a label for every message of an agent, by the message's 0-based place.

Rows of `eval/results/{judge}/{dataset}__blind_{annotator}.jsonl` in RUCBM/AgentProcessBench, which its
`eval/llm_annotation.py` writes: `annotator, comment, data_source, dataset, explanations, final_label,
final_label_touched, index_in_dataset, query_index, record_id, sample_index, status, step_labels{"index": 1|0|-1|null},
updated_at, username`; explanations are `{steps: {"index": text|null}, final}`.
A row whose judge failed has no labels, and a comment that begins with `llm_annotate_failed`.

The reading is that of `eval/compare.py`: a label may be a truth value, a whole number or its digits, and a list of
labels is one by place; of several rows of a trajectory the newest counts, else the last. A step is wrong iff its label
is -1, which a threshold of -0.5 says; one above 0 counts neutral steps as wrong as well.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from msgspec.structs import replace

from scoring.formats.benchmarks.agentprocessbench import NAME, record_id
from scoring.formats.reading.fields import Fields, kind_of, without_empty_fraction
from scoring.formats.reading.rows import Rows, SourceRow
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
from scoring.formats.results.scorer_names import name_by_place

TITLE = "AgentProcessBench judge"
THRESHOLD = -0.5
"""Below it lies -1 alone."""

_FAILED = "llm_annotate_failed"
_TIMES = ("updated_at", "created_at", "timestamp")
_LONGEST = 200
_OF_A_JUDGE = re.compile(r"\w+__blind_[^/\\]+\Z")
"""A file whose folder is called after the judge: annotators of two runs, thinking and not, may have one name."""


def recognises(row: Any) -> bool:
    """Return whether a row has labels by message and says who gave them."""
    return isinstance(row, Mapping) and {"annotator", "step_labels"} <= row.keys() and "messages" not in row


def load(rows: Rows) -> list[ExternalResults]:
    """Read the results of each annotator: one label a message, -1, 0 or 1, with its explanations as the answer.

    Of several rows of a trajectory the one with the newest time counts, of equal ones the last.
    """
    newest = sorted(rows.rows, key=lambda row: (_time(row), row.number), reverse=True)
    format_here = replace(FORMAT, scorer=None) if _OF_A_JUDGE.search(rows.source) else FORMAT
    return format_here.load(Rows(rows.source, rows.format, newest, rows.findings, rows.read))


def _time(row: SourceRow) -> str:
    value = row.value if isinstance(row.value, Mapping) else {}
    return next((str(value[name]) for name in _TIMES if value.get(name)), "")


def _read(fields: Fields) -> ResultRow | None:
    if fields.value.get("record_id") is None:
        fields = replace(fields, value={**fields.value, "record_id": record_id(fields)})
    if case_id(fields, "record_id") is None:
        return None
    labels = dict(_labels(fields))
    comment = fields.value.get("comment")
    failed = isinstance(comment, str) and comment.startswith(_FAILED)
    if not any(label is not None for label in labels.values()):
        reason = " ".join(comment.split())[:_LONGEST] if failed and isinstance(comment, str) else "there are no labels"
        return {"reason": reason, "answer": _answer(fields, labels)}
    return {"rewards": list(labels.values()), "messages": list(labels), "answer": _answer(fields, labels)}


def _with_scorer(fields: Fields) -> Iterator[ResultRecord]:
    """The row itself, and whose it is."""
    name = fields.text("annotator")
    yield {**fields.value, SCORER: name.strip() if name else None}


def _labels(fields: Fields) -> Iterator[tuple[int, float | None]]:
    """The place of each message and its label, ascending; null = there is none that can be read."""
    by_place = fields.value.get("step_labels")
    if isinstance(by_place, list):
        by_place = dict(enumerate(by_place))
    if not isinstance(by_place, Mapping):
        if by_place is not None:
            fields.note("warning", "wrong-type", f"step_labels is {kind_of(by_place)}, not an object")
        return
    read = {}
    for key, value in by_place.items():
        if str(key).isascii() and str(key).isdigit() and len(str(key)) < 10:
            read[int(key)] = label_of(value)
        else:
            fields.note(
                "warning", "bad-label", f"step_labels has {str(key)!r:.20}, which is not the place of a message"
            )
    yield from sorted(read.items())


def label_of(value: Any) -> float | None:
    """Read a label as -1, 0 or 1: a truth value, a whole number or its digits; None for anything else."""
    if isinstance(value, str):
        try:
            value = int(value.strip())
        except ValueError:
            return None
    whole = without_empty_fraction(value)
    return float(whole) if isinstance(whole, int) and whole in {-1, 0, 1} else None


def _answer(fields: Fields, labels: Mapping[int, float | None]) -> str | None:
    """What the judge says, a paragraph a message: its label and why; None where it explains nothing."""
    why = fields.value.get("explanations")
    final = None
    if isinstance(why, Mapping) and isinstance(why.get("steps"), Mapping | list):
        why, final = why["steps"], why.get("final")
    if isinstance(why, list):
        why = dict(enumerate(why))
    if isinstance(why, str):
        return fields.of({"explanations": why}).text("explanations") or None
    if not isinstance(why, Mapping) or not why:
        return None
    lines = []
    for place in sorted(labels.keys() | {int(key) for key in why if str(key).isascii() and str(key).isdigit()}):
        label, text = labels.get(place), why.get(str(place), why.get(place))
        words = text if isinstance(text, str) else "" if text is None else json.dumps(text, ensure_ascii=False)
        lines.append(f"message {place}: {'no label' if label is None else f'{label:+.0f}'.replace('+0', '0')}  {words}")
    lines += [f"all: {final}"] if isinstance(final, str) and final.strip() else []
    return fields.of({"explanations": "\n".join(line.rstrip() for line in lines)}).text("explanations")


def _concluded(_: Results) -> dict[str, Any]:
    """A critic that gives each message one of three labels."""
    return {
        "label_base": "labels name messages by their 0-based place: 1 right, 0 neutral, -1 wrong",
        "benchmark": NAME,
        "kind": "critic",
        "threshold": THRESHOLD,
        "threshold_source": "only -1 is wrong",
        "comparison": "<",
        "low": -1.0,
        "high": 1.0,
        # What its own script asks with.
        # `protocol` is not among them: whoever has it is read again from what it answered, which nobody kept here.
        "settings": {"temperature": 1},
    }


FORMAT = ResultFormat(
    title=TITLE,
    layout=whole_records(_read, **{SCORER: pl.String()}),
    unfold=_with_scorer,
    scorer=pl.col(SCORER),
    conclude=_concluded,
    named=lambda rows: name_by_place(rows.source, _OF_A_JUDGE).strip(),
)
READERS = {"agentprocessbench_judge": ResultReader(TITLE, recognises, load)}
