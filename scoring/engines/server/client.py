"""Requests to one or many servers, sent again by httpx-retries, and a choice of servers between them.

`Servers` is a transport in httpx's sense that stands below httpx-retries' own: each time a request is sent, it chooses
the server and words the request for it. So a retry may go elsewhere, and what costs no try (a server that cannot be
reached or is set aside, other words for the same question) never gets as far as the retries.
"""

import asyncio
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from scoring.data.errors import EngineError, MissingExtra
from scoring.engines.server.address import ServerAddress
from scoring.engines.server.connections import Connections, RetryPolicy, ServerReply
from scoring.engines.server.faults import (
    AGAIN,
    GATEWAY,
    DeclinedRequest,
    Fault,
    Refusal,
    Reworded,
    Unreachable,
    no_entry,
    not_done,
    quoted,
)
from scoring.models.asking import Noticed

try:
    import httpx
    from httpx_retries import RetryTransport
except ImportError as error:
    raise MissingExtra(error.name or "httpx", "server") from None

_ENOUGH = 8
"""Requests that a server declines, one after the other, until it is the server and not the requests."""
_LONGEST_ASIDE = 16
"""Times the first wait, at most, until a server that was set aside is tried again."""
_JSON = re.compile(r"application/([\w.-]+\+)?json\b", re.IGNORECASE)

T = TypeVar("T")


class Notices:
    """Passes each notice on the first time it comes. Made for one thread."""

    def __init__(self, tell: Callable[[Noticed], object]) -> None:
        self._tell = tell
        self._told: set[Hashable] = set()

    def once(self, what: Hashable, sentence: str) -> None:
        """Report the sentence unless `what` was reported before."""
        if what not in self._told:
            self._told.add(what)
            self._tell(Noticed(sentence))


class Server(Struct, eq=False):
    """One server: its connections, how many requests it has and why it is down ("" = it is up).

    `rest` is when (the loop's time) it wants to be asked again. `good` says that it has answered something; `declined`
    counts what it would not do since it last answered. `news` is set when it answers, and when it has no request left.
    `aside` says that it is down because it declines whatever it is asked, `trials` how often it was set aside so since
    it last answered.
    """

    http: Connections
    busy: int = 0
    rest: float = 0.0
    good: bool = False
    declined: int = 0
    news: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    aside: bool = False
    trials: int = 0
    down: str = ""
    probe: asyncio.Task[None] | None = None

    @property
    def address(self) -> ServerAddress:
        """Where it is."""
        return self.http.address


class ServerCall(Struct, Generic[T], eq=False):
    """A question to whichever server takes it.

    Attributes:
        write: gives the path and the body for one server.
        read: gives what a reply of status 2xx to that body holds. Raises Fault.
        most: bytes that the reply may have.
        hear: is told of a refusal, which it may learn from. Raises Reworded, where other words may be taken.
        sent: how many requests reached a server; `lost` how many did not.
        got: what came of it; None before it is delivered.
        failed: the servers that have not answered it.
    """

    write: Callable[[Server], tuple[str, dict[str, Any]]]
    read: Callable[[Server, dict[str, Any], bytes], T]
    most: int
    hear: Callable[[Server, dict[str, Any], int, Refusal], None] | None = None
    sent: int = 0
    lost: int = 0
    got: "T | Failure | None" = None
    failed: set[Server] = msgspec.field(default_factory=set)

    @property
    def retries(self) -> int:
        """How often it was sent again."""
        return max(self.sent + self.lost - 1, 0)


class Failure(Struct, frozen=True):
    """Why there is no answer, for the reader of a table; and whether it will always be so."""

    reason: str
    lasting: bool = False


class Servers(httpx.AsyncBaseTransport):
    """Chooses servers, and knows which are down or set aside and when one is up again. Made and used in one loop."""

    def __init__(self, servers: Sequence[Server], policy: RetryPolicy, notices: Notices) -> None:
        self.servers = tuple(servers)
        self._policy = policy
        self._retry = policy.retry
        self._retrying = RetryTransport(self, self._retry)
        self._notices = notices
        self._up = asyncio.Event()
        self._up.set()
        self._since = 0.0

    async def deliver(self, call: ServerCall[T]) -> T | Failure:
        """Send a question until there is an answer or it is no longer worth it; the call keeps it too.

        Raises:
            EngineError: every request will fail.
        """
        reason, lasting = "", False
        request = httpx.Request("POST", "http://servers/", extensions={"call": call})
        try:
            response = await self._retrying.handle_async_request(request)
        except Fault as fault:
            reason, lasting = fault.phrase, fault.lasting
            spent = fault.again
        else:
            spent = response.status_code != httpx.codes.OK
            reason = f"HTTP {response.status_code}" if spent else ""
        if spent:
            reason = f"{reason} after {'1 try' if call.sent == 1 else f'{call.sent} tries'}"
        if reason:
            call.got = Failure(reason if lasting else f"server: {reason}", lasting)
        return call.got  # type: ignore[return-value]  # read gave it

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a call once, to the server that suits it. What costs no try is sent again here.

        Returns:
            status 200, and the answer is in the call; or one after which the call may be sent again.

        Raises:
            Fault: it came to no answer.
            EngineError: every request will fail.
        """
        call: ServerCall[Any] = request.extensions["call"]
        while True:
            server = await self._pick(call)
            try:
                return await self._ask(server, call)
            except Reworded:
                continue
            except Unreachable as error:
                call.lost += 1
                self._lost(server, error.phrase)
            except DeclinedRequest as fault:
                if not await self._declined(server, fault):
                    call.failed.add(server)
                    raise
            except Fault as fault:
                call.failed.add(server)
                if fault.suspicious:
                    self._suspect(server)
                raise

    async def aclose(self) -> None:
        """Stop looking after servers and close all connections."""
        probes = [server.probe for server in self.servers if server.probe]
        for probe in probes:
            probe.cancel()
        await asyncio.gather(*probes, return_exceptions=True)
        await asyncio.gather(*(server.http.close() for server in self.servers), return_exceptions=True)

    async def _ask(self, server: Server, call: ServerCall[Any]) -> httpx.Response:
        path, body = call.write(server)
        server.busy += 1
        server.news.clear()
        try:
            call.sent += 1
            reply = await server.http.post(path, msgspec.json.encode(body), self._policy.timeout, call.most)
        except Unreachable:
            call.sent -= 1
            raise
        finally:
            server.busy -= 1
            if not server.busy:
                server.news.set()
        if httpx.codes.is_success(reply.status):
            call.got = self._read(server, call, body, reply)
            self._answered(server)
            return httpx.Response(httpx.codes.OK)
        refusal = Refusal.read(reply.body)
        if reply.status in AGAIN and not (reply.status == 429 and refusal.no_credit):
            return self._later(server, call, reply)
        if call.hear:
            call.hear(server, body, reply.status, refusal)
        location = reply.headers.get("location", "")
        raise no_entry(reply.status, location, server.address, server.http.key) or not_done(
            reply.status, refusal, server.address, server.http.key
        )

    @staticmethod
    def _read(server: Server, call: ServerCall[T], body: dict[str, Any], reply: ServerReply) -> T:
        """Read an answer. The content type is used only to describe a body that is not an answer."""
        try:
            return call.read(server, body, reply.body)
        except Fault:
            kind = reply.headers.get("content-type", "")
            if _JSON.match(kind):
                raise
            raise Fault(f"{quoted(kind) or 'no content type'} in place of JSON", suspicious=True) from None

    def _later(self, server: Server, call: ServerCall[Any], reply: ServerReply) -> httpx.Response:
        """What httpx-retries waits after: as long as the server asks for, unless there is another one."""
        call.failed.add(server)
        if reply.status in GATEWAY:
            self._suspect(server)
        seconds = reply.headers.get("retry-after")
        if not seconds:
            return httpx.Response(reply.status)
        now = asyncio.get_running_loop().time()
        wait = min(self._retry.parse_retry_after(seconds), self._policy.longest)
        server.rest = now + wait
        another = any(not other.down and other.rest <= now for other in self.servers)
        return httpx.Response(reply.status, headers={} if another else {"retry-after": f"{wait:.3f}"})

    async def _pick(self, call: ServerCall[Any]) -> Server:
        """The server that is up and has the least to do, another one than failed before if there is.

        Raises:
            EngineError: none has been up for too long.
        """
        # Another request may have found the server gone again before this one goes on.
        while not self._up.is_set():
            try:
                async with asyncio.timeout_at(self._since + self._policy.down):
                    await self._up.wait()
            except TimeoutError:
                where = ", ".join(f"{server.address} ({server.down})" for server in self.servers)
                raise EngineError(
                    f"no server can be reached for {self._policy.down:g} s: {where}.",
                    "Start it again and repeat the command: what is saved is not asked again.",
                ) from None
        now = asyncio.get_running_loop().time()
        up = (server for server in self.servers if not server.down)
        return min(up, key=lambda server: (server.rest > now, server in call.failed, server.busy))

    def _answered(self, server: Server) -> None:
        server.good = True
        server.news.set()
        if server.aside:
            # This was asked before.
            return
        if server.trials:
            self._notices.once((server, "back"), f"{server.address} answers again.")
        server.declined = server.trials = 0

    def _lost(self, server: Server, phrase: str) -> None:
        """Note that a server cannot be reached; it is looked after until it can."""
        if not server.down:
            self._take_down(server, phrase)
        self._suspect(server)

    async def _declined(self, server: Server, fault: DeclinedRequest) -> bool:
        """Note that a server would not do a request; whether it is set aside, so that another should be asked.

        A server that has answered before has its reasons with the request, unless it is about who asks, and every
        request meets it. Only answers of this run count: what a key may do can change between runs.

        Raises:
            EngineError: no server does anything.
        """
        if fault.prompt:
            await self._decide(server, fault)
        if server.aside:
            return True
        if server.good and not fault.account:
            return False
        server.declined += 1
        if server.declined < (1 if fault.sure and not server.good else _ENOUGH):
            return False
        if all(other.aside for other in self.servers if other is not server):
            raise EngineError(fault.sentence, fault.next_step)
        if server.probe:
            server.probe.cancel()
        server.aside, server.trials = True, server.trials + 1
        self._take_down(server, fault.phrase)
        self._notices.once(
            (server, "aside"),
            f"{server.address} is set aside ({fault.phrase}) and tried again later; the others go on.",
        )
        server.probe = asyncio.get_running_loop().create_task(self._try_later(server))
        return True

    async def _decide(self, server: Server, fault: DeclinedRequest) -> None:
        """Decide whether a declined prompt is refused for good: if the server answers others.

        Refusals arrive sooner than answers, so a refusal before the first answer waits for the other requests of the
        server. Many refusals in a row point to a gateway or to a key that lost its rights: the next run asks these
        prompts again.
        """
        is_early = not server.good
        while not server.good and server.busy:
            await server.news.wait()
        if is_early:
            fault.lasting = server.good
            return
        server.declined += 1
        fault.lasting = server.declined < _ENOUGH
        if not fault.lasting:
            self._notices.once(
                (server, "refuses"),
                f"{server.address} has refused {_ENOUGH} prompts in a row ({fault.phrase}). "
                "The next run asks these prompts again, unless the server answers one before.",
            )

    def _take_down(self, server: Server, phrase: str) -> None:
        server.down = phrase
        if all(other.down for other in self.servers) and self._up.is_set():
            self._up.clear()
            self._since = asyncio.get_running_loop().time()

    async def _try_later(self, server: Server) -> None:
        """Let a server have requests again; the first that it declines for the same reason sets it aside once more."""
        await asyncio.sleep(self._policy.aside * min(2 ** (server.trials - 1), _LONGEST_ASIDE))
        server.aside, server.down, server.declined = False, "", _ENOUGH - 1
        self._up.set()

    def _suspect(self, server: Server) -> None:
        """Look whether a server is there, unless that is being done."""
        if not server.aside and (server.probe is None or server.probe.done()):
            server.probe = asyncio.get_running_loop().create_task(self._look_after(server))

    async def _look_after(self, server: Server) -> None:
        tries = 0
        while phrase := await _absent(server):
            self._lost(server, phrase)
            tries += 1
            await asyncio.sleep(min(self._policy.longest, self._policy.base * tries))
        server.down = ""
        self._up.set()


async def _absent(server: Server) -> str:
    """Why a server is down, "" if it is up."""
    try:
        reply = await server.http.get(f"{server.address.api}/models")
    except (Unreachable, Fault) as error:
        return error.phrase
    return f"HTTP {reply.status}" if reply.status in GATEWAY else ""
