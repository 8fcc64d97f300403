"""The base class of screens: state, threshold rail, controllers."""

from collections.abc import Sequence
from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.reactive import reactive
from textual.screen import Screen

from inspector.render.texts.text import clean
from inspector.screens.app_commands import AppCommands
from inspector.screens.arranging import Arranging
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.messages import Go, Inspected
from inspector.screens.panes import Panes
from inspector.screens.queueing import Queueing
from inspector.screens.scorer_focus import ScorerFocus
from inspector.screens.scoring_run import ScoringRun
from inspector.screens.screen_context import ScreenContext
from inspector.screens.screen_help import ScreenHelp
from inspector.screens.threshold_bar.threshold import ThresholdMove
from inspector.screens.two_keys import TwoKeys
from inspector.state.screen_state import ScreenState
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_line import KeyLine
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import Command
from inspector.widgets.key_table.footers import enter_titles, footer_of
from inspector.widgets.key_table.rail import RAIL
from inspector.widgets.line_scroll import Sized
from inspector.widgets.line_view import Rail
from inspector.widgets.textual_compat import Steady

SHORT = 16
"""Lines below which explanations make room for rows."""
_RAIL_ACTIONS = {command.action.partition("(")[0] for command in RAIL}


class AppScreen(Steady, Screen[None]):
    """A screen that shows a `ScreenState`.

    The screen shows `state` in `show_state`, at first that which it is constructed with. A key that changes it calls
    `put`, which shows the new value here at once, so that the next key starts from it, and tells the app.
    """

    NAME: ClassVar[str] = ""
    """The screen's name in the table of commands."""
    ABOUT: ClassVar[str] = ""
    """What it is for."""
    GUIDE: ClassVar[str] = "app"
    """The page of the guide about it."""
    MARKS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Marks that are its own, and what they mean."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT, "-tall")]  # noqa: RUF012  # Textual declares it without ClassVar

    # The constructor sets it: no screen ever has this default.
    state: reactive[ScreenState] = reactive(cast("ScreenState", None), init=False, repaint=False)

    arranging: Arranging[ControlledScreen] | None = None
    """Where the screen's table can be sorted and have other columns."""

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__()
        self.context = context
        self.set_reactive(AppScreen.state, state)
        self.threshold = ThresholdMove(self)
        self.two_keys = TwoKeys(self)
        self.scorer_focus = ScorerFocus(self)
        self.scoring = ScoringRun(self)
        self.app_commands = AppCommands(self)
        self.control(self.threshold, self.two_keys, self.scorer_focus, self.scoring, self.app_commands)
        self.panes = Panes(self)
        self.control(self.panes, Queueing(self), ScreenHelp(self))

    def control(self, *controllers: Controller[ControlledScreen]) -> None:
        """Give the screen the actions of its controllers, since Textual looks actions up on the screen.

        An action that the screen or an earlier controller has stays.
        """
        for controller in controllers:
            for name in dir(controller):
                if name.startswith("action_") and not hasattr(self, name):
                    setattr(self, name, getattr(controller, name))

    def compose_rail(self) -> ComposeResult:
        """Compose what comes last: how far a scoring run is, the rail and the footer."""
        yield from self.scoring.compose()
        rail = Rail(id="rail")
        rail.display = False
        yield rail
        yield KeyLine(footer_of(self.NAME), titles=enter_titles(self.NAME))

    def show_state(self, state: ScreenState) -> None:
        """Put the value on screen."""
        raise NotImplementedError

    def put(self, state: ScreenState) -> None:
        """Show a value that this screen made, and say so."""
        self.state = state
        self.post_message(Inspected(state))

    def watch_state(self, state: ScreenState) -> None:
        if self.is_mounted:
            self.show_state(state)
            self.threshold.show()

    def on_screen_suspend(self) -> None:
        """Forget a first key: no second one follows it once something else lay on top."""
        self.two_keys.forget()

    # -- the threshold

    @property
    def rail_open(self) -> bool:
        """Whether the threshold is being moved."""
        return self.threshold.moving

    @property
    def held(self) -> bool:
        """Whether there is a value to go back to, so that nobody else may put another one here."""
        return self.rail_open

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's own
        """Return whether a key works: those of the rail while it is open; what cannot be done now says why."""
        return self.rail_open if action in _RAIL_ACTIONS else True

    def close_rail(self) -> None:
        """Keep the threshold, if one is being moved: what is exported stands in its own order."""
        if self.rail_open:
            self.threshold.action_keep()

    def on_sized_resized(self, event: Sized.Resized) -> None:
        if isinstance(event.view, Rail):
            self.threshold.show()

    def on_rail_pointed(self, event: Rail.Pointed) -> None:
        self.threshold.point(event.place)

    # -- words

    def say(self, sentence: str) -> None:
        """Explain why a key did nothing."""
        self.notify(clean(sentence), markup=False)

    def say_done(self, sentence: str, *, failed: bool = False, brief: str = "") -> None:  # noqa: ARG002  # a toast has room
        """Say what was written, or why not; `brief` where there is little room."""
        self.notify(clean(sentence), severity="error" if failed else "information", markup=False)

    @property
    def commands(self) -> list[Command]:
        """What can be done here now, of the table of commands."""
        rail = RAIL if self.rail_open else ()
        return [*rail, *(command for command in COMMANDS if command.known_on(self.NAME))]

    def marks_here(self) -> Sequence[tuple[str, str]]:
        """Return the screen's own marks, and what they mean now."""
        return self.MARKS

    # -- the cases of the screen

    def listed(self, state: ScreenState) -> ScreenState | None:  # noqa: ARG002  # where there is a list, it is of this
        """Return what a queue is made of: the cases of a list, or those marked. None where there is no list."""
        return None

    def go_through(self, row: int) -> None:
        """Show a queue from this row id on."""
        self.post_message(Go("triage", row))

    # -- its table

    def on_frame_table_widths_changed(self) -> None:
        if self.arranging is not None:
            self.arranging.keep_widths()

    def on_frame_table_header_clicked(self, event: FrameTable.HeaderClicked) -> None:
        if self.arranging is not None:
            self.arranging.sort_by(event.column)
