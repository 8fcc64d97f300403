"""The scoring run on a screen: start, stop and progress."""

from typing import Protocol

from textual.app import ComposeResult
from textual.css.query import DOMQuery
from textual.widget import Widget

from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.dialog import Picking
from inspector.screens.messages import Score, StopScoring
from inspector.screens.screen_lines import one_line, write_text
from inspector.widgets.line_view import PhraseLine
from inspector.widgets.pick_list import Pick


class JobScreen(ControlledScreen, Protocol):
    """What the run uses of its screen."""

    def query(self, selector: str, /) -> DOMQuery[Widget]: ...


class ScoringRun(Controller[JobScreen]):
    """Starts and stops the scoring run; a line shows its progress, or that of another slow job."""

    _is_running = False

    def compose(self) -> ComposeResult:
        """Compose the line, which is hidden while no job is on."""
        job = one_line("job")
        job.display = False
        yield job

    def action_score(self) -> None:
        """Ask for a checkpoint or a critic, and run it; while a run is on, whether it is to stop."""
        benchmark = self.state.focus.benchmark
        if self._is_running:
            self.screen.close_rail()
            picks = (Pick("stop", "Stop", "what was computed is kept"), Pick("", "Go on"))
            self.screen.app.push_screen(Picking("A run is going on", picks), self._stop)
            return
        if not benchmark:
            self.screen.say("There is no benchmark to score: import one first.")
            return

        def answered(query: Score | None) -> None:
            if query is not None:
                self.screen.post_message(query)

        from inspector.screens.score import ScoreDialog, known_models

        self.screen.close_rail()
        models = known_models(benchmark, self.context.remembered.left.models)
        self.screen.app.push_screen(ScoreDialog(benchmark, models, self.context.visit), answered)

    def _stop(self, chosen: str | None) -> None:
        if chosen:
            self.action_stop_scoring()

    def action_stop_scoring(self) -> None:
        self.screen.post_message(StopScoring())

    def show_job(self, words: str, *, scores: bool = True) -> None:
        """Show the progress of a slow job; hide the line if `words` is empty. Do nothing if the screen is closing.

        `scores` says that it is the scoring run, which comes before every other job.
        """
        if not scores and self._is_running:
            return
        self._is_running = scores and bool(words)
        if not self.screen.query("#job"):
            return
        write_text(self.screen, "job", words, "strong")
        self.screen.query_one("#job", PhraseLine).display = bool(words)
