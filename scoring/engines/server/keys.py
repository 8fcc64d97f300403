"""The keys of servers: from environment variables, to the one server that each is for, and shown nowhere."""

import re
from collections.abc import Mapping, Sequence

from scoring.engines.server.address import Address
from scoring.errors import UsageError
from scoring.secrets import keep_secret

GENERAL = "PRM_INSPECT_API_KEY"
"""For every server, as long as all are on one host; followed by _HOST or _HOST_PORT, for that one."""
OPENAI = "OPENAI_API_KEY"
"""For api.openai.com and for no other host: whoever sets it did not mean a server of somebody else's."""
_OPENAI_HOST = "api.openai.com"


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


def variables(address: Address, *, alone: bool) -> tuple[str, ...]:
    """The environment variables that may hold a server's key, the first that is set counts.

    Args:
        address: of the server.
        alone: whether all servers in use are on its host.
    """
    host = re.sub(r"[^A-Z0-9]+", "_", address.host.upper()).strip("_")
    own = [f"{GENERAL}_{host}_{address.port}"] if address.port is not None else []
    general = [GENERAL] if alone else []
    openai = [OPENAI] if address.host == _OPENAI_HOST and address.encrypted else []
    return (*own, f"{GENERAL}_{host}", *general, *openai)


def find_keys(addresses: Sequence[Address], environment: Mapping[str, str]) -> list[Key]:
    """The key of each server.

    Raises:
        UsageError: a variable holds what cannot be sent as a key.
    """
    alone = one_host(addresses)
    return [_find(variables(address, alone=alone), environment) for address in addresses]


def one_host(addresses: Sequence[Address]) -> bool:
    """Whether all servers are on one host."""
    return len({address.host for address in addresses}) <= 1


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
