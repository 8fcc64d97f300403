"""What the app writes to, which may go away: a connection is lost, a window is closed.

Textual 8.2 writes in a thread that an error ends; whoever writes then waits for it for ever, and so the process stays.
To a browser it writes packets from two threads, of which one may land amid the other.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TextIO

from textual.driver import Driver


class Output:
    """A text file that writing to never fails: of the first failure `lost` is told, and what follows is dropped."""

    def __init__(self, file: TextIO, lost: Callable[[], object]) -> None:
        self._file = file
        self._lost = lost
        self._gone = False

    def write(self, text: str) -> int:
        """Write it; the number of its characters, written or not."""
        self._try(self._file.write, text)
        return len(text)

    def flush(self) -> None:
        """Hand on what was written."""
        self._try(self._file.flush)

    def _try(self, act: Callable[..., object], *given: str) -> None:
        if self._gone:
            return
        try:
            act(*given)
        except OSError:
            self._gone = True
            self._lost()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def lasting_output() -> Iterator[None]:
    """While it lasts, `sys.__stderr__`, to which Textual writes, is an `Output`, and its loss is a hang-up signal."""
    whole = sys.__stderr__
    if whole is None or not hasattr(signal, "SIGHUP"):
        yield
        return
    # Its type says that nobody is meant to give it another value.
    setattr(sys, "__stderr__", Output(whole, lambda: signal.raise_signal(signal.SIGHUP)))  # noqa: B010
    try:
        yield
    finally:
        setattr(sys, "__stderr__", whole)  # noqa: B010


def orderly_driver(driver: type[Driver]) -> type[Driver]:
    """The driver, but that one for browsers writes packet after packet, and that its loss is a hang-up signal."""
    if not hasattr(driver, "write_meta"):
        return driver

    class OrderlyDriver(driver):  # type: ignore[misc, valid-type]  # a class that is only known here
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._write = Packets(self.fileno, lambda: signal.raise_signal(signal.SIGHUP)).write

    return OrderlyDriver


class Packets:
    """A pipe into which each packet is written whole; of the first failure `lost` is told, what follows is dropped."""

    def __init__(self, descriptor: int, lost: Callable[[], object]) -> None:
        self._descriptor, self._lost = descriptor, lost
        self._lock, self._gone = Lock(), False

    def write(self, packet: bytes) -> None:
        """Write one, however many are writing."""
        with self._lock:
            left = memoryview(packet)
            while left and not self._gone:
                try:
                    left = left[os.write(self._descriptor, left) :]
                except OSError:
                    self._gone = True
                    self._lost()
