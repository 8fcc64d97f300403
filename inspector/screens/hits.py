"""Going from hit to hit of a search within one case."""

from bisect import bisect_left
from typing import TYPE_CHECKING

from inspector.case_view.found_text import FOUND
from inspector.screens.controller import Controller
from inspector.sentences import counted

if TYPE_CHECKING:
    from inspector.screens.case import CaseScreen


class Hits(Controller):
    """The lines of the case on screen in which what is searched for stands."""

    screen: "CaseScreen"

    _hit: tuple[list[int], int] = ([], -1)

    @property
    def forms(self) -> tuple[str, ...]:
        """How many lines have a hit and on which one the reader is, for the title; "" where nothing is searched for."""
        if self.inspection is None or self.inspection.selection.found is None:
            return ("",)
        hits = self.screen.steps.lines_with(FOUND)
        known, place = self._hit
        if hits and known == hits:
            return (f"hit {place + 1} of {len(hits)}", "")
        return (f"{counted(len(hits), 'line')} with hits", "") if hits else ("no hit in these texts", "")

    def go(self, by: int, *, fresh: bool = False) -> bool:
        """To the next line with a hit, or the one before; whether there is one. The first is the first on screen.

        Of a `fresh` case it is the first of all, or going back the last.
        """
        searched = self.inspection is not None and self.inspection.selection.found is not None
        view = self.screen.steps
        hits = view.lines_with(FOUND) if searched else []
        known, place = self._hit
        if fresh:
            place = 0 if by > 0 else len(hits) - 1
        elif known == hits:
            place += by
        else:
            below = bisect_left(hits, view.scroll_offset.y)
            place = below if by > 0 else below - 1
        if not 0 <= place < len(hits):
            return False
        self._hit = (hits, place)
        view.scroll_to_line(hits[place])
        self.screen.cursor.go_to_line(hits[place])
        self.screen.show_title()
        return True
