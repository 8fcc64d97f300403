"""What servers say about themselves, asked before the first request; and that they have the model."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from scoring.data.errors import EngineError, UsageError
from scoring.engines.server.address import Key, ServerAddress, find_keys
from scoring.engines.server.background import LoopThread
from scoring.engines.server.connections import Connections, ServerReply
from scoring.engines.server.faults import Fault, Unreachable, decoded, no_entry, quoted, token_count
from scoring.models.asking import Noticed

_TRIES, _BETWEEN = 3, 0.5
_SHOWN = 20


class Model(Struct, frozen=True):
    """A model that a server offers. `max_tokens` bounds prompt and answer together; None = not told."""

    name: str
    owner: str = ""
    max_tokens: int | None = None


class Capabilities(Struct, frozen=True):
    """What one server is. `models` is None where it does not list any; `version` "" where it does not tell.

    `loads_others`: its list says which models are in memory, and a model that is not listed is loaded when it is asked
    for.
    """

    address: ServerAddress
    models: tuple[Model, ...] | None
    version: str = ""
    loads_others: bool = False

    @property
    def is_vllm(self) -> bool:
        """Whether it is a vLLM server, as far as it says so."""
        return any(model.owner == "vllm" for model in self.models or ())

    @property
    def software(self) -> str:
        """What runs there: "vllm 0.32.0", or "server"."""
        return f"vllm {self.version}".strip() if self.is_vllm else "server"

    def model(self, name: str) -> Model:
        """Return the model of this name; with no facts where the server lists none."""
        return next((model for model in self.models or () if model.name == name), Model(name))


class ModelServers(Struct, frozen=True):
    """Servers that have the same `model`: what each can do and the key for it, in the order they were given."""

    model: str
    capabilities: tuple[Capabilities, ...]
    keys: tuple[Key, ...]


def greet(urls: Sequence[str], model: str | None = None) -> ModelServers:
    """Ask servers what they are and check that all have the model; None for their only one.

    Args:
        urls: one or more, `http://host:port` or `http://host:port/v1`; the same one twice counts once.
        model: its name there.

    Raises:
        EngineError: a server does not answer, refuses the key or does not have the model.
        UsageError: an address or a key cannot be used, or there is none.
    """
    addresses = list(dict.fromkeys(map(ServerAddress.read, urls)))
    if not addresses:
        raise UsageError("there is no server to ask.", "Give the address of one.")
    keys = find_keys(addresses, os.environ)
    examined = _examined(addresses, keys)
    return ModelServers(_choose_model(model, examined), tuple(examined), tuple(keys))


def key_notices(servers: Sequence[Capabilities], keys: Sequence[Key]) -> Iterator[Noticed]:
    """Yield a notice of each server's key that others can read on the way."""
    for address, key in zip((server.address for server in servers), keys, strict=True):
        if key and not (address.encrypted or address.loopback):
            yield Noticed(f"The key for {address} travels unencrypted: use https, or a tunnel to this machine.")


def _examined(addresses: Sequence[ServerAddress], keys: Sequence[Key]) -> list[Capabilities]:
    """What each server is, all asked at the same time; raises what the first that does not answer as it should does."""
    with LoopThread() as loop:
        return loop.run(_examine_all(addresses, keys))


async def _examine_all(addresses: Sequence[ServerAddress], keys: Sequence[Key]) -> list[Capabilities]:
    servers = [Connections(address, key) for address, key in zip(addresses, keys, strict=True)]
    try:
        results = await asyncio.gather(*map(_examine, servers), return_exceptions=True)
    finally:
        await asyncio.gather(*(server.close() for server in servers))
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if isinstance(result, Capabilities)]


async def _examine(server: Connections) -> Capabilities:
    """Ask a server what it is. A key that may not list the models (HTTP 403) may still be one that may use them."""
    models, version = await asyncio.gather(
        _asked(server, f"{server.address.api}/models"), _asked(server, f"{server.address.root}/version")
    )
    if isinstance(models, str):
        raise EngineError(
            f"no server answers at {server.address} ({models}).", "Start it, or check the address and the port."
        )
    if refused := no_entry(models.status, models.headers.get("location", ""), server.address, server.key):
        raise EngineError(refused.sentence, refused.next_step)
    version_reply = version if isinstance(version, ServerReply) else None
    listing = _listing(models)
    return Capabilities(server.address, _models(listing), _version(version_reply), _loads_others(listing))


def _choose_model(wanted: str | None, examined: Sequence[Capabilities]) -> str:
    """The model that all servers have: `wanted`, or the only one."""
    names = list(dict.fromkeys(model.name for server in examined for model in server.models or ()))
    if wanted is None:
        if len(names) == 1:
            wanted = names[0]
        elif names:
            raise EngineError(f"{_places(examined)} has several models: {_listed(names)}.", "Choose one by its name.")
        else:
            raise EngineError(f"{_places(examined)} does not list its models.", "Give the model's name.")
    for server in examined:
        if (
            server.models is not None
            and not server.loads_others
            and wanted not in {model.name for model in server.models}
        ):
            offered = _listed([model.name for model in server.models])
            raise EngineError(
                f"{server.address} has no model {quoted(wanted)!r}; it has {offered}.", "Choose one of its models."
            )
    return wanted


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(quoted(name) for name in names[:_SHOWN]) or "none") + more


def _places(examined: Sequence[Capabilities]) -> str:
    return ", ".join(str(server.address) for server in examined)


async def _asked(server: Connections, path: str) -> ServerReply | str:
    """What comes back, or why nothing does."""
    phrase = ""
    for number in range(_TRIES):
        try:
            reply = await server.get(path)
        except Unreachable as error:
            return error.phrase
        except Fault as fault:
            phrase = fault.phrase
        else:
            if reply.status not in {429, 502, 503, 504} or number == _TRIES - 1:
                return reply
        await asyncio.sleep(_BETWEEN)
    return phrase


def _listing(reply: ServerReply) -> list[dict[str, Any]]:
    """The models as the server lists them, each with a name as `id`; none where it lists none."""
    body = _json(reply)
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list):
        return []
    return [entry for entry in data if isinstance(entry, dict) and isinstance(entry.get("id"), str)]


def _models(listing: list[dict[str, Any]]) -> tuple[Model, ...] | None:
    # An empty list is that of a server which loads what it is asked for.
    return (
        tuple(
            Model(entry["id"], str(entry.get("owned_by") or ""), token_count(entry.get("max_model_len")) or None)
            for entry in listing
        )
        or None
    )


def _loads_others(listing: list[dict[str, Any]]) -> bool:
    """Whether each model is listed with whether it is in memory, as `transformers serve` (from 5.24) does."""
    return bool(listing) and all(isinstance(entry.get("status"), dict) for entry in listing)


def _version(reply: ServerReply | None) -> str:
    body = _json(reply) if reply else None
    version = body.get("version") if isinstance(body, dict) else None
    return quoted(version)[:40] if isinstance(version, str) else ""


def _json(reply: ServerReply) -> Any:
    """What a reply of status 200 holds; None for any other and for what is no JSON."""
    if reply.status != 200:
        return None
    try:
        return decoded(reply.body)
    except Fault:
        return None
