"""What a person does with slices of the list: choose one, save the present one, delete one."""

from functools import partial
from typing import TYPE_CHECKING

from inspector.filtering.ready_slices import ReadySlice, ready_slices
from inspector.filtering.saved_slices import SavedSlice
from inspector.filtering.slicing import SliceShelf, size_of, slice_of, sliced
from inspector.inspection import Inspection
from inspector.screens.controller import Controller
from inspector.screens.slices import Slice, SlicesScreen
from inspector.text import clean
from scoring.errors import InspectError

if TYPE_CHECKING:
    from inspector.screens.cases import CasesScreen


class Slicing(Controller):
    """Cuts the list to slices."""

    screen: "CasesScreen"
    _shelf: SliceShelf | None = None

    def action_slices(self) -> None:
        """Open the menu of slices."""
        now = self.inspection
        if now is None:
            return
        if self._shelf is None:
            self._shelf = SliceShelf(now.selection.workspace.root)
        menu = SlicesScreen(ready_slices(now), self._shelf, partial(size_of, now), partial(slice_of, now))
        self.screen.app.push_screen(menu, self._take)

    def _take(self, chosen: Slice | None) -> None:
        if chosen is None:
            return
        self.screen.close_rail()
        now = self.inspection
        if now is None:
            return
        if isinstance(chosen, ReadySlice):
            self._show(now.searched(now.base_search, chosen.filter).ordered(chosen.sort))
        elif chosen.search:
            # Texts are read: not while keys wait.
            self.screen.run_worker(
                partial(self._search_out, now, chosen), thread=True, exclusive=True, group="slice", description="slice"
            )
        else:
            self._sliced(chosen, now, _searched_out(now, chosen))

    def _show(self, inspection: Inspection) -> None:
        """What comes first is what a slice is chosen for."""
        self.screen.put(inspection)
        self.screen.table.action_first()

    def _search_out(self, now: Inspection, chosen: SavedSlice) -> None:
        """In a thread."""
        self.screen.call_later(self._sliced, chosen, now, _searched_out(now, chosen))

    def _sliced(self, chosen: SavedSlice, asked_of: Inspection, found: Inspection | str) -> None:
        """Show a slice, or say why there is none; where something else was changed meanwhile, made of that."""
        if asked_of is not self.inspection:
            self._take(chosen)
        elif isinstance(found, Inspection):
            self._show(found)
        else:
            self.screen.notify(clean(found), severity="warning", markup=False, timeout=10)


def _searched_out(now: Inspection, chosen: SavedSlice) -> Inspection | str:
    """The slice, or why there is none."""
    try:
        return sliced(now, chosen)
    except InspectError as error:
        return str(error)
