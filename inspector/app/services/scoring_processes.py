"""The processes that score: a run of our own, which may go on when the app ends, and one that is asked for cases.

Each is listened to in a thread of its own.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.app.services.command_access import Keys
from inspector.app.services.following import Following
from inspector.app.services.host import ServiceHost
from inspector.app.services.navigation import Navigation
from inspector.screens.messages import Score, ScoreCase

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.screens.case_job import CaseJob
    from inspector.state.processes.job import ScoringJob
    from inspector.state.screen_state import ScreenState

STOP, GO_ON, STAY = "stop", "go-on", "stay"
"""What may become of a run when the app is to end."""
TICK = 1.0
"""Seconds after which the time that a model has been loading is told anew."""


class ScoringProcesses:
    """One run at a time, and one process for cases, which is started when the first one is asked for.

    `farewell` is what to say on the terminal after the app has ended.
    """

    def __init__(self, host: ServiceHost, keys: Keys, navigation: Navigation, following: Following) -> None:
        self._host, self._keys, self._navigation, self._following = host, keys, navigation, following
        self.farewell = ""
        self._run: ScoringJob | None = None
        self._ticking: Timer | None = None
        self._cases: CaseJob | None = None

    def end(self) -> None:
        """End both; what they computed is saved."""
        if self._run is not None:
            self._run.stop()
        if self._cases is not None:
            self._cases.end()

    def _root(self, state: "ScreenState") -> Path:
        """The folder of the workspace to which rewards go; the demo's is made where it is missing, and then read.

        Raises:
            UnwritableWorkspace, DamagedWorkspace: it cannot be made.
        """
        from scoring.workspace.workspace import Workspace
        from scoring.workspace.workspace_place import demo_workspace

        if state.results.loaded.workspace.root is not None:
            return state.results.loaded.workspace.root
        root = demo_workspace()
        Workspace.create(root)
        self._following.read_again()
        return root

    # -- the run

    def start_run(self, message: Score) -> None:
        """Start a run, unless one is going on. It needs the memory of cases' process, unless somebody waits for it."""
        state = self._host.state
        if self._cases is not None and not self._cases.busy:
            self._cases.end()
        if self._run is not None and self._run.running:
            self._host.tell(f"A run is going on; {self._keys.words.of('score')} stops it.", "warning")
            return
        from inspector.state.processes.job import ScoringJob
        from scoring.data.errors import InspectError
        from scoring.engines.server.address import ServerAddress

        benchmark, model = message.benchmark or state.focus.benchmark, message.model
        servers = [flag.partition("=")[2] for flag in message.flags if flag.startswith("--server=")]
        try:
            # Before it stands where others can read it: in the list of processes, or among what is remembered.
            for server in servers:
                ServerAddress.read(server)
            root = self._root(state)
            flags = (*message.flags, *_another_name(benchmark, model, message.flags))
            self._run = run = ScoringJob(root, benchmark, model, flags=flags)
        except (OSError, InspectError) as error:
            self._host.tell(f"Cannot start: {error}", "error")
            return
        for server in servers:
            self._host.remembered.add("servers", server)
        if model:
            self._host.remembered.add("models", str(Path(model).absolute()) if Path(model).is_dir() else model)
        self._host.run_in_thread(partial(run.listen, partial(self._host.app.call_later, self._hear_run)), "job")
        self._ticking = self._host.app.set_interval(TICK, self._show_run)
        self._show_run()

    def stop_run(self) -> None:
        """Stop the run; waiting for it must not stop the keys."""
        if self._run is None or not self._run.running:
            self._host.tell("No run is going on.")
            return
        self._host.run_in_thread(self._run.stop, "stop")

    def _hear_run(self, event: dict[str, Any]) -> None:
        """Show how far the run is, and say how it ended; `event` is one of `scoring.runs.events`."""
        if self._run is None:
            return
        if sentence := self._run.note(event):
            failed = event.get("status") in {"failed", "died"}
            self._host.tell(sentence, "error" if failed else "information")
        self._show_run()

    def _show_run(self) -> None:
        if self._run is None:
            return
        words = f"{self._run.words}; {self._keys.words.of('score')} stops it" if self._run.words else ""
        if not words and self._ticking is not None:
            self._ticking.stop()
        for screen in self._navigation.screens:
            screen.scoring.show_job(words)

    def leave(self) -> None:
        """End the app, unless a run is on: then a person says what becomes of it."""
        from inspector.screens.dialog import Leaving
        from inspector.widgets.pick_list import Pick

        if self._run is None or not self._run.running:
            self._host.app.exit(0)
            return
        picks = (
            Pick(STOP, "Stop", "what was computed is kept; the same again goes on with what is left"),
            Pick(GO_ON, "Go on", "in the background: the app ends, the run does not"),
            Pick(STAY, "Stay"),
        )
        self._host.app.push_screen(Leaving(f"A run is on: {self._run.words}", picks), self._left)

    def _left(self, chosen: str | None) -> None:
        run = self._run
        if chosen not in {STOP, GO_ON} or run is None:
            return
        if chosen == GO_ON and run.running:
            run.leave()
            self._run = None
            self.farewell = (
                f"Scoring goes on in the background as process {run.number}; what it computes is there when the app is "
                f"opened again. `kill {run.number}` stops it, and keeps what it has."
            )
        self._host.app.exit(0)

    # -- cases

    def score_case(self, message: ScoreCase) -> None:
        """Ask for one case; where the process has died, another one."""
        from inspector.screens.case_job import CaseJob
        from scoring.data.errors import InspectError

        try:
            if self._cases is None:
                self._cases = cases = CaseJob(self._root(self._host.state))
                self._host.run_in_thread(
                    partial(cases.listen, partial(self._host.app.call_later, self._hear_case)), "job"
                )
            self._cases.ask(message.prm, message.case, message.answer)
        except OSError as error:
            failure = {"sentence": f"the scoring process does not run ({error}).", "next_step": "Try again."}
            message.answer({"event": "failed", "error": failure})
        except InspectError as error:
            message.answer({"event": "failed", "error": error.fields})

    def _hear_case(self, event: dict[str, Any]) -> None:
        """Tell whoever asked; `event` is one of `scoring.runs.case_scoring`, or `died`."""
        job = self._cases
        if job is None:
            return
        if event["event"] == "died":
            self._cases = None
        job.note(event)


def _another_name(benchmark: str, model: str, flags: tuple[str, ...]) -> tuple[str, ...]:
    """A name of its own for one of the demo's PRMs that is run again: the demo's own rewards stay beside these."""
    from scoring.formats.benchmarks import demo

    shipped = demo.folder() / "models" / Path(model).name
    named = any(flag.partition("=")[0] == "--name" for flag in flags)
    if benchmark != demo.NAME or not model or named or not shipped.is_dir() or not Path(model).is_dir():
        return ()
    return (f"--name={shipped.name}-here",) if shipped.samefile(model) else ()
