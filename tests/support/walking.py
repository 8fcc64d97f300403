"""Every number of a sheet that opens cases, followed to its list."""

import re

from inspector.render.lines import CaseLink, Sheet
from inspector.state.case_links import drilled
from inspector.state.focusing import on_benchmark
from inspector.state.screen_state import ScreenState

COUNT = re.compile(r"[\d,]+\Z")
FULLY = 10
"""One of so many links is opened as a list; of the others it is counted what the list would have."""


def walk(state: ScreenState, sheet: Sheet) -> int:
    """Open each number's cases: there are as many as it says, and as are written where it is a count. How many.

    Numbers with the same conditions are listed once.
    """
    sizes: dict[CaseLink, int] = {}
    slices = {}
    places = 0
    for line, _, piece in sheet.drills():
        drill = piece.drill
        assert drill is not None
        if drill not in sizes:
            whose = drill.benchmark or state.focus.benchmark
            if whose not in slices:
                slices[whose] = on_benchmark(state, whose).slice
            # Conditions that many numbers have are looked up once.
            sizes[drill] = int((slices[whose] & state.results.evaluated.passing(drill.where)).sum())
            if len(sizes) % FULLY == 1:
                there = drilled(state, drill)
                assert there.shown.size == sizes[drill]
                assert (there.focus.benchmark, there.focus.scorer) == (whose, drill.scorer or state.focus.scorer)
        assert sizes[drill] == drill.n, (line, piece)
        text = piece.text.strip()
        if COUNT.match(text):
            assert int(text.replace(",", "")) == drill.n, (line, piece)
        places += 1
    return places
