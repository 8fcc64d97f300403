"""A list that is narrowed by typing, with something to do at its line under the cursor."""

from collections.abc import Sequence
from typing import ClassVar

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from inspector.screens.dialog import Answer, TypedAhead
from inspector.text import clean
from inspector.widgets.pick_list import Pick, PickList
from inspector.widgets.text_editor import TypingLine


class Narrowing(TypedAhead[Answer]):
    """Subclasses give the lines for what was typed, and the answer for the line that was chosen."""

    PLACEHOLDER: ClassVar[str] = "type letters to narrow"
    """What stands in the line before anything is typed."""
    NOTHING: ClassVar[str] = "Nothing has these letters."
    """What is said where what was typed leaves no line."""
    ENTER = "Take it"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        # Arrows move the list while one types.
        Binding("down", "move(1)", "Next", priority=True, show=False),
        Binding("up", "move(-1)", "Previous", priority=True, show=False),
        Binding("pagedown", "move(10)", "Next page", priority=True, show=False),
        Binding("pageup", "move(-10)", "Previous page", priority=True, show=False),
        Binding("home", "edge(-1)", "First", priority=True, show=False),
        Binding("end", "edge(1)", "Last", priority=True, show=False),
    ]

    def __init__(self, title: str, about: str = "") -> None:
        """`about` stands below the title, where it says something."""
        super().__init__(title)
        self._about = about

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        """The lines that what was typed leaves, and the one (0-based) where the cursor begins."""
        raise NotImplementedError

    def whole(self, pick: Pick) -> str:
        """What is said of a line when the cursor is on it: its note, which may be cut in the list."""
        return pick.note

    def answer(self, key: str) -> Answer | None:
        """What choosing the line with this key gives; None = nothing."""
        raise NotImplementedError

    def compose_panel(self) -> ComposeResult:
        if self._about:
            yield Static(Content(clean(self._about)), id="said", classes="dim")
        yield TypingLine(placeholder=self.PLACEHOLDER, compact=True)
        picks = PickList()
        picks.can_focus = False
        yield picks
        yield Static(id="whole", classes="dim")

    def on_mount(self) -> None:
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, typed: str) -> None:
        self.query_one(PickList).show(*self.lines(typed))
        self._show_whole()

    def _show_whole(self) -> None:
        """What is said of the line under the cursor, in as many lines as it takes."""
        pick = self.query_one(PickList).pick
        told = self.whole(pick) if pick else self.NOTHING
        self.query_one("#whole", Static).update(Content(clean(told)))

    def action_move(self, by: int) -> None:
        self.query_one(PickList).action_move(by)
        self._show_whole()

    def action_edge(self, way: int) -> None:
        """To the first line, or the last; in what was typed they are the line's own keys."""
        if self.query_one(Input).value:
            raise SkipAction
        self.action_move(way * len(self.query_one(PickList).picks))

    def on_input_submitted(self) -> None:
        self._choose()

    def on_pick_list_clicked(self) -> None:
        self._choose()

    def _choose(self) -> None:
        key = self.query_one(PickList).key
        answer = None if key is None else self.answer(key)
        if answer is not None:
            self.dismiss(answer)
