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
from scoring.engines.server.address import Key
from scoring.engines.server.background import LoopThread, across, side_by_side
from scoring.engines.server.capabilities import Capabilities, greet, key_notices
from scoring.engines.server.chat_requests import (
    FLAWS,
    ChatReply,
    Dialect,
    chat_request,
    continues,
    largest_reply,
    read_chat,
)
from scoring.engines.server.client import Failure, Notices, Server, ServerCall, Servers
from scoring.engines.server.connections import Connections, RetryPolicy
from scoring.engines.server.faults import Refusal, Reworded, quoted
from scoring.models.asking import Answered, GeneratedAnswer, GenerationRequest, Noticed, Sampling, other_seed

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
