"""PRMs over one or many vLLM servers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import Any

from scoring.asking import Noticed
from scoring.engines.server.capabilities import Capabilities
from scoring.engines.server.chat_reply import decoded
from scoring.engines.server.crossing import across
from scoring.engines.server.delivery import Failure, deliver
from scoring.engines.server.dialect import Dialect
from scoring.engines.server.examination import greet
from scoring.engines.server.faults import Fault
from scoring.engines.server.fleet import Fleet, Server
from scoring.engines.server.keys import Key
from scoring.engines.server.loop_thread import LoopThread
from scoring.engines.server.notices import Notices
from scoring.engines.server.patience import Patience
from scoring.engines.server.quoting import quoted
from scoring.engines.server.statuses import check
from scoring.engines.server.ways import Rows, Way
from scoring.engines.server.wire import Reply, Wire
from scoring.errors import EngineError
from scoring.readout import Answer, Batch, Encoded, Refused

CONCURRENCY = 64
"""Sequences under way at a time, over all servers."""
_BATCH = 16


@dataclass(frozen=True)
class RewardServers:
    """Servers that have the same PRM, each asked in the same way. See `scoring.engines.base.Engine`."""

    model: str
    way: Way
    found: tuple[Capabilities, ...]
    keys: tuple[Key, ...]
    concurrency: int = CONCURRENCY
    patience: Patience = field(default_factory=Patience)

    @classmethod
    def connect(
        cls,
        urls: Sequence[str],
        way: Way,
        *,
        model: str | None = None,
        concurrency: int = CONCURRENCY,
        patience: Patience | None = None,
    ) -> "RewardServers":
        """Ask all servers what they are and check that they have the model. Arguments as of `ChatServers.connect`.

        Raises:
            EngineError: a server does not answer, refuses the key or does not have the model.
            UsageError: an address or a key cannot be used.
        """
        met = greet(urls, model)
        return cls(met.model, way, met.found, met.keys, concurrency, patience or Patience())

    @property
    def name(self) -> str:
        """The servers' software, addresses and endpoint, and the model."""
        places = "; ".join(f"{one.software} at {one.address}{self.way.path}" for one in self.found)
        return f"{places}, model {quoted(self.model)}"

    def read(self, cases: Sequence[Encoded]) -> Iterator[Batch | Noticed]:
        """Rewards of all cases, in order. The first sequence is used to try out what the servers really do.

        Raises:
            EngineError: no server can be reached, or they do something other than this PRM needs.
        """
        parts = [(place, one) for place, case in enumerate(cases) for one in case.sequences]
        first = next((one for _, one in parts if one.positions), None)
        arrived: SimpleQueue[tuple[int, Rows | Refused] | Noticed | BaseException] = SimpleQueue()
        with LoopThread() as loop:
            notices = Notices(arrived.put)
            fleet = loop.run(self._open(notices))
            loop.last = fleet.close
            way = loop.run(self._proven(fleet, first, notices)) if first else self.way

            async def work(part: Encoded, number: int) -> tuple[int, Rows | Refused]:
                return number, await self._read(fleet, way, part)

            came = across(loop, (one for _, one in parts), work, arrived, self.concurrency)
            yield from _in_order(cases, [place for place, _ in parts], came)

    async def _open(self, notices: Notices) -> Fleet:
        pairs = zip(self.found, self.keys, strict=True)
        return Fleet([Server(Wire(can.address, key), can, Dialect()) for can, key in pairs], self.patience, notices)

    async def _proven(self, fleet: Fleet, sequence: Encoded, notices: Notices) -> Way:
        """The way, tried out on every server: they may have been started differently.

        Raises:
            EngineError: two servers differ, or one does something else.
        """
        ways = []
        for server in fleet.servers:
            alone = Fleet([server], self.patience, notices)

            async def send(body: dict[str, Any], alone: Fleet = alone) -> Any:
                delivered = await deliver(alone, self.patience, lambda one: self._to(one, body), self._decoded)
                if isinstance(delivered.got, Failure):
                    raise Fault(delivered.got.reason, again=False)
                return delivered.got

            try:
                ways.append(await self.way.proven(self.model, sequence, send))
            except Fault as fault:
                where = server.wire.address
                raise EngineError(
                    f"{where} cannot be used for this PRM ({fault.phrase}).", "Look into its log."
                ) from None
            finally:
                await alone.close()
        if any(way != ways[0] for way in ways):
            raise EngineError(
                "the servers give different kinds of numbers.", "Start all of them with the same options."
            )
        return ways[0]

    async def _read(self, fleet: Fleet, way: Way, sequence: Encoded) -> Rows | Refused:
        if not sequence.positions:
            return []
        longest = min((m for one in self.found if (m := one.model(self.model).max_tokens)), default=None)
        if longest is not None and len(sequence.ids) > longest:
            return Refused(f"{len(sequence.ids):,} tokens are more than the server's {longest:,}", over_length=True)
        try:
            body = way.request(self.model, sequence)
        except Fault as fault:
            return Refused(fault.phrase)

        def read(server: Server, sent: dict[str, Any], reply: Reply) -> Rows:
            return way.rows(self._decoded(server, sent, reply), sequence)

        delivered = await deliver(fleet, self.patience, lambda server: self._to(server, body), read)
        got = delivered.got
        return Refused(got.reason, over_length=got.lasting) if isinstance(got, Failure) else got

    def _to(self, server: Server, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return server.wire.address.root + self.way.path, body

    def _decoded(self, server: Server, _: dict[str, Any], reply: Reply) -> Any:
        check(reply, server.wire.address, server.wire.key, self.patience)
        return decoded(reply.body)


def _in_order(
    cases: Sequence[Encoded], owners: Sequence[int], came: Iterator[tuple[int, Rows | Refused] | Noticed | None]
) -> Iterator[Batch | Noticed]:
    """Batches of cases in their order, each as soon as it is whole, and what is noticed meanwhile."""
    found: dict[int, dict[int, Rows | Refused]] = {}
    waiting = iter(range(len(cases)))
    batch = list(islice(waiting, _BATCH))
    for one in came:
        if isinstance(one, Noticed):
            yield one
        elif one is not None:
            found.setdefault(owners[one[0]], {})[one[0]] = one[1]
        while batch and all(len(found.get(place, ())) == len(cases[place].sequences) for place in batch):
            answers = tuple(_answer(place, [rows for _, rows in sorted(found.pop(place).items())]) for place in batch)
            yield Batch(answers, sum(cases[place].n_tokens for place in batch), 0)
            batch = list(islice(waiting, _BATCH))


def _answer(place: int, parts: Sequence[Rows | Refused]) -> Answer:
    rows: Rows = []
    for part in parts:
        if isinstance(part, Refused):
            return Answer(place, part)
        rows += part
    redundancy = tuple(row[1] for row in rows) if rows and len(rows[0]) > 1 else None
    return Answer(place, tuple(row[0] for row in rows), redundancy)
