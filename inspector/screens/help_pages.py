"""What the menu behind `?` lists on a screen, and pages of text over a screen."""

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.screens.dialog import Dialog, Groups
from inspector.state.message_history import MessageHistory
from inspector.widgets.guide import KEYS, page, pages
from inspector.widgets.guide.key_page import key_page
from inspector.widgets.guide.laid_out import GuidePage
from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table.command import GO, SCREENS, VIEW, Command

MEANINGS = {
    "exact": "the verdict names the earliest wrong step",
    "early": "it names a step before that one",
    "late": "it names a step after it",
    "missed": "it names no step, though one is wrong",
    "clean": "it names no step, and none is wrong",
    "false_alarm": "it names a step, though none is wrong",
    "unparsed": "an answer from which no verdict can be read",
    "refused": "a case that the scorer could not judge",
}
"""What an outcome is, on a case with a gold label."""


def outcome_marks() -> Iterator[tuple[str, str]]:
    """Return the marks of outcomes, which are the same on every screen, and what they mean."""
    return ((GLYPHS[name], f"{WORDS[name]}: {meaning}") for name, meaning in MEANINGS.items())


def grouped(commands: Sequence[Command]) -> Groups:
    """Sort the commands of a screen: what it does, what is shown, where to go, what is done everywhere, what moves."""
    rest = {command.id: command for command in commands}

    def take(holds: Callable[[Command], bool]) -> list[Command]:
        return [rest.pop(name) for name, command in list(rest.items()) if holds(command)]

    going = take(lambda command: command.keys.startswith(f"{GO} "))
    viewing = take(lambda command: command.keys.startswith(f"{VIEW} "))
    bare = take(lambda command: command.keys == NO_KEY)
    everywhere = take(lambda command: command.screens == SCREENS)
    moving = take(lambda command: command.moves)
    return [
        ("On this screen", list(rest.values())),
        ("What is shown, and how", viewing),
        ("Another screen", going),
        ("On every screen", everywhere),
        ("Moving", moving),
        ("Without a key", bare),
    ]


# -- a page of text over the screen: of the guide, or what was done


class TextPage(Dialog[None]):
    """Scrolls with the keys that go down and up everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,enter", "dismiss(None)", "Close"),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    SHARE, WIDEST = 0.96, 110

    def __init__(self, text: RenderableType, title: str = "", hint: str = "") -> None:
        """Set the text, the title and the hint; an empty hint is omitted."""
        super().__init__(title)
        self._text, self._hint = text, hint

    def make_frame(self) -> VerticalScroll:
        return VerticalScroll()

    def compose_panel(self) -> ComposeResult:
        yield Static(self._text)
        if self._hint:
            yield Static(Content(self._hint), classes="dim")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, by: int) -> None:
        """Scroll some lines down, or up where `by` is negative."""
        self.query_one(VerticalScroll).scroll_relative(y=3 * by, animate=False)


def guide_page(topic: str) -> TextPage:
    """Make the dialog of a page of the guide."""
    text = key_page() if topic == KEYS else page(topic)
    title = "Keys" if topic == KEYS else pages()[topic]
    return TextPage(GuidePage(text), f"Guide: {title}", f"prm-inspect guide {topic} prints it")


def message_page(history: MessageHistory) -> TextPage:
    """Make the dialog of past messages, the latest first."""
    lines = [f"{message.when:%H:%M:%S}  {message.text}" for message in history]
    return TextPage(Content("\n".join(lines) or "No messages yet."), "Messages, latest first")
