"""The sort menu: every column that has an order, narrowed by typing."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.catalogue import Entry, order_words
from inspector.ordering import other_direction
from inspector.screens.typed_ahead import TypedAhead
from inspector.widgets.pick_list import Pick, PickList
from inspector.widgets.typing_line import TypingLine


def sort_of(entry: Entry, now: str) -> str:
    """The sort key that choosing an entry gives: its usual direction first, the other one if it is sorted by now."""
    if entry.key and now in {entry.key, f"{entry.key}:asc", f"{entry.key}:desc"}:
        return other_direction(now)
    return entry.first


def narrowed(entries: Sequence[Entry], typed: str) -> list[Entry]:
    """The entries in whose words all that was typed stands.

    Those of other scorers come last; of each kind those first whose key or title begins so.
    """
    words = typed.lower().split()
    found = [one for one in entries if all(word in _words(one) for word in words)]
    start = words[0] if words else ""

    def place(entry: Entry) -> tuple[bool, bool]:
        begins = entry.key.lower().startswith(start) or entry.title.lower().startswith(start)
        return bool(entry.of), not begins

    return sorted(found, key=place)


def _words(entry: Entry) -> str:
    orders = f"{order_words(entry.first)} {order_words(other_direction(entry.first))}"
    return f"{entry.key} {entry.key.replace('_', ' ')} {entry.title} {entry.meaning} {orders}".lower()


class SortMenu(TypedAhead[str | None]):
    """Choose a column; the value is the sort key, None if the order is to stay."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        # Arrows move the list while one types.
        Binding("down", "move(1)", "Next", priority=True, show=False),
        Binding("up", "move(-1)", "Previous", priority=True, show=False),
        Binding("pagedown", "move(10)", "Next page", priority=True, show=False),
        Binding("pageup", "move(-10)", "Previous page", priority=True, show=False),
    ]

    def __init__(self, entries: Sequence[Entry], now: str) -> None:
        """`now` is the present sort key."""
        super().__init__()
        self._entries = [entry for entry in entries if entry.sortable]
        self._now = now

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(f"Sort by (now {order_words(self._now)})"), classes="strong")
            yield TypingLine(placeholder="type letters to narrow", compact=True)
            picks = PickList()
            picks.can_focus = False
            yield picks
            yield Static(Content("Enter sorts, again the other way round; Esc closes"), classes="dim")

    def on_mount(self) -> None:
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, typed: str) -> None:
        found = narrowed(self._entries, typed)
        picks = [
            Pick(
                entry.key,
                f"{entry.title} of {entry.of}" if entry.of else entry.title,
                order_words(sort_of(entry, self._now)),
                strong=sort_of(entry, self._now) != entry.first or entry.key == self._now,
            )
            for entry in found
        ]
        here = next((place for place, pick in enumerate(picks) if pick.strong), 0)
        self.query_one(PickList).show(picks, 0 if typed else here)

    def action_move(self, by: int) -> None:
        self.query_one(PickList).action_move(by)

    def on_input_submitted(self) -> None:
        self._choose()

    def on_pick_list_clicked(self) -> None:
        self._choose()

    def _choose(self) -> None:
        key = self.query_one(PickList).key
        if key is not None:
            self.dismiss(sort_of(next(entry for entry in self._entries if entry.key == key), self._now))
