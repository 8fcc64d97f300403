"""The scoring run that the app has started: its process, its log and its words for the screen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.jobs import Job
from inspector.scoring_words import ended, failed, speed, started

LOG = "scoring.log"


class ScoringJob:
    """One run of a PRM on a benchmark. `listen` blocks until it ends; everything else may be called meanwhile."""

    def __init__(self, root: Path, benchmark: str, model: str, *, truncate: bool = False) -> None:
        """Start it; `truncate` is `score --truncate`. What libraries print goes to the workspace's `scoring.log`."""
        self.running = True
        self.words = f"starting {model}"
        self._log = (root / LOG).open("ab")
        words = ["score", benchmark, f"--workspace={root}", f"--model={model}"]
        self._job = Job([*words, "--truncate"] if truncate else words, self._log)

    def listen(self, tell: Callable[[dict[str, Any]], object]) -> None:
        """Pass on every event; one that says that there was no end, if the process died without a word."""
        ended = False
        for event in self._job.events():
            ended = event["event"] == "end"
            tell(event)
        code = self._job.wait()
        self._log.close()
        if not ended:
            tell({"event": "end", "status": "died", "code": code})

    def note(self, event: dict[str, Any]) -> str:
        """Remember an event; the sentence that a person should be told about it, if any."""
        kind = event["event"]
        if kind == "start":
            self.words = started(event)
            return " ".join(note for note in event["notes"] if note.startswith("WARNING"))
        if kind == "progress":
            self.words = f"scoring {event['done']:,} of {event['to_do']:,}, {speed(event)}; X stops it"
        elif kind == "end":
            self.running = False
            self.words = ""
            return _ending(event)
        return ""

    def stop(self) -> None:
        """Ask it to save and end; kill it if it does not."""
        self._job.stop()


def _ending(event: dict[str, Any]) -> str:
    if event["status"] == "failed":
        return failed(event)
    if event["status"] == "died":
        return f"The scoring process ended without a word (exit code {event['code']}); see {LOG} in the workspace."
    return ended(event, "the same again")
