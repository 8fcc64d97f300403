"""A job: a scoring process of our own, started, listened to and stopped.

Scoring never runs in this process: an engine's crash, prints and memory stay with the other one.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

_PATIENCE = 10
"""Seconds that a job may take to save what it has before it is killed."""


class Job:
    """`python -m scoring ...` and the events that it tells, one JSON object a line."""

    def __init__(self, words: Sequence[str], log: IO[Any] | int | None = None) -> None:
        """Start it. `words` are its arguments; what libraries print goes to `log`, or to our standard error.

        `log` is as `subprocess` takes it.
        """
        root = Path(__file__).resolve().parent.parent
        # -P would lose a checkout that was never installed; the folder of this package is always right.
        launch = f"import sys; sys.path.insert(0, {str(root)!r}); from scoring.__main__ import main; sys.exit(main())"
        self._process = subprocess.Popen(
            [sys.executable, "-c", launch, *words],
            stdout=subprocess.PIPE,
            stderr=log,
            stdin=subprocess.PIPE,
            # A group of its own: Ctrl+C reaches it once, through whoever started it, and not a second time.
            start_new_session=True,
        )

    def events(self) -> Iterator[dict[str, Any]]:
        """Every event as it comes; lines that are no event are passed over."""
        assert self._process.stdout is not None  # noqa: S101  # it was asked for above
        with self._process.stdout as lines:
            for line in lines:
                with contextlib.suppress(ValueError):
                    event = json.loads(line)
                    if isinstance(event, dict) and "event" in event:
                        yield event

    def ask(self, request: Mapping[str, Any]) -> None:
        """Hand it a request, one JSON object a line. Raises OSError where it has ended."""
        assert self._process.stdin is not None  # noqa: S101  # it was asked for above
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def signal(self, number: int) -> None:
        """Pass on a signal, if it still runs."""
        if self._process.poll() is None:
            self._process.send_signal(number)

    def stop(self) -> None:
        """Ask it to save and end; kill it if it does not."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()

    @property
    def number(self) -> int:
        """The number of the process."""
        return self._process.pid

    def leave(self) -> None:
        """Let it go on when nobody listens any more: without this word it ends, with what it has saved."""
        from scoring.events import GO_ON

        with contextlib.suppress(OSError):
            os.write(self._process.stdin.fileno(), GO_ON)  # type: ignore[union-attr]  # it was asked for

    def end(self) -> None:
        """Kill it: it has nothing to save."""
        if self._process.poll() is None:
            self._process.kill()

    def wait(self) -> int:
        """Its exit code, negative for a signal that killed it."""
        code = self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        return code


@contextlib.contextmanager
def signals_passed_on(job: Job) -> Iterator[None]:
    """SIGINT and SIGTERM go to the job while this lasts."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: job.signal(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
