"""The start-up check of servers."""

import asyncio
import os
from collections.abc import Sequence

from scoring.engines.server.address import Address
from scoring.engines.server.capabilities import Capabilities, examine
from scoring.engines.server.keys import Key, find_keys
from scoring.engines.server.loop_thread import LoopThread
from scoring.engines.server.wire import Wire


def capabilities(url: str) -> Capabilities:
    """What the server at `url` is and can do, with the key that the environment holds for it.

    Raises:
        EngineError: nobody answers there, the key is refused, or it redirects.
        UsageError: the address or the key cannot be used.
    """
    address = Address.read(url)
    return examined([address], find_keys([address], os.environ))[0]


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
