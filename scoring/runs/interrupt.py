"""SIGINT and SIGTERM as a wish to stop, granted where nothing is half done."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self


class Stopped(BaseException):
    """The process was asked to stop. No `Exception`, so that nothing on the way takes it for a failure of its own."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


class Interrupt:
    """Notes a signal; raises `Stopped` at once only within `at_once()`, or when it comes a second time.

    As a context manager it listens, which only a process's main thread can; otherwise it never stops anything.
    """

    def __init__(self) -> None:
        self.signum: int | None = None
        self._at_once = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for signum in (signal.SIGINT, signal.SIGTERM):
            self._before[signum] = signal.signal(signum, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for signum, handler in self._before.items():
            signal.signal(signum, handler)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let a signal end a stretch that takes long and leaves nothing half done, also one that came before."""
        self._at_once = True
        try:
            self.check()
            yield
        except Exception:
            # A library in which a signal raised `Stopped` may have made an error of its own of it.
            self.check()
            raise
        finally:
            self._at_once = False

    def check(self) -> None:
        """Raise `Stopped` if a signal came."""
        if self.signum is not None:
            raise Stopped(self.signum)

    def _note(self, signum: int, _: FrameType | None) -> None:
        again, self.signum = self.signum is not None, signum
        if again or self._at_once:
            raise Stopped(signum)
