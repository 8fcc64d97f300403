"""What a screen is made of beside its widgets: a controller for each of its concerns."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.screens.base import InspectionScreen


class Controller:
    """One concern of a screen: its state, and the actions that keys name for it.

    A screen lists its controllers in `controllers`; an action that it has not itself is looked for there, in that
    order. What a thread found comes back by `screen.call_later`, which may be called from any thread.
    """

    screen: "InspectionScreen"

    def __init__(self, screen: "InspectionScreen") -> None:
        self.screen = screen

    @property
    def inspection(self) -> "Inspection | None":
        """What the screen shows."""
        return self.screen.inspection
