"""An event loop in a thread of its own, for as long as it is needed."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")
_LEAVING = 5.0
"""Seconds to wait for what is cancelled."""


class LoopThread:
    """A context manager: within it the loop runs; leaving it cancels all tasks, then awaits `last`, and ends."""

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
