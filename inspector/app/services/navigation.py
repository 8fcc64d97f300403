"""Screens open on top of each other and close again; where the terminal is too small for any, one says so instead."""

from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from textual.worker import get_current_worker

from inspector.app.services.command_access import Keys
from inspector.app.services.host import ServiceHost
from inspector.app.services.saving import SavingService
from inspector.render.analysis_list import summaries
from inspector.screens.loading import too_small
from inspector.screens.messages import Go
from inspector.widgets.key_table.command import ONE_CASE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.screen import Screen

    from inspector.case_page.open_case import DisplayOptions
    from inspector.screens.base import AppScreen
    from inspector.screens.case import CaseScreen
    from inspector.screens.screen_context import ScreenContext

INSPECT = "inspect"
"""The mode in which all screens are but the one that says that the terminal is too small."""
SMALL = "too-small"
"""The mode of that one."""
SCREENS = {
    "cases": "cases:CasesScreen",
    "case": "case:CaseScreen",
    "triage": "triage:TriageScreen",
    "taxonomy": "taxonomy:TaxonomyScreen",
}
"""The screens that open on top, by their names in the table of commands; the others are those of analyses.

An analysis that is called as one of these, such as `triage`, is seen where it is asked for by its command alone.
"""
AT_REST = 0.3
"""Seconds after the first screen stood there until the others are imported."""

ON_TOP = "card"
"""Of the screens of analysis, of which one takes the place of the other, the one that opens on top of any."""


class Navigation:
    """Goes from the board to the cases to one case, and to the screens of analysis, and back.

    `display` is how cases are shown, on every screen: None until a person changes it.
    """

    def __init__(self, host: ServiceHost, keys: Keys, saving: SavingService) -> None:
        self._host, self._keys, self._saving = host, keys, saving
        self.display: DisplayOptions | None = None

    @property
    def screens(self) -> "list[AppScreen]":
        """Those that show the value, the first one first."""
        return _inspecting(self._host.app.get_screen_stack(INSPECT))

    def import_screens(self) -> None:
        """Import the other screens while a person looks at the first one, so that no key waits for that."""
        at_rest = partial(self._host.app.set_timer, AT_REST, partial(self._host.run_in_thread, self._import, "import"))
        self._host.app.call_after_refresh(at_rest)

    def _import(self) -> None:
        """In a thread."""
        worker = get_current_worker()
        for name in dict.fromkeys((*SCREENS, *summaries())):
            if not worker.is_cancelled:
                _kind(name)

    def open_board(self) -> None:
        """Open the first screen, or the cases where there is no scorer."""
        from inspector.screens.board import BoardScreen

        self._open(BoardScreen(self._context, self._host.state))
        if self._host.state.focus.scorer is None:
            self.go(Go("cases"))

    def _open(self, screen: "AppScreen") -> None:
        """Put a screen on top."""
        self._hand_manner(screen)
        self._host.app.push_screen(screen, mode=INSPECT)

    def _hand_manner(self, screen: object) -> None:
        from inspector.screens.reading import ReadingScreen
        from inspector.screens.sheet import SheetScreen

        if isinstance(screen, ReadingScreen) and self.display is not None:
            screen.reading = self.display
        elif isinstance(screen, SheetScreen):
            screen.is_blind = self.display is not None and self.display.blind

    def go(self, message: Go) -> None:
        """Open a screen on top; of keys typed ahead, the second asks for what is there already."""
        if self._in_front(message.to, message.row) or (message.beneath and self._uncover(message)):
            return
        beside = _of_numbers(message.to) and message.to != ON_TOP
        while beside and self._host.front is not None and _of_numbers(self._host.front.NAME):
            # They stand beside each other: one goes back from any of them to where the first was opened.
            self._host.app.pop_screen()
            if self._in_front(message.to, message.row):
                return
        self._open(self._screen(message.to, message.row))

    def _uncover(self, message: Go) -> bool:
        """Close what lies on the nearest screen of a name; whether there is one."""
        if message.to not in (screen.NAME for screen in _inspecting(self._host.app.screen_stack)):
            return False
        while self._host.front is not None and message.to != self._host.front.NAME:
            self._host.app.pop_screen()
        self._arrive(message.row)
        return True

    def _in_front(self, name: str, row: int) -> bool:
        """Whether this screen is on top; then it shows what is in focus, and that of one case turns to this one."""
        front = self._host.front
        if front is None or name != front.NAME:
            return False
        front.state = self._host.state
        if name == "case" and row >= 0:
            cast("CaseScreen", front).turn_to(row)
        return True

    def _screen(self, name: str, row: int) -> "AppScreen":
        made, shared = _kind(name), (self._context, self._host.state)
        screen: AppScreen = made(*shared, row) if name in ONE_CASE else made(*shared)
        return screen

    @cached_property
    def _context(self) -> "ScreenContext":
        """What all screens share; known as soon as the first one is to open."""
        from inspector.render.charts.glyphs import Glyphs
        from inspector.screens.screen_context import ScreenContext

        host = self._host
        path = None if host.visit.who else self._saving.place
        glyphs = Glyphs(host.ascii_only)
        return ScreenContext(glyphs, host.remembered, self._keys.words, host.visit, path, host.message_history)

    def back(self, row: int) -> None:
        """Close the screen on top, unless it is the first; `row` is the case that was shown last, -1 for none."""
        # Elsewhere the key was pressed in the instant in which the terminal became too small to see what it does.
        if self._host.app.current_mode == INSPECT and len(_inspecting(self._host.app.screen_stack)) > 1:
            self._host.app.pop_screen()
            self._arrive(row)

    def close_all_above(self) -> None:
        """Close every screen but the first."""
        first = _inspecting(self._host.app.screen_stack)[0]
        while self._host.app.screen is not first:
            self._host.app.pop_screen()

    def _arrive(self, row: int) -> None:
        """Show what there is now on the screen that came to light; on the list with the cursor on a case."""
        from inspector.screens.base import AppScreen
        from inspector.screens.cases import CasesScreen

        below = self._host.app.screen
        self._hand_manner(below)
        if isinstance(below, CasesScreen) and row >= 0:
            below.come_back(row, self._host.state)
        elif isinstance(below, AppScreen):
            below.state = self._host.state

    def fit(self) -> None:
        """Go to the mode of a terminal that is too small, or back from it.

        Screens of the other mode are not told of sizes in which they cannot be laid out: they come back as they were.
        """
        app, small = self._host.app, too_small(self._host.app.size)
        if small == (app.current_mode == SMALL):
            return
        while not small and len(app.screen_stack) > 1:
            # A dialog whose key was pressed in the same instant.
            app.pop_screen()
        app.switch_mode(SMALL if small else INSPECT)


def _inspecting(screens: "Sequence[Screen[Any]]") -> "list[AppScreen]":
    from inspector.screens.base import AppScreen

    return [screen for screen in screens if isinstance(screen, AppScreen)]


def _of_numbers(name: str) -> bool:
    """Tell whether a screen is that of an analysis."""
    return name not in {"board", "cases", *ONE_CASE}


def _kind(name: str) -> Any:
    """The class of a screen, imported now if it was not yet."""
    if name not in SCREENS:
        from inspector.screens.analysis import screen_of

        return screen_of(name)
    module, _, kind = SCREENS[name].partition(":")
    return getattr(import_module(f"inspector.screens.{module}"), kind)
