"""A job: a scoring process of our own, started, listened to and stopped.

Scoring never runs in this process: an engine's crash, prints and memory stay with the other one.
"""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from inspector.render.texts.sentences import counted
from inspector.state.processes.scoring_words import (
    RecentRate,
    answered,
    duration,
    ended,
    failed,
    noticed,
    parts_done,
    speed,
    started,
)
from scoring.data.python_child import start_python

_PATIENCE = 10
"""Seconds that a job may take to save what it has before it is killed."""


class Job:
    """`python -m scoring ...` and the events that it tells, one JSON object a line."""

    def __init__(self, words: Sequence[str], log: IO[Any] | int | None = None) -> None:
        """Start it. `words` are its arguments; what libraries print goes to `log`, or to our standard error.

        `log` is as `subprocess` takes it.
        """
        self._process = start_python(
            "scoring",
            *words,
            stdout=subprocess.PIPE,
            stderr=log,
            stdin=subprocess.PIPE,
            # A group of its own: Ctrl+C reaches it once, through whoever started it, and not a second time.
            start_new_session=True,
        )

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield every event as it comes; lines that are no event are passed over."""
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
        from scoring.runs.events import GO_ON

        with contextlib.suppress(OSError):
            os.write(self._process.stdin.fileno(), GO_ON)  # type: ignore[union-attr]  # it was asked for

    def end(self) -> None:
        """Kill it: it has nothing to save."""
        if self._process.poll() is None:
            self._process.kill()

    def wait(self) -> int:
        """Wait until it ends; return its exit code, negative for a signal that killed it."""
        code = self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        return code


@contextlib.contextmanager
def signals_passed_on(job: Job) -> Iterator[None]:
    """Pass SIGINT and SIGTERM on to the job while this lasts."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: job.signal(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


# -- the scoring run that the app has started: its process, its log and its words for the screen


LOG = "scoring.log"


class ScoringJob:
    """One run of a PRM or a critic on a benchmark.

    `listen` blocks until it ends; everything else may be called meanwhile.
    """

    def __init__(self, root: Path, benchmark: str, model: str, *, flags: Sequence[str] = ()) -> None:
        """Start it.

        Args:
            root: the workspace's folder; what libraries print goes to its `scoring.log`.
            benchmark: what is scored.
            model: the checkpoint or the model's name; "" where the flags say enough.
            flags: further words of `score`, such as `--truncate`.
        """
        self.running = True
        self._workers = 0
        self._rate = RecentRate()
        self._said = f"starting {model or 'the critic'}"
        self._since: float | None = time.monotonic()
        self._served = any(flag.startswith("--server") for flag in flags)
        named = [f"--model={model}"] if model else []
        with (root / LOG).open("ab") as log:
            self._job = Job(["score", benchmark, f"--workspace={root}", *named, *flags], log)

    @property
    def words(self) -> str:
        """How far it is; while it loads, for how long."""
        if self._since is None:
            return self._said
        return f"{self._said}, {duration(time.monotonic() - self._since)}"

    @property
    def number(self) -> int:
        """The number of its process."""
        return self._job.number

    def listen(self, tell: Callable[[dict[str, Any]], object]) -> None:
        """Pass on every event; one that says that there was no end, if the process died without a word."""
        ended = False
        for event in self._job.events():
            ended = event["event"] == "end"
            tell(event)
        code = self._job.wait()
        if not ended:
            tell({"event": "end", "status": "died", "code": code})

    def note(self, event: dict[str, Any]) -> str:
        """Remember an event; return the sentence that a person should be told about it, if any."""
        kind = event["event"]
        if kind == "doing":
            self._said, self._since = event["sentence"], None
        elif kind == "start":
            waits = "; asking the server" if self._served else "; loading the model"
            self._said = started(event) + (waits if event["to_do"] else "")
            self._since = time.monotonic()
            return " ".join(note for note in event["notes"] if note.startswith("WARNING"))
        if kind == "progress":
            done, to_do = parts_done(event)
            self._since = None
            pace = speed(event, self._rate.after(event))
            between = " " if event.get("asked") else ", " if pace else ""
            self._said = f"scoring {done:,} of {to_do:,}{between}{pace}"
            if self._workers:
                self._said += f", {counted(self._workers, 'worker')}"
        elif kind == "nodes":
            self._workers = sum(node["working"] for node in event["nodes"])
        elif kind == "notice":
            return noticed(event)
        elif kind == "end":
            self.running = False
            self._said, self._since = "", None
            return _ending(event)
        return ""

    def leave(self) -> None:
        """Let it go on when the app has ended."""
        self._job.leave()

    def stop(self) -> None:
        """Ask it to save and end; kill it if it does not."""
        self._job.stop()


def _ending(event: dict[str, Any]) -> str:
    if event["status"] == "failed":
        return failed(event)
    if event["status"] == "died":
        return f"The scoring process ended without a word (exit code {event['code']}); see {LOG} in the workspace."
    sentences = answered(event) if event.get("asked") else ()
    return ". ".join([ended(event, "the same again"), *sentences])
