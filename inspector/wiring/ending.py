"""How the app ends: at once when asked to, by signals in good order, and after a fault with a log."""

import asyncio
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from inspector.screens.dialog import QUIT_AT_ONCE
from inspector.terminal.input import heedful_driver
from inspector.terminal.output import lasting_output, orderly_driver
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.driver import Driver

SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")
THREADS = "prm-inspect-work"
REMEMBERED = 30
"""Commands that a log tells."""
GRACE = 0.3
"""Seconds that work in threads may take to end by itself."""


class Ending(Wired):
    """Leaves the terminal as it was, whatever happens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", QUIT_AT_ONCE, show=False, id="quit-at-once"),
        Binding("ctrl+z", "suspend_process", "Suspend: back to the shell, until fg", show=False, id="suspend"),
    ]

    crash = ""
    """What to say of the fault that ended the app."""

    _code: int | None = None
    """What it was told to exit with; None while it goes on."""

    def on_mount(self) -> None:
        self.commands: deque[str] = deque(maxlen=REMEMBERED)
        if self.is_headless:
            return
        for name in SIGNALS:
            if number := getattr(signal, name, None):
                asyncio.get_running_loop().add_signal_handler(number, self._end, 128 + number)

    def get_driver_class(self) -> "type[Driver]":
        return heedful_driver(orderly_driver(super().get_driver_class()))

    def _end(self, code: int) -> None:
        # The first of several signals says why it ends.
        if self._code is None:
            self.exit(return_code=code)

    def exit(self, result: int | None = None, return_code: int = 0, message: "RenderableType | None" = None) -> None:
        self._code = return_code
        super().exit(result, return_code, message)

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: "DOMNode | None" = None,
        namespaces: "Mapping[str, DOMNode] | None" = None,
    ) -> bool:
        done = await super().run_action(action, default_namespace, namespaces)
        if done and isinstance(action, str):
            self.commands.append(f"{type(default_namespace or self).__name__}: {action}")
        return done

    def _fatal_error(self) -> None:
        """Textual's way out after a fault. Where there is a state folder a log goes there instead of to the screen."""
        from inspector.terminal.crash_log import report, sentence, write

        if self._code is not None:
            # A screen that was just opened never gets its widgets then, and misses them.
            self._return_code = self._code
            self._close_messages_no_wait()
            return
        if self.state is None:
            super()._fatal_error()
            return
        if not self.crash:
            facts = {
                "size": f"{self.size.width}x{self.size.height}",
                "theme": self.theme,
                "ascii": self.ascii_only,
                "screen": type(self.screen).__name__ if self.screen_stack else "none",
                "cases": self.inspection.cases.height if self.inspection else "not read",
                "scorers": len(self.inspection.selection.evaluations) if self.inspection else "not read",
            }
            # There are none before the app is mounted.
            commands = getattr(self, "commands", ())
            path = write(report(traceback.format_exc(), facts, commands, os.environ), self.state)
            self.crash = sentence(sys.exc_info()[1], path)
        self._close_messages_no_wait()


def run(app: App[int], *, mouse: bool) -> int:
    """Run an app to its end and give its exit code; what its threads still do is left to `leave_behind`."""
    loop, executor = asyncio.new_event_loop(), ThreadPoolExecutor(thread_name_prefix=THREADS)
    # asyncio.run would wait for whatever a thread is doing.
    loop.set_default_executor(executor)
    try:
        with lasting_output():
            value = app.run(mouse=mouse, loop=loop)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
    return app.return_code or value or 0


def leave_behind(code: int) -> int:
    """The exit code, after work in threads had its grace; what then still runs does not keep a person waiting.

    Files are written whole or not at all, so nothing is half done.
    """
    end = time.monotonic() + GRACE
    while (busy := _at_work()) and time.monotonic() < end:
        busy[0].join(0.02)
    if busy:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def _at_work() -> list[threading.Thread]:
    """Threads of workers that have not ended; idle ones have."""
    return [thread for thread in threading.enumerate() if thread.name.startswith(THREADS)]
