"""A page of the guide over the screen."""

from typing import ClassVar

from rich.markdown import Markdown
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from inspector.guide import page
from inspector.screens.dialog import Dialog


class GuidePage(Dialog[None]):
    """Scrolls with the keys that go down and up everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q", "dismiss(None)", "Close"),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    def __init__(self, topic: str) -> None:
        super().__init__()
        self._topic = topic

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog"):
            yield Static(Markdown(page(self._topic)))
            yield Static(Content("Esc closes; prm-inspect guide prints it"), classes="dim")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, by: int) -> None:
        """Scroll some lines down, or up where `by` is negative."""
        self.query_one(VerticalScroll).scroll_relative(y=3 * by, animate=False)
