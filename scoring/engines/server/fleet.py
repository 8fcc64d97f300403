"""The servers of a run: which one gets the next request, which are down or set aside, and when one is up again."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.engines.server.capabilities import PROBE, Capabilities
from scoring.engines.server.dialect import Dialect
from scoring.engines.server.faults import Declined, Fault, Unreachable
from scoring.engines.server.notices import Notices
from scoring.engines.server.patience import Patience
from scoring.engines.server.wire import Wire
from scoring.errors import EngineError

_ENOUGH = 8
"""Requests that a server declines, one after the other, until it is the server and not the requests."""
_LONGEST = 16
"""Times the first wait, at most, until a server that was set aside is tried again."""
_GATEWAY = {502, 503, 504}


@dataclass(eq=False)
class Server:
    """One server: what it can do, how it is spoken to, how many requests it has and why it is down ("" = it is up).

    `good` says that it has answered something, `gave_several` that it once gave all answers of a call for several;
    `declined` counts what it would not do since it last answered. `aside` says that it is down because it declines
    whatever it is asked, `trials` how often it was set aside so since it last answered.
    """

    wire: Wire
    can: Capabilities
    dialect: Dialect
    busy: int = 0
    good: bool = False
    gave_several: bool = False
    declined: int = 0
    aside: bool = False
    trials: int = 0
    down: str = ""
    probe: asyncio.Task[None] | None = None


class Fleet:
    """Chooses servers. Made and used in one event loop."""

    def __init__(self, servers: Sequence[Server], patience: Patience, notices: Notices) -> None:
        self.servers = tuple(servers)
        self._patience = patience
        self._notices = notices
        self._up = asyncio.Event()
        self._up.set()
        self._since = 0.0

    async def pick(self, rests: dict[Server, float]) -> Server:
        """The server that is up and has the least to do, another one than failed before if there is.

        Args:
            rests: the servers that failed this request, and until when (the loop's time) they want to be left alone.

        Raises:
            EngineError: none has been up for too long.
        """
        while True:
            await self._some_up()
            now = asyncio.get_running_loop().time()
            up = [server for server in self.servers if not server.down]
            ready = [server for server in up if rests.get(server, 0.0) <= now]
            if ready:
                return min(ready, key=lambda server: (server in rests, server.busy))
            await asyncio.sleep(min(rests[server] for server in up) - now)

    def lost(self, server: Server, phrase: str) -> None:
        """Note that a server cannot be reached; it is looked after until it can."""
        if not server.down:
            self._take_down(server, phrase)
        self.suspect(server)

    def answered(self, server: Server) -> None:
        """Note that a server did what it was asked to."""
        if server.trials:
            self._notices.once((server, "back"), f"{server.wire.address} answers again.")
        server.good, server.declined, server.trials = True, 0, 0

    def declined(self, server: Server, fault: Declined) -> bool:
        """Note that a server would not do a request; whether it is set aside, so that another should be asked.

        A server that has answered before has its reasons with the request, unless it is about who asks, and every
        request meets it.

        Raises:
            EngineError: no server does anything.
        """
        if server.aside:
            return True
        if server.good and not fault.account:
            return False
        server.declined += 1
        if server.declined < (1 if fault.sure and not server.good else _ENOUGH):
            return False
        if all(other.aside for other in self.servers if other is not server):
            raise EngineError(fault.sentence, fault.next_step)
        self._set_aside(server, fault.phrase)
        return True

    def suspect(self, server: Server) -> None:
        """Look whether a server is there, unless that is being done."""
        if server.aside:
            return
        if server.probe is None or server.probe.done():
            server.probe = asyncio.get_running_loop().create_task(self._look_after(server))

    async def close(self) -> None:
        """Stop looking and close all connections."""
        probes = [server.probe for server in self.servers if server.probe]
        for probe in probes:
            probe.cancel()
        await asyncio.gather(*probes, return_exceptions=True)
        await asyncio.gather(*(server.wire.close() for server in self.servers), return_exceptions=True)

    def _take_down(self, server: Server, phrase: str) -> None:
        server.down = phrase
        if all(one.down for one in self.servers) and self._up.is_set():
            self._up.clear()
            self._since = asyncio.get_running_loop().time()

    def _set_aside(self, server: Server, phrase: str) -> None:
        """Ask a server nothing for a while."""
        if server.probe:
            server.probe.cancel()
        server.aside, server.trials = True, server.trials + 1
        self._take_down(server, phrase)
        self._notices.once(
            (server, "aside"), f"{server.wire.address} is set aside ({phrase}) and tried again later; the others go on."
        )
        server.probe = asyncio.get_running_loop().create_task(self._try_later(server))

    async def _try_later(self, server: Server) -> None:
        """Let a server have requests again; the first that it declines for the same reason sets it aside once more."""
        await asyncio.sleep(self._patience.aside * min(2 ** (server.trials - 1), _LONGEST))
        server.aside, server.down, server.declined = False, "", _ENOUGH - 1
        self._up.set()

    async def _some_up(self) -> None:
        if self._up.is_set():
            return
        try:
            async with asyncio.timeout_at(self._since + self._patience.down):
                await self._up.wait()
        except TimeoutError:
            where = ", ".join(f"{server.wire.address} ({server.down})" for server in self.servers)
            raise EngineError(
                f"no server can be reached for {self._patience.down:g} s: {where}.",
                "Start it again and repeat the command: what is saved is not asked again.",
            ) from None

    async def _look_after(self, server: Server) -> None:
        """Ask until it answers."""
        tries = 0
        while True:
            phrase = await self._absent(server)
            if not phrase:
                break
            self.lost(server, phrase)
            tries += 1
            await asyncio.sleep(self._patience.wait(tries))
        server.down = ""
        self._up.set()

    @staticmethod
    async def _absent(server: Server) -> str:
        """Why a server is down, "" if it is up."""
        try:
            reply = await server.wire.get(f"{server.wire.address.api}/models", PROBE)
        except Unreachable as error:
            return error.phrase
        except Fault as fault:
            return fault.phrase
        return f"HTTP {reply.status}" if reply.status in _GATEWAY else ""
