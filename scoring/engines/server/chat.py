"""Critics over one or many OpenAI-compatible servers: an ask and the calls that it takes, of all asks side by side."""

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import count, groupby
from queue import SimpleQueue
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import EngineError, UsageError
from scoring.data.secrets import masked
from scoring.engines.server.address import Key
from scoring.engines.server.background import LoopThread, across, side_by_side
from scoring.engines.server.capabilities import Capabilities, greet, key_notices
from scoring.engines.server.client import ROOM, Connections, Failure, Notices, RetryPolicy, Server, ServerCall, Servers
from scoring.engines.server.faults import (
    LONGEST_QUOTE,
    Fault,
    Refusal,
    Reworded,
    decoded_text,
    log_probability,
    quoted,
    token_count,
)
from scoring.models.asking import (
    Answered,
    GeneratedAnswer,
    GenerationRequest,
    Noticed,
    Prompt,
    Sampling,
    TokenLogprobs,
    other_seed,
)

# -- chat completions as they are written and read: the body of a request in a server's dialect, and its reply


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


CONCURRENCY = 64
"""Requests under way at a time, over all servers."""
_SAME = 5
"""Asks in a row whose answers are all equal, until it is told."""
_LONG = 40
"""Characters from which on equal answers are no accident."""


class ChatServers(Struct, frozen=True):
    """Servers that have the same model. Holds no connection but while it answers. See `AnsweringEngine`.

    `capabilities` says what each server can do, in the order they were given. `call` words the call for an ask's answer
    of a place, 0-based, where that is not done by a chat request.
    """

    model: str
    sampling: Sampling
    capabilities: tuple[Capabilities, ...]
    keys: tuple[Key, ...]
    concurrency: int = CONCURRENCY
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    call: Callable[[GenerationRequest, int], ServerCall[ChatReply]] | None = None

    @classmethod
    def connect(
        cls,
        urls: Sequence[str],
        sampling: Sampling,
        *,
        model: str | None = None,
        concurrency: int = CONCURRENCY,
        policy: RetryPolicy | None = None,
    ) -> "ChatServers":
        """Ask all servers what they are and check that they have the model.

        Args:
            urls: one or more, `http://host:port` or `http://host:port/v1`; the same one twice counts once.
            sampling: how answers are generated.
            model: its name there; None for the only one.
            concurrency: requests under way at a time, over all servers.
            policy: timeout, tries and waits.

        Raises:
            EngineError: a server does not answer, refuses the key or does not have the model, or its context is
                shorter than the answers may be.
            UsageError: an address or a key cannot be used.
        """
        if concurrency < 1:
            raise UsageError(f"{concurrency} requests at a time are none.", "Give 1 or more.")
        met = greet(urls, model)
        engine = cls(met.model, sampling, met.capabilities, met.keys, concurrency, policy or RetryPolicy())
        most, wanted = engine.max_model_len, sampling.max_tokens
        if most is not None and wanted is not None and wanted >= most:
            raise EngineError(
                f"an answer of {wanted:,} tokens does not fit into the {most:,} that it and its prompt may have.",
                "Ask for fewer, or start the server with a longer --max-model-len.",
            )
        return engine

    @property
    def name(self) -> str:
        """The servers' software and addresses, and the model."""
        groups = [
            f"{software} at {', '.join(str(server.address) for server in ones)}"
            for software, ones in groupby(self.capabilities, key=lambda server: server.software)
        ]
        return f"{'; '.join(groups)}, model {quoted(self.model)}"

    @property
    def max_model_len(self) -> int | None:
        """Tokens that a prompt and its answer may have together: the least of all servers; None where none tells."""
        lengths = [server.model(self.model).max_tokens for server in self.capabilities]
        return min((tokens for tokens in lengths if tokens), default=None)

    def answers(self, asks: Iterator[GenerationRequest | None]) -> Iterator[Answered | Noticed | None]:
        """Answers as they come; `asks` is drawn in the caller's thread. See `AnsweringEngine`.

        Raises:
            EngineError: no server can be reached for too long, or no request can succeed.
        """
        arrived: SimpleQueue[Answered | Noticed | BaseException] = SimpleQueue()
        with LoopThread() as loop:
            conversation = loop.run(self._open(Notices(arrived.put)))
            loop.last = conversation.servers.aclose
            yield from key_notices(self.capabilities, self.keys)
            # A few more than are under way, so that a server never waits for the caller.
            yield from across(loop, asks, conversation.answered, arrived, self.concurrency + 1 + self.concurrency // 8)

    async def _open(self, notices: Notices) -> "_Conversation":
        manners = {
            Server(Connections(can.address, key)): _Manner(can, Dialect.first(self.sampling))
            for can, key in zip(self.capabilities, self.keys, strict=True)
        }
        servers = Servers(list(manners), self.policy, notices)
        return _Conversation(self, servers, manners, Slots(self.concurrency), notices)


class Slots:
    """So many places; a free one goes to whoever waits with the lowest number, so that what is begun is finished."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._ties = count()

    @asynccontextmanager
    async def taken(self, number: int) -> AsyncIterator[None]:
        """Wait for a place, and keep it for the block."""
        if self._free:
            self._free -= 1
        else:
            turn = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (number, next(self._ties), turn))
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._pass_on()
                raise
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class _Manner(Struct):
    """How a server is spoken to, and whether it once gave all answers of a call for several."""

    can: Capabilities
    dialect: Dialect
    gave_several: bool = False


class _Conversation(Struct):
    """Asks one model on servers, and notes what one does not do as it was told."""

    engine: ChatServers
    servers: Servers
    manners: dict[Server, _Manner]
    slots: Slots
    notices: Notices
    equal: int = 0
    """Asks in a row that had several long answers, all of them equal; -1 once one had two that differ."""

    async def answered(self, ask: GenerationRequest, number: int) -> Answered:
        """All answers to an ask; `number` is its place among all, for what was begun first is finished first.

        Raises:
            EngineError: no ask can be answered.
        """
        if ask.count < 1:
            return Answered(ask.index, (), 0, 0)
        first = await self._called(ask, number, 0, ask.count)
        answers = _answers(ask, first)
        missing = range(len(answers), ask.count)
        if isinstance(first.got, Failure):
            # What does not go once does not go eight times.
            return Answered(ask.index, (*answers, *(replace(answers[0]) for _ in missing)), first.sent, first.retries)
        calls = [first, *await side_by_side(self._called(ask, number, part, 1) for part in missing)]
        answers = tuple(answer for call in calls for answer in _answers(ask, call))
        if (ask.sampling or self.engine.sampling).temperature:
            self._compare_answers([answer.text for answer in answers])
        flawed = sum(isinstance(call.got, ChatReply) and bool(call.got.flaws) for call in calls)
        sent, retries = sum(call.sent for call in calls), sum(call.retries for call in calls)
        return Answered(ask.index, answers, sent, retries, flawed)

    async def _called(self, ask: GenerationRequest, number: int, part: int, wanted: int) -> ServerCall[ChatReply]:
        """A call that was made, for `wanted` answers, or fewer, from answer `part` on."""
        call = self.engine.call(ask, part) if self.engine.call else self._chat(ask, part, wanted)
        async with self.slots.taken(number):
            await self.servers.deliver(call)
        return call

    def _chat(self, ask: GenerationRequest, part: int, wanted: int) -> ServerCall[ChatReply]:
        # Answers that are asked for one by one have seeds of their own, but for the first.
        seed = other_seed(ask.seed, part) if part else ask.seed
        sampling = ask.sampling or self.engine.sampling

        def write(server: Server) -> tuple[str, dict[str, Any]]:
            speech = self.manners[server]
            if continues(ask.prompt) and not speech.can.is_vllm:
                self.notices.once(
                    (server, "continues"),
                    f"{server.address} may begin a new message where the critic's own is to be written on.",
                )
            body = chat_request(
                self.engine.model,
                ask.prompt,
                sampling,
                speech.dialect,
                count=wanted,
                seed=seed,
                vllm=speech.can.is_vllm,
            )
            return f"{server.address.api}/chat/completions", body

        def read(server: Server, body: dict[str, Any], reply: bytes) -> ChatReply:
            chat = read_chat(reply)
            self._compare(server, body, chat, sampling)
            return replace(chat, choices=chat.choices[:wanted], seed=body.get("seed"))

        def hear(server: Server, body: dict[str, Any], status: int, refusal: Refusal) -> None:
            if status in {400, 422} and not refusal.too_long:
                self._hear(server, body, refusal, sampling)

        return ServerCall(write, read, largest_reply(sampling, wanted, self.engine.max_model_len), hear)

    def _hear(self, server: Server, body: dict[str, Any], refusal: Refusal, sampling: Sampling) -> None:
        """Learn from a refusal how the server wants to be spoken to.

        Raises:
            Reworded: the request would be worded otherwise now.
        """
        speech = self.manners[server]
        now = chat_request(
            self.engine.model, (), sampling, speech.dialect, count=body.get("n", 1), seed=body.get("seed"), vllm=False
        )
        if _worded(now) != _worded(body):
            raise Reworded
        learned = speech.dialect.after(refusal, frozenset(body))
        if learned:
            speech.dialect, clause = learned
            if clause:
                self.notices.once((server, clause[:12]), f"{server.address} {clause}.")
            raise Reworded

    def _compare(self, server: Server, body: dict[str, Any], chat: ChatReply, sampling: Sampling) -> None:
        """Note where a reply is not what was asked for."""
        where, speech, wanted = server.address, self.manners[server], body.get("n", 1)
        speech.gave_several |= len(chat.choices) == wanted > 1
        if len(chat.choices) < wanted and not speech.gave_several:
            speech.dialect = replace(speech.dialect, several=False)
            self.notices.once(
                (server, "n"), f"{where} does not give several answers a call, so votes are asked for one by one."
            )
        if len(chat.choices) > wanted:
            self.notices.once(
                (server, "more"), f"{where} gives more answers than it is asked for; those beyond are left out."
            )
        for flaw in sorted(chat.flaws):
            self.notices.once((server, flaw, "flaw"), f"{where} {FLAWS[flaw]}")
        lacks_logprobs = any(choice.logprobs is None for choice in chat.choices)
        if "logprobs" in body and lacks_logprobs and "logprobs" not in chat.flaws:
            self.notices.once((server, "logprobs"), f"{where} gives no log-probabilities, although asked for them.")
        if (chat.tokens_in is None or chat.tokens_out is None) and "usage" not in chat.flaws:
            self.notices.once(
                (server, "usage"), f"{where} does not tell how many tokens it used, so costs are missing."
            )
        if sampling.thinking is False and any(choice.reasoning for choice in chat.choices):
            self.notices.once((server, "thinking"), f"{where} thinks, although thinking was switched off.")

    def _compare_answers(self, texts: Sequence[str | None]) -> None:
        """Note when a server that should draw its answers gives the same one every time."""
        long = [text for text in texts if text is not None and len(text) >= _LONG]
        if self.equal < 0 or len(long) < 2:
            return
        self.equal = self.equal + 1 if len(set(long)) == 1 else -1
        if self.equal == _SAME:
            self.notices.once(
                "same",
                "Every vote of a case is the same text: the server does not seem to sample, and votes say nothing.",
            )


def _answers(ask: GenerationRequest, call: ServerCall[ChatReply]) -> tuple[GeneratedAnswer, ...]:
    """The answers of a call: a choice is the model's answer, be it empty; what it says is for the critic's reader."""
    chat = call.got
    if not isinstance(chat, ChatReply):
        reason, lasting = (chat.reason, chat.lasting) if chat else ("not asked", False)
        return (GeneratedAnswer(None, seed=ask.seed, reason=reason, lasting=lasting),)
    return tuple(
        GeneratedAnswer(
            text=choice.text,
            reasoning=choice.reasoning,
            finish_reason=choice.finish_reason,
            tokens_in=chat.tokens_in if place == 0 or chat.tokens_in is None else 0,
            tokens_out=chat.tokens_out if place == 0 else None,
            seed=chat.seed,
            logprobs=choice.logprobs,
        )
        for place, choice in enumerate(chat.choices)
    )


def _worded(body: dict[str, Any]) -> frozenset[str]:
    return frozenset({"max_tokens", "max_completion_tokens", "n", "seed", "logprobs"} & body.keys())
