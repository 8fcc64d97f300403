"""A scoring run of our own: one at a time, in its own process, which may go on when the app ends."""

from pathlib import Path
from typing import TYPE_CHECKING

from inspector.messages import JobTold, Score
from inspector.text import clean
from inspector.wiring.base import INSPECT, Wired

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.scoring_job import ScoringJob

STOP, GO_ON, STAY = "stop", "go-on", "stay"
"""What may become of a run when the app is to end."""
TICK = 1.0
"""Seconds after which the time that a model has been loading is told anew."""


class ScoringRuns(Wired):
    """Starts a run, tells how far it is, stops it, and asks what becomes of it before the app ends."""

    farewell = ""
    """What to say on the terminal after the app has ended."""

    _job: "ScoringJob | None" = None
    _ticking: "Timer | None" = None

    def on_score(self, message: Score) -> None:
        """Start a run, unless one is going on."""
        from inspector.scoring_job import ScoringJob
        from scoring.engines.server.address import Address
        from scoring.errors import InspectError

        if self.inspection is None:
            return
        if self._job is not None and self._job.running:
            told = f"A run is going on; {self.keys.of('score')} stops it."
            self.notify(told, severity="warning", markup=False)
            return
        benchmark, model = message.benchmark or self.inspection.benchmark, message.model
        servers = [flag.partition("=")[2] for flag in message.flags if flag.startswith("--server=")]
        try:
            # Before it stands where others can read it: in the list of processes, or among what is remembered.
            for server in servers:
                Address.read(server)
            root = self.scored_workspace(self.inspection.selection.workspace)
            flags = (*message.flags, *_another_name(benchmark, model, message.flags))
            self._job = ScoringJob(root, benchmark, model, flags=flags)
        except (OSError, InspectError) as error:
            self.notify(clean(f"Cannot start: {error}"), severity="error", markup=False)
            return
        if self.remembered is not None:
            for server in servers:
                self.remembered.add("servers", server)
            if model:
                self.remembered.add("models", str(Path(model).absolute()) if Path(model).is_dir() else model)
        tell = self._job.listen
        self.run_worker(lambda: tell(lambda event: self.post_message(JobTold(event))), thread=True, group="job")
        self._ticking = self.set_interval(TICK, self._show_job)
        self._show_job()

    def on_stop_scoring(self) -> None:
        """Stop the run; waiting for it must not stop the keys."""
        if self._job is None or not self._job.running:
            self.notify("No run is going on.", markup=False)
            return
        self.run_worker(self._job.stop, thread=True, group="stop")

    def on_job_told(self, message: JobTold) -> None:
        """Show how far the run is, and say how it ended."""
        if self._job is None:
            return
        if sentence := self._job.note(message.event):
            failed = message.event.get("status") in {"failed", "died"}
            self.notify(clean(sentence), severity="error" if failed else "information", markup=False, timeout=15)
        self._show_job()

    def _show_job(self) -> None:
        from inspector.screens.base import InspectionScreen

        if self._job is None:
            return
        words = f"{self._job.words}; {self.keys.of('score')} stops it" if self._job.words else ""
        if not words and self._ticking is not None:
            self._ticking.stop()
        for screen in self.get_screen_stack(INSPECT):
            if isinstance(screen, InspectionScreen):
                screen.show_job(words)

    # -- leaving

    async def action_quit(self) -> None:
        """Quit; while a run is on it is asked first what becomes of it, and once more means to stop it."""
        self.leave()

    def leave(self) -> None:
        """End the app, unless a run is on: then a person says what becomes of it."""
        from inspector.screens.picking import Leaving
        from inspector.widgets.pick_list import Pick

        job = self._job
        if job is None or not job.running:
            self.exit(0)
            return
        picks = (
            Pick(STOP, "Stop", "what was computed is kept; the same again goes on with what is left"),
            Pick(GO_ON, "Go on", "in the background: the app ends, the run does not"),
            Pick(STAY, "Stay"),
        )
        self.push_screen(Leaving(f"A run is on: {job.words}", picks), self._left)

    def _left(self, chosen: str | None) -> None:
        job = self._job
        if chosen not in {STOP, GO_ON} or job is None:
            return
        if chosen == GO_ON and job.running:
            job.leave()
            self._job = None
            self.farewell = (
                f"Scoring goes on in the background as process {job.number}; what it computes is there when the app is "
                f"opened again. `kill {job.number}` stops it, and keeps what it has."
            )
        self.exit(0)

    def on_unmount(self) -> None:
        if self._job is not None:
            self._job.stop()


def _another_name(benchmark: str, model: str, flags: tuple[str, ...]) -> tuple[str, ...]:
    """A name of its own for one of the demo's PRMs that is run again: the demo's own rewards stay beside these."""
    from scoring.benchmarks import demo

    shipped = demo.folder() / "models" / Path(model).name
    named = any(flag.partition("=")[0] == "--name" for flag in flags)
    if benchmark != demo.NAME or not model or named or not shipped.is_dir() or not Path(model).is_dir():
        return ()
    return (f"--name={shipped.name}-here",) if shipped.samefile(model) else ()
