"""Choosing the scorers that stand beside each other."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType

from inspector.screens.dialog import Dialog
from inspector.text import cell, clean
from inspector.widgets.line_view import Line, LineView
from inspector.wrap import wrap

TITLE = "Scorers beside each other"
KEYS = "Space ticks, Enter shows them, x ticks none, Esc leaves it"


class ScorerChoice(Dialog[tuple[str, ...] | None]):
    """A list with ticks; the answer are the ticked names in the order of the list, None where nothing is to change.

    The scorer in focus is always among them and cannot be unticked. No more than `most` can be ticked.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("j,down", "move(1)", "Down"),
        ("k,up", "move(-1)", "Up"),
        ("g,home", "go(0)", "First"),
        ("G,end", "go(-1)", "Last"),
        ("space", "tick", "Tick"),
        ("x", "none", "None"),
        ("enter", "take", "Show them"),
        ("escape,q,o", "dismiss(None)", "Close"),
    ]

    def __init__(
        self, names: Sequence[str], facts: Sequence[str], ticked: Sequence[str], focus: str, most: int
    ) -> None:
        """`facts` are words on each of the `names`."""
        super().__init__()
        self._names, self._facts, self._focus, self._most = tuple(names), tuple(facts), focus, most
        self._ticked = {name for name in ticked if name in self._names} | {focus}
        self._at = self._names.index(focus) if focus in self._names else 0

    def compose(self) -> ComposeResult:
        view = LineView(id="choice")
        view.can_focus = False
        yield view

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        view = self.query_one("#choice", LineView)
        view.flow(self._lines)
        view.scroll_to_line(self._at + 1)

    def _lines(self, width: int) -> list[Line]:
        hint = [Line([(line, "dim")]) for line in wrap(KEYS, width)]
        lines = [Line([(TITLE, "strong")])]
        room = max(1, width - len(" [x] "))
        longest = min(room, max((cell_len(clean(name)) for name in self._names), default=0))
        for at, (name, fact) in enumerate(zip(self._names, self._facts, strict=True)):
            tick = "[x]" if name in self._ticked else "[ ]"
            focus = "  in focus" if name == self._focus else ""
            told = cell(f"  {clean(fact)}{focus}", max(0, room - longest)).rstrip()
            parts = [(f" {tick} ", ""), (cell(clean(name), longest), "strong" if focus else ""), (told, "dim")]
            lines.append(Line(parts, "cursor" if at == self._at else ""))
        return [*lines, *hint]

    def action_move(self, by: int) -> None:
        self._at = min(max(self._at + by, 0), len(self._names) - 1)
        self._show()

    def action_go(self, to: int) -> None:
        self._at = to % len(self._names)
        self._show()

    def action_tick(self) -> None:
        """Tick or untick the scorer under the cursor."""
        name = self._names[self._at]
        if name == self._focus:
            self.notify("The scorer in focus is always shown: look through another one to leave it out.", markup=False)
        elif name not in self._ticked and len(self._ticked) >= self._most:
            self.notify(f"No more than {self._most} fit beside each other.", markup=False)
        else:
            self._ticked ^= {name}
        self._show()

    def action_none(self) -> None:
        """Only the one in focus."""
        self._ticked = {self._focus}
        self._show()

    def action_take(self) -> None:
        self.dismiss(tuple(name for name in self._names if name in self._ticked))

    def on_line_view_clicked(self, event: LineView.Clicked) -> None:
        if 0 < event.line <= len(self._names):
            self._at = event.line - 1
            self.action_tick()
