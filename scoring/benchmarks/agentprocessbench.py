"""AgentProcessBench: every message of an agent that uses tools, labelled right, neutral or wrong.

"AgentProcessBench", arXiv 2603.14465; fields as its rows and its own code have them (RUCBM/AgentProcessBench,
`eval/compare.py` and `eval/llm_annotation.py`).
Rows: `total_index, query_index, sample_index, question, data_source, ground_truth, answer_text, messages[{role,
content, tool_calls?, tool_call_id?, name?}], tool_metrics, tools, step_labels{"index": 1|0|-1}, final_label,
task_description`.

A step is a message of the assistant; all others are its context. Labels name messages by their 0-based place in
`messages`, system message and tool results counted: the step of label "8" may well be step 3. They are 1 for a step
that helps, 0 for one without effect (it explores, or a tool failed), -1 for a wrong or harmful one. A wrong step need
not make all after it wrong, so that nothing is derived of the earliest error.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from scoring.benchmarks.base import CaseFormat, ReadSource, labelled, warn_where
from scoring.benchmarks.trajectories import context_message, sound_text, turn_text
from scoring.reading.fields import Fields, Layout, as_made, identifier, kind_of, solution, text, without_empty_fraction
from scoring.reading.findings import Finding
from scoring.schema import STEP_INDEX, TEXTS

NAME = "agentprocessbench"

SUBSETS = ("hotpotqa", "gaia_dev", "bfcl", "tau2")
"""Its four collections of tasks, in the order of `total_index`."""
PER_SUBSET = 250
"""Trajectories of each: 50 questions, five of each."""
SAMPLES = 5
RIGHT, NEUTRAL, WRONG = 1, 0, -1

_STEP_ROLE = "assistant"
_LABEL_BASE = "labels name messages by their 0-based place; a step is a message of the assistant, counted from 0"


def recognises(row: Any) -> bool:
    """Return whether a row has messages and labels for some of them, and the benchmark's places of it."""
    return (
        isinstance(row, Mapping)
        and not row.keys().isdisjoint({"total_index", "query_index"})
        and isinstance(row.get("messages"), list)
        and isinstance(row.get("step_labels"), Mapping)
        and not isinstance(row.get("steps"), list)
    )


def record_id(fields: Fields) -> str:
    """Name a trajectory `{data_source}:{query_index}:{sample_index}`, as files of judges do; else after its place."""
    value = fields.value
    source, numbers = (
        sound_text(fields, "data_source", value.get("data_source")),
        [value.get(name) for name in ("query_index", "sample_index")],
    )
    if source and all(type(number) is int for number in numbers):
        return ":".join((source, *map(str, numbers)))
    return fields.row_name()


def steps_and_context(fields: Fields) -> Mapping[str, Any] | None:
    """Return the row with its messages told apart: those of the assistant with their labels, and the others.

    None where it has no messages; findings go to `fields`.
    """
    messages = fields.value.get("messages")
    if not isinstance(messages, list):
        fields.note("error", "wrong-type", f"messages is {kind_of(messages)}, not a list")
        return None
    labels = dict(_labels(fields))
    steps, places, context, without = [], [], [], 0
    for place, message in enumerate(messages):
        record = message if isinstance(message, Mapping) else {"content": message}
        role = record.get("role")
        if role == _STEP_ROLE:
            steps.append(sound_text(fields, "message", turn_text(record)) or "")
            places.append(place)
            continue
        without += not isinstance(role, str)
        context.append(context_message(fields, record))
    if without:
        fields.note("warning", "no-role", f"{without} messages have no role; they are no steps")
    if lost := sorted(labels.keys() - set(places)):
        fields.note("warning", "label-of-no-step", f"labels for messages {lost}, which are not the assistant's")
    if labels and (silent := [step for step, place in enumerate(places) if place not in labels]):
        fields.note("warning", "no-label", f"steps {silent} have no label")
    own = [labels.get(place) for place in places]
    return {
        **fields.value,
        "question": _question(fields, context),
        "steps": steps,
        "places": places,
        "context": context,
        "right": [None if label is None else label != WRONG for label in own],
        "neutral": [step for step, label in enumerate(own) if label == NEUTRAL],
        "subset": _subset(fields),
        "reference": sound_text(fields, "ground_truth", _reference(fields.value.get("ground_truth"))),
        "problem_id": fields.case.rpartition(":")[0] if fields.case and ":" in fields.case else None,
        "final": {RIGHT: True, WRONG: False}.get(_whole(fields.value.get("final_label"))),
    }


def _labels(fields: Fields) -> Iterator[tuple[int, int]]:
    """The place of a message and its label; what is neither is noted."""
    by_place = fields.value.get("step_labels", {})
    if not isinstance(by_place, Mapping):
        fields.note(
            "warning", "wrong-type", f"step_labels is {kind_of(by_place)}, not an object; the case has no gold label"
        )
        return
    for key, value in by_place.items():
        label = _whole(value)
        if not (str(key).isascii() and str(key).isdigit()) or label not in {RIGHT, NEUTRAL, WRONG}:
            message = f"step_labels has {str(key)!r:.20}: {value!r:.20}, which is no message with a label of 1, 0 or -1"
            fields.note("warning", "bad-label", message)
        else:
            yield int(key), label


def _whole(value: Any) -> int:
    whole = without_empty_fraction(value)
    return whole if type(whole) is int else 99


def _question(fields: Fields, context: list[dict[str, Any]]) -> Any:
    """The task in words: the question, a longer description, or else what the user says first."""
    for name in ("question", "task_description"):
        if isinstance(fields.value.get(name), str) and fields.value[name].strip():
            return fields.value[name]
    return next((message["text"] for message in context if message["role"] == "user"), None)


def _subset(fields: Fields) -> str | None:
    number = _whole(fields.value.get("total_index", -1))
    if 0 <= number < PER_SUBSET * len(SUBSETS):
        return SUBSETS[number // PER_SUBSET]
    return fields.text("data_source")


def _reference(truth: Any) -> str | None:
    """The answer that is expected, where it is a text or a few of them."""
    target = truth.get("target", truth) if isinstance(truth, Mapping) else truth
    texts = target if isinstance(target, list) else [target]
    return "; ".join(texts) if texts and all(isinstance(part, str) for part in texts) else None


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    counts = read.tallies
    steps = f"{counts['right']:,} right, {counts['neutral']:,} neutral, {counts['wrong']:,} wrong steps"
    return f"{_LABEL_BASE} ({steps})", read.findings


_EARLIEST, _ERRORS = labelled(pl.col("right"), pl.col("steps").list.len())
_RIGHT_STEPS = pl.col("right").list.sum().cast(pl.Int64) - pl.col("neutral").list.len().cast(pl.Int64)
_WRONG_STEPS = pl.col("right").list.eval(pl.element().not_()).list.sum()
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "question": text(required=True),
            "steps": solution(),
            "places": as_made(pl.List(STEP_INDEX)),
            "context": as_made(TEXTS["context"]),
            "right": as_made(pl.List(pl.Boolean())),
            "neutral": as_made(pl.List(STEP_INDEX)),
            "subset": as_made(pl.String()),
            "problem_id": as_made(pl.String()),
            "reference": as_made(pl.String()),
            "final": as_made(pl.Boolean()),
        },
        content=("question", "steps"),
        name=record_id,
        claimed=frozenset({"total_index", "query_index", "sample_index", "question", "data_source", "ground_truth"})
        | {"messages", "step_labels", "final_label", "task_description"},
        flat=steps_and_context,
    ),
    columns={
        "subset": pl.col("subset"),
        "problem_id": pl.col("problem_id"),
        "earliest_error": _EARLIEST,
        "error_steps": _ERRORS,
        "neutral_steps": pl.col("neutral"),
        "step_messages": pl.col("places"),
        "context": pl.col("context"),
        "final_answer_correct": pl.col("final"),
        "reference_answer": pl.col("reference"),
    },
    checks=(
        warn_where(
            "no-label",
            pl.col("case.earliest_error").is_null() & pl.col("right").list.drop_nulls().list.len().gt(0),
            "not every step before a wrong one is labelled; the case has no gold label",
        ),
    ),
    tallies={
        "right": _RIGHT_STEPS.sum(),
        "neutral": pl.col("neutral").list.len().sum(),
        "wrong": _WRONG_STEPS.sum(),
    },
    conclude=_concluded,
)
load = FORMAT.load
