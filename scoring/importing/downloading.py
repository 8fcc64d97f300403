"""A file is downloaded from an address: told how large it is first, within limits, and never from where it must not be.

Only `https://` is read, and `http://` of this machine itself. Redirects are followed here, one by one, because each may
lead elsewhere: to plain `http://`, or into the network that this machine is in, whose servers trust whoever asks from
within. Such an address is read only where a person named its host. What stands after a `?` may be a key: it is sent,
and neither shown nor stored.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from msgspec import Struct

from scoring.data.errors import MissingExtra, UnreadableFile, UsageError
from scoring.data.secrets import masked
from scoring.formats.reading.compressed_streams import size_words, too_large
from scoring.formats.reading.file_bytes import printable

MOST_REDIRECTS = 5
CONNECTING = 10.0
"""Seconds for a connection to stand."""
SILENCE = 60.0
"""Seconds without a byte after which a server is given up."""

_REDIRECTS = {301, 302, 303, 307, 308}
_READ = {"", "identity", "gzip", "x-gzip", "zstd"}
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PAGE = (b"<!doctype html", b"<html")
_LONGEST = 300

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Location(Struct, frozen=True):
    """An address as a person or a server gave it: `url` is what is asked for, `name` the same without its query."""

    url: str
    scheme: str
    host: str
    port: int | None
    name: str

    @classmethod
    def read(cls, url: str) -> "Location":
        """Read an address.

        Raises:
            UsageError: it is none, holds a password, or is of a kind that is not read. Nothing after a `?` is repeated.
        """
        bare = printable(url.partition("?")[0].partition("#")[0])
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        host = (parts.hostname or "").lower()
        if "@" in parts.netloc:
            raise UsageError(
                "an address holds a user name or a password, which others can see in the list of processes.",
                "Download the file and import it.",
            )
        if not host or not url.isprintable() or " " in url:
            raise UsageError(f"{masked(bare)[:_LONGEST]!r} is not an address of a file.", "Write https://HOST/PATH.")
        if parts.scheme != "https" and not (parts.scheme == "http" and _LOOPBACK.fullmatch(host)):
            raise UsageError(
                f"{parts.scheme}:// is not read, only https:// (and http:// of this machine itself).",
                "Download the file and import it.",
            )
        bracketed = f"[{host}]" if ":" in host else host
        name = f"{parts.scheme}://{bracketed}{f':{port}' if port is not None else ''}{parts.path}"
        return cls(url.partition("#")[0], parts.scheme, host, port, masked(name))


class Download:
    """The bytes of a file elsewhere; iterate once. Afterwards `missing` says what did not come, "" = all came."""

    def __init__(self, url: str, room: int, tell: Callable[[str], None]) -> None:
        """Say what is to be read: `room` bytes at most; `tell` is told its size before it is read.

        Raises:
            UsageError: it is no address that is read.
        """
        self._first = Location.read(url)
        self._room = room
        self._tell = tell
        self.missing = ""

    @property
    def name(self) -> str:
        """The address that a person named, without its query."""
        return self._first.name

    def __iter__(self) -> Iterator[bytes]:
        """Yield the bytes as they come.

        Raises:
            MissingExtra: httpx is not installed.
            UnreadableFile: the server cannot be reached or gives no file, it is too large, or leads where it must not.
        """
        try:
            import httpx
        except ImportError:
            raise MissingExtra("httpx", "server") from None
        location = self._first
        for _ in range(MOST_REDIRECTS + 1):
            proxied = _is_proxied(location)
            if location.host != self._first.host:
                self._refuse_inside(location, None if proxied else _addresses(location))
            try:
                with self._client(httpx, location) as client, client.stream("GET", location.url) as response:
                    if location.host != self._first.host and not proxied:
                        self._refuse_inside(location, _peer(response))
                    if response.status_code not in _REDIRECTS:
                        yield from self._body(httpx, response)
                        return
                    location = self._next(location, response.headers.get("location", ""))
            except httpx.HTTPError as error:
                raise self._failed(_why(httpx, error)) from None
            except httpx.InvalidURL:
                raise self._failed("it is not an address") from None
        raise self._failed(f"it leads on more than {MOST_REDIRECTS} times")

    def _body(self, httpx: Any, response: Any) -> Iterator[bytes]:
        if response.status_code != 200:
            raise self._failed(f"the server answers {response.status_code}{_meaning(response.status_code)}")
        if response.headers.get("content-encoding", "").strip().lower() not in _READ:
            raise self._failed("the server packs its answer in a way that was not asked for")
        length = response.headers.get("content-length", "").strip()
        size = int(length) if length.isascii() and length.isdigit() and len(length) < 19 else None
        self._tell(f"{self.name}: {'size unknown' if size is None else size_words(size)}")
        if size is not None and size > self._room:
            raise too_large(self.name, self._room)
        yield from self._counted(httpx, response, size)

    def _counted(self, httpx: Any, response: Any, size: int | None) -> Iterator[bytes]:
        came, lost = 0, ""
        try:
            for part in response.iter_raw():
                came += len(part)
                if size is not None and came > size:
                    raise self._failed(f"the server sends more than the {size_words(size)} that it said")
                if came > self._room:
                    raise too_large(self.name, self._room)
                if came == len(part) and part.lstrip()[:15].lower().startswith(_PAGE):
                    raise UnreadableFile(f"{self.name} is a web page.", "Name the address of the file itself.")
                yield part
        except httpx.HTTPError as error:
            lost = _why(httpx, error)
            if not came:
                raise self._failed(lost) from None
        if lost or (size is not None and came < size):
            of = "" if size is None else f" of {size_words(size)}"
            self.missing = f"{size_words(came)}{of} came{f' ({lost})' if lost else ''}"

    def _next(self, location: Location, target: str) -> Location:
        try:
            following = Location.read(urljoin(location.url, target))
        except (UsageError, ValueError):
            raise self._failed("it leads on to an address that is not read: only https:// is") from None
        if following.scheme == "http" and following.host != self._first.host:
            raise self._failed("it leads on to plain http://")
        return following

    def _client(self, httpx: Any, location: Location) -> Any:
        try:
            return httpx.Client(
                headers={"accept-encoding": "identity", "user-agent": "prm-inspect", "connection": "close"},
                timeout=httpx.Timeout(SILENCE, connect=CONNECTING),
                # A proxy is of no use for this machine itself.
                trust_env=_LOOPBACK.fullmatch(location.host) is None,
                follow_redirects=False,
            )
        except (ImportError, ValueError, OSError):
            # Its text might repeat a password.
            raise self._failed("the proxy or certificates that the environment names cannot be used") from None

    def _refuse_inside(self, location: Location, addresses: list[_Address] | None) -> None:
        """Refuse what lies in this machine or its network. A host that a person named is not asked about.

        Where a proxy asks (None), the names of hosts are the proxy's to look up, and only a bare address is known here.
        """
        if addresses is not None and not addresses:
            raise self._failed("it leads on to a host that is not known")
        addresses = [*(addresses or ()), *_bare(location.host)]
        if location.host.rstrip(".").endswith("localhost") or not all(map(_is_public, addresses)):
            raise UnreadableFile(
                f"{self.name} leads on to {masked(location.host)[:_LONGEST]}, in this machine's own network.",
                "If that is meant, name the address there itself.",
            )

    def _failed(self, why: str) -> UnreadableFile:
        return UnreadableFile(f"{self.name}: {why}.", "Check the address, or download the file and import it.")


def _is_proxied(location: Location) -> bool:
    proxies = getproxies()
    named = proxies.get(location.scheme) or proxies.get("all")
    return bool(named) and not _LOOPBACK.fullmatch(location.host) and not proxy_bypass(location.host)


def _addresses(location: Location) -> list[_Address]:
    try:
        entries = socket.getaddrinfo(location.host, location.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [address for entry in entries for address in _bare(str(entry[4][0]))]


def _peer(response: Any) -> list[_Address]:
    """Whom the connection is to: a name may stand for something else than a moment ago."""
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    return list(_bare(str(peer[0]))) if peer else []


def _bare(host: str) -> Iterator[_Address]:
    try:
        yield ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return


def _is_public(address: _Address) -> bool:
    inner = None
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if inner is not None:
        return _is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved


def _why(httpx: Any, error: Exception) -> str:
    """The error in our words: the library's may repeat the whole address."""
    if isinstance(error, httpx.ConnectTimeout):
        return f"no connection within {CONNECTING:g} s"
    if isinstance(error, httpx.TimeoutException):
        return f"the server fell silent for {SILENCE:g} s"
    if isinstance(error, httpx.ProxyError):
        return "the proxy refuses the connection"
    if isinstance(error, httpx.ConnectError):
        return "its certificate is not trusted" if "certificate" in str(error).lower() else "no connection to its host"
    return "the connection was cut, or what came is not HTTP"


def _meaning(status: int) -> str:
    words = {401: "it wants a login", 403: "it does not give this file", 404: "there is no such file"}
    words |= {410: "the file has gone", 429: "it was asked too often"}
    return f": {words[status]}" if status in words else ""
