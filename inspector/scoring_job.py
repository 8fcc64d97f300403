"""The scoring run that the app has started: its process, its log and its words for the screen."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspector.critic_words import answered, parts_done
from inspector.durations import duration
from inspector.jobs import Job
from inspector.scoring_words import ended, failed, noticed, speed, started
from inspector.sentences import counted

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
        """Remember an event; the sentence that a person should be told about it, if any."""
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
            self._said = f"scoring {done:,} of {to_do:,}{' ' if event.get('asked') else ', '}{speed(event)}"
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
    asked = answered(event) if event.get("asked") else ()
    return ". ".join([ended(event, "the same again"), *asked])
