"""The app: it loads the workspace and shows it; what else it does lies in `inspector.wiring`, one duty a file.

Nothing of weight is imported before the first paint: polars, numpy and the screens come in the loading thread.
"""

import gc
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import Console
from textual.app import App

from inspector.messages import Failed, Go, Import, Loaded
from inspector.request import Request
from inspector.screens.loading import LoadingScreen
from inspector.screens.too_small import TooSmall
from inspector.terminal.themes import usual_theme
from inspector.text import clean
from inspector.visit import HERE, Visit
from inspector.wiring.appearance import Appearance
from inspector.wiring.base import INSPECT
from inspector.wiring.case_scoring import CaseScoring
from inspector.wiring.ending import Ending, leave_behind, run
from inspector.wiring.fitting import SMALL, Fitting
from inspector.wiring.following import Following
from inspector.wiring.key_order import KeyOrder
from inspector.wiring.keys import OwnKeys
from inspector.wiring.logging import Logging
from inspector.wiring.moving import Moving
from inspector.wiring.palette import Palette
from inspector.wiring.pasting import Pasting
from inspector.wiring.remembering import Remembering
from inspector.wiring.saving import Saving
from inspector.wiring.scoring_runs import ScoringRuns
from inspector.wiring.titling import Titling
from inspector.wiring.triage import FollowingTriage
from inspector.wiring.visiting import Visiting

if TYPE_CHECKING:
    from textual.command import Provider

FULL_COLLECTION = 100
"""How many middle collections of garbage make a full one."""


def found_places() -> "type[Provider]":
    """Give what finds benchmarks, scorers and cases; it is imported when the palette opens."""
    from inspector.screens.places import Places

    return Places


class InspectApp(
    # Before all that does something.
    Visiting,
    Logging,
    Moving,
    Ending,
    Fitting,
    Following,
    FollowingTriage,
    ScoringRuns,
    # After `Following`, whose answers it looks at.
    CaseScoring,
    Saving,
    Titling,
    Remembering,
    Appearance,
    OwnKeys,
    Palette,
    Pasting,
    KeyOrder,
):
    """The terminal inspector."""

    CSS_PATH = "inspector.tcss"
    TITLE = "prm-inspect"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = App.COMMANDS | {found_places}  # Textual declares it
    DEFAULT_MODE = INSPECT
    MODES: ClassVar = {INSPECT: LoadingScreen, SMALL: TooSmall}

    failure = ""
    """Why nothing could be shown."""

    def on_mount(self) -> None:
        self.call_after_refresh(self._load)

    def _load(self) -> None:
        self.run_worker(self._read, thread=True, exit_on_error=True)

    def _read(self) -> None:
        """In a thread: import what is heavy, read the workspace, decide."""
        from inspector.first_inspection import inspect
        from inspector.screens import board, case, cases  # noqa: F401  # imported here so that opening them is instant
        from inspector.selection import load
        from inspector.session import log, showing, starting  # noqa: F401  # as these
        from scoring.errors import InspectError

        if self.request.plugins:
            from scoring.own_code import listen

            listen(self._tell_of_slow_code)
        try:
            selection = load(self.request)
            remembered = self.recall(selection)
            self.post_message(Loaded(selection, self.as_left(inspect(selection), remembered.left), remembered))
        except InspectError as error:
            self.post_message(Failed(str(error)))

    def _tell_of_slow_code(self, sentence: str) -> None:
        """In a thread: say what is being waited for, while there is a screen to say it on."""
        with suppress(RuntimeError):
            self.call_from_thread(self.notify, clean(sentence), severity="warning", markup=False, timeout=15)

    def on_failed(self, message: Failed) -> None:
        """Nothing can be shown: leave, and say why where it stays readable."""
        self.failure = message.sentence
        self.exit(2)

    def on_import(self, message: Import) -> None:  # noqa: ARG002  # it says no more
        """Ask which file, and import it."""
        # Imported only for who asks: the app starts sooner.
        from inspector.wiring.importing import ask_for_file

        ask_for_file(self)

    def on_loaded(self, message: Loaded) -> None:
        """Open the board, or the cases where there is no scorer."""
        from inspector.screens.board import BoardScreen

        self.inspection, self.remembered = message.inspection, message.remembered
        self.follow_keymap()
        self.entitle(message.inspection)
        self.open(BoardScreen(self.brush()))
        if message.inspection.scorer is None:
            self.on_go(Go("cases"))
        # What is loaded stays: the collector need not go through it again while keys are pressed. Nor now: all of it
        # would be a fifth of a second before the first key, for the little garbage that loading leaves.
        gc.collect(1)
        gc.freeze()
        self.follow(message.selection)
        self.follow_triage()
        self.remember()
        self.get_ready()
        for problem in message.selection.problems:
            self.notify(clean(problem), severity="warning", markup=False, timeout=15)


def run_app(
    request: Request,
    *,
    ascii_only: bool = False,
    mouse: bool = True,
    session_log: bool = True,
    demo: bool = False,
    visit: Visit = HERE,
) -> int:
    """Open the app and return the exit code. Afterwards say, on the restored terminal, what there is to say.

    For a visitor Textual is to find the driver for browsers in the environment: see `inspector.serving.visitor`.
    """
    if not visit.who and not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(
            "Cannot open the app: this is no terminal. Use a command instead (prm-inspect --help), or demo --no-app.",
            file=sys.stderr,
        )
        return 2
    from platformdirs import user_config_path, user_state_path

    state = visit.state_folder(user_state_path("prm-inspect", appauthor=False))
    # What rich finds out about the terminal is what Textual will write.
    usual = usual_theme(Console(force_terminal=True).color_system)
    config = user_config_path("prm-inspect", appauthor=False)
    # A full one takes 45 ms, in which no key is answered; by default there is one in some sixteen pages.
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION)
    app = InspectApp(request, ascii_only=ascii_only, state=state, config=config, theme=usual)
    app.visit = visit
    if session_log:
        app.sessions = state / "sessions"
    code = run(app, mouse=mouse)
    if said := app.crash or app.failure or app.farewell:
        # The terminal may be what is lost.
        with suppress(OSError):
            print(clean(said), file=sys.stderr, flush=True)
    elif demo and not code:
        from inspector.shell.invitation import invitation

        print(invitation(Path()))
    return leave_behind(code)
