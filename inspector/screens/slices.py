"""The menu of slices: ready-made ones, saved ones, and the present one under a name."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.filtering.ready_slices import ReadySlice
from inspector.filtering.saved_slices import SavedSlice
from inspector.filtering.slicing import SliceShelf
from inspector.screens.dialog import Dialog
from inspector.text import Part, cell, clean, squeezed
from inspector.widgets.line_view import Line, LineView
from inspector.widgets.typing_line import TypingLine
from inspector.wrap import wrap
from scoring.errors import InspectError

Slice = ReadySlice | SavedSlice
DIGITS = "123456789"
"""Keys of the first saved slices."""
LONGEST_NAME = 60
KEYS = "Enter or its key shows it, s saves what is on screen, - deletes, u undoes that, Esc closes"


class _Entry(Struct, frozen=True):
    key: str
    title: str
    note: str
    chosen: Slice


class SlicesScreen(Dialog[Slice | None]):
    """Asks for a slice; None if the list stays as it is. What is saved and deleted is so at once."""

    # Keys are the menu's until a name is typed.
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q", "leave", "Close"),
        ("down,j", "move(1)", "Next"),
        ("up,k", "move(-1)", "Before"),
        ("enter", "choose", "Show"),
        ("s", "name", "Save"),
        ("minus,delete", "delete", "Delete"),
        ("u", "put_back", "Undo"),
    ]

    def __init__(
        self,
        ready: Sequence[ReadySlice],
        shelf: SliceShelf,
        size: Callable[[SavedSlice], int | None],
        present: Callable[[str], SavedSlice],
    ) -> None:
        """`size` counts the cases of a saved slice, `present` makes a slice of this name of what is on screen."""
        super().__init__()
        self._ready, self._shelf, self._count, self._present = ready, shelf, size, present
        self._entries: list[_Entry] = []
        self._places: list[int] = []
        self._cursor = 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="slices"):
            yield Static(Content("Slices"), classes="strong")
            view = LineView(id="slice-list")
            # As high as it will be: another height would be another layout of the screen.
            view.styles.height = len(self._ready) + 1 + len(self._shelf.read().slices)
            view.can_focus = False
            yield view
            yield self._name_line()
            yield Static(Content(KEYS), classes="dim")

    @staticmethod
    def _name_line() -> Input:
        words = "a name for what is on screen; Enter saves it"
        box = TypingLine(placeholder=words, id="slice-name", max_length=LONGEST_NAME, compact=True)
        box.display = False
        return box

    def on_mount(self) -> None:
        # At once, for keys that were typed ahead; and again when the width is there.
        self._show()
        self.call_after_refresh(self._show)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    # -- showing

    def _show(self) -> None:
        saved = self._shelf.read()
        keys = [*DIGITS, *" " * len(saved.slices)]
        made = [_Entry(one.key, one.title, f"{one.cases:,}", one) for one in self._ready]
        kept = [_Entry(key, one.name, self._note(one), one) for key, one in zip(keys, saved.slices, strict=False)]
        self._entries = [*made, *kept]
        self._cursor = max(0, min(self._cursor, len(self._entries) - 1))
        view = self.query_one(LineView)
        width = max(20, view.viewport.width or self.line_width)
        lines = [Line(self._parts(place, width), self._row(place)) for place in range(len(made))]
        lines.append(
            Line([("saved in this workspace" if kept or saved.problem else "nothing is saved here yet", "dim")])
        )
        lines += [Line(self._parts(place, width), self._row(place)) for place in range(len(made), len(self._entries))]
        lines += [Line([(text, "bad")]) for text in wrap(clean(saved.problem), width)] if saved.problem else []
        self._places = [place + (place >= len(made)) for place in range(len(self._entries))]
        if view.styles.height is None or view.styles.height.value != len(lines):
            view.styles.height = len(lines)
        view.show(lines, keep_scroll=True)
        if self._places:
            view.scroll_to_line(self._places[self._cursor])

    def _row(self, place: int) -> str:
        return "cursor" if place == self._cursor else ""

    def _parts(self, place: int, width: int) -> list[Part]:
        entry = self._entries[place]
        room = max(4, width - len(entry.note) - 6)
        mark = ">" if place == self._cursor else " "
        title = cell(squeezed(entry.title, room), room)
        return [(f"{mark} ", "strong"), (f"{entry.key}  ", "strong"), (f"{title} {entry.note}", "")]

    def _note(self, one: SavedSlice) -> str:
        if one.search:
            return "searches"
        size = self._count(one)
        return "not for these cases" if size is None else f"{size:,}"

    # -- keys

    @property
    def _naming(self) -> bool:
        return self.query_one(Input).display

    def on_key(self, event: events.Key) -> None:
        """The key of a slice shows it."""
        chosen = (one.chosen for one in self._entries if one.key == event.character and one.key.strip())
        found = next(chosen, None)
        if found is not None and not self._naming:
            event.stop()
            self.dismiss(found)

    def action_leave(self) -> None:
        if self._naming:
            self._stop_naming()
        else:
            self.dismiss(None)

    def action_move(self, by: int) -> None:
        self._cursor = max(0, min(self._cursor + by, len(self._entries) - 1))
        self._show()

    def action_choose(self) -> None:
        if self._entries:
            self.dismiss(self._entries[self._cursor].chosen)

    def on_line_view_clicked(self, event: LineView.Clicked) -> None:
        if event.line in self._places:
            self._cursor = self._places.index(event.line)
            self.action_choose()

    def action_name(self) -> None:
        """Ask for a name."""
        box = self.query_one(Input)
        box.display = True
        box.focus()

    def _stop_naming(self) -> None:
        box = self.query_one(Input)
        box.value = ""
        box.display = False
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        name = clean(event.value).strip()
        self._stop_naming()
        if name:
            self._do(lambda: self._shelf.save(self._present(name)))

    def action_delete(self) -> None:
        entry = self._entries[self._cursor].chosen if self._entries else None
        if isinstance(entry, SavedSlice):
            self._do(lambda: self._shelf.delete(entry))
        else:
            self.notify("Ready-made slices stay.", markup=False)

    def action_put_back(self) -> None:
        self._do(self._shelf.put_back)

    def _do(self, change: Callable[[], str]) -> None:
        """Change what is saved, and say what came of it."""
        try:
            self.notify(clean(change()), markup=False)
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False)
        self._show()
