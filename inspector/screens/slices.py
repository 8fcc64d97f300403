"""The menu of slices: ready-made ones, saved ones, and the present one under a name."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart, cell, clean
from inspector.render.texts.wrap import wrap
from inspector.screens.controller import Controller, TableScreen
from inspector.screens.dialog import Dialog
from inspector.state.case_list.listed import searched
from inspector.state.filtering.slices import ReadySlice, ready_slices, size_of, slice_of, sliced
from inspector.state.screen_state import ScreenState
from inspector.widgets.line_view import Line, LineView
from inspector.widgets.text_editor import TypingLine
from scoring.data.errors import InspectError
from scoring.selection.saved_slices import SavedSlice, SliceShelf

Slice = ReadySlice | SavedSlice
DIGITS = "123456789"
"""Keys of the first saved slices."""
LONGEST_NAME = 60


class _Entry(Struct, frozen=True):
    key: str
    title: str
    note: str
    chosen: Slice


class SlicesScreen(Dialog[Slice | None]):
    """Asks for a slice; None if the list stays as it is. What is saved and deleted is so at once."""

    # Keys are the menu's until a name is typed.
    AUTO_FOCUS = ""
    ENTER = "Save"
    HINT = "Enter or a key shows it   s saves   Esc closes"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "choose", "Show"),
        ("escape,q", "leave", "Close"),
        ("s", "name", "Save what is on screen"),
        ("minus,delete", "delete", "Delete"),
        ("u", "put_back", "Undo"),
        Binding("down,j", "move(1)", "Next", show=False),
        Binding("up,k", "move(-1)", "Before", show=False),
    ]

    def __init__(
        self,
        ready: Sequence[ReadySlice],
        shelf: SliceShelf,
        size: Callable[[SavedSlice], int | None],
        present: Callable[[str], SavedSlice],
    ) -> None:
        """`size` counts the cases of a saved slice, `present` makes a slice of this name of what is on screen."""
        super().__init__("Slices")
        self._ready, self._shelf, self._count, self._present = ready, shelf, size, present
        self._entries: list[_Entry] = []
        self._places: list[int] = []
        self._cursor = 0

    def compose_panel(self) -> ComposeResult:
        view = LineView(id="slice-list")
        view.can_focus = False
        yield view
        yield self._name_line()

    @staticmethod
    def _name_line() -> Input:
        words = "a name for what is on screen; Enter saves it"
        box = TypingLine(placeholder=words, id="slice-name", max_length=LONGEST_NAME, compact=True)
        box.display = False
        return box

    def on_mount(self) -> None:
        self._show()

    # -- showing

    def _show(self) -> None:
        saved = self._shelf.read()
        keys = [*DIGITS, *" " * len(saved.slices)]
        made = [_Entry(ready.key, ready.title, f"{ready.cases:,}", ready) for ready in self._ready]
        kept = [
            _Entry(key, saved_slice.name, self._note(saved_slice), saved_slice)
            for key, saved_slice in zip(keys, saved.slices, strict=False)
        ]
        self._entries = [*made, *kept]
        self._cursor = max(0, min(self._cursor, len(self._entries) - 1))
        self._places = [place + (place >= len(made)) for place in range(len(self._entries))]
        view = self.query_one(LineView)
        view.flow(partial(self._lines, saved.problem))
        if self._places:
            view.scroll_to_line(self._places[self._cursor])

    def _lines(self, problem: str, width: int) -> list[Line]:
        lines = [Line(self._parts(place, width), self._row(place)) for place in range(len(self._entries))]
        kept = len(self._entries) > len(self._ready)
        note = "saved in this workspace" if kept or problem else "nothing is saved here yet"
        lines.insert(len(self._ready), Line([(note, "dim")]))
        return lines + [Line([(text, "bad")]) for text in (wrap(clean(problem), width) if problem else ())]

    def _row(self, place: int) -> str:
        return "cursor" if place == self._cursor else ""

    def _parts(self, place: int, width: int) -> list[TextPart]:
        entry = self._entries[place]
        room = max(4, width - len(entry.note) - 6)
        mark = ">" if place == self._cursor else " "
        title = cell(short_name(entry.title, room, (other.title for other in self._entries)), room)
        return [(f"{mark} ", "strong"), (f"{entry.key}  ", "strong"), (f"{title} {entry.note}", "")]

    def _note(self, saved: SavedSlice) -> str:
        if saved.search:
            return "searches"
        size = self._count(saved)
        return "not for these cases" if size is None else f"{size:,}"

    # -- keys

    @property
    def _naming(self) -> bool:
        return self.query_one(Input).display

    def on_key(self, event: events.Key) -> None:
        """Show the slice whose key was pressed."""
        chosen = (entry.chosen for entry in self._entries if entry.key == event.character and entry.key.strip())
        picked = next(chosen, None)
        if picked is not None and not self._naming:
            event.stop()
            self.dismiss(picked)

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


# -- what a person does with slices of the list: choose one, save the present one, delete one


class Slicing(Controller[TableScreen]):
    """Cuts the list to slices."""

    _shelf: SliceShelf | None = None

    def action_slices(self) -> None:
        """Open the menu of slices."""
        now = self.state
        if self._shelf is None:
            self._shelf = SliceShelf(now.results.loaded.workspace.root)
        menu = SlicesScreen(ready_slices(now), self._shelf, partial(size_of, now), partial(slice_of, now))
        self.screen.app.push_screen(menu, self._take)

    def _take(self, chosen: Slice | None) -> None:
        if chosen is None:
            return
        self.screen.close_rail()
        now = self.state
        if isinstance(chosen, ReadySlice):
            self._show(searched(now, now.base_search, chosen.filter).selected(sort=chosen.sort))
        elif chosen.search:
            # Texts are read: not while keys wait.
            self.screen.run_worker(
                partial(self._search_out, now, chosen), thread=True, exclusive=True, group="slice", description="slice"
            )
        else:
            self._sliced(chosen, now, _searched_out(now, chosen))

    def _show(self, state: ScreenState) -> None:
        """What comes first is what a slice is chosen for."""
        self.screen.put(state)
        self.screen.table.action_first()

    def _search_out(self, now: ScreenState, chosen: SavedSlice) -> None:
        """In a thread."""
        self.screen.call_later(self._sliced, chosen, now, _searched_out(now, chosen))

    def _sliced(self, chosen: SavedSlice, asked_of: ScreenState, result: ScreenState | str) -> None:
        """Show a slice, or say why there is none; where something else was changed meanwhile, made of that."""
        if asked_of is not self.state:
            self._take(chosen)
        elif isinstance(result, ScreenState):
            self._show(result)
        else:
            self.screen.notify(clean(result), severity="warning", markup=False)


def _searched_out(now: ScreenState, chosen: SavedSlice) -> ScreenState | str:
    """The slice, or why there is none."""
    try:
        return sliced(now, chosen)
    except InspectError as error:
        return str(error)
