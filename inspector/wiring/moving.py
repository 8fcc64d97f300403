"""Screens open on top of each other and close again."""

from typing import TYPE_CHECKING

from inspector.messages import Back, Go, Reads
from inspector.wiring.base import INSPECT, Wired

if TYPE_CHECKING:
    from inspector.screens.base import InspectionScreen


class Moving(Wired):
    """From the board to the cases to one case, and back."""

    def open(self, screen: "InspectionScreen") -> None:
        """Put a screen on top and hand it what it needs."""
        if self.remembered is not None:
            screen.remembered = self.remembered
        screen.keys = self.keys
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
        from inspector.screens.case import CaseScreen
        from inspector.screens.cases import CasesScreen

        front = self.front
        if front is not None and message.to == front.NAME:
            front.inspection = self.inspection
            return
        self.open(CaseScreen(self.brush(), message.row) if message.to == "case" else CasesScreen(self.brush()))

    def on_back(self, message: Back) -> None:
        """Close the screen on top; the first one stays, unless it was asked to leave."""
        from inspector.screens.base import InspectionScreen
        from inspector.screens.cases import CasesScreen

        if self.current_mode != INSPECT:
            # The key was pressed in the instant in which the terminal became too small to see what it does.
            return
        depth = sum(isinstance(screen, InspectionScreen) for screen in self.screen_stack)
        if depth <= 1:
            if message.top:
                self.exit(0)
            return
        for _ in range(depth - 1 if message.top else 1):
            self.pop_screen()
        below = self.screen
        self._hand_manner(below)
        if isinstance(below, CasesScreen) and message.row >= 0:
            below.come_back(message.row, self.inspection)
        elif isinstance(below, InspectionScreen):
            below.inspection = self.inspection
