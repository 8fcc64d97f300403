"""Where the terminal is too small for any screen, one that says so stands in their place."""

from typing import TYPE_CHECKING

from inspector.screens.too_small import too_small
from inspector.wiring.base import INSPECT, Wired

if TYPE_CHECKING:
    from textual.timer import Timer

SMALL = "too-small"
REST = 0.15
"""Seconds without another size after which the whole screen is written."""


class Fitting(Wired):
    """Goes to a mode of its own and back.

    Screens of the other mode are not told of sizes in which they cannot be laid out: they come back as they were.
    """

    _rest: "Timer | None" = None

    def on_mount(self) -> None:
        self.call_later(self._fit)

    def on_resize(self) -> None:
        # After Textual's own answer to it, when the new size is known.
        self.call_later(self._fit)
        # A terminal that shrank and grew again has lost cells although its size is what it was.
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST, self._write_all)

    def _write_all(self) -> None:
        self.screen.refresh(layout=True)

    def _fit(self) -> None:
        small = too_small(self.size)
        if small == (self.current_mode == SMALL):
            return
        while not small and len(self.screen_stack) > 1:
            # A dialog whose key was pressed in the same instant.
            self.pop_screen()
        self.switch_mode(SMALL if small else INSPECT)
