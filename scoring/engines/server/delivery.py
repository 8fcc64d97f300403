"""One request, sent until there is an answer or it is no longer worth it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from scoring.engines.server.faults import Declined, Fault, Reworded, Unreachable
from scoring.engines.server.fleet import Fleet, Server
from scoring.engines.server.patience import Patience
from scoring.engines.server.wire import Reply

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer, for the reader of a table; and whether it will always be so."""

    reason: str
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Delivered(Generic[T]):
    """What came of a request: `calls` reached a server, `retries` times it was sent again."""

    got: T | Failure
    calls: int
    retries: int


Write = Callable[[Server], tuple[str, dict[str, Any]]]
"""The path and body of a request for one server."""
Read = Callable[[Server, dict[str, Any], Reply], T]
"""What a reply to that body holds. Raises Fault or Reworded."""


async def deliver(fleet: Fleet, patience: Patience, write: Write, read: Read[T]) -> Delivered[T]:
    """Send a request, again where that may help and perhaps elsewhere.

    A server that cannot be reached costs no try, for it has not seen the request; nor does one that is set aside.

    Raises:
        EngineError: every request will fail.
    """
    loop = asyncio.get_running_loop()
    rests: dict[Server, float] = {}
    started, calls, tries, lost = loop.time(), 0, 0, 0
    while True:
        server = await fleet.pick(rests)
        path, body = write(server)
        try:
            calls += 1
            reply = await _sent(server, path, body, patience)
            got = read(server, body, reply)
            fleet.answered(server)
            return Delivered(got, calls, calls + lost - 1)
        except Reworded:
            continue
        except Unreachable as error:
            fleet.lost(server, error.phrase)
            calls, lost, fault = calls - 1, lost + 1, Fault(error.phrase)
        except Declined as error:
            if fleet.declined(server, error):
                continue
            tries, fault = tries + 1, error
        except Fault as error:
            tries, fault = tries + 1, error
            if fault.suspicious:
                fleet.suspect(server)
        wait, spent = patience.wait(tries) if tries else 0.0, loop.time() - started
        if not fault.again:
            return Delivered(_failure(fault), calls, max(calls + lost - 1, 0))
        if tries >= patience.tries or spent + wait > patience.total:
            return Delivered(Failure(f"server: {fault.phrase} after {_times(calls)}"), calls, max(calls + lost - 1, 0))
        rests[server] = loop.time() + fault.rest
        await asyncio.sleep(wait)


async def _sent(server: Server, path: str, body: dict[str, Any], patience: Patience) -> Reply:
    server.busy += 1
    try:
        return await server.wire.post(path, msgspec.json.encode(body), patience.timeout)
    finally:
        server.busy -= 1


def _failure(fault: Fault) -> Failure:
    return Failure(fault.phrase if fault.lasting else f"server: {fault.phrase}", fault.lasting)


def _times(calls: int) -> str:
    return "1 try" if calls == 1 else f"{calls} tries"
