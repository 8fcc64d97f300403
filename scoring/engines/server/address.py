"""Where a server is, read from what a person wrote."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from scoring.errors import UsageError

_VERSION = re.compile(r"/v\d+\w*(?=/|$)")
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")
_HOW = "Write http://HOST:PORT or https://HOST/v1."


@dataclass(frozen=True, slots=True)
class Address:
    """A server: `origin` (scheme, host and port), and the paths below which its two kinds of endpoints lie.

    `api` is that of the OpenAI-compatible ones ("/v1"), `root` that of all others (""). Neither ends in a slash.
    """

    origin: str
    host: str
    port: int | None
    root: str
    api: str

    @classmethod
    def read(cls, text: str) -> "Address":
        """Read `http://host:port`, `http://host:port/v1`, or the base of an API that lies deeper.

        A path with a version in it ("/v1", "/openai/v1beta/compatible") is the base as it stands; to any other "/v1"
        is added.

        Raises:
            UsageError: it is no such address, or holds what has no place in one. A secret is not repeated.
        """
        try:
            parts = urlsplit(text.strip())
            port = parts.port
        except ValueError:
            raise UsageError("a server's address cannot be read.", _HOW) from None
        _check(parts, text)
        host = (parts.hostname or "").lower()
        shown = f"[{host}]" if ":" in host else host
        path = parts.path.rstrip("/")
        version = _VERSION.search(path)
        return cls(
            origin=f"{parts.scheme}://{shown}" + (f":{port}" if port is not None else ""),
            host=host,
            port=port,
            root=path[: version.start()] if version else path,
            api=path if version else f"{path}/v1",
        )

    @property
    def loopback(self) -> bool:
        """Whether it is this machine."""
        return _LOOPBACK.fullmatch(self.host) is not None

    @property
    def encrypted(self) -> bool:
        """Whether nobody on the way can read what is sent."""
        return self.origin.startswith("https:")

    def __str__(self) -> str:
        return self.origin + self.root


def _check(parts: SplitResult, text: str) -> None:
    if "@" in parts.netloc:
        raise UsageError(
            "a server's address holds a user name or a password, which others can see in the list of processes.",
            "Leave it out and give the key in the environment variable PRM_INSPECT_API_KEY.",
        )
    if parts.query or parts.fragment:
        raise UsageError("a server's address goes on after its path with ? or #.", _HOW)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not text.strip().isprintable() or " " in text:
        raise UsageError(f"{text!r} is no address of a server.", _HOW)
