"""The model's output as evalscope and Inspect both record it: choices of messages, their stop reason, usage."""

from collections.abc import Mapping
from typing import Any

from scoring.reading.fields import Fields
from scoring.results.records import inside, tokens, within

_ATTACHMENT = "attachment://"


def message_text(message: Any, attachments: Mapping[str, Any] | None = None, kind: str = "text") -> str | None:
    """The parts of a message that are of the kind ("text" or "reasoning"), joined by line breaks; None without any.

    A text that only names an attachment is that attachment, where it is there.
    """
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    parts = content if isinstance(content, list) else []
    texts = [part.get(kind) for part in parts if isinstance(part, Mapping) and part.get("type") == kind]
    found = [_attached(text, attachments or {}) for text in texts if isinstance(text, str)]
    return "\n".join(found) if found else None


def message_texts(messages: Any) -> list[str]:
    """The text of every message that has one."""
    every = messages if isinstance(messages, list) else []
    return [text for message in every if (text := message_text(message)) is not None]


def model_output(fields: Fields, attachments: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The columns `answer`, `reasoning`, `finish_reason`, `tokens_in`, `tokens_out` of an output's first choice.

    `answer` is null, with a `reason`, where there is none. A model that reasoned and then said nothing gave an answer,
    which is empty: it came, and cannot be read.
    """
    choices = fields.value.get("choices")
    choice = within(fields, choices[0] if isinstance(choices, list) and choices else None)
    message = choice.value.get("message")
    said = message_text(message, attachments)
    # Put among fields of their own, the texts get the checks and the findings of any other text.
    words = within(
        fields,
        {
            "completion": fields.value.get("completion") if said is None else said,
            "reasoning": message_text(message, attachments, "reasoning"),
        },
    )
    usage = inside(fields, "usage")
    answer, reasoning = words.text("completion"), words.text("reasoning")
    error = fields.text("error")
    if answer is None and reasoning and error is None:
        answer = ""
    return {
        "answer": answer,
        "reasoning": reasoning,
        "finish_reason": choice.text("stop_reason"),
        "tokens_in": tokens(usage.value.get("input_tokens")),
        "tokens_out": tokens(usage.value.get("output_tokens")),
        "reason": None if answer is not None else error or "the model gave no text",
    }


def _attached(text: str, attachments: Mapping[str, Any]) -> str:
    found = attachments.get(text.removeprefix(_ATTACHMENT)) if text.startswith(_ATTACHMENT) else None
    return found if isinstance(found, str) else text
