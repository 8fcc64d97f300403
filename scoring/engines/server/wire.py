"""HTTP to one server: bytes out and bytes back. The only place that knows the HTTP library."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from scoring.engines.server.address import Address
from scoring.engines.server.faults import Fault, Unreachable
from scoring.engines.server.keys import Key
from scoring.errors import MissingExtra

try:
    import httpx
except ImportError as error:
    raise MissingExtra(error.name or "httpx", "server") from None

LARGEST = 256 << 20
"""Bytes of one answer; more is no answer."""
CONNECTING = 10.0
"""Seconds for a connection to stand."""
IDLE = 3.0
"""Seconds that a connection is kept unused: common servers close one after 5, and a request that meets it is lost."""
_JSON = re.compile(r"application/([\w.-]+\+)?json\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whole. The names of `headers` are in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_json(self) -> bool:
        """Whether it says that it is."""
        return _JSON.match(self.headers.get("content-type", "")) is not None


@dataclass(eq=False)
class Wire:
    """Connections to one server, as many as are used at a time.

    Each is a client of its own: a library's pool looks through all its connections for every request, which at 64 takes
    most of the time. No redirect is followed, so that no key travels to where it does not belong. A proxy of the
    environment is used, but not to this machine.
    """

    address: Address
    key: Key
    _free: list[httpx.AsyncClient] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._tls = httpx.create_ssl_context() if self.address.encrypted else False
        self._headers = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "prm-inspect"}
        self._headers |= self.key.header

    async def post(self, path: str, body: bytes, seconds: float) -> Reply:
        """Send JSON and wait for the whole answer, at most `seconds` from the first byte that is sent.

        Raises:
            Unreachable: no connection could be made within `CONNECTING`, so that nothing was sent.
            Fault: the answer did not come whole.
        """
        return await self._send("POST", path, body, seconds)

    async def get(self, path: str, seconds: float) -> Reply:
        """As `post`, without anything to send; the connection counts among the `seconds`."""
        return await self._send("GET", path, None, seconds)

    async def close(self) -> None:
        """Close the connections that are not in use; those in use close with their request."""
        while self._free:
            await self._free.pop().aclose()

    async def _send(self, method: str, path: str, body: bytes | None, seconds: float) -> Reply:
        client = self._free.pop() if self._free else self._new()
        try:
            async with asyncio.timeout(seconds if body is None else CONNECTING + seconds) as clock:
                sent = None if body is None else _Body(body, clock, seconds)
                reply = await self._exchange(client, method, path, sent)
        except BaseException as error:  # noqa: BLE001  # raised again, as what it means
            # What is half read cannot be used again; closing must not wait for the other side.
            with contextlib.suppress(Exception):
                await asyncio.shield(client.aclose())
            raise _understood(error, seconds) from None
        self._free.append(client)
        return reply

    async def _exchange(self, client: httpx.AsyncClient, method: str, path: str, body: "_Body | None") -> Reply:
        headers = {"content-type": "application/json", "content-length": str(len(body.whole))} if body else None
        parts, size = [], 0
        async with client.stream(method, self.address.origin + path, content=body, headers=headers) as response:
            async for part in response.aiter_bytes():
                parts.append(part)
                size += len(part)
                if size > LARGEST:
                    raise Fault(f"an answer of more than {LARGEST >> 20} MiB", again=False)
            return Reply(response.status_code, response.headers, b"".join(parts))

    def _new(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            verify=self._tls,
            headers=self._headers,
            timeout=httpx.Timeout(None, connect=CONNECTING),
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=IDLE),
            trust_env=not self.address.loopback,
            follow_redirects=False,
        )


@dataclass(frozen=True, slots=True)
class _Body:
    """What is sent. The library asks for it when the headers are on their way, and from there the time runs.

    A request whose time ran out before it had a connection would count as one that a server has seen.
    """

    whole: bytes
    clock: asyncio.Timeout
    seconds: float

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self.clock.reschedule(asyncio.get_running_loop().time() + self.seconds)
        yield self.whole


def _understood(error: BaseException, seconds: float) -> BaseException:
    """The error in our words; what is none of the network's stays as it is."""
    if isinstance(error, httpx.ConnectTimeout):
        return Unreachable(f"no connection within {CONNECTING:g} s")
    if isinstance(error, httpx.ConnectError):
        return Unreachable(_why_not_connected(error))
    if isinstance(error, TimeoutError):
        return Fault(f"no answer within {seconds:g} s", suspicious=True)
    if isinstance(error, httpx.HTTPError | OSError):
        return Fault("the connection was cut", suspicious=True)
    return error


def _why_not_connected(error: Exception) -> str:
    text = str(error).lower()
    if "certificate" in text:
        return "its certificate is not trusted"
    if "name or service" in text or "nodename" in text or "name resolution" in text:
        return "there is no host of that name"
    return "connection refused" if "refused" in text or "all connection attempts" in text else "no connection"
