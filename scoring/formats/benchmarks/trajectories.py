"""Trajectories of agents: messages of chat APIs, of which the assistant's are steps and all others their context.

A message is `{role, content, tool_calls?, name?}`: `content` is a text or a list of parts, and a call is
`{function: {name, arguments}}`, or `{name, arguments}` itself as the nodes of verifiers have it.

A row of one's own needs `messages` alone; `tools` are the functions that the agent could call. `step_labels` are those
of AgentProcessBench, whose format is made of this one: an object, 1, 0 or -1 by the 0-based place of the message, or
here also a list with one label a step. A trajectory without labels has no gold label: it is there to be judged.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from scoring.data.schema import STEP_INDEX, TEXTS
from scoring.formats.benchmarks.case_format import CaseFormat, ReadSource, labelled, warn_where
from scoring.formats.reading.fields import (
    Fields,
    Layout,
    as_made,
    identifier,
    kind_of,
    solution,
    text,
    without_empty_fraction,
)
from scoring.formats.reading.findings import Finding

NAME = "trajectories"

PLACED = frozenset({"total_index", "query_index"})
"""Keys of a row that say its place in AgentProcessBench."""
RIGHT, NEUTRAL, WRONG = 1, 0, -1

_STEP_ROLE = "assistant"
_LABEL_BASE = "labels name messages by their 0-based place; a step is a message of the assistant, counted from 0"
_IDS = ("id", "trajectory_id", "record_id", "uid")
_TASKS = ("question", "problem", "task", "instruction")
_OUTCOMES = ("final_label", "final_answer_correct", "success", "correct")


# -- messages as texts


def turn_text(message: Any) -> str:
    """Write what a message says, and beneath it a line for each tool that it calls: `-> name arguments`.

    A part that is no text (a picture) is the word for its kind in brackets. What is no message says what it is.
    """
    record = message if isinstance(message, Mapping) else {"content": message}
    content = record.get("content")
    lines = [content if isinstance(content, str) else "\n".join(_parts(content))]
    calls = record.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function", call) if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            lines.append(f"-> {function.get('name', '?')} {_written(function.get('arguments', ''))}".rstrip())
    return "\n".join(line for line in lines if line)


def context_message(fields: Fields, message: Any) -> dict[str, str | None]:
    """Return an entry of the column `context`: role, name and text of a message that is no step.

    A role or a name that is no text is null. Findings go to `fields`.
    """
    record = message if isinstance(message, Mapping) else {"content": message}
    speaker = {name: sound_text(fields, name, record.get(name)) for name in ("role", "name")}
    return {**speaker, "text": sound_text(fields, "message", turn_text(record))}


def sound_text(fields: Fields, name: str, value: Any) -> str | None:
    """Read a text of a row, with nothing in it that cannot be stored; None for anything else."""
    return fields.of({name: value}).text(name) if isinstance(value, str) else None


def _parts(content: Any) -> Iterator[str]:
    """The texts of a message that is a list of parts, and what kind the others are."""
    for part in content if isinstance(content, list) else [] if content is None else [content]:
        if isinstance(part, Mapping) and part.get("type", "text") != "text":
            yield f"[{part['type']}]"
        else:
            yield _written(part.get("text", "") if isinstance(part, Mapping) else part)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# -- the functions that the agent could call


def tools_of(fields: Fields) -> list[dict[str, str | None]] | None:
    """Return the entries of the column `tools`: name, description and definition of each function in the row's `tools`.

    These are a list or a JSON text of one. An entry is `{type, function: {name, description, parameters}}` as OpenAI's
    interface has it, or what stands there in `function` by itself; its definition is kept whole. None where there are
    none; what is no list, or no object in it, is noted in `fields`.
    """
    value = fields.value.get("tools")
    try:
        tools = json.loads(value) if isinstance(value, str) and value.strip() else value or None
        if tools is not None and not isinstance(tools, list):
            raise ValueError(kind_of(value))  # noqa: TRY301  # as where the text is no JSON
        entries = [_tool(fields, tool) for tool in tools or ()]
    except (ValueError, RecursionError):
        message = f"tools is {kind_of(value)}, not a list of functions or the JSON of one; the case has none"
        fields.note("warning", "bad-tools", message)
        return None
    if odd := sum(not isinstance(tool, Mapping) for tool in tools or ()):
        fields.note("warning", "bad-tools", f"{odd} of {len(entries)} tools are no objects; they are kept as they are")
    return entries or None


def _tool(fields: Fields, tool: Any) -> dict[str, str | None]:
    record = tool if isinstance(tool, Mapping) else {"name": tool}
    function = record.get("function", record)
    known = function if isinstance(function, Mapping) else record
    return {
        "name": sound_text(fields, "tool", known.get("name")),
        "about": sound_text(fields, "tool", known.get("description")),
        "definition": sound_text(fields, "tool", json.dumps(tool, ensure_ascii=False, default=str)),
    }


# -- a row's messages, told apart


def steps_and_context(fields: Fields, tasks: Sequence[str]) -> dict[str, Any] | None:
    """Return the row with its messages told apart: those of the assistant with their labels, and the others.

    None where it has no messages; findings go to `fields`.

    Args:
        fields: the row.
        tasks: keys that may hold the task in words, the first that does; else it is what the user says first.
    """
    messages = fields.value.get("messages")
    if not isinstance(messages, list):
        fields.note("error", "wrong-type", f"messages is {kind_of(messages)}, not a list")
        return None
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
    labels = dict(_labels(fields, places))
    if lost := sorted(labels.keys() - set(places)):
        fields.note("warning", "label-of-no-step", f"labels for messages {lost}, which are not the assistant's")
    if labels and (silent := [step for step, place in enumerate(places) if place not in labels]):
        fields.note("warning", "no-label", f"steps {silent} have no label")
    own = [labels.get(place) for place in places]
    spoken = (message["text"] for message in context if message["role"] == "user")
    return {
        **fields.value,
        "question": next((task for task in map(fields.value.get, tasks) if _is_said(task)), next(spoken, None)),
        "steps": steps,
        "places": places,
        "context": context,
        "tools": tools_of(fields),
        "right": [None if label is None else label != WRONG for label in own],
        "neutral": [step for step, label in enumerate(own) if label == NEUTRAL],
    }


def _is_said(task: Any) -> bool:
    return isinstance(task, str) and bool(task.strip())


def _labels(fields: Fields, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The place of a message and its label; what is neither is noted."""
    by_place = fields.value.get("step_labels", {})
    if isinstance(by_place, list) and PLACED.isdisjoint(fields.value):
        if len(by_place) != len(places):
            fields.note("warning", "label-count", f"there are {len(by_place)} labels and {len(places)} steps")
            return
        by_place = dict(zip(places, by_place, strict=True))
    if not isinstance(by_place, Mapping):
        fields.note(
            "warning", "wrong-type", f"step_labels is {kind_of(by_place)}, not an object; the case has no gold label"
        )
        return
    for key, value in by_place.items():
        label = whole_label(value)
        if not (str(key).isascii() and str(key).isdigit()) or label not in {RIGHT, NEUTRAL, WRONG}:
            message = f"step_labels has {str(key)!r:.20}: {value!r:.20}, which is no message with a label of 1, 0 or -1"
            fields.note("warning", "bad-label", message)
        else:
            yield int(key), label


def whole_label(value: Any) -> int:
    """Read a whole number, one without a fraction among them; 99 for anything else."""
    whole = without_empty_fraction(value)
    return whole if type(whole) is int else 99


# -- trajectories of one's own


def recognises(row: Any) -> bool:
    """Return whether a row has messages, one of them the assistant's, and is of no benchmark."""
    if not isinstance(row, Mapping) or "steps" in row or not isinstance(row.get("messages"), list):
        return False
    roles = [message.get("role") if isinstance(message, Mapping) else None for message in row["messages"]]
    return None not in roles and _STEP_ROLE in roles and PLACED.isdisjoint(row)


def _name(fields: Fields) -> str:
    named = next((name for name in _IDS if isinstance(fields.value.get(name), str | int)), None)
    return fields.row_name() if named is None else fields.identifier(named)


def _flat(fields: Fields) -> dict[str, Any] | None:
    parts = steps_and_context(fields, _TASKS)
    if parts is None:
        return None
    if parts["question"] is None:
        fields.note("error", "no-problem", f"there is no task: none of {', '.join(_TASKS)}, and the user says nothing")
        return None
    outcome = next((value for value in map(fields.value.get, _OUTCOMES) if value is not None), None)
    return {
        **parts,
        "subset": fields.text("subset"),
        "problem_id": fields.text("problem_id"),
        "reference": fields.text("reference_answer"),
        "final": outcome if isinstance(outcome, bool) else {RIGHT: True, WRONG: False}.get(whole_label(outcome)),
    }


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
            "tools": as_made(TEXTS["tools"]),
            "right": as_made(pl.List(pl.Boolean())),
            "neutral": as_made(pl.List(STEP_INDEX)),
            "subset": as_made(pl.String()),
            "problem_id": as_made(pl.String()),
            "reference": as_made(pl.String()),
            "final": as_made(pl.Boolean()),
        },
        content=("question", "steps"),
        name=_name,
        claimed=frozenset({"id", "messages", "tools", "step_labels", "subset", "problem_id"})
        | {"reference_answer", *_TASKS},
        flat=_flat,
    ),
    columns={
        "subset": pl.col("subset"),
        "problem_id": pl.col("problem_id"),
        "earliest_error": _EARLIEST,
        "error_steps": _ERRORS,
        "neutral_steps": pl.col("neutral"),
        "step_messages": pl.col("places"),
        "context": pl.col("context"),
        "tools": pl.col("tools"),
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
