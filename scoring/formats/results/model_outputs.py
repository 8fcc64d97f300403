"""Answers of critics, and what evalscope and Inspect both record of a model's output."""

from collections.abc import Mapping
from typing import Any

from scoring.formats.reading.boxed_answers import processbench_ballot, processbench_verdict, zero_based
from scoring.formats.reading.fields import Fields, without_empty_fraction

_SHOWN = 40
_LARGEST = 10**18
_ATTACHMENT = "attachment://"


def boxed(answer: str) -> dict[str, Any]:
    r"""Return the columns `answer`, `ballot`, `verdict`, `reason` of an answer with a `\boxed{...}`.

    It is read as ProcessBench does; steps count from 0, see `voted`.
    """
    return {"answer": answer, **voted(processbench_ballot(answer))}


def voted(ballot: str | None, base: int = 0) -> dict[str, Any]:
    """Return the columns `ballot`, `verdict` and `reason` of a ballot whose steps count from `base` (0 or 1).

    The verdict is 0-based, -1 = no error, -2 = a number that names no step; null, with a reason, where there is none.
    """
    verdict = processbench_verdict(ballot)
    if verdict is not None and base == 1:
        verdict = zero_based(verdict)
    return {"ballot": ballot, "verdict": verdict, "reason": None if verdict is not None else _why_unread(ballot)}


def written(value: Any) -> str | None:
    """Return a text as it is, a whole number as its digits; None for anything else."""
    value = without_empty_fraction(value)
    if type(value) is int and abs(value) < _LARGEST:
        return str(value)
    return value if isinstance(value, str) else None


def message_text(message: Any, attachments: Mapping[str, Any] | None = None, kind: str = "text") -> str | None:
    """Join the parts of a message that are of the kind ("text" or "reasoning") by line breaks; None without any.

    A text that only names an attachment is that attachment, where it is there.
    """
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    parts = content if isinstance(content, list) else []
    texts = [part.get(kind) for part in parts if isinstance(part, Mapping) and part.get("type") == kind]
    attached = {f"{_ATTACHMENT}{name}": text for name, text in (attachments or {}).items() if isinstance(text, str)}
    words = [attached.get(text, text) for text in texts if isinstance(text, str)]
    return "\n".join(words) if words else None


def message_texts(messages: Any) -> list[str]:
    """Return the text of every message that has one."""
    every = messages if isinstance(messages, list) else []
    return [text for message in every if (text := message_text(message)) is not None]


def model_output(fields: Fields, attachments: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the columns `answer`, `reasoning`, `finish_reason`, `tokens_in`, `tokens_out` of an output's first choice.

    `answer` is null, with a `reason`, where there is none. A model that reasoned and then said nothing gave an answer,
    which is empty: it came, and cannot be read.
    """
    choices = fields.value.get("choices")
    choice = fields.of(choices[0] if isinstance(choices, list) and choices else None)
    message = choice.value.get("message")
    completion = message_text(message, attachments)
    # Put among fields of their own, the texts get the checks and the findings of any other text.
    words = fields.of(
        {
            "completion": fields.value.get("completion") if completion is None else completion,
            "reasoning": message_text(message, attachments, "reasoning"),
        },
    )
    usage = fields.inside("usage")
    answer, reasoning = words.text("completion"), words.text("reasoning")
    error = fields.text("error")
    if answer is None and reasoning and error is None:
        answer = ""
    return {
        "answer": answer,
        "reasoning": reasoning,
        "finish_reason": choice.text("stop_reason"),
        "tokens_in": _tokens(usage.value.get("input_tokens")),
        "tokens_out": _tokens(usage.value.get("output_tokens")),
        "reason": None if answer is not None else error or "the model gave no text",
    }


def _tokens(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 2**63 else None


def _why_unread(ballot: str | None) -> str:
    if ballot is None:
        return "the answer has no \\boxed{...}"
    if not ballot:
        return "the box is empty"
    return f"the box holds no whole number: {ballot[:_SHOWN]}{'…' if len(ballot) > _SHOWN else ''}"
