"""The column chooser: which columns the list shows, and in which order."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from inspector.catalogue import Entry
from inspector.screens.dialog import Dialog
from inspector.widgets.pick_list import Pick, PickList


class ColumnMenu(Dialog[tuple[str, ...] | None]):
    """Tick columns and move them; the value is their keys in order, () for the usual ones, None if nothing changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(None)", "Close"),
        ("enter", "keep", "Keep"),
        ("space", "tick", "Show or hide"),
        ("K,shift+up", "shift(-1)", "Move left"),
        ("J,shift+down", "shift(1)", "Move right"),
        ("x", "reset", "The usual ones"),
    ]

    def __init__(
        self, entries: Sequence[Entry], shown: Sequence[str], usual: Sequence[str], of: str = "the list"
    ) -> None:
        """`shown` are the keys of the columns on screen, `usual` those that are shown where none were chosen.

        `of` says whose columns they are.
        """
        super().__init__()
        self._entries = {entry.key: entry for entry in entries if entry.listable}
        self._of = of
        self._shown = [key for key in shown if key in self._entries]
        self._usual = tuple(key for key in usual if key in self._entries)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(f"Columns of {self._of}, and of what is exported from it"), classes="strong")
            yield PickList()
            hint = "Space shows or hides, K and J move, x gives back the usual ones, Enter keeps, Esc closes"
            yield Static(Content(hint), classes="dim")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self._show(None)

    def _show(self, key: str | None) -> None:
        """The columns shown come first, in their order; the cursor goes to a key."""
        hidden = [name for name in self._entries if name not in self._shown]
        keys = [*self._shown, *hidden]
        picks = [self._pick(self._entries[name]) for name in keys]
        self.query_one(PickList).show(picks, keys.index(key) if key in keys else 0)

    def _pick(self, entry: Entry) -> Pick:
        title = f"{entry.title} of {entry.of}" if entry.of else entry.title
        return Pick(entry.key, title, entry.meaning, ticked=entry.key in self._shown)

    def action_tick(self) -> None:
        """Show the column last, or hide it; the cursor stays at its place, so that several can be ticked in a row."""
        picks = self.query_one(PickList)
        key, place = picks.key, picks.cursor
        if key is None:
            return
        if key not in self._shown:
            self._shown.append(key)
            self._show(None)
            picks.cursor = place + 1
            return
        if len(self._shown) == 1:
            self.notify("One column has to stay.", markup=False)
            return
        self._shown.remove(key)
        self._show(None)
        picks.cursor = place

    def action_shift(self, by: int) -> None:
        """Move the column under the cursor among those that are shown."""
        key = self.query_one(PickList).key
        if key not in self._shown:
            self.notify("Space shows the column; then it can be moved.", markup=False)
            return
        at = self._shown.index(key)
        to = max(0, min(at + by, len(self._shown) - 1))
        self._shown.insert(to, self._shown.pop(at))
        self._show(key)

    def action_reset(self) -> None:
        self._shown = list(self._usual)
        self._show(None)

    def action_keep(self) -> None:
        chosen = tuple(self._shown)
        self.dismiss(() if chosen == self._usual else chosen)

    def on_pick_list_clicked(self) -> None:
        self.action_tick()
