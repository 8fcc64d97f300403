"""The app: it reads the workspace, shows it, and says what each message does, in which order.

How it is done lies in `inspector.app.services`, one duty a file, and in `inspector.widgets.textual_compat`. Nothing of
weight is imported before the first paint: polars, numpy and the screens come in the loading thread.
"""

import gc
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import Console
from textual.actions import parse
from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Event, Key, Paste

from inspector.app.services.command_access import Appearance, Keys, palette_commands
from inspector.app.services.following import Following
from inspector.app.services.navigation import INSPECT, SMALL, Navigation
from inspector.app.services.remembering import Remembering, as_left
from inspector.app.services.saving import SavingService
from inspector.app.services.scoring_processes import ScoringProcesses
from inspector.render.texts.text import clean
from inspector.screens import messages
from inspector.screens.dialog import copy_or_quit
from inspector.screens.loading import LoadingScreen, TooSmall
from inspector.state.message_history import MessageHistory
from inspector.state.visit import HERE, Visit
from inspector.widgets.key_table.command import QUIT
from inspector.widgets.textual_compat import (
    AT_ONCE,
    KeyOrder,
    SizeCheck,
    catch_signals,
    heedful_driver,
    inert_pastes,
    leave_behind,
    orderly_driver,
    run,
)
from inspector.widgets.themes import DEFAULT, Themed, usual_theme
from scoring.selection.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rich.console import RenderableType
    from textual.actions import ActionParseResult
    from textual.app import SystemCommand
    from textual.command import Provider
    from textual.dom import DOMNode
    from textual.driver import Driver
    from textual.notifications import SeverityLevel
    from textual.screen import Screen

    from inspector.screens.base import AppScreen
    from inspector.state.remembered import RememberedState
    from inspector.state.screen_state import ScreenState

FULL_COLLECTION = 100
"""How many middle collections of garbage make a full one."""
DONE = 30
"""Actions that the log of a fault tells."""


def found_places() -> "type[Provider]":
    """Return what finds benchmarks, scorers and cases; it is imported when the palette opens."""
    from inspector.screens.palette import PlacesProvider

    return PlacesProvider


class InspectApp(Themed[int]):
    """The terminal inspector.

    `state` is the value that is shown and `remembered` how the workspace was left, from when it has been read.
    """

    CSS_PATH = "inspector.tcss"
    TITLE = "prm-inspect"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = App.COMMANDS | {found_places}  # Textual declares it
    DEFAULT_MODE = INSPECT
    MODES: ClassVar = {SMALL: TooSmall}
    BINDINGS: ClassVar[list[BindingType]] = [
        copy_or_quit("copy_or_quit"),
        Binding("ctrl+z", "suspend_process", "Suspend: back to the shell, until fg", show=False, id="suspend"),
    ]

    state: "ScreenState"
    remembered: "RememberedState"
    failure = ""
    """Why nothing could be shown."""
    crash = ""
    """What to say of the fault that ended the app."""

    def __init__(
        self,
        query: Query,
        *,
        ascii_only: bool = False,
        folder: Path | None = None,
        state_folder: Path | None = None,
        config: Path | None = None,
        theme: str = DEFAULT,
        visit: Visit = HERE,
    ) -> None:
        """`folder` is where exports go, the current one by default; how one left is remembered in `state_folder`.

        Without `state_folder` nothing is read from there and nothing written. `config` is the folder of a person's
        settings. `theme` is the theme if none was chosen before. `visit` names the visitor and what they may do; every
        action asks it first.
        """
        super().__init__(state_folder=state_folder, theme=theme, ascii_only=ascii_only)
        self.add_mode(INSPECT, lambda: LoadingScreen(self.remembering.first_frame))
        self.initial_query = query
        self.visit, self.message_history = visit, MessageHistory()
        self.folder = folder or Path()
        self.state_folder, self.config = state_folder, config
        self.keys = Keys(self)
        self.saving = SavingService(self)
        self.navigation = Navigation(self, self.keys, self.saving)
        self.following = Following(self, self.navigation)
        self.scoring = ScoringProcesses(self, self.keys, self.navigation, self.following)
        self.remembering = Remembering(self)
        self.appearance = Appearance(self)
        self.key_order = KeyOrder(self, super().on_event, self.keys.is_second)
        self.size_check = SizeCheck(self)
        self._done: deque[str] = deque(maxlen=DONE)
        self._early: list[Event] | None = []
        """What was typed before there was a screen to take it; None once there is one."""
        self._code: int | None = None
        """What it was told to exit with; None while it goes on."""

    # -- the beginning and the end

    def on_mount(self) -> None:
        """Paint something, then read the workspace."""
        self.call_after_refresh(self._load)
        if not self.is_headless:
            catch_signals(self._end)
        self.call_later(self.navigation.fit)
        self.appearance.keep_theme()

    def _load(self) -> None:
        self.run_worker(self._read, thread=True, description="read")

    def _read(self) -> None:
        """In a thread: import what is heavy, read the workspace, decide."""
        from inspector.analyses._own import load_own
        from inspector.screens import board  # noqa: F401  # imported here so that opening it is instant
        from inspector.state.opening import inspect
        from inspector.state.processes.scoring_words import progress_words
        from scoring.data.errors import InspectError
        from scoring.data.progress import told_to
        from scoring.selection.loading import load

        if self.initial_query.plugins:
            from scoring.data.own_code import listen

            listen(self._tell_of_slow_code)
        began = time.monotonic()

        def heard(done: int, to_do: int, what: str, unit: str) -> None:
            words = progress_words(done, to_do, what, time.monotonic() - began, unit)
            with suppress(RuntimeError):
                self.call_from_thread(self._tell_of_reading, words)

        try:
            with told_to(heard):
                load_own(self.initial_query.plugins)
                results = load(self.initial_query)
            remembered = self.remembering.recall(results)
            state = as_left(inspect(results), remembered.left, chosen=bool(self.initial_query.scorers))
            self.call_later(self._begin, state, remembered)
        except InspectError as error:
            self.call_later(self._fail, str(error))

    def _tell_of_slow_code(self, sentence: str) -> None:
        """In a thread: say what is being waited for, while there is a screen to say it on."""
        with suppress(RuntimeError):
            self.call_from_thread(self.warn, sentence)

    def _tell_of_reading(self, words: str) -> None:
        """Say how far reading is, on the screen that waits for it."""
        if isinstance(self.screen, LoadingScreen):
            self.screen.say(words)

    def _fail(self, sentence: str) -> None:
        """Nothing can be shown: leave, and say why where it stays readable."""
        self.failure = sentence
        self.exit(2)

    def _begin(self, state: "ScreenState", remembered: "RememberedState") -> None:
        """Show what was read, then begin with everything that goes on beside that."""
        self.state, self.remembered = state, remembered
        self.keys.follow_keymap(self.config)
        self.appearance.entitle(state)
        self.navigation.open_board()
        (self.front or self).call_after_refresh(self._catch_up)
        # What is loaded stays: the collector need not go through it again while keys are pressed.
        gc.freeze()
        self.following.begin(state.results)
        self.remembering.begin(state.results)
        self.navigation.import_screens()
        for problem in state.results.problems:
            self.warn(problem)

    async def _catch_up(self) -> None:
        """Do what was typed meanwhile, in its order."""
        early, self._early = self._early, None
        for event in early or ():
            await self.key_order.take(event)

    def on_unmount(self) -> None:
        """End what goes on beside, and give back what is the terminal's."""
        self.scoring.end()
        self.appearance.give_title_back()
        self.remembering.save()

    # -- what screens say

    def on_inspected(self, message: messages.Inspected) -> None:
        self.state = message.state
        self.appearance.entitle(message.state)
        self.remembering.keep_focus(message.state)

    def on_reads(self, message: messages.Reads) -> None:
        self.navigation.display = message.display

    def on_go(self, message: messages.Go) -> None:
        self.navigation.go(message)

    def on_back(self, message: messages.Back) -> None:
        self.navigation.back(message.row)
        self.following.look_for_labels()

    def on_export(self, message: messages.Export) -> None:
        self.saving.export(message)

    def on_copy(self, message: messages.Copy) -> None:
        self.saving.copy_text(message)

    def on_import(self, _: messages.Import) -> None:
        if self._refused(self.visit.refusal("import")):
            return
        # Imported only for who asks: the app starts sooner.
        from inspector.app.services.importing import FileImport

        FileImport(self, self.navigation, self.following).ask()

    def on_score(self, message: messages.Score) -> None:
        if not self._refused(self.visit.refused_run(message.model, message.flags)):
            self.scoring.start_run(message)

    def on_stop_scoring(self, _: messages.StopScoring) -> None:
        self.scoring.stop_run()

    def on_score_case(self, message: messages.ScoreCase) -> None:
        # Where the weights of a scorer lie is known to the workspace: nobody has typed it.
        typed = "" if "scorer" in message.prm else str(message.prm["model"])
        if refusal := self.visit.refused_model(typed):
            # Whoever asked waits for an answer.
            message.answer({"event": "failed", "error": {"sentence": refusal, "next_step": ""}})
        else:
            self.scoring.score_case(message)

    def on_new_rewards(self, message: messages.NewRewards) -> None:
        self.following.look_through(message.scorer)

    # -- what comes from the terminal

    async def on_event(self, event: Event) -> None:
        """Clean what is pasted before any widget sees it, and keep keys until their turn."""
        if isinstance(event, Paste) and not event.is_forwarded:
            event = Paste(clean(event.text, lines=True))
        if self._early is not None and self._comes_early(event, self._early):
            self._early.append(event)
        else:
            await self.key_order.take(event)

    def _comes_early(self, event: Event, before: "Sequence[Event]") -> bool:
        """Whether this is typed for a screen that is not there yet; `before` is what else was."""
        if isinstance(event, Key) and (event.key in AT_ONCE or (event.key == QUIT and not before)):
            return False
        return isinstance(event, (Key, Paste)) and bool(self.screen_stack) and not isinstance(self.screen, TooSmall)

    def on_key(self, event: Key) -> None:
        self.keys.answer(event)

    def on_resize(self) -> None:
        """Fit the size, after Textual's own answer to it, when it is known; and check it when no other comes."""
        self.call_later(self.navigation.fit)
        self.size_check.soon()

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: "DOMNode | None" = None,
        namespaces: "Mapping[str, DOMNode] | None" = None,
    ) -> bool:
        """Do the action, unless this person may not do it, and keep its name for the crash log.

        It waits for a screen that is still to come up: closed before, a screen does not find what it is made of.
        """
        if self.screen_stack and not self.screen.is_mounted:
            return self.screen.call_later(self.run_action, action, default_namespace, namespaces)
        if self._refused(self.visit.refusal((parse(action) if isinstance(action, str) else action)[1])):
            return True
        done = await super().run_action(action, default_namespace, namespaces)
        if done and isinstance(action, str):
            self._done.append(f"{type(default_namespace or self).__name__}: {action}")
        return done

    def _refused(self, refusal: str) -> bool:
        """Tell why something is not for this person; whether there was anything to tell."""
        if refusal:
            self.tell(refusal, "warning")
        return bool(refusal)

    # -- how it ends

    async def action_copy_or_quit(self) -> None:
        """Copy the text selected with the mouse; quit if no text is selected."""
        if selected := self.screen.get_selected_text():
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        else:
            await self.run_action("quit")

    async def action_quit(self) -> None:
        """Quit; while a run is on it is asked first what becomes of it, and once more means to stop it."""
        self.scoring.leave()

    def _end(self, code: int) -> None:
        # The first of several signals says why it ends.
        if self._code is None:
            self.exit(return_code=code)

    def exit(self, result: int | None = None, return_code: int = 0, message: "RenderableType | None" = None) -> None:
        """End in good order, with this code whatever fails on the way."""
        self._code = return_code
        super().exit(result, return_code, message)

    def _fatal_error(self) -> None:
        """Textual's way out after a fault. Where there is a state folder a log goes there instead of to the screen."""
        if self._code is not None:
            # A screen that was just opened never gets its widgets then, and misses them.
            self._return_code = self._code
        elif self.state_folder is None:
            super()._fatal_error()
            return
        elif not self.crash:
            from inspector.app.terminal.crash_log import log_fault

            self.crash = log_fault(self._facts(), self._done, self.state_folder)
        self._close_messages_no_wait()

    def _facts(self) -> dict[str, object]:
        """What the log of a fault says of the app."""
        front = self.front
        return {
            "size": f"{self.size.width}x{self.size.height}",
            "theme": self.theme,
            "ascii": self.ascii_only,
            "screen": type(self.screen).__name__ if self.screen_stack else "none",
            "cases": front.state.cases.height if front else "not read",
            "scorers": len(front.state.results.evaluations) if front else "not read",
        }

    # -- what Textual asks

    def get_driver_class(self) -> "type[Driver]":
        # Pastes first: `inert_pastes` finds the parser by the module of the driver class.
        return heedful_driver(orderly_driver(inert_pastes(super().get_driver_class())))

    @property
    def message_key(self) -> str:
        """Return the key that lists past messages in full."""
        return self.keys.words.of("messages")

    def get_key_display(self, binding: Binding) -> str:
        return self.keys.display(binding.key) or "(no key)"

    def get_system_commands(self, screen: "Screen[object]") -> "Iterable[SystemCommand]":
        """List our own commands first, then what Textual has beside them."""
        ours = list(palette_commands(self.app, self.keys.words, screen))
        titles = {command.title for command in ours}
        return [*ours, *(entry for entry in super().get_system_commands(screen) if entry.title not in titles)]

    def action_command_palette(self) -> None:
        from inspector.screens.palette import SteadyPalette

        if self.use_command_palette and not isinstance(self.screen, SteadyPalette):
            self.push_screen(SteadyPalette(id="--command-palette"))

    def search_themes(self) -> None:
        from inspector.screens.palette import SteadyPalette, Themes

        self.push_screen(SteadyPalette(providers=[Themes], placeholder="Search for themes"))

    def open_url(self, url: str, *, new_tab: bool = True) -> None:  # noqa: ARG002  # Textual's own
        """Open a link in the user's browser; for visitors it would open on the server, so they see the address."""
        from inspector.state.programs import ProgramRefused, open_link

        try:
            open_link(self.visit, url)
        except ProgramRefused as refused:
            self.tell(f"{refused} The link is {url}", "warning")

    def run_editor(self, words: "Sequence[str]") -> None:
        """Run the user's editor and wait for it. Raises OSError, also for visitors: it would run on the server."""
        from inspector.state.programs import run_program

        run_program(self.visit, words)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy what a person has marked in a line in which they type."""
        self.saving.copy(text, f"Copied {len(text):,} characters", "Too long to copy")

    # -- what services ask

    @property
    def has_acted(self) -> bool:
        """Whether a person has done anything yet."""
        return bool(self._done)

    @property
    def front(self) -> "AppScreen | None":
        """The screen that shows the value, though a dialog may lie on it; None before there is one."""
        screens = self.navigation.screens
        return screens[-1] if screens else None

    @property
    def held(self) -> bool:
        """Whether nobody may put another value on screen now: under somebody's moving threshold or search."""
        front = self.front
        return front is None or front.held

    def put(self, state: "ScreenState") -> None:
        """Show a value that no screen made."""
        self.state = state
        if self.front is not None:
            self.front.state = state

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: "SeverityLevel" = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a message in a corner of the screen for a few seconds, and keep it in the history."""
        self.message_history.keep(f"{title}: {message}" if title else message, severity)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    def tell(
        self,
        sentence: str,
        severity: "SeverityLevel" = "information",
        *,
        title: str = "",
        lines: bool = False,
    ) -> None:
        """Show a message in a corner of the screen, from any thread; markup in its text has no effect.

        With `lines` it keeps its line breaks.
        """
        message = clean(sentence, lines=lines)
        self.notify(message, title=title, severity=severity, markup=False)

    def warn(self, sentence: str, *, title: str = "") -> None:
        """Show a warning."""
        self.tell(sentence, "warning", title=title)

    def run_in_thread(self, work: "Callable[[], object]", group: str, *, exclusive: bool = False) -> None:
        """Do what would stop the keys in a thread; with `exclusive` others of its group are cancelled."""
        # Without a description Textual makes one of all that the work is given.
        self.run_worker(work, thread=True, group=group, description=group, exclusive=exclusive)

    def write(self, sequence: str) -> None:
        """Ask the terminal for something, where there is one."""
        if self._driver is not None:
            self._driver.write(sequence)


def run_app(
    query: Query,
    *,
    ascii_only: bool = False,
    mouse: bool = True,
    demo: bool = False,
    visit: Visit = HERE,
) -> int:
    """Open the app and return the exit code. Afterwards say, on the restored terminal, what there is to say.

    For a visitor Textual is to find the driver for browsers in the environment: see `inspector.cli.serving.visitor`.
    """
    if not visit.who and not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(
            "Cannot open the app: this is not a terminal. Use a command (see prm-inspect --help), or demo --no-app.",
            file=sys.stderr,
        )
        return 2
    from platformdirs import user_config_path, user_state_path

    state_folder = visit.state_folder(user_state_path("prm-inspect", appauthor=False))
    # What rich finds out about the terminal is what Textual will write.
    usual = usual_theme(Console(force_terminal=True).color_system)
    config = user_config_path("prm-inspect", appauthor=False)
    # A full one takes 45 ms, in which no key is answered; by default there is one in some sixteen pages.
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION)
    app = InspectApp(
        query,
        ascii_only=ascii_only,
        state_folder=state_folder,
        config=config,
        theme=usual,
        visit=visit,
    )
    code = run(app, mouse=mouse)
    if "scoring.workspace.remote" in sys.modules:
        from scoring.workspace.workspace_place import sent

        code = sent(code, lambda sentence: print(clean(sentence), file=sys.stderr, flush=True))
    if message := app.crash or app.failure or app.scoring.farewell:
        # The terminal may be what is lost.
        with suppress(OSError):
            print(clean(message), file=sys.stderr, flush=True)
    elif demo and not code:
        from inspector.app.invitation import invitation

        print(invitation(Path()))
    return leave_behind(code)
