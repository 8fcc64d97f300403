"""Trajectories of one's own: rows with `messages`, as chat APIs have them, labelled or not.

A step is a message of the assistant and all others are its context, as in AgentProcessBench, whose labels these are
too: `step_labels` is an object, 1, 0 or -1 by the 0-based place of the message, or a list with one label a step. A
trajectory without labels has no gold label: it is there to be judged.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from scoring.benchmarks import agentprocessbench
from scoring.reading.fields import Fields

NAME = "trajectories"

_STEP_ROLE = "assistant"
_ALSO = {
    "question": ("problem", "task", "instruction"),
    "data_source": ("subset",),
    "ground_truth": ("reference_answer",),
    "final_label": ("final_answer_correct", "success", "correct"),
}
"""Field of AgentProcessBench -> what else may hold it, the first that does."""
_IDS = ("id", "trajectory_id", "record_id", "uid")


def recognises(row: Any) -> bool:
    """Return whether a row has messages, one of them the assistant's, and no steps of another kind."""
    if not isinstance(row, Mapping) or "steps" in row or not isinstance(row.get("messages"), list):
        return False
    roles = [message.get("role") if isinstance(message, Mapping) else None for message in row["messages"]]
    return None not in roles and _STEP_ROLE in roles and not agentprocessbench.recognises(row)


def _name(fields: Fields) -> str:
    named = next((name for name in _IDS if isinstance(fields.value.get(name), str | int)), None)
    return fields.row_name() if named is None else fields.identifier(named)


def _flat(fields: Fields) -> Mapping[str, Any] | None:
    """The row under AgentProcessBench's names."""
    row = dict(fields.value)
    for field, others in _ALSO.items():
        if row.get(field) is None:
            row[field] = next((row[name] for name in others if row.get(name) is not None), None)
    if isinstance(row["final_label"], bool):
        row["final_label"] = 1 if row["final_label"] else -1
    labels = row.pop("step_labels", None)
    if labels is not None:
        row["step_labels"] = _by_place(fields, labels) if isinstance(labels, list) else labels
    parts = agentprocessbench.steps_and_context(fields.of(row))
    return None if parts is None else {**parts, "problem_id": fields.text("problem_id")}


def _by_place(fields: Fields, labels: list[Any]) -> dict[str, Any]:
    """One label a step as labels by place; none where there are more or fewer."""
    messages = fields.value.get("messages")
    every = messages if isinstance(messages, list) else []
    roles = [message.get("role") if isinstance(message, Mapping) else None for message in every]
    places = [place for place, role in enumerate(roles) if role == _STEP_ROLE]
    if len(labels) != len(places):
        fields.note("warning", "label-count", f"there are {len(labels)} labels and {len(places)} steps")
        return {}
    return {str(place): label for place, label in zip(places, labels, strict=True)}


_LAYOUT = agentprocessbench.FORMAT.layout
FORMAT = replace(
    agentprocessbench.FORMAT,
    name=NAME,
    layout=replace(
        _LAYOUT,
        name=_name,
        claimed=_LAYOUT.claimed | {"id", "problem_id", "subset", "reference_answer", *_ALSO["question"]},
        flat=_flat,
    ),
)
load = FORMAT.load
