"""A chat completion as it came, read without trust."""

from dataclasses import dataclass
from typing import Any

import msgspec

from scoring.asking import TokenLogprobs
from scoring.engines.server.faults import Fault
from scoring.engines.server.quoting import quoted
from scoring.secrets import masked


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers of a call. `text` is as it came but for keys, blanks too; "" where the server gives none."""

    text: str
    reasoning: str | None
    finish_reason: str | None
    logprobs: tuple[TokenLogprobs, ...] | None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """All answers of a call, at least one, in the server's order; and tokens of the whole call, None = not told."""

    choices: tuple[Choice, ...]
    tokens_in: int | None
    tokens_out: int | None


def read_chat(body: bytes) -> ChatReply:
    """Read the body of a reply with HTTP status 200.

    Raises:
        Fault: it is no JSON, broken off, an error in disguise, or without a choice.
    """
    told = decoded(body)
    choices = told.get("choices") if isinstance(told, dict) else None
    if not isinstance(choices, list):
        error = told.get("error") if isinstance(told, dict) else None
        if error is not None:
            message = error.get("message") if isinstance(error, dict) else error
            raise Fault(f"an error in place of an answer: {quoted(str(message))}")
        raise Fault("JSON that is no chat completion")
    found = [choice for choice in choices if isinstance(choice, dict)]
    if not found:
        raise Fault("an answer without choices")
    places = [choice.get("index") for choice in found]
    if all(type(place) is int for place in places) and len(set(places)) == len(places):
        found.sort(key=lambda choice: choice["index"])
    usage = told.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return ChatReply(
        tuple(map(_choice, found)), _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    )


def decoded(body: bytes) -> Any:
    """JSON as plain values.

    Raises:
        Fault: it is none, or not whole.
    """
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Fault("an answer that is not whole JSON", suspicious=True) from None


def _choice(told: dict[str, Any]) -> Choice:
    message = told.get("message")
    message = message if isinstance(message, dict) else {}
    text, reasoning = _content(message.get("content"))
    apart = next((message[name] for name in ("reasoning_content", "reasoning") if _is_text(message.get(name))), None)
    refusal = message.get("refusal")
    if not text.strip() and isinstance(refusal, str) and refusal.strip():
        text = refusal
    finish = told.get("finish_reason")
    finish = masked(finish) if isinstance(finish, str) else None
    without_keys, thought = masked(text), masked(apart or reasoning or "") or None
    # The tokens of a text that holds a key spell it.
    return Choice(without_keys, thought, finish, _logprobs(told) if without_keys == text else None)


def _content(content: Any) -> tuple[str, str | None]:
    """What is said and what is thought, of a text or of a list of parts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "", None
    parts = [part if isinstance(part, dict) else {"text": part} for part in content]
    said = "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    thoughts = [_thought(part.get("thinking")) for part in parts]
    return said, "".join(thoughts) or None


def _thought(thinking: Any) -> str:
    """A part that is thinking: a text, or again a list of parts."""
    if isinstance(thinking, str):
        return thinking
    return _content(thinking)[0] if isinstance(thinking, list) else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _logprobs(told: dict[str, Any]) -> tuple[TokenLogprobs, ...] | None:
    """Of every generated token; None where they are missing, or even one of them cannot be read."""
    outer = told.get("logprobs")
    content = outer.get("content") if isinstance(outer, dict) else None
    if not isinstance(content, list):
        return None
    try:
        return tuple(
            TokenLogprobs(
                _name(one["token"]),
                _number(one["logprob"]),
                tuple((_name(top["token"]), _number(top["logprob"])) for top in one.get("top_logprobs") or ()),
            )
            for one in content
        )
    except (KeyError, TypeError, AttributeError):
        return None


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)
