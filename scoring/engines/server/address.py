"""Where a server is, read from what a person wrote; and its key, from the environment and to that server alone."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.secrets import keep_secret

GENERAL = "PRM_INSPECT_API_KEY"
"""For every server, as long as all are on one host; followed by _HOST or _HOST_PORT, for that one."""
OPENAI = "OPENAI_API_KEY"
"""For api.openai.com and for no other host: whoever sets it did not mean a server of somebody else's."""
_OPENAI_HOST = "api.openai.com"
_VERSION = re.compile(r"/v\d+\w*(?=/|$)")
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")
_HOW = "Write http://HOST:PORT or https://HOST/v1."


class ServerAddress(Struct, frozen=True):
    """A server: `origin` (scheme, host and port), and the paths below which its two kinds of endpoints lie.

    `api` is that of the OpenAI-compatible ones ("/v1"), `root` that of all others (""). Neither ends in a slash.
    """

    origin: str
    host: str
    port: int | None
    root: str
    api: str

    @classmethod
    def read(cls, text: str) -> "ServerAddress":
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
        bracketed = f"[{host}]" if ":" in host else host
        path = parts.path.rstrip("/")
        version = _VERSION.search(path)
        return cls(
            origin=f"{parts.scheme}://{bracketed}" + (f":{port}" if port is not None else ""),
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
    # Without "//" what belongs to the host is taken for a path.
    if "@" in (parts.netloc or text):
        raise UsageError(
            "a server's address holds a user name or a password, which others can see in the list of processes.",
            "Leave it out and give the key in the environment variable PRM_INSPECT_API_KEY.",
        )
    if parts.query or parts.fragment:
        raise UsageError("a server's address goes on after its path with ? or #.", _HOW)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not text.strip().isprintable() or " " in text:
        raise UsageError(f"{text!r} is not an address of a server.", _HOW)


class Key:
    """A server's secret, or that there is none, and the environment variables it may stand in, first the one it is in.

    Neither `repr` nor a format shows the secret.
    """

    __slots__ = ("_secret", "variables")

    def __init__(self, secret: str, variables: Sequence[str]) -> None:
        self._secret = secret
        self.variables = tuple(variables)
        keep_secret(secret)

    def __repr__(self) -> str:
        return f"<the key in {self.variables[0]}>" if self else "<no key>"

    def __bool__(self) -> bool:
        return bool(self._secret)

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")

    @property
    def header(self) -> dict[str, str]:
        """The header that shows the key to its server."""
        return {"authorization": f"Bearer {self._secret}"} if self else {}


def _variables(address: ServerAddress, *, alone: bool) -> tuple[str, ...]:
    """The environment variables that may hold a server's key, the first that is set counts.

    `alone` says that all servers in use are on its host.
    """
    host = re.sub(r"[^A-Z0-9]+", "_", address.host.upper()).strip("_")
    own = [f"{GENERAL}_{host}_{address.port}"] if address.port is not None else []
    general = [GENERAL] if alone else []
    openai = [OPENAI] if address.host == _OPENAI_HOST and address.encrypted else []
    return (*own, f"{GENERAL}_{host}", *general, *openai)


def find_keys(addresses: Sequence[ServerAddress], environment: Mapping[str, str]) -> list[Key]:
    """Find the key of each server.

    Raises:
        UsageError: a variable holds what cannot be sent as a key.
    """
    alone = len({address.host for address in addresses}) <= 1
    return [_find(_variables(address, alone=alone), environment) for address in addresses]


def _find(names: Sequence[str], environment: Mapping[str, str]) -> Key:
    for name in names:
        secret = environment.get(name, "").strip()
        if secret and not (secret.isascii() and secret.isprintable() and " " not in secret):
            raise UsageError(
                f"the environment variable {name} holds characters that no key has.", "Set it to the key alone."
            )
        if secret:
            return Key(secret, [name])
    return Key("", names)
