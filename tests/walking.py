"""Every number of a sheet that opens cases, followed to its list."""

import re

from inspector.case_links import drilled
from inspector.inspection import Inspection
from inspector.render.lines import CaseLink, Sheet

COUNT = re.compile(r"[\d,]+\Z")


def walk(inspection: Inspection, sheet: Sheet) -> int:
    """Open each number's cases: there are as many as it says, and as are written where it is a count. How many.

    Numbers with the same conditions are listed once.
    """
    sizes: dict[CaseLink, int] = {}
    places = 0
    for line, _, piece in sheet.drills():
        drill = piece.drill
        assert drill is not None
        if drill not in sizes:
            there = drilled(inspection, drill)
            sizes[drill] = there.shown.size
            assert (there.benchmark, there.scorer) == (
                drill.benchmark or inspection.benchmark,
                drill.scorer or inspection.scorer,
            )
        assert sizes[drill] == drill.n, (line, piece)
        text = piece.text.strip()
        if COUNT.match(text):
            assert int(text.replace(",", "")) == drill.n, (line, piece)
        places += 1
    return places
