"""Cursors of several lists and a sheet on one screen, moved by keys of the screen."""

from collections.abc import Callable
from typing import Protocol

from textual.widget import Widget

from inspector.screens.controller import ControlledScreen, Controller
from inspector.widgets.pick_list import TextList
from inspector.widgets.sheet_view import SheetView

PAGE, MANY = 10, 1_000_000
"""Lines of a page, and a count larger than any list."""


class ListScreen(ControlledScreen, Protocol):
    """Interface of the taxonomy screen that the cursors use."""

    @property
    def lists(self) -> tuple[TextList, ...]: ...
    @property
    def focused(self) -> Widget | None: ...


class ListCursors(Controller[ListScreen]):
    """Moves the cursor of the list or sheet that has the focus."""

    def _in(self, texts: Callable[[TextList], None], sheet: Callable[[SheetView], None]) -> None:
        """Run the first action if a list has the focus, else the second in the sheet."""
        pane = self.screen.focused
        if isinstance(pane, TextList):
            texts(pane)
        else:
            sheet(self.screen.query_one(SheetView))

    def action_cursor(self, by: int) -> None:
        self._in(lambda texts: texts.action_move(by), lambda sheet: sheet.action_line(by))

    def action_end(self, to: int) -> None:
        self._in(lambda texts: texts.action_move(MANY if to else -MANY), lambda sheet: sheet.action_edge(to))

    def action_turn(self, by: float) -> None:
        self._in(lambda texts: texts.action_move(int(by * PAGE)), lambda sheet: sheet.action_page(by))

    def action_sideways(self, by: int) -> None:
        self._in(lambda texts: self._beside(texts, by), lambda sheet: sheet.action_place(by))

    def _beside(self, texts: TextList, by: int) -> None:
        """Move to the list at the side, if any."""
        lists = self.screen.lists
        self.screen.set_focus(lists[min(max(lists.index(texts) + by, 0), len(lists) - 1)])
