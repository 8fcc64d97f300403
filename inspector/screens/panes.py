"""The panes of a screen: which of them has the keys."""

from collections.abc import Sequence
from typing import Protocol

from textual.widget import Widget

from inspector.screens.controller import ControlledScreen, Controller
from inspector.widgets.line_scroll import LineScroll
from inspector.widgets.sheet_view import SheetView


class PanedScreen(ControlledScreen, Protocol):
    """What moving between panes uses of its screen."""

    @property
    def focus_chain(self) -> list[Widget]: ...
    @property
    def focused(self) -> Widget | None: ...


class Panes(Controller[PanedScreen]):
    """Moves the focus from pane to pane, and in a sheet from panel to panel, round and round."""

    @property
    def panes(self) -> Sequence[LineScroll]:
        """The panes on screen that can have the keys, in order."""
        return [widget for widget in self.screen.focus_chain if isinstance(widget, LineScroll)]

    def action_pane(self, by: int) -> None:
        """Go to the next pane or panel, or to the one before."""
        panes, here = self.panes, self.screen.focused
        if isinstance(here, SheetView) and here.turn_panel(by):
            return
        if not panes:
            return
        edge = 0 if by > 0 else -1
        several_panels = isinstance(here, SheetView) and len(here.panels) > 1
        if list(panes) == [here] and not several_panels:
            self.screen.say("There is no other pane here.")
            return
        pane = panes[(panes.index(here) + by) % len(panes)] if here in panes else panes[edge]
        if isinstance(pane, SheetView) and pane.panels:
            pane.enter_panel(pane.panels[edge])
        self.screen.set_focus(pane)
