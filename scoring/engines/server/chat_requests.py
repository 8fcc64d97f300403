"""Chat completions as they are written and read: the body of a request in a server's dialect, and its reply."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.secrets import masked
from scoring.engines.server.connections import ROOM
from scoring.engines.server.faults import (
    LONGEST_QUOTE,
    Fault,
    Refusal,
    decoded_text,
    log_probability,
    quoted,
    token_count,
)
from scoring.models.asking import Prompt, Sampling, TokenLogprobs

_OLD, _NEW = "max_tokens", "max_completion_tokens"
_AS_THEY_ARE = ("temperature", "top_p", "top_k")
_UNLIMITED = 1 << 18
"""Tokens that an answer may have for which nobody has named a limit."""
_TEXT_BYTES, _LOGPROB_BYTES = 32, 256
"""Of one token in a reply: as text, escaped and told twice, as reasoning is by some; and with its log-probability."""


class Dialect(Struct, frozen=True):
    """Words chat requests for one server. It only ever loses what the server does not take.

    `length` is the field for the most tokens to generate: `max_tokens` everywhere, `max_completion_tokens` with
    OpenAI's reasoning models. `several` says that one call can give several answers, `logprobs` and `seeds` that these
    may be sent.
    """

    length: str = _OLD
    length_is_sure: bool = False
    several: bool = True
    logprobs: bool = True
    seeds: bool = True

    @classmethod
    def first(cls, sampling: Sampling) -> "Dialect":
        """Make the one for when nothing is known: a thinking effort goes with the newer field, as GR-Ben sends it."""
        return cls(_NEW if sampling.effort is not None else _OLD)

    def after(self, refusal: Refusal, sent: frozenset[str]) -> "tuple[Dialect, str] | None":
        """Return the dialect without what was refused, and a clause for the reader, empty where no number changes by
        it.

        Args:
            refusal: of HTTP status 400 or 422, and not because of the prompt's length.
            sent: the fields of the request.

        Returns:
            None where nothing that can be left out is the reason.
        """
        if not self.length_is_sure and self.length in sent and refusal.names(self.length):
            return replace(self, length=_NEW if self.length == _OLD else _OLD, length_is_sure=True), ""
        if self.several and "n" in sent and (refusal.names("n") or "one completion choice" in refusal.message):
            return replace(self, several=False), "gives one answer a call, so votes are asked for one by one"
        if self.logprobs and "logprobs" in sent and (refusal.names("logprobs") or refusal.names("top_logprobs")):
            return replace(self, logprobs=False), f"gives no log-probabilities ({refusal.message})"
        if self.seeds and "seed" in sent and refusal.names("seed"):
            return replace(self, seeds=False), "takes no seed, so that its answers cannot be had again"
        return None


def chat_request(
    model: str, prompt: Prompt, sampling: Sampling, dialect: Dialect, *, count: int, seed: int | None, vllm: bool
) -> dict[str, Any]:
    """Write a body for `/v1/chat/completions`, for `count` answers, or for one where only one is to be had a call.

    What the sampling leaves open is not sent. A last message of the assistant's is written on, by vLLM's
    `continue_final_message`. Thinking is switched by the chat template's `enable_thinking`. A budget
    is `thinking_token_budget` for vLLM and the `thinking` object elsewhere, as GR-Ben (`run_llm_eval.py`) sends it.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.text} for message in prompt],
    }
    if count > 1 and dialect.several:
        body["n"] = count
    if seed is not None and dialect.seeds:
        body["seed"] = seed
    body |= {name: value for name in _AS_THEY_ARE if (value := getattr(sampling, name)) is not None}
    if sampling.max_tokens is not None:
        body[dialect.length] = sampling.max_tokens
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.logprobs is not None and dialect.logprobs:
        body |= {"logprobs": True, "top_logprobs": sampling.logprobs}
    if continues(prompt):
        body |= {"add_generation_prompt": False, "continue_final_message": True}
    return body | _thinking(sampling, vllm=vllm)


def continues(prompt: Prompt) -> bool:
    """Return whether the answer is to go on where the prompt's last message ends."""
    return bool(prompt) and prompt[-1].role == "assistant"


def largest_reply(sampling: Sampling, count: int, context: int | None) -> int:
    """Return the bytes that a reply with `count` answers may have, by the tokens asked for or else the model's
    `context`.

    What is longer was not asked for, and many of them at a time would fill the memory.
    """
    tokens = sampling.max_tokens or context or _UNLIMITED
    likeliest = 0 if sampling.logprobs is None else 1 + sampling.logprobs
    return ROOM + count * tokens * (_TEXT_BYTES + likeliest * _LOGPROB_BYTES)


class ChatChoice(Struct, frozen=True):
    """One of the answers of a call. `text` is as it came but for keys, blanks too; "" where the server gives none."""

    text: str
    reasoning: str | None
    finish_reason: str | None
    logprobs: tuple[TokenLogprobs, ...] | None


FLAWS = {
    "usage": "sends token counts that cannot be right. They are left out, so costs are missing.",
    "logprobs": "sends log-probabilities that cannot be read. They are left out.",
    "finish_reason": "sends finish reasons that are not text. They are left out.",
    "text": "sends characters that are not Unicode. They are replaced by U+FFFD.",
}
"""Field of a reply that may be unusable without losing the answers -> notice about the server."""


class ChatReply(Struct, frozen=True):
    """All answers of a call, at least one, in the server's order.

    The tokens are those of the whole call, None = not told; `seed` is the one that was sent. `flaws` are
    keys of `FLAWS`.
    """

    choices: tuple[ChatChoice, ...]
    tokens_in: int | None
    tokens_out: int | None
    seed: int | None = None
    flaws: frozenset[str] = frozenset()


def read_chat(body: bytes) -> ChatReply:
    """Read the body of a reply with HTTP status 2xx. A field that cannot be used is null, and one of `flaws`.

    Raises:
        Fault: it is no JSON, broken off, an error in disguise, or without a choice.
    """
    reply, is_replaced = decoded_text(body)
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if not isinstance(choices, list):
        error = reply.get("error") if isinstance(reply, dict) else None
        if error is not None:
            message = error.get("message") if isinstance(error, dict) else error
            raise Fault(f"an error in place of an answer: {quoted(str(message))}")
        raise Fault("JSON that is not a chat completion")
    choice_objects = [choice for choice in choices if isinstance(choice, dict)]
    if not choice_objects:
        raise Fault("an answer without choices")
    places = [choice.get("index") for choice in choice_objects]
    if all(type(place) is int for place in places) and len(set(places)) == len(places):
        choice_objects.sort(key=lambda choice: choice["index"])
    flaws = {"text"} if is_replaced else set()
    choices = tuple(_choice(choice, flaws) for choice in choice_objects)
    tokens_in, tokens_out = _tokens(reply.get("usage"), flaws)
    return ChatReply(choices, tokens_in, tokens_out, flaws=frozenset(flaws))


def _thinking(sampling: Sampling, *, vllm: bool) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if sampling.effort is not None:
        body["reasoning_effort"] = sampling.effort
    if sampling.thinking is not None and (vllm or sampling.thinking_budget is None):
        body["chat_template_kwargs"] = {"enable_thinking": sampling.thinking}
    if sampling.thinking_budget is not None:
        on = sampling.thinking is not False
        if vllm:
            body |= {"thinking_token_budget": sampling.thinking_budget} if on else {}
        else:
            budget = {"type": "enabled", "budget_tokens": sampling.thinking_budget}
            body["thinking"] = budget if on else {"type": "disabled"}
    return body


def _tokens(usage: Any, flaws: set[str]) -> tuple[int | None, int | None]:
    """Tokens in and out; adds to the flaws if a count is given and cannot be right."""
    if not isinstance(usage, dict):
        flaws |= {"usage"} if usage is not None else set()
        return None, None
    given_in, given_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
    tokens_in, tokens_out = token_count(given_in), token_count(given_out)
    if (given_in is not None and tokens_in is None) or (given_out is not None and tokens_out is None):
        flaws.add("usage")
    return tokens_in, tokens_out


def _choice(choice: dict[str, Any], flaws: set[str]) -> ChatChoice:
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text, reasoning = _content(message.get("content"))
    apart = next((message[name] for name in ("reasoning_content", "reasoning") if _is_text(message.get(name))), None)
    refusal = message.get("refusal")
    if not text.strip() and isinstance(refusal, str) and refusal.strip():
        text = refusal
    finish = choice.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        flaws.add("finish_reason")
    finish = masked(finish)[:LONGEST_QUOTE] if isinstance(finish, str) else None
    without_keys, thought = masked(text), masked(apart or reasoning or "") or None
    # The tokens of a text that holds a key spell it.
    return ChatChoice(without_keys, thought, finish, _logprobs(choice, flaws) if without_keys == text else None)


def _content(content: Any) -> tuple[str, str | None]:
    """What is said and what is thought, of a text or of a list of parts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "", None
    parts = [part if isinstance(part, dict) else {"text": part} for part in content]
    words = "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    thoughts = [_thought(part.get("thinking")) for part in parts]
    return words, "".join(thoughts) or None


def _thought(thinking: Any) -> str:
    """A part that is thinking: a text, or again a list of parts."""
    if isinstance(thinking, str):
        return thinking
    return _content(thinking)[0] if isinstance(thinking, list) else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _logprobs(choice: dict[str, Any], flaws: set[str]) -> tuple[TokenLogprobs, ...] | None:
    """Of every generated token; None where they are missing, or even one of them cannot be read."""
    outer = choice.get("logprobs")
    content = outer.get("content") if isinstance(outer, dict) else None
    if not isinstance(content, list):
        return None
    try:
        return tuple(
            TokenLogprobs(
                _name(token["token"]),
                log_probability(token["logprob"]),
                tuple(
                    (_name(top["token"]), log_probability(top["logprob"])) for top in token.get("top_logprobs") or ()
                ),
            )
            for token in content
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        flaws.add("logprobs")
        return None


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
