"""Work done side by side in an event loop of its own, and handed back to a caller who knows nothing of loops."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar

from scoring.models.asking import Noticed

TICK = 0.1
"""Seconds between two signs of life."""
_LEAVING = 5.0
"""Seconds to wait for what is cancelled."""

A = TypeVar("A")
Q = TypeVar("Q")
T = TypeVar("T")


class LoopThread:
    """Runs an event loop in a thread, for a block; leaving that cancels all tasks, then awaits `last`, and ends."""

    def __init__(self, last: Callable[[], Awaitable[None]] | None = None) -> None:
        self.last = last
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="prm-inspect requests", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(2 * _LEAVING)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there and wait for what it gives."""
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        except BaseException:
            running.cancel()
            raise

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine there and do not wait. It must not raise."""
        self._loop.call_soon_threadsafe(self._begin, work)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _run(self) -> None:
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._leave())
        finally:
            self._loop.close()

    async def _leave(self) -> None:
        """Cancel what was started here; tasks within those are the matter of whoever started them."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_LEAVING)
        if self.last:
            await self.last()
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=_LEAVING)
        await self._loop.shutdown_asyncgens()


async def side_by_side(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Await all of some work, in its order; where one raises, the others are cancelled and it is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(job) for job in work]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


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
