"""The start-up check of servers: who they are, and that they have the model."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.engines.server.address import Address
from scoring.engines.server.capabilities import Capabilities, choose_model, examine
from scoring.engines.server.keys import Key, find_keys
from scoring.engines.server.loop_thread import LoopThread
from scoring.engines.server.wire import Wire
from scoring.errors import UsageError


def capabilities(url: str) -> Capabilities:
    """What the server at `url` is and can do, with the key that the environment holds for it.

    Raises:
        EngineError: nobody answers there, the key is refused, or it redirects.
        UsageError: the address or the key cannot be used.
    """
    address = Address.read(url)
    return examined([address], find_keys([address], os.environ))[0]


@dataclass(frozen=True)
class Greeted:
    """Servers that have the same `model`: what each can do and the key for it, in the order they were given."""

    model: str
    found: tuple[Capabilities, ...]
    keys: tuple[Key, ...]


def greet(urls: Sequence[str], model: str | None = None) -> Greeted:
    """Ask servers what they are and check that all have the model; None for their only one.

    Args:
        urls: one or more, `http://host:port` or `http://host:port/v1`; the same one twice counts once.
        model: its name there.

    Raises:
        EngineError: a server does not answer, refuses the key or does not have the model.
        UsageError: an address or a key cannot be used, or there is none.
    """
    addresses = list(dict.fromkeys(map(Address.read, urls)))
    if not addresses:
        raise UsageError("there is no server to ask.", "Give the address of one.")
    keys = find_keys(addresses, os.environ)
    found = examined(addresses, keys)
    return Greeted(choose_model(model, found), tuple(found), tuple(keys))


def examined(addresses: Sequence[Address], keys: Sequence[Key]) -> list[Capabilities]:
    """What each server is, all asked at the same time.

    Raises:
        EngineError: of the first that does not answer as it should.
    """
    with LoopThread() as loop:
        return loop.run(_examined(addresses, keys))


async def _examined(addresses: Sequence[Address], keys: Sequence[Key]) -> list[Capabilities]:
    wires = [Wire(address, key) for address, key in zip(addresses, keys, strict=True)]
    try:
        found = await asyncio.gather(*(examine(wire) for wire in wires), return_exceptions=True)
    finally:
        await asyncio.gather(*(wire.close() for wire in wires))
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if isinstance(one, Capabilities)]
