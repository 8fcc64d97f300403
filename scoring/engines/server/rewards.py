"""PRMs over one or many vLLM servers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import Any, TypeVar

from scoring.data.errors import EngineError
from scoring.data.readout import BEYOND_SERVER, FAILED, Batch, Encoded, EngineOutput, Refused
from scoring.engines.server.address import Key
from scoring.engines.server.background import LoopThread, across
from scoring.engines.server.capabilities import Capabilities, greet, key_notices
from scoring.engines.server.client import Failure, Notices, Server, ServerCall, Servers
from scoring.engines.server.connections import Connections, RetryPolicy
from scoring.engines.server.faults import TOO_LONG, Fault, decoded, quoted
from scoring.engines.server.reward_endpoints import RewardEndpoint, RewardRows
from scoring.models.asking import Noticed

T = TypeVar("T")
CONCURRENCY = 64
"""Sequences under way at a time, over all servers."""
_BATCH = 16


@dataclass
class RewardServers:
    """Servers that have the same PRM, each asked at the same endpoint. See `scoring.engines.base.Engine`.

    `proven` is the endpoint as it was found to work on all of them, by the first cases that were read; None before.
    """

    model: str
    endpoint: RewardEndpoint
    found: tuple[Capabilities, ...]
    keys: tuple[Key, ...]
    concurrency: int = CONCURRENCY
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    proven: RewardEndpoint | None = field(default=None, init=False)

    @classmethod
    def connect(
        cls,
        urls: Sequence[str],
        endpoint: RewardEndpoint,
        *,
        model: str | None = None,
        concurrency: int = CONCURRENCY,
        policy: RetryPolicy | None = None,
    ) -> "RewardServers":
        """Ask all servers what they are and check that they have the model. Arguments as of `ChatServers.connect`.

        Raises:
            EngineError: a server does not answer, refuses the key or does not have the model.
            UsageError: an address or a key cannot be used.
        """
        met = greet(urls, model)
        return cls(met.model, endpoint, met.capabilities, met.keys, concurrency, policy or RetryPolicy())

    @property
    def name(self) -> str:
        """The servers' software, addresses and endpoint, and the model."""
        places = "; ".join(f"{server.software} at {server.address}{self.endpoint.path}" for server in self.found)
        return f"{places}, model {quoted(self.model)}"

    @property
    def max_model_len(self) -> int | None:
        """Tokens that a sequence may have: the least of all servers; None where none tells."""
        return min((most for server in self.found if (most := server.model(self.model).max_tokens)), default=None)

    def read(self, cases: Sequence[Encoded]) -> Iterator[Batch | Noticed]:
        """Yield the rewards of all cases, in order. The first time the shortest sequence shows what the servers really
        do.

        Raises:
            EngineError: no server can be reached, or they do something other than this PRM needs.
        """
        parts = [(place, sequence) for place, case in enumerate(cases) for sequence in case.sequences]
        read = [sequence for _, sequence in parts if sequence.positions and self._fits(sequence)]
        arrived: SimpleQueue[tuple[int, RewardRows | Refused] | Noticed | BaseException] = SimpleQueue()
        with LoopThread() as loop:
            servers = loop.run(self._open(Notices(arrived.put)))
            loop.last = servers.aclose
            shortest = min(read, key=lambda sequence: len(sequence.ids), default=None)
            if shortest and self.proven is None:
                yield from key_notices(self.found, self.keys)
                self.proven = loop.run(self._prove(shortest))
            endpoint = self.proven or self.endpoint

            async def work(part: Encoded, number: int) -> tuple[int, RewardRows | Refused]:
                return number, await self._rows(servers, endpoint, part)

            came = across(loop, (sequence for _, sequence in parts), work, arrived, self.concurrency)
            yield from _in_order(cases, [place for place, _ in parts], came)

    def _fits(self, sequence: Encoded) -> bool:
        return self.max_model_len is None or len(sequence.ids) <= self.max_model_len

    async def _open(self, notices: Notices, only: int | None = None) -> Servers:
        """All servers, or the only one at a place among them."""
        pairs = list(zip(self.found, self.keys, strict=True))
        chosen = pairs if only is None else [pairs[only]]
        return Servers([Server(Connections(can.address, key)) for can, key in chosen], self.policy, notices)

    async def _prove(self, sequence: Encoded) -> RewardEndpoint:
        """The endpoint, tried out on every server: they may have been started differently.

        Raises:
            EngineError: two servers differ, or one does something else.
        """
        proven = []
        for place, can in enumerate(self.found):
            alone = await self._open(Notices(lambda _: None), place)

            async def send(body: dict[str, Any], alone: Servers = alone) -> Any:
                got = await alone.deliver(self._call(self.endpoint, body, sequence, lambda reply: reply))
                if isinstance(got, Failure):
                    raise Fault(got.reason, again=False)
                return got

            try:
                proven.append(await self.endpoint.proven(self.model, sequence, send))
            except Fault as fault:
                raise EngineError(
                    f"{can.address} cannot be used for this PRM ({fault.phrase}).", "Look into its log."
                ) from None
            finally:
                await alone.aclose()
        if any(endpoint != proven[0] for endpoint in proven):
            raise EngineError(
                "the servers give different kinds of numbers.", "Start all of them with the same options."
            )
        return proven[0]

    async def _rows(self, servers: Servers, endpoint: RewardEndpoint, sequence: Encoded) -> RewardRows | Refused:
        if not sequence.positions:
            return []
        if not self._fits(sequence):
            words = f"{len(sequence.ids):,} {BEYOND_SERVER} {self.max_model_len:,}"
            return Refused(words, over_length=True)
        try:
            body = endpoint.request(self.model, sequence)
        except Fault as fault:
            return Refused(fault.phrase)
        call = self._call(endpoint, body, sequence, lambda reply: endpoint.rows(reply, sequence))
        got = await servers.deliver(call)
        if not isinstance(got, Failure):
            return got
        is_over_length = got.lasting and got.reason.startswith(TOO_LONG)
        return Refused(got.reason if got.lasting else FAILED + got.reason, over_length=is_over_length)

    @staticmethod
    def _call(
        endpoint: RewardEndpoint, body: dict[str, Any], sequence: Encoded, read: Callable[[Any], T]
    ) -> ServerCall[T]:
        return ServerCall(
            lambda server: (server.address.root + endpoint.path, body),
            lambda _, __, reply: read(decoded(reply)),
            endpoint.largest_reply(sequence),
        )


def _in_order(
    cases: Sequence[Encoded],
    owners: Sequence[int],
    came: Iterator[tuple[int, RewardRows | Refused] | Noticed | None],
) -> Iterator[Batch | Noticed]:
    """Batches of cases in their order, each as soon as it is whole, and what is noticed meanwhile."""
    rows_by_case: dict[int, dict[int, RewardRows | Refused]] = {}
    waiting = iter(range(len(cases)))
    batch = list(islice(waiting, _BATCH))
    for result in came:
        if isinstance(result, Noticed):
            yield result
        elif result is not None:
            rows_by_case.setdefault(owners[result[0]], {})[result[0]] = result[1]
        while batch and all(len(rows_by_case.get(place, ())) == len(cases[place].sequences) for place in batch):
            answers = tuple(
                _answer(place, [rows for _, rows in sorted(rows_by_case.pop(place).items())]) for place in batch
            )
            yield Batch(answers, sum(cases[place].n_tokens for place in batch), 0)
            batch = list(islice(waiting, _BATCH))


def _answer(place: int, parts: Sequence[RewardRows | Refused]) -> EngineOutput:
    rows: RewardRows = []
    for part in parts:
        if isinstance(part, Refused):
            return EngineOutput(place, part)
        rows += part
    redundancy = tuple(row[1] for row in rows) if rows and len(rows[0]) > 1 else None
    return EngineOutput(place, tuple(row[0] for row in rows), redundancy)
