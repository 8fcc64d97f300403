"""Picking one of a few things by its name."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from inspector.screens.dialog import Dialog
from inspector.text import clean
from inspector.widgets.pick_list import Pick, PickList


class Picking(Dialog[str | None]):
    """The key of what was picked; None where nothing is to change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", "Take it"),
        ("escape,q", "dismiss(None)", "Close"),
    ]

    def __init__(self, title: str, picks: Sequence[Pick], cursor: int = 0, hints: Sequence[str] = ()) -> None:
        """`cursor` is the line (0-based) where the cursor begins, each of `hints` a paragraph beneath the picks."""
        super().__init__(title)
        self._picks, self._cursor, self._hints = tuple(picks), cursor, tuple(hints)

    def compose_panel(self) -> ComposeResult:
        yield PickList()
        for hint in self._hints:
            yield Static(Content(clean(hint)), classes="dim")

    def on_mount(self) -> None:
        picks = self.query_one(PickList)
        picks.show(self._picks, self._cursor)
        picks.focus()

    def action_take(self) -> None:
        self.dismiss(self.query_one(PickList).key)

    def on_pick_list_clicked(self) -> None:
        self.action_take()


class Leaving(Picking):
    """What becomes of a run when the app is to end; to quit once more means the first of it."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+c", "take_first", "The first")]

    def action_take_first(self) -> None:
        self.dismiss(self._picks[0].key)
