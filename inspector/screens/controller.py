"""What a screen is made of beside its widgets: a controller for each of its concerns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from inspector.screens.base import AppScreen
    from inspector.state.screen_state import ScreenState


class Controller:
    """One concern of a screen: its state, and the actions that keys name for it.

    A screen lists its controllers in `controllers`; an action that it has not itself is looked for there, in that
    order. What a thread found comes back by `screen.call_later`, which may be called from any thread.
    """

    screen: "AppScreen"

    def __init__(self, screen: "AppScreen") -> None:
        self.screen = screen

    @property
    def state(self) -> "ScreenState | None":
        """What the screen shows."""
        return self.screen.state


def same_owners(first: Sequence[object], second: Sequence[object]) -> bool:
    """Return whether what was made of some things holds for others: arrays and words by value, frames as they are."""
    return len(first) == len(second) and all(map(_equal, first, second))


def _equal(first: object, second: object) -> bool:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return isinstance(first, np.ndarray) and isinstance(second, np.ndarray) and np.array_equal(first, second)
    # Whether two frames are alike is no truth value.
    return first is second or (not isinstance(first, pl.DataFrame) and bool(first == second))
