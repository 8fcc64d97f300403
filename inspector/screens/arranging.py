"""How a screen's table is arranged: its order and its columns."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.screens.controller import AnyScreen_co, Controller
from inspector.screens.dialog import Dialog, Narrowing
from inspector.state.case_list.catalogue import Entry, entry_of, order_words
from inspector.state.case_list.ordering import DIRECTIONS, other_direction
from inspector.widgets.columns import TableColumn
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.pick_list import Pick, PickList


class Arranging(Controller[AnyScreen_co]):
    """Chooses the order and the columns of a table; subclasses know which there are, and where the choice is kept."""

    OF: ClassVar[str]
    """Whose columns they are."""

    @property
    def table(self) -> FrameTable:
        """The table that is arranged."""
        raise NotImplementedError

    @property
    def order(self) -> str:
        """The sort key now."""
        raise NotImplementedError

    def entries(self) -> Sequence[Entry]:
        """Return every column that there is, in the order of menus."""
        raise NotImplementedError

    def columns_here(self) -> list[tuple[str, str]]:
        """Return the names of the columns on screen, and what stands in them."""
        raise NotImplementedError

    def columns(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the keys of the columns now, of the usual columns, and of those hidden as empty."""
        raise NotImplementedError

    def sort(self, sort: str) -> None:
        """Show the rows in an order."""
        raise NotImplementedError

    def arrange(self, columns: tuple[str, ...]) -> None:
        """Show other columns, () for the usual ones, and keep them with their widths for the next time."""
        raise NotImplementedError

    def keep_widths(self) -> None:
        """Keep the widths that a person gave."""
        raise NotImplementedError

    # -- the order

    def sort_mark(self) -> tuple[str, str]:
        """Return the name of the column that rows are sorted by, and its mark."""
        key, _, direction = self.order.rpartition(":")
        if direction not in DIRECTIONS:
            key, direction = self.order, DIRECTIONS[0]
        up, down = "^v" if self.context.glyphs.ascii_only else "↑↓"
        return key, up if direction == DIRECTIONS[0] else down

    def action_sort(self) -> None:
        """Choose a column to sort by."""
        self.screen.close_rail()
        self.screen.app.push_screen(SortMenu(self.entries(), self.order), self._sort)

    def sort_by(self, column: TableColumn) -> None:
        """Sort by the column, then the other way; by a picture or a list nothing can be sorted."""
        known = {entry.key: entry for entry in self.entries()}
        entry = known.get(column.name) or entry_of(column.name)
        if not entry.sortable:
            self.screen.notify(f"{entry.title[0].upper()}{entry.title[1:]} has no order to sort by.", markup=False)
            return
        self.screen.close_rail()
        self._sort(sort_of(entry, self.order))

    def _sort(self, sort: str | None) -> None:
        if sort is not None:
            self.sort(sort)
            # What comes first is what an order is chosen for.
            self.table.action_first()

    # -- the columns

    def columns_offered(self) -> list[Entry]:
        """Return every column that the table can show."""
        return [entry for entry in self.entries() if entry.listable]

    def to_column(self, key: str) -> None:
        """Put the cell cursor on a column, which is shown if it was not."""
        self.screen.close_rail()
        table = self.table
        if key not in {column.name for column in table.columns_shown}:
            now, _, _ = self.columns()
            self.arrange((*(name for name in now if name != key), key))
        table.focus()
        table.cell_name = key

    def action_columns(self) -> None:
        """Choose the columns."""
        self.screen.close_rail()
        menu = ColumnMenu(self.table, self.entries(), *self.columns(), self.OF)
        self.screen.app.push_screen(menu, self._arrange)

    def _arrange(self, columns: tuple[str, ...] | None) -> None:
        if columns is not None:
            self.arrange(columns)


# -- the column chooser: which columns a table shows, in which order, and how wide they are


SHORT = 16
"""Lines below which what is said of a column makes room for columns."""


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
        """Show the widths that the table has now."""
        self.call_after_refresh(self._again)

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


# -- the sort menu: every column that has an order, narrowed by typing


def sort_of(entry: Entry, now: str) -> str:
    """Return the sort key for choosing an entry: its usual direction, or the other one if rows are sorted by it now."""
    if entry.key and now in {entry.key, f"{entry.key}:asc", f"{entry.key}:desc"}:
        return other_direction(now)
    return entry.first


def narrowed(entries: Sequence[Entry], typed: str) -> list[Entry]:
    """Return the entries in whose words all that was typed stands.

    Those of other scorers come last; of each kind those first whose key or title begins so.
    """
    words = typed.lower().split()
    matches = [entry for entry in entries if all(word in _words(entry) for word in words)]
    start = words[0] if words else ""

    def place(entry: Entry) -> tuple[bool, bool]:
        begins = entry.key.lower().startswith(start) or entry.title.lower().startswith(start)
        return bool(entry.of), not begins

    return sorted(matches, key=place)


def _words(entry: Entry) -> str:
    orders = f"{order_words(entry.first)} {order_words(other_direction(entry.first))}"
    return f"{entry.key} {entry.key.replace('_', ' ')} {entry.title} {entry.meaning} {orders}".lower()


def _says_its_column(sort: str) -> bool:
    """Whether the words of an order say more than the column and the direction."""
    return not order_words(sort).startswith("by ")


def _direction_words(sort: str) -> str:
    """An order in words, beside the title of its column."""
    if _says_its_column(sort):
        return order_words(sort)
    return "descending" if sort.endswith(":desc") else "ascending"


class SortMenu(Narrowing[str]):
    """Choose a column; the value is the sort key, None if the order is to stay."""

    ENTER = "Sort; again reverses"

    def __init__(self, entries: Sequence[Entry], now: str) -> None:
        """`now` is the present sort key."""
        self._entries = {entry.key: entry for entry in entries if entry.sortable}
        self._now = now
        entry = self._entries.get(now.rpartition(":")[0])
        column = f"{entry.title}, " if entry and not _says_its_column(now) else ""
        title = f"Sort by (now {column}{_direction_words(now) if column else order_words(now)})"
        super().__init__(title)

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        picks = [
            Pick(
                entry.key,
                f"{entry.title} of {entry.of}" if entry.of else entry.title,
                _direction_words(sort_of(entry, self._now)).removesuffix(f" ({entry.of})"),
                strong=sort_of(entry, self._now) != entry.first or entry.key == self._now,
            )
            for entry in narrowed(tuple(self._entries.values()), typed)
        ]
        return picks, 0 if typed else next((place for place, pick in enumerate(picks) if pick.strong), 0)

    def whole(self, pick: Pick) -> str:
        return self._entries[pick.key].meaning

    def answer(self, key: str) -> str:
        return sort_of(self._entries[key], self._now)
