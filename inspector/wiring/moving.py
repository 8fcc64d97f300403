"""Screens open on top of each other and close again."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from textual.worker import get_current_worker

from inspector.analysis_list import summaries
from inspector.commands.command import ONE_CASE
from inspector.messages import Back, Go, Reads
from inspector.wiring.base import INSPECT, Wired

if TYPE_CHECKING:
    from inspector.screens.base import InspectionScreen
    from inspector.screens.case import CaseScreen


SCREENS = {
    "cases": "cases:CasesScreen",
    "case": "case:CaseScreen",
    "triage": "triage:TriageScreen",
    "taxonomy": "taxonomy:TaxonomyScreen",
}
"""The screens that open on top, by their names in the table of commands; the others are those of analyses.

An analysis that is called as one of these, such as `triage`, is seen where it is asked for by its command alone.
"""
AT_REST = 0.5
"""Seconds after the first screen stood there until the others are imported."""

ON_TOP = "card"
"""Of the screens of analysis, of which one takes the place of the other, the one that opens on top of any."""


class Moving(Wired):
    """From the board to the cases to one case, and to the screens of analysis, and back."""

    def get_ready(self) -> None:
        """Import the other screens while a person looks at the first one, so that no key waits for that."""
        self.set_timer(AT_REST, partial(self.run_worker, self._import, thread=True, group="import"))

    def _import(self) -> None:
        """In a thread."""
        worker = get_current_worker()
        for name in dict.fromkeys((*SCREENS, *summaries())):
            if not worker.is_cancelled:
                _kind(name)

    def open(self, screen: "InspectionScreen") -> None:
        """Put a screen on top and hand it what it needs."""
        if self.remembered is not None:
            screen.remembered = self.remembered
        screen.keys, screen.visit = self.keys, self.visit
        self._hand_manner(screen)
        screen.inspection = self.inspection
        self.push_screen(screen, mode=INSPECT)

    def _hand_manner(self, screen: object) -> None:
        from inspector.screens.reading import ReadingScreen

        if isinstance(screen, ReadingScreen) and self.manner is not None:
            screen.reading = self.manner

    def on_reads(self, message: Reads) -> None:
        """A person changed how cases are shown."""
        self.manner = message.manner

    def on_go(self, message: Go) -> None:
        """Open a screen on top; of keys typed ahead, the second asks for what is there already."""
        if self._in_front(message.to, message.row) or (message.beneath and self._uncover(message)):
            return
        while _of_numbers(message.to) and message.to != ON_TOP and self.front and _of_numbers(self.front.NAME):
            # They stand beside each other: one goes back from any of them to where the first was opened.
            self.pop_screen()
            if self._in_front(message.to, message.row):
                return
        self.open(self._screen(message.to, message.row))

    def _uncover(self, message: Go) -> bool:
        """Close what lies on the nearest screen of a name; whether there is one."""
        from inspector.screens.base import InspectionScreen

        if message.to not in (screen.NAME for screen in self.screen_stack if isinstance(screen, InspectionScreen)):
            return False
        while self.front is not None and message.to != self.front.NAME:
            self.pop_screen()
        self._arrive(message.row)
        return True

    def _in_front(self, name: str, row: int) -> bool:
        """Whether this screen is on top; then it shows what is in focus, and that of one case turns to this one."""
        front = self.front
        if front is None or name != front.NAME:
            return False
        front.inspection = self.inspection
        if name == "case" and row >= 0:
            cast("CaseScreen", front).turn_to(row)
        return True

    def _screen(self, name: str, row: int) -> "InspectionScreen":
        """A new screen of this name."""
        made = _kind(name)
        screen: InspectionScreen = made(self.brush(), row) if name in ONE_CASE else made(self.brush())
        return screen

    def on_back(self, message: Back) -> None:
        """Close the screen on top; the first one stays, unless it was asked to leave."""
        from inspector.screens.base import InspectionScreen

        if self.current_mode != INSPECT:
            # The key was pressed in the instant in which the terminal became too small to see what it does.
            return
        depth = sum(isinstance(screen, InspectionScreen) for screen in self.screen_stack)
        if depth <= 1:
            if message.top:
                self.leave()
            return
        for _ in range(depth - 1 if message.top else 1):
            self.pop_screen()
        self._arrive(message.row)

    def _arrive(self, row: int) -> None:
        """Show what there is now on the screen that came to light; on the list with the cursor on a case."""
        from inspector.screens.base import InspectionScreen
        from inspector.screens.cases import CasesScreen

        below = self.screen
        self._hand_manner(below)
        if isinstance(below, CasesScreen) and row >= 0:
            below.come_back(row, self.inspection)
        elif isinstance(below, InspectionScreen):
            below.inspection = self.inspection


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
