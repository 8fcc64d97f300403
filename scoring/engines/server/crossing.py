"""From a lazily drawn iterator, through an event loop, to an iterator of what comes back."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from scoring.asking import Noticed
from scoring.engines.server.loop_thread import LoopThread

TICK = 0.1
"""Seconds between two signs of life."""

Q = TypeVar("Q")
A = TypeVar("A")


def across(
    loop: LoopThread,
    asks: Iterator[Q | None],
    work: Callable[[Q, int], Coroutine[Any, Any, A]],
    arrived: SimpleQueue[A | Noticed | BaseException],
    most: int,
) -> Iterator[A | Noticed | None]:
    """Run `work` over all asks in the loop and give what arrives; None where nothing did for a while.

    Args:
        loop: that runs.
        asks: drawn in the caller's thread. None in it: nothing to ask before another answer has come.
        work: answers an ask, whose place among all it is told, 0-based.
        arrived: where `work` may put notices, and its answers come.
        most: asks that are drawn and not yet given back; that bounds what `arrived` holds, too.

    Raises:
        EngineError: out of `work`; what had arrived before is given first.
    """
    under_way = drawn = 0
    more, parked, spoken = True, False, time.monotonic()
    while more or under_way:
        if more and not parked and under_way < most:
            for ask in asks:
                parked = ask is None
                if ask is None:
                    break
                loop.start(_put(work(ask, drawn), arrived))
                under_way, drawn = under_way + 1, drawn + 1
                break
            else:
                more = False
        drawing = more and not parked and under_way < most
        came = _next(arrived, 0.0 if drawing or not (more or under_way) else spoken + TICK - time.monotonic())
        if isinstance(came, BaseException):
            yield from _rest(arrived)
            raise came
        if came is not None or time.monotonic() - spoken >= TICK:
            under_way -= not (came is None or isinstance(came, Noticed))
            parked = parked and came is None and under_way > 0
            yield came
            spoken = time.monotonic()


def _next(arrived: SimpleQueue[A | Noticed | BaseException], seconds: float) -> A | Noticed | BaseException | None:
    try:
        return arrived.get(timeout=seconds) if seconds > 0.0 else arrived.get_nowait()
    except Empty:
        return None


def _rest(arrived: SimpleQueue[A | Noticed | BaseException]) -> Iterator[A | Noticed]:
    """What has arrived beside a failure: it was paid for."""
    while not arrived.empty():
        came = arrived.get_nowait()
        if not isinstance(came, BaseException):
            yield came


async def _put(work: Coroutine[Any, Any, A], arrived: SimpleQueue[A | Noticed | BaseException]) -> None:
    try:
        arrived.put(await work)
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001  # raised again in the caller's thread
        arrived.put(error)
