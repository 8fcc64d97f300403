"""The sort menu: every column that has an order, narrowed by typing."""

from collections.abc import Sequence

from inspector.screens.dialog import Narrowing
from inspector.state.case_list.catalogue import Entry, order_words
from inspector.widgets.pick_list import Pick
from scoring.selection.ordering import other_direction


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
