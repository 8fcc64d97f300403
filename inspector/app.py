"""The app wires: it loads, opens and closes screens, saves files, and turns failures into words.

Nothing of weight is imported before the first paint: polars, numpy and the screens come in the loading thread.
"""

import gc
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from inspector.messages import Back, Export, Failed, Go, Inspected, JobTold, Loaded, Reloaded, Score
from inspector.request import Request
from inspector.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.filter import LineFilter

    from inspector.inspection import Inspection
    from inspector.paint import Brush
    from inspector.scoring_job import ScoringJob
    from inspector.screens.base import InspectionScreen

FOLLOW_SECONDS = 1.5
"""How often the rewards folder is looked at: another process may be writing there."""
COMMAND_SHOWN = 400
"""Characters of a command that a toast shows."""


class InspectApp(App[int]):
    """The terminal inspector."""

    CSS_PATH = "inspector.tcss"
    TITLE = "prm-inspect"
    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+c", "quit", "Quit")]
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, request: Request, *, ascii_only: bool = False, folder: Path | None = None) -> None:
        """`folder` is where exports go: the current one by default."""
        super().__init__()
        self.request = request
        self.ascii_only = ascii_only
        self.folder = folder or Path()
        self.inspection: Inspection | None = None
        self.failure = ""
        self._job: ScoringJob | None = None
        self._seen: frozenset[str] = frozenset()

    def compose(self) -> ComposeResult:
        yield Static(Content("prm-inspect: reading the workspace"), id="loading")

    def on_mount(self) -> None:
        self.set_class(self.ascii_only, "-ascii")
        self.animation_level = "none"
        self.call_after_refresh(self._load)

    def _load(self) -> None:
        self.run_worker(self._read, thread=True, exit_on_error=True)

    def _read(self) -> None:
        """In a thread: import what is heavy, read the workspace, decide."""
        from inspector.inspection import inspect
        from inspector.screens import board, case, cases  # noqa: F401  # imported here so that opening them is instant
        from inspector.selection import load
        from scoring.errors import InspectError

        try:
            selection = load(self.request)
            self.post_message(Loaded(selection, inspect(selection)))
        except InspectError as error:
            self.post_message(Failed(str(error)))

    def on_failed(self, message: Failed) -> None:
        """Nothing can be shown: leave, and say why where it stays readable."""
        self.failure = message.sentence
        self.exit(2)

    def on_loaded(self, message: Loaded) -> None:
        """Open the board, or the cases where there is no scorer."""
        from inspector.screens.board import BoardScreen

        self.inspection = message.inspection
        self._open(BoardScreen(self._brush()))
        if message.inspection.scorer is None:
            self.on_go(Go("cases"))
        # What is loaded stays: the collector need not go through it again while keys are pressed.
        gc.collect()
        gc.freeze()
        self._seen = message.selection.workspace.reward_files(self._benchmarks())
        self.set_interval(FOLLOW_SECONDS, self._follow)
        for problem in message.selection.problems:
            self.notify(clean(problem), severity="warning", markup=False, timeout=15)

    def _brush(self) -> "Brush":
        from inspector.paint import Brush

        return Brush(self.ascii_only)

    # -- state down, messages up

    def on_inspected(self, message: Inspected) -> None:
        """A screen made a new value."""
        self.inspection = message.inspection

    def _open(self, screen: "InspectionScreen") -> None:
        screen.inspection = self.inspection
        self.push_screen(screen)

    def on_go(self, message: Go) -> None:
        """Open a screen on top; of keys typed ahead, the second asks for what is there already."""
        from inspector.screens.base import InspectionScreen
        from inspector.screens.case import CaseScreen
        from inspector.screens.cases import CasesScreen

        if isinstance(self.screen, InspectionScreen) and message.to == self.screen.NAME:
            self.screen.inspection = self.inspection
            return
        self._open(CaseScreen(self._brush(), message.row) if message.to == "case" else CasesScreen(self._brush()))

    def on_back(self, message: Back) -> None:
        """Close the screen on top; the first one stays, unless it was asked to leave."""
        from inspector.screens.base import InspectionScreen
        from inspector.screens.cases import CasesScreen

        depth = sum(isinstance(screen, InspectionScreen) for screen in self.screen_stack)
        if depth <= 1:
            if message.top:
                self.exit(0)
            return
        for _ in range(depth - 1 if message.top else 1):
            self.pop_screen()
        below = self.screen
        if isinstance(below, CasesScreen) and message.row >= 0:
            below.come_back(message.row, self.inspection)
        elif isinstance(below, InspectionScreen):
            below.inspection = self.inspection

    # -- rewards that land

    def _benchmarks(self) -> list[str]:
        return self.inspection.cases["benchmark"].unique().to_list() if self.inspection else []

    def _follow(self) -> None:
        """Read the rewards again where files have come or gone; not under somebody's moving threshold."""
        from inspector.screens.base import InspectionScreen

        inspection, screen = self.inspection, self.screen
        if inspection is None or (isinstance(screen, InspectionScreen) and screen.rail_open):
            return
        files = inspection.selection.workspace.reward_files(self._benchmarks())
        if files != self._seen:
            self._seen = files
            request = replace(self.request, thresholds=inspection.selection.request.thresholds)
            self.run_worker(partial(self._reload, request), thread=True, exclusive=True, group="reload")

    def _reload(self, request: Request) -> None:
        from inspector.selection import load
        from scoring.errors import InspectError

        try:
            self.post_message(Reloaded(load(request)))
        except InspectError as error:
            self.call_from_thread(self.notify, clean(str(error)), severity="warning", markup=False)

    def on_reloaded(self, message: Reloaded) -> None:
        """Show the same with the rewards that there are now."""
        from inspector.screens.base import InspectionScreen

        if self.inspection is None:
            return
        self.inspection = self.inspection.renewed(message.selection)
        if isinstance(self.screen, InspectionScreen):
            self.screen.inspection = self.inspection

    # -- a scoring run of our own

    def on_score(self, message: Score) -> None:
        """Start a run, unless one is going on."""
        from inspector.scoring_job import ScoringJob

        root = self.inspection.selection.workspace.root if self.inspection else None
        if self.inspection is None or root is None:
            return
        if self._job is not None and self._job.running:
            self.notify("A run is going on; X on the board stops it.", severity="warning", markup=False)
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
        for screen in self.screen_stack:
            if isinstance(screen, BoardScreen):
                screen.show_job(self._job.words)

    def on_unmount(self) -> None:
        if self._job is not None:
            self._job.stop()

    # -- out

    def on_export(self, message: Export) -> None:
        """Save or copy a table, and say where it went and which command makes it again."""
        from inspector.exporting import export_document, file_stem, free_path
        from scoring.errors import InspectError

        if self.inspection is None:
            return
        document = export_document(self.inspection, message)
        path = free_path(self.folder, file_stem(self.inspection, message), message.form)
        try:
            document.write(path, message.form)
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False, timeout=15)
            return
        copied = ""
        if message.copy:
            self.copy_to_clipboard(document.render(message.form))
            copied = "Copied, and also "
        what = f"{copied}wrote {document.rows.height:,} rows to {path.name}"
        again = f"Again: {document.provenance['command']}"
        if len(again) > COMMAND_SHOWN:
            # The whole of it would cover the screen.
            again = f"{again[:COMMAND_SHOWN]} ... (the rest stands beside the rows)"
        self.notify(f"{clean(what[0].upper() + what[1:])}\n{clean(again)}", markup=False, timeout=10)

    # -- plain terminals

    def get_line_filters(self) -> "Sequence[LineFilter]":
        from inspector.plain import Plain

        return [*super().get_line_filters(), *([Plain()] if self.ascii_only else ())]

    def get_key_display(self, binding: Binding) -> str:
        from inspector.plain import plain_key

        shown = super().get_key_display(binding)
        return plain_key(shown) if self.ascii_only else shown

    # -- the palette

    def get_system_commands(self, screen: Screen[object]) -> "Iterable[SystemCommand]":
        """The palette: our own table of commands, then what Textual has beside them."""
        from inspector.commands import COMMANDS, RAIL
        from inspector.screens.base import InspectionScreen

        ours = []
        if isinstance(screen, InspectionScreen):
            ours = [*(RAIL if screen.rail_open else ()), *(one for one in COMMANDS if screen.NAME in one.screens)]
        for command in ours:
            yield SystemCommand(command.title, command.help, partial(screen.run_action, command.action))
        titles = {command.title for command in ours}
        yield from (command for command in super().get_system_commands(screen) if command.title not in titles)


def run_app(request: Request, *, ascii_only: bool = False, mouse: bool = True, demo: bool = False) -> int:
    """Open the app and return the exit code. Afterwards say, on the restored terminal, what there is to say."""
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        print(
            "Cannot open the app: this is no terminal. Use a command instead (prm-inspect --help), or demo --no-app.",
            file=sys.stderr,
        )
        return 2
    app = InspectApp(request, ascii_only=ascii_only)
    code = app.run(mouse=mouse)
    if app.failure:
        print(clean(app.failure), file=sys.stderr)
    elif demo and not app.return_code:
        from inspector.shell.invitation import invitation

        print(invitation(Path()))
    return app.return_code or code or 0
