"""What stands between the steps of a trajectory."""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, NamedTuple


class ContextMessage(NamedTuple):
    """A message that is no step: its 0-based place among all messages, and the step that it stands before.

    `before` is the number of steps for what comes after the last one. `speaker` is its role and, of a tool, its name;
    `name` is that alone, "" where it has none.
    """

    place: int
    before: int
    speaker: str
    text: str
    name: str = ""


def context_messages(case: Mapping[str, Any], texts: Mapping[str, Any]) -> tuple[ContextMessage, ...]:
    """Return the messages of a trajectory that are no steps, in order; none of a solution that is no trajectory.

    Args:
        case: its row of the cases frame.
        texts: its row of the texts.
    """
    context, places = texts.get("context") or [], case.get("step_messages") or []
    of_steps, messages = set(places), []
    free = (place for place in range(len(context) + len(places)) if place not in of_steps)
    for place, message in zip(free, context, strict=False):
        before = bisect_left(places, place)
        speaker = " ".join(word for word in (message["role"] or "no role", message["name"]) if word)
        messages.append(ContextMessage(place, before, speaker, message["text"] or "", message["name"] or ""))
    return tuple(messages)


def tools_text(texts: Mapping[str, Any]) -> str | None:
    """Write the definitions of the functions that an agent could call as the JSON of a list; None where none are given.

    Args:
        texts: a row of the texts.
    """
    tools = texts.get("tools")
    return f"[{', '.join(tool['definition'] for tool in tools)}]" if tools else None
