"""The scoring run that the app has started: its process, its log and its words for the screen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.jobs import Job

LOG = "scoring.log"


class ScoringJob:
    """One run of a PRM on a benchmark. `listen` blocks until it ends; everything else may be called meanwhile."""

    def __init__(self, root: Path, benchmark: str, model: str) -> None:
        """Start it. What libraries print goes to the workspace's `scoring.log`."""
        self.running = True
        self.words = f"starting {model}"
        self._log = (root / LOG).open("ab")
        self._job = Job(["score", benchmark, f"--workspace={root}", f"--model={model}"], self._log)

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
            self.words = f"{event['scorer']}: {event['cached']:,} cached, {event['to_do']:,} to do"
        elif kind == "progress":
            speed = event["done"] / event["seconds"] if event["seconds"] else 0.0
            refused = f", {event['refused']:,} refused" if event["refused"] else ""
            self.words = f"scoring {event['done']:,} of {event['to_do']:,}, {speed:.1f} cases/s{refused}; X stops it"
        elif kind == "end":
            self.running = False
            self.words = ""
            return _ending(event)
        return ""

    def stop(self) -> None:
        """Ask it to save and end; kill it if it does not."""
        self._job.stop()


def _ending(event: dict[str, Any]) -> str:
    status = event["status"]
    if status == "failed":
        error = event.get("error") or {}
        return " ".join(error.get(part, "") for part in ("title", "sentence", "next_step"))
    if status == "died":
        return f"The scoring process ended without a word (exit code {event['code']}); see {LOG} in the workspace."
    done = "Scoring stopped" if status == "interrupted" else "Scored"
    return f"{done}: {event['saved']:,} saved, {event['refused']:,} refused, {event['left']:,} left"
