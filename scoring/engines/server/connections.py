"""Connections to servers by httpx: how long they are waited for, what a reply may be, and when to send again."""

import asyncio
import contextlib
import math
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from msgspec import Struct

from scoring.data.errors import EngineError, MissingExtra
from scoring.engines.server.address import Key, ServerAddress
from scoring.engines.server.faults import (
    AGAIN,
    Fault,
    Unreachable,
)

try:
    import httpx
    from httpx_retries import Retry
except ImportError as error:
    raise MissingExtra(error.name or "httpx", "server") from None

CONNECTING = 10.0
"""Seconds for a connection to stand."""
ROOM = 1 << 20
"""Bytes that any reply may have: errors in whatever form, and what stands around an answer."""
PROBE = 10.0
"""Seconds that a server has to say what it is."""
_LISTING = 8 << 20
"""Bytes that a list of models may have: some services have hundreds, each with a description."""
_IDLE = 3.0
"""Seconds that a connection is kept unused: common servers close one after 5, and a request that meets it is lost."""


class RetryPolicy(Struct, frozen=True):
    """How long is waited, and how often tried again. Times are in seconds.

    `timeout` bounds the wait for an answer. A request that fails is sent again, at most `tries` times in all, after
    waits that are drawn from 0 to a bound ("full jitter") that is `base` at first and doubles each time, or as long as
    the server asks for; at most `longest` either way. When no server can be reached, `down` is waited for one. One of
    several that declines whatever it is asked is tried again after `aside`, and twice as long each time.
    """

    timeout: float = 600.0
    tries: int = 6
    base: float = 1.0
    longest: float = 120.0
    down: float = 300.0
    aside: float = 60.0

    @property
    def retry(self) -> "PoliteRetry":
        """The policy as httpx-retries has it."""
        return PoliteRetry(
            self.tries - 1,
            ["POST"],
            AGAIN,
            backoff_factor=self.base / 2,
            max_backoff_wait=max(self.longest, 1e-3),
        )


class PoliteRetry(Retry):
    """Knows our own faults; and reads a `Retry-After` of any number or date, without a word in a log."""

    def is_retryable_exception(self, exception: Exception) -> bool:
        """Return whether sending it again may help."""
        return isinstance(exception, Fault) and exception.again

    def backoff_strategy(self) -> float:
        """Seconds; the library's powers of two grow beyond what a float holds."""
        return super().backoff_strategy() if self.attempts_made < 60 else self.max_backoff_wait

    def parse_retry_after(self, retry_after: str) -> float:
        """Return the seconds; 0 if the header cannot be read. The library would warn of dates without a time zone."""
        try:
            seconds = float(retry_after)
        except ValueError:
            with contextlib.suppress(TypeError, ValueError, OverflowError, IndexError):
                date = parsedate_to_datetime(retry_after)
                zoned = date if date.tzinfo else date.replace(tzinfo=UTC)
                return max((zoned - datetime.now(UTC)).total_seconds(), 0.0)
            return 0.0
        return max(seconds, 0.0) if math.isfinite(seconds) else 0.0


class ServerReply(Struct, frozen=True):
    """What came back, whole. The names of `headers` are in any case."""

    status: int
    headers: httpx.Headers
    body: bytes


@dataclass(eq=False)
class Connections:
    """Connections to one server, as many as are used at a time.

    Each is a client of its own: a library's pool looks through all its connections for every request, which at 64 takes
    most of the time. No redirect is followed, so that no key travels to where it does not belong. A proxy of the
    environment is used, but not to this machine.
    """

    address: ServerAddress
    key: Key
    _free: list[httpx.AsyncClient] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        try:
            self._tls = httpx.create_ssl_context() if self.address.encrypted else False
        except OSError as error:
            raise EngineError(
                f"the certificates that SSL_CERT_FILE or SSL_CERT_DIR name cannot be read ({error.strerror}).",
                "Correct these variables, or unset them.",
            ) from None
        self._headers = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "prm-inspect"}
        self._headers |= self.key.header

    async def post(self, path: str, body: bytes, seconds: float, most: int) -> ServerReply:
        """Send JSON and wait for the whole answer: `seconds` for the next of its bytes, `most` bytes in all.

        Raises:
            Unreachable: no connection could be made within `CONNECTING`, so that nothing was sent.
            Fault: the answer did not come whole, or is longer than it may be.
        """
        return await self._send("POST", path, body, seconds, most)

    async def get(self, path: str, seconds: float = PROBE) -> ServerReply:
        """Get a reply of some megabytes at most: as `post`, without anything to send."""
        return await self._send("GET", path, None, seconds, _LISTING)

    async def close(self) -> None:
        """Close the connections that are not in use; those in use close with their request."""
        while self._free:
            await self._free.pop().aclose()

    async def _send(self, method: str, path: str, body: bytes | None, seconds: float, most: int) -> ServerReply:
        client = self._free.pop() if self._free else self._new()
        try:
            # Who lets one byte after the other fall has hardly longer in all than who says nothing; that no connection
            # can be made is always told as that.
            async with asyncio.timeout(2 * CONNECTING + seconds):
                reply = await _exchange(client, method, self.address.origin + path, body, seconds, most)
        except BaseException as error:  # noqa: BLE001  # raised again, as what it means
            # What is half read cannot be used again; closing must not wait for the other side.
            with contextlib.suppress(Exception):
                await asyncio.shield(client.aclose())
            raise _understood(error, seconds) from None
        self._free.append(client)
        return reply

    def _new(self) -> httpx.AsyncClient:
        try:
            return httpx.AsyncClient(
                verify=self._tls,
                headers=self._headers,
                limits=httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=_IDLE),
                trust_env=not self.address.loopback,
                follow_redirects=False,
            )
        except ImportError:
            raise EngineError(
                "the environment names a SOCKS proxy, which needs the package socksio.",
                f"Install httpx[socks], or add {self.address.host} to NO_PROXY.",
            ) from None
        except (ValueError, httpx.InvalidURL):
            # Its words may hold a part of the proxy's password.
            raise EngineError(
                "the environment's proxy cannot be read.", "Correct HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY."
            ) from None


async def _exchange(
    client: httpx.AsyncClient, method: str, url: str, body: bytes | None, seconds: float, most: int
) -> ServerReply:
    headers = None if body is None else {"content-type": "application/json"}
    parts, size = [], 0
    timeout = httpx.Timeout(seconds, connect=CONNECTING)
    async with client.stream(method, url, content=body, headers=headers, timeout=timeout) as response:
        # httpx would unpack without a limit: a few kilobytes may become gigabytes.
        async for part in response.aiter_raw():
            parts.append(part)
            size += len(part)
            if size > most:
                raise _too_long(most)
        return ServerReply(response.status_code, response.headers, _unpacked(b"".join(parts), most))


def _unpacked(body: bytes, most: int) -> bytes:
    """Unpack gzip or deflate, which some proxies send without being asked and with any header.

    Raises:
        Fault: the content is longer than `most` bytes.
    """
    if body[:1] not in {b"\x1f", b"x"}:
        return body
    try:
        content = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, most + 1)
    except zlib.error:
        return body
    if len(content) > most:
        raise _too_long(most)
    return content


def _too_long(most: int) -> Fault:
    return Fault(f"an answer of more than {most / ROOM:.3g} MiB, which is more than it may have", again=False)


def _understood(error: BaseException, seconds: float) -> BaseException:
    """The error in our words; what is none of the network's stays as it is."""
    if isinstance(error, httpx.ConnectTimeout):
        return Unreachable(f"no connection within {CONNECTING:g} s")
    if isinstance(error, httpx.ConnectError):
        return Unreachable(_why_not_connected(str(error).lower()))
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return Fault(f"no answer within {seconds:g} s", suspicious=True)
    if isinstance(error, httpx.HTTPError | OSError):
        return Fault("the connection was cut", suspicious=True)
    return error


def _why_not_connected(words: str) -> str:
    if "certificate" in words:
        return "its certificate is not trusted"
    if "name or service" in words or "nodename" in words or "name resolution" in words:
        return "there is no host of that name"
    return "connection refused" if "refused" in words or "all connection attempts" in words else "no connection"
