"""The search line: what is searched for, in which texts, and how far the search is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from inspector.render.texts.phrases import Phrase
from inspector.widgets.line_view import PhraseLine
from inspector.widgets.text_editor import TypingLine

EVERYWHERE = "all"
"""The word for every scope."""


class SearchInput(TypingLine):
    """The input of the line; its keys are told to the line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "scope(1)", "Where to look", show=True, key_display="Tab", id="search.next-scope"),
        Binding("shift+tab", "scope(-1)", "Where to look, backwards", show=False, id="search.previous-scope"),
        Binding("escape", "give_back", "Give back", show=True, key_display="Esc", id="search.give-back"),
        Binding("enter", "submit", "Keep", show=True, key_display="Enter", id="search.keep"),
        Binding("down,up", "to_list", "To the list", show=False, id="search.to-list"),
    ]

    @dataclass
    class Pressed(Message):
        """A key of the line: `scope` to go on by so many scopes, or what to do."""

        what: str
        by: int = 0

    def action_scope(self, by: int) -> None:
        self.post_message(self.Pressed("scope", by))

    def action_give_back(self) -> None:
        self.post_message(self.Pressed("give back"))

    def action_to_list(self) -> None:
        self.post_message(self.Pressed("keep"))


class SearchBar(Horizontal):
    """A line at the bottom. It is hidden until `open`, and says by messages what is typed.

    `scopes` are the words that Tab goes through, after `all`.
    """

    DEFAULT_CSS = """
    SearchBar {
        height: 1;
        background: $panel;
        padding: 0 1;
        & > SearchInput { width: 1fr; min-width: 10; background: $panel; }
        & > SearchInput:focus { background: $boost; }
        & > PhraseLine { height: 1; background: $panel; overflow: hidden hidden; scrollbar-size: 0 0; }
        & > #search-scope { width: 15; }
        & > #search-told { width: 2fr; min-width: 20; }
    }
    """

    @dataclass
    class Changed(Message):
        """Another text or scope; `scopes` are none for all."""

        text: str
        scopes: tuple[str, ...]

    class Kept(Message):
        """Enter: the search stays."""

    class GivenBack(Message):
        """Esc: what was before comes back."""

    def __init__(self, scopes: Sequence[str], *, id: str | None = None) -> None:  # noqa: A002  # Textual's own word
        super().__init__(id=id)
        self._words = (EVERYWHERE, *scopes)
        self._chosen: tuple[str, ...] = ()
        self._text = ""
        self.display = False

    def compose(self) -> ComposeResult:
        yield self._line("search-scope")
        yield SearchInput(compact=True, select_on_focus=False, id="search-text")
        yield self._line("search-told")

    @staticmethod
    def _line(name: str) -> PhraseLine:
        """Words of which the width never changes: the screen need not be laid out again when they do."""
        line = PhraseLine(id=name)
        line.can_focus = False
        return line

    # -- state

    @property
    def input(self) -> SearchInput:
        """Where the text is typed."""
        return self.query_one(SearchInput)

    @property
    def typing(self) -> bool:
        """Whether keys go into the line."""
        # The widget itself learns of its focus some messages later.
        return bool(self.display) and self.screen.focused is self.input

    def open(self, text: str, scopes: tuple[str, ...]) -> None:
        """Show the line with this in it, and take the keys."""
        self._text, self._chosen = text, scopes
        self.display = True
        with self.prevent(Input.Changed):
            self.input.value = text
        self.input.cursor_position = len(text)
        self._show_scope()
        # At once: keys that come right behind are letters already.
        self.screen.set_focus(self.input)

    def close(self) -> None:
        """Hide the line."""
        self.display = False
        self.tell("")

    def tell(self, words: str, *, wrong: bool = False) -> None:
        """Say how far the search is, or what is wrong with what was typed."""
        self.query_one("#search-told", PhraseLine).tell([Phrase((words,))], style="bad" if wrong else "dim")

    def _show_scope(self) -> None:
        words = (
            self._chosen[0] if len(self._chosen) == 1 else f"{len(self._chosen)} texts" if self._chosen else EVERYWHERE
        )
        self.query_one("#search-scope", PhraseLine).tell([Phrase((f"/ in {words}:",))], style="strong")

    # -- keys

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._text:
            self._text = event.value
            self.post_message(self.Changed(self._text, self._chosen))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Kept())

    def on_search_input_pressed(self, event: SearchInput.Pressed) -> None:
        event.stop()
        if event.what == "scope":
            # Several scopes that came from a command count as all when they are changed.
            now = self._words.index(self._chosen[0]) if len(self._chosen) == 1 else 0
            word = self._words[(now + event.by) % len(self._words)]
            self._chosen = () if word == EVERYWHERE else (word,)
            self._show_scope()
            self.post_message(self.Changed(self._text, self._chosen))
        else:
            self.post_message(self.Kept() if event.what == "keep" else self.GivenBack())
