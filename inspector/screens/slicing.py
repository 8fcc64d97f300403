"""What a person does with slices of the list: choose one, save the present one, delete one."""

from functools import partial

from inspector.filtering.ready_slices import ReadySlice, ready_slices
from inspector.filtering.saved_slices import SavedSlice
from inspector.filtering.slicing import SliceShelf, size_of, slice_of, sliced
from inspector.inspection import Inspection
from inspector.messages import Sliced
from inspector.screens.base import InspectionScreen
from inspector.screens.slices import Slice, SlicesScreen
from inspector.text import clean
from scoring.errors import InspectError


class Slicing(InspectionScreen):
    """A screen with a list that can be cut to slices."""

    _shelf: SliceShelf | None = None

    def action_slices(self) -> None:
        """Open the menu of slices."""
        now = self.inspection
        if now is None:
            return
        if self._shelf is None:
            self._shelf = SliceShelf(now.selection.workspace.root)
        menu = SlicesScreen(ready_slices(now), self._shelf, partial(size_of, now), partial(slice_of, now))
        self.app.push_screen(menu, self._take)

    def _take(self, chosen: Slice | None) -> None:
        if chosen is None:
            return
        self.close_rail()
        now = self.inspection
        if now is None:
            return
        if isinstance(chosen, ReadySlice):
            self.put(now.searched(now.base_search, chosen.filter).ordered(chosen.sort))
        elif chosen.search:
            # Texts are read: not while keys wait.
            self.run_worker(
                partial(self._search_out, now, chosen), thread=True, exclusive=True, group="slice", description="slice"
            )
        else:
            self.on_sliced(_searched_out(now, chosen))

    def _search_out(self, now: Inspection, chosen: SavedSlice) -> None:
        """In a thread."""
        self.post_message(_searched_out(now, chosen))

    def on_sliced(self, message: Sliced) -> None:
        """Show a slice, or say why there is none; where something else was changed meanwhile, made of that."""
        if message.asked_of is not self.inspection:
            self._take(message.chosen)
        elif message.inspection is not None:
            self.put(message.inspection)
        else:
            self.notify(clean(message.sentence), severity="warning", markup=False, timeout=10)


def _searched_out(now: Inspection, chosen: SavedSlice) -> Sliced:
    try:
        return Sliced(chosen, now, sliced(now, chosen))
    except InspectError as error:
        return Sliced(chosen, now, None, str(error))
