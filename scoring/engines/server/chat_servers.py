"""Critics over one or many OpenAI-compatible servers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from queue import SimpleQueue

from scoring.asking import Answered, Ask, Noticed, Sampling
from scoring.engines.server.address import Address
from scoring.engines.server.capabilities import Capabilities
from scoring.engines.server.conversation import Conversation
from scoring.engines.server.crossing import across
from scoring.engines.server.dialect import Dialect
from scoring.engines.server.examination import greet
from scoring.engines.server.fleet import Fleet, Server
from scoring.engines.server.keys import Key
from scoring.engines.server.loop_thread import LoopThread
from scoring.engines.server.notices import Notices
from scoring.engines.server.patience import Patience
from scoring.engines.server.quoting import quoted
from scoring.engines.server.slots import Slots
from scoring.engines.server.wire import Wire
from scoring.errors import EngineError, UsageError

CONCURRENCY = 64
"""Requests under way at a time, over all servers."""


@dataclass(frozen=True)
class ChatServers:
    """Servers that have the same model. Holds no connection but while it answers. See `AnsweringEngine`.

    `found` says what each server can do, in the order they were given.
    """

    model: str
    sampling: Sampling
    found: tuple[Capabilities, ...]
    keys: tuple[Key, ...]
    concurrency: int = CONCURRENCY
    patience: Patience = field(default_factory=Patience)

    @classmethod
    def connect(
        cls,
        urls: Sequence[str],
        sampling: Sampling,
        *,
        model: str | None = None,
        concurrency: int = CONCURRENCY,
        patience: Patience | None = None,
    ) -> "ChatServers":
        """Ask all servers what they are and check that they have the model.

        Args:
            urls: one or more, `http://host:port` or `http://host:port/v1`; the same one twice counts once.
            sampling: how answers are generated.
            model: its name there; None for the only one.
            concurrency: requests under way at a time, over all servers.
            patience: timeout, tries and waits.

        Raises:
            EngineError: a server does not answer, refuses the key or does not have the model, or its context is
                shorter than the answers may be.
            UsageError: an address or a key cannot be used.
        """
        if concurrency < 1:
            raise UsageError(f"{concurrency} requests at a time are none.", "Give 1 or more.")
        met = greet(urls, model)
        engine = cls(met.model, sampling, met.found, met.keys, concurrency, patience or Patience())
        engine._check_length()
        return engine

    @property
    def name(self) -> str:
        """The servers' software and addresses, and the model."""
        groups = [
            f"{software} at {', '.join(str(one.address) for one in ones)}"
            for software, ones in groupby(self.found, key=lambda one: one.software)
        ]
        return f"{'; '.join(groups)}, model {quoted(self.model)}"

    @property
    def max_model_len(self) -> int | None:
        """Tokens that a prompt and its answer may have together: the least of all servers; None where none tells."""
        told = [one.model(self.model).max_tokens for one in self.found]
        return min((tokens for tokens in told if tokens), default=None)

    def answers(self, asks: Iterator[Ask | None]) -> Iterator[Answered | Noticed | None]:
        """Answers as they come; `asks` is drawn in the caller's thread. See `AnsweringEngine`.

        Raises:
            EngineError: no server can be reached for too long, or no request can succeed.
        """
        arrived: SimpleQueue[Answered | Noticed | BaseException] = SimpleQueue()
        with LoopThread() as loop:
            talk = loop.run(self._open(arrived))
            loop.last = talk.fleet.close
            for address in self._exposed():
                yield Noticed(f"The key for {address} travels unencrypted: use https, or a tunnel to this machine.")
            # A few more than are under way, so that a server never waits for the caller.
            yield from across(loop, asks, talk.answered, arrived, self.concurrency + 1 + self.concurrency // 8)

    def _check_length(self) -> None:
        most, wanted = self.max_model_len, self.sampling.max_tokens
        if most is not None and wanted is not None and wanted >= most:
            raise EngineError(
                f"an answer of {wanted:,} tokens does not fit into the {most:,} that it and its prompt may have.",
                "Ask for fewer, or start the server with a longer --max-model-len.",
            )

    async def _open(self, arrived: SimpleQueue[Answered | Noticed | BaseException]) -> Conversation:
        servers = [
            Server(Wire(can.address, key), can, Dialect.first(self.sampling))
            for can, key in zip(self.found, self.keys, strict=True)
        ]
        notices = Notices(arrived.put)
        fleet = Fleet(servers, self.patience, notices)
        return Conversation(fleet, self.model, self.sampling, self.patience, Slots(self.concurrency), notices)

    def _exposed(self) -> list[Address]:
        """Servers to which a key goes that others can read on the way."""
        pairs = zip(self.found, self.keys, strict=True)
        return [can.address for can, key in pairs if key and not (can.address.encrypted or can.address.loopback)]
