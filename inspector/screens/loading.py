"""The screen that is there at once, while everything else is still being imported and read."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from inspector.screens.steady import Steady


class LoadingScreen(Steady, Screen[None]):
    """A sentence; nothing of weight is imported for it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.quit", "Quit", show=False)]

    def compose(self) -> ComposeResult:
        yield Static(Content("prm-inspect: reading the workspace"), id="loading")
