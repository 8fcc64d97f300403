"""A scoring run of our own: one at a time, in its own process."""

from typing import TYPE_CHECKING

from inspector.messages import JobTold, Score
from inspector.text import clean
from inspector.wiring.base import INSPECT, Wired

if TYPE_CHECKING:
    from inspector.scoring_job import ScoringJob


class ScoringRuns(Wired):
    """Starts a run, tells how far it is, and stops it."""

    _job: "ScoringJob | None" = None

    def on_score(self, message: Score) -> None:
        """Start a run, unless one is going on."""
        from inspector.scoring_job import ScoringJob

        root = self.inspection.selection.workspace.root if self.inspection else None
        if self.inspection is None or root is None:
            return
        if self._job is not None and self._job.running:
            told = f"A run is going on; on the board {self.keys.of('stop-scoring')} stops it."
            self.notify(told, severity="warning", markup=False)
            return
        try:
            self._job = ScoringJob(root, self.inspection.benchmark, message.model, flags=message.flags)
        except OSError as error:
            self.notify(clean(f"Cannot start: {error}"), severity="error", markup=False)
            return
        tell = self._job.listen
        self.run_worker(lambda: tell(lambda event: self.post_message(JobTold(event))), thread=True, group="job")

    def on_stop_scoring(self) -> None:
        """Stop the run; waiting for it must not stop the keys."""
        if self._job is None or not self._job.running:
            self.notify("No run is going on.", markup=False)
            return
        self.run_worker(self._job.stop, thread=True, group="stop")

    def on_job_told(self, message: JobTold) -> None:
        """Show how far the run is, and say how it ended."""
        from inspector.screens.board import BoardScreen

        if self._job is None:
            return
        if sentence := self._job.note(message.event):
            failed = message.event.get("status") in {"failed", "died"}
            self.notify(clean(sentence), severity="error" if failed else "information", markup=False, timeout=15)
        words = f"{self._job.words}; {self.keys.of('stop-scoring')} stops it" if self._job.words else ""
        for screen in self.get_screen_stack(INSPECT):
            if isinstance(screen, BoardScreen):
                screen.show_job(words)

    def on_unmount(self) -> None:
        if self._job is not None:
            self._job.stop()
