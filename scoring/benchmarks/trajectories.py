"""Messages of an agent as texts: what one says with the tools that it calls, and what is context and no step.

Messages are those of chat APIs, `{role, content, tool_calls?, name?}`: `content` is a text or a list of parts, and a
call is `{function: {name, arguments}}`, or `{name, arguments}` itself as the nodes of verifiers have it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.reading.fields import Fields


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
