"""A page of text over the screen: of the guide, or what was done."""

from typing import ClassVar

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from inspector.guide.laid_out import GuidePage
from inspector.screens.dialog import Dialog


class TextPage(Dialog[None]):
    """Scrolls with the keys that go down and up everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,enter", "dismiss(None)", "Close"),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    def __init__(self, text: RenderableType, hint: str = "") -> None:
        """`hint` stands beneath the text, where it says something."""
        super().__init__()
        self._text, self._hint = text, hint

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog"):
            yield Static(self._text)
            if self._hint:
                yield Static(Content(self._hint), classes="dim")
        yield self.key_line()

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, by: int) -> None:
        """Scroll some lines down, or up where `by` is negative."""
        self.query_one(VerticalScroll).scroll_relative(y=3 * by, animate=False)


def guide_page(topic: str) -> TextPage:
    """Make the dialog of a page of the guide."""
    return TextPage(GuidePage(topic), f"prm-inspect guide {topic} prints it")
