"""What a language model is asked and what it answers, as plain data: what a critic tells an engine, and hears of it."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Literal

from msgspec import Struct

Role = Literal["system", "user", "assistant"]


class Message(Struct, frozen=True):
    """One message of a conversation. `text` is data: no engine looks for special tokens in it."""

    role: Role
    text: str


Prompt = tuple[Message, ...]
"""A conversation that a model continues with one assistant message, or whose last one, if it is the assistant's, it
writes on."""


def other_seed(seed: int | None, *places: int) -> int | None:
    """Return the seed, 0 to 2^31 - 1, of one of many requests that share a seed; None where that is none.

    Far from those of neighbouring seeds, so that runs that are seeded in a row share none.
    """
    if seed is None:
        return None
    words = "/".join(map(str, (seed, *places)))
    return int.from_bytes(blake2b(words.encode(), digest_size=4).digest()) >> 1


def prompt_hash(prompt: Prompt) -> str:
    """Return the hex blake2b (16 bytes) over the roles and texts of a prompt, each with its length."""
    digest = blake2b(digest_size=16)
    for message in prompt:
        for part in (message.role, message.text):
            raw = part.encode()
            digest.update(len(raw).to_bytes(8, "little"))
            digest.update(raw)
    return digest.hexdigest()


class Sampling(Struct, frozen=True):
    """How an answer is generated, literally as it is sent. None is not sent: the model's or server's own default holds.

    `max_tokens` counts generated tokens, reasoning included. `effort` is the thinking effort in the model's own words
    ("none", "low", "high", ...), `thinking` switches a model's thinking on or off, `thinking_budget` are the tokens it
    may think. `logprobs`: how many most likely tokens to tell of each generated one.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    max_tokens: int | None = None
    effort: str | None = None
    thinking: bool | None = None
    thinking_budget: int | None = None
    logprobs: int | None = None
    stop: tuple[str, ...] = ()


def left_open(sampling: Sampling, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a model's own settings that hold because the sampling says nothing of them."""
    return {name: value for name, value in defaults.items() if getattr(sampling, name, None) is None}


class GenerationRequest(Struct, frozen=True):
    """One question to be answered `count` times. `index` is the asker's own number; `seed` None = not seeded.

    `sampling` is how this one is answered; None = as the engine answers all.
    """

    index: int
    prompt: Prompt
    count: int = 1
    seed: int | None = None
    sampling: Sampling | None = None


class TokenLogprobs(Struct, frozen=True):
    """One generated token, its log-probability and those of the most likely ones in its place (natural logarithms)."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


class GeneratedAnswer(Struct, frozen=True):
    """One answer as it came.

    `text` is what the model said, `reasoning` what a server gave apart as its thinking; both as they came. A null
    `text` was not answered, and `reason` says why; `lasting` that asking again would not help (the prompt is too long).
    `tokens_in` are the prompt's tokens: of several answers to one call, the first has them and the others 0.
    `tokens_out` None = not told, or told for the whole call: then the first has the sum.
    """

    text: str | None
    reasoning: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seed: int | None = None
    logprobs: tuple[TokenLogprobs, ...] | None = None
    reason: str | None = None
    lasting: bool = False


class Answered(Struct, frozen=True):
    """The answers to one ask, exactly `count` of them, with the calls that it took, those repeated included.

    `flawed` of the replies had a field that could not be used and is null, or characters that were replaced.
    """

    index: int
    answers: tuple[GeneratedAnswer, ...]
    calls: int = 1
    retries: int = 0
    flawed: int = 0


class Noticed(Struct, frozen=True):
    """Something about the engine that changes what numbers mean, in a sentence; told once."""

    sentence: str
