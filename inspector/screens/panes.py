"""Keyboard focus between the panes of a screen."""

from collections.abc import Sequence
from typing import Protocol

from textual.widget import Widget

from inspector.screens.controller import ControlledScreen, Controller
from inspector.widgets.line_scroll import LineScroll
from inspector.widgets.sheet_view import SheetView


class PanedScreen(ControlledScreen, Protocol):
    """Interface of the screen that moving between panes uses."""

    @property
    def focus_chain(self) -> list[Widget]: ...
    @property
    def focused(self) -> Widget | None: ...


class Panes(Controller[PanedScreen]):
    """Cycles the focus through panes and, in a sheet, through panels."""

    @property
    def panes(self) -> Sequence[LineScroll]:
        """The focusable panes on screen, in order."""
        return [widget for widget in self.screen.focus_chain if isinstance(widget, LineScroll)]

    def action_pane(self, by: int) -> None:
        """Go to the next or previous pane or panel."""
        panes, here = self.panes, self.screen.focused
        if isinstance(here, SheetView) and here.turn_panel(by):
            return
        if not panes:
            return
        edge = 0 if by > 0 else -1
        several_panels = isinstance(here, SheetView) and len(here.panels) > 1
        if list(panes) == [here] and not several_panels:
            self.screen.say("This screen has only one pane.")
            return
        pane = panes[(panes.index(here) + by) % len(panes)] if here in panes else panes[edge]
        if isinstance(pane, SheetView) and pane.panels:
            pane.enter_panel(pane.panels[edge])
        self.screen.set_focus(pane)
