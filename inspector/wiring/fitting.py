"""Where the terminal is too small for any screen, one that says so stands in their place."""

import os
import sys
from typing import TYPE_CHECKING

from textual.events import Resize
from textual.geometry import Size

from inspector.screens.too_small import too_small
from inspector.wiring.base import INSPECT, Wired

if TYPE_CHECKING:
    from textual.timer import Timer

SMALL = "too-small"
REST = 0.15
"""Seconds without another size after which the terminal is asked for its own."""


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
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST, self._settle)

    def _settle(self) -> None:
        """When sizes have stopped coming: the terminal's own, and every cell of it.

        Textual 8.2 reads the size in a signal handler, which another signal may interrupt: then the older size is told
        last. And a terminal that shrank and grew again has lost cells although its size is what it was.
        """
        size = terminal_size()
        if size is not None and size != self.size and not self.is_headless:
            self.post_message(Resize(size, size))
        elif self.screen_stack:  # none is left while the app ends
            self.screen.refresh(layout=True)

    def _fit(self) -> None:
        small = too_small(self.size)
        if small == (self.current_mode == SMALL):
            return
        while not small and len(self.screen_stack) > 1:
            # A dialog whose key was pressed in the same instant.
            self.pop_screen()
        self.switch_mode(SMALL if small else INSPECT)


def terminal_size() -> Size | None:
    """Columns and lines of the terminal that is written to; None where there is none."""
    if sys.__stdout__ is None:
        return None
    try:
        return Size(*os.get_terminal_size(sys.__stdout__.fileno()))
    except (OSError, ValueError):
        return None
