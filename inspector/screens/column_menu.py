"""The column chooser: which columns a table shows, in which order, and how wide they are."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.screens.dialog import Dialog
from inspector.state.case_list.catalogue import Entry
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.pick_list import Pick, PickList

SHORT = 16
"""Lines below which what is said of a column makes room for columns."""

FRAMED = 0.1
"""Seconds after a resize until a screen has its frames."""


class ColumnMenu(Dialog[tuple[str, ...] | None]):
    """Tick columns, move them and make them wider or narrower.

    The value is their keys in order, () for the usual ones, None if nothing changes. The table behind shows each width
    at once; where nothing changes it has the old ones again.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "keep", "Keep"),
        ("escape", "close", "Close"),
        ("space", "tick", "Show"),
        ("K,shift+up", "shift(-1)", "Up"),
        ("J,shift+down", "shift(1)", "Down"),
        ("h,left", "widen(-1)", "Narrower"),
        ("l,right", "widen(1)", "Wider"),
        ("x", "reset", "Usual ones"),
        ("0", "natural", "Usual width"),
    ]

    VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT, "-tall")]  # noqa: RUF012  # Textual declares it without ClassVar

    def __init__(
        self,
        table: FrameTable,
        entries: Sequence[Entry],
        visible: Sequence[str],
        usual: Sequence[str],
        empty: Collection[str] = (),
        of: str = "the list",
    ) -> None:
        """`visible` are the keys of the columns on screen, `usual` those that are shown where none were chosen.

        Without those that are `empty`: hidden, since no row has a value there. `of` says whose columns they are.
        """
        hidden = f"; {counted(len(empty), 'empty column')} hidden" if empty else ""
        super().__init__(f"Columns of {of}, and of what is exported from it{hidden}")
        self._table, self._before = table, dict(table.widths)
        self._entries = {entry.key: entry for entry in entries if entry.listable}
        self._shown = [key for key in visible if key in self._entries]
        self._usual = tuple(key for key in usual if key in self._entries)
        self._empty = [key for key in empty if key in self._entries]

    def compose_panel(self) -> ComposeResult:
        yield PickList()
        yield Static(id="whole", classes="dim")

    def on_resize(self) -> None:
        """Show the present widths of the table, and update them after frames appear or disappear."""
        self.call_after_refresh(self._again)
        self.set_timer(FRAMED, self._again)

    def _again(self) -> None:
        self._show(self.query_one(PickList).key)

    def on_mount(self) -> None:
        picks = self.query_one(PickList)
        picks.focus()
        self._show(None)
        self.watch(picks, "cursor", self._tell)

    def _show(self, key: str | None) -> None:
        """The columns shown come first, in their order, then the empty ones; the cursor goes to a key."""
        keys = list(dict.fromkeys((*self._shown, *self._empty, *self._entries)))
        picks = [self._pick(self._entries[name]) for name in keys]
        self.query_one(PickList).show(picks, keys.index(key) if key in keys else 0)
        self._tell()

    def _pick(self, entry: Entry) -> Pick:
        width = self._table.width_of(entry.key)
        cells = "" if not width else f"[{width}]" if entry.key in self._table.widths else f"{width} "
        return Pick(entry.key, entry.name, f"{cells:>5} {self._meaning(entry.key)}", ticked=entry.key in self._shown)

    def _meaning(self, key: str) -> str:
        empty = "empty in these rows: " if key in self._empty and key not in self._shown else ""
        return f"{empty}{self._entries[key].meaning}"

    def _tell(self) -> None:
        """Say the whole of what a column is: in the list it may be cut."""
        key = self.query_one(PickList).key
        self.query_one("#whole", Static).update(Content(clean(self._meaning(key)) if key else ""))

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

    def action_widen(self, by: int) -> None:
        """Give the column under the cursor a cell more, or take one."""
        key = self.query_one(PickList).key
        width = self._table.width_of(key) if key else 0
        if key is None or not width:
            self.notify("It is not on screen: Space and Enter show it, then it has a width.", markup=False)
            return
        self._table.widths = {**self._table.widths, key: max(1, width + by)}
        self._show(key)

    def action_natural(self) -> None:
        """Give the column under the cursor the width that it has by itself."""
        key = self.query_one(PickList).key
        self._table.widths = {name: width for name, width in self._table.widths.items() if name != key}
        self._show(key)

    def action_reset(self) -> None:
        self._shown = list(self._usual)
        self._show(None)

    def action_close(self) -> None:
        self._table.widths = self._before
        self.dismiss(None)

    def action_keep(self) -> None:
        chosen = tuple(self._shown)
        self.dismiss(() if chosen == self._usual else chosen)

    def on_pick_list_clicked(self) -> None:
        self.action_tick()
