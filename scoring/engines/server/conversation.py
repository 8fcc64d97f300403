"""One ask and its answers: the calls that it takes, and what a server does not do as it was told."""

import asyncio
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from scoring.asking import Answer, Answered, Ask, Sampling
from scoring.engines.server.chat_reply import ChatReply, Choice, read_chat
from scoring.engines.server.chat_request import chat_request, continues
from scoring.engines.server.delivery import Delivered, Failure, deliver
from scoring.engines.server.faults import Reworded
from scoring.engines.server.fleet import Fleet, Server
from scoring.engines.server.notices import Notices
from scoring.engines.server.patience import Patience
from scoring.engines.server.refusal import Refusal
from scoring.engines.server.sameness import Sameness
from scoring.engines.server.slots import Slots
from scoring.engines.server.statuses import check
from scoring.engines.server.wire import Reply


def other_seed(seed: int | None, number: int) -> int | None:
    """The seed of an ask's answer `number`, 0-based, when each is asked for by itself: 0 to 2^31 - 1 but the first.

    Far from those of neighbouring seeds, so that runs that are seeded in a row share none.
    """
    if seed is None or number == 0:
        return seed
    return int.from_bytes(blake2b(f"{seed}/{number}".encode(), digest_size=4).digest()) >> 1


@dataclass(frozen=True)
class Conversation:
    """Asks one model on a fleet of servers; `sampling` holds for asks that bring none of their own."""

    fleet: Fleet
    model: str
    sampling: Sampling
    patience: Patience
    slots: Slots
    notices: Notices
    sameness: Sameness = field(default_factory=Sameness)

    async def answered(self, ask: Ask, number: int) -> Answered:
        """All answers to an ask; `number` is its place among all, for what was begun first is finished first.

        Raises:
            EngineError: no ask can be answered.
        """
        if ask.count < 1:
            return Answered(ask.index, (), 0, 0)
        first = await self._call(ask, number, 0, ask.count)
        answers = self._answers(ask, first)
        missing = range(len(answers), ask.count)
        if isinstance(first.got, Failure):
            # What does not go once does not go eight times.
            return Answered(ask.index, (*answers, *(replace(answers[0]) for _ in missing)), first.calls, first.retries)
        more = await self._one_by_one(ask, number, missing)
        rest = [answer for one in more for answer in self._answers(ask, one)]
        if (ask.sampling or self.sampling).temperature and self.sameness.seen(
            [answer.text for answer in (*answers, *rest)]
        ):
            self.notices.once(
                "same",
                "Every vote of a case is the same text: the server does not seem to sample, and votes say nothing.",
            )
        return Answered(
            ask.index,
            (*answers, *rest),
            first.calls + sum(one.calls for one in more),
            first.retries + sum(one.retries for one in more),
        )

    async def _one_by_one(self, ask: Ask, number: int, missing: range) -> "list[Delivered[Reading]]":
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._call(ask, number, part, 1)) for part in missing]
        return [task.result() for task in tasks]

    async def _call(self, ask: Ask, number: int, part: int, count: int) -> "Delivered[Reading]":
        """One call, for `count` answers from answer `part` on."""
        seed, sampling = other_seed(ask.seed, part), ask.sampling or self.sampling

        def write(server: Server) -> tuple[str, dict[str, Any]]:
            self._doubt(server, ask)
            body = chat_request(
                self.model,
                ask.prompt,
                sampling,
                server.dialect,
                count=count,
                seed=seed,
                vllm=server.can.is_vllm,
            )
            return f"{server.wire.address.api}/chat/completions", body

        def read(server: Server, body: dict[str, Any], reply: Reply) -> Reading:
            self._hear(server, body, reply, sampling)
            check(reply, server.wire.address, server.wire.key, self.patience)
            chat = read_chat(reply.body)
            self._compare(server, body, chat, sampling)
            return Reading(chat.choices[:count], chat.tokens_in, chat.tokens_out, body.get("seed"))

        async with self.slots.taken(number):
            return await deliver(self.fleet, self.patience, write, read)

    def _doubt(self, server: Server, ask: Ask) -> None:
        """Note what a server may do otherwise without our seeing it."""
        if continues(ask.prompt) and not server.can.is_vllm:
            where = server.wire.address
            self.notices.once(
                (server, "continues"), f"{where} may begin a new message where the critic's own is to be written on."
            )

    def _hear(self, server: Server, body: dict[str, Any], reply: Reply, sampling: Sampling) -> None:
        """Learn from a refusal how the server wants to be spoken to.

        Raises:
            Reworded: the request would be worded otherwise now.
        """
        if reply.status not in {400, 422}:
            return
        refusal = Refusal.read(reply.body)
        if refusal.too_long:
            return
        now = chat_request(
            self.model, (), sampling, server.dialect, count=body.get("n", 1), seed=body.get("seed"), vllm=False
        )
        if _worded(now) != _worded(body):
            raise Reworded
        learned = server.dialect.after(refusal, frozenset(body))
        if learned:
            server.dialect, clause = learned
            if clause:
                self.notices.once((server, clause[:12]), f"{server.wire.address} {clause}.")
            raise Reworded

    def _compare(self, server: Server, body: dict[str, Any], chat: ChatReply, sampling: Sampling) -> None:
        """Note where a reply is not what was asked for."""
        where, wanted = server.wire.address, body.get("n", 1)
        server.gave_several |= len(chat.choices) == wanted > 1
        if len(chat.choices) < wanted and not server.gave_several:
            server.dialect = replace(server.dialect, several=False)
            self.notices.once(
                (server, "n"), f"{where} does not give several answers a call, so votes are asked for one by one."
            )
        if len(chat.choices) > wanted:
            self.notices.once(
                (server, "more"), f"{where} gives more answers than it is asked for; those beyond are left out."
            )
        if "logprobs" in body and any(choice.logprobs is None for choice in chat.choices):
            self.notices.once((server, "logprobs"), f"{where} gives no log-probabilities, although asked for them.")
        if chat.tokens_in is None or chat.tokens_out is None:
            self.notices.once(
                (server, "usage"), f"{where} does not tell how many tokens it used, so costs are missing."
            )
        if sampling.thinking is False and any(choice.reasoning for choice in chat.choices):
            self.notices.once((server, "thinking"), f"{where} thinks, although thinking was switched off.")

    def _answers(self, ask: Ask, delivered: "Delivered[Reading]") -> tuple[Answer, ...]:
        got = delivered.got
        if isinstance(got, Failure):
            return (Answer(None, seed=ask.seed, reason=got.reason, lasting=got.lasting),)
        return tuple(self._answer(got, choice, place) for place, choice in enumerate(got.choices))

    @staticmethod
    def _answer(got: "Reading", choice: Choice, place: int) -> Answer:
        """A choice is the model's answer, be it empty: what it says, or why nothing, is for the critic's reader."""
        told_in = got.tokens_in if place == 0 or got.tokens_in is None else 0
        return Answer(
            text=choice.text,
            reasoning=choice.reasoning,
            finish_reason=choice.finish_reason,
            tokens_in=told_in,
            tokens_out=got.tokens_out if place == 0 else None,
            seed=got.seed,
            logprobs=choice.logprobs,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """The answers of one call that count, tokens of the whole call, and the seed that was sent."""

    choices: tuple[Choice, ...]
    tokens_in: int | None
    tokens_out: int | None
    seed: int | None


def _worded(body: dict[str, Any]) -> frozenset[str]:
    return frozenset({"max_tokens", "max_completion_tokens", "n", "seed", "logprobs"} & body.keys())
