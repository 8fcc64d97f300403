"""The category dialog: one that there is, found by a part of its name, or a new one."""

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.screens.typed_ahead import TypedAhead
from inspector.sentences import counted
from inspector.text import clean
from inspector.triage.categories import category_name, ranked, typed_category
from inspector.widgets.pick_list import Pick, PickList
from inspector.widgets.typing_line import TypingLine

_NEW, _OLD, _NONE = "n", "o", "-"
"""How keys of lines begin: a new category, one that there is, none."""


class CategoryDialog(TypedAhead[str | None]):
    """Asks for a category; "" takes notes out of theirs, None leaves them where they are."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(None)", "Close"),
        ("down", "move(1)", "Next"),
        ("up", "move(-1)", "Previous"),
    ]

    def __init__(self, title: str, present: Mapping[str, int], *, out: bool) -> None:
        """`title` says what is put there, `present` the categories with their notes; `out` offers none as well."""
        super().__init__()
        self._title, self._present, self._out = title, present, out

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(clean(self._title)), classes="strong")
            yield TypingLine(placeholder="a part of a category's name, or a new one")
            picks = PickList()
            picks.can_focus = False
            yield picks
            yield Static(Content("Enter takes the line, up and down move, Esc closes"), classes="dim")

    def on_mount(self) -> None:
        self._show("")
        self.query_one(TypingLine).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, typed: str) -> None:
        names = list(self._present)
        picks = [
            Pick(f"{_OLD}{name}", name, counted(self._present[name], "note")) for name in ranked(names, clean(typed))
        ]
        if clean(typed).strip() and typed_category(typed, names) not in self._present:
            picks.append(Pick(f"{_NEW}{category_name(typed)}", category_name(typed), "a new category"))
        elif not clean(typed).strip() and self._out:
            picks.append(Pick(_NONE, "(in none)", "take them out of their category"))
        self.query_one(PickList).show(picks)

    def action_move(self, by: int) -> None:
        self.query_one(PickList).action_move(by)

    def on_input_submitted(self) -> None:
        self._take()

    def on_pick_list_clicked(self) -> None:
        self._take()

    def _take(self) -> None:
        """The line under the cursor; without one the dialog stays."""
        key = self.query_one(PickList).key
        if key is not None:
            self.dismiss(key[1:])
