"""Slices put on an inspection, taken from it, and kept for it."""

from pathlib import Path

import numpy as np
from msgspec.structs import replace

from inspector.filtering.saved_slices import SavedSlice, SavedSlices, delete_slice, read_slices, save_slice
from inspector.filtering.searching import found_in
from inspector.inspection import Inspection
from scoring.errors import FilterError
from scoring.filters import filter_of


def sliced(inspection: Inspection, saved: SavedSlice) -> Inspection:
    """An inspection under a saved slice instead of its own filter, search and order.

    Raises:
        FilterError, UsageError: a condition or an order of it speaks of what is not here.
        SearchError, DamagedWorkspace: as for a search.
    """
    chosen = filter_of(text for text in saved.where if text not in inspection.base)
    focus, now = chosen.facet("benchmark", keep=True), inspection
    if focus is not None and len(focus.values) == 1:
        chosen = replace(chosen, facets=tuple(facet for facet in chosen.facets if facet is not focus))
        now = now if focus.values[0] == now.benchmark else now.on_benchmark(str(focus.values[0]))
    found = now.base_search
    if saved.search:
        request = replace(now.selection.request, search=saved.search, within=saved.within)
        every = np.ones(now.selection.height, dtype=np.bool_)
        found = found_in(replace(now.selection, request=request, found=None), every)
    return now.searched(found, chosen).ordered(saved.sort)


def slice_of(inspection: Inspection, name: str) -> SavedSlice:
    """What is on screen as a slice of this name."""
    request = inspection.selection.request
    return SavedSlice(name, request.where, request.search, request.within, request.sort)


def size_of(inspection: Inspection, saved: SavedSlice) -> int | None:
    """How many cases fulfil the conditions of a slice; None where it searches too, or speaks of what is not here."""
    if saved.search:
        return None
    try:
        return int(np.count_nonzero(inspection.selection.passing((*inspection.base, *saved.where))))
    except FilterError:
        return None


class SliceShelf:
    """The saved slices of one workspace, and what was last taken off."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._gone: SavedSlice | None = None

    def read(self) -> SavedSlices:
        """What is saved now, by whichever process."""
        return read_slices(self._root)

    def save(self, new: SavedSlice) -> str:
        """Save a slice; the value says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: it cannot be saved.
        """
        again = any(one.name == new.name for one in self.read().slices)
        aside = save_slice(self._root, new)
        moved = f" The damaged file is now {aside.name}." if aside else ""
        return f"{'Saved again' if again else 'Saved'}: {new.name}. Repeat it with --slice.{moved}"

    def delete(self, gone: SavedSlice) -> str:
        """Delete a slice; the value says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: as for `save`.
        """
        delete_slice(self._root, gone.name)
        self._gone = gone
        return f"Deleted: {gone.name}. u in this menu brings it back."

    def put_back(self) -> str:
        """Save again what was deleted last; the value says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: as for `save`.
        """
        if self._gone is None:
            return "No slice was deleted."
        gone, self._gone = self._gone, None
        save_slice(self._root, gone)
        return f"Back again: {gone.name}."
