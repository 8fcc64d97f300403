"""Where a case is opened: with the gold step and the predicted one on screen."""

from inspector.case_page.case_lines import CaseLines
from inspector.case_page.open_case import Stop

BENEATH = 2
"""Lines that are seen beneath the later step's first one, where there is room."""


def opening(page: CaseLines, height: int) -> tuple[Stop | None, int]:
    """Return the stop for the cursor, and the line to begin with beneath the pinned ones.

    `height` is the number of lines that are seen at once, the pinned ones included.
    """
    first_stop = page.stops[0][0] if page.stops else None
    if not page.telling:
        return first_stop, page.pinned
    first, last = page.starts[page.telling[0]], page.starts[page.telling[-1]]
    wanted = last + 1 + BENEATH - height
    # Never so far that the earlier one is lost above.
    scroll = max(0, min(wanted, first - page.pinned))
    return stop_at(page, first), scroll + page.pinned


def stop_at(page: CaseLines, line: int) -> Stop | None:
    """Return the last stop at or above a line; the first one where there is none above."""
    above = [stop for stop, at in page.stops if at <= line]
    return above[-1] if above else (page.stops[0][0] if page.stops else None)


def line_of(page: CaseLines, stop: Stop | None) -> int | None:
    """Return the line of a stop; where folding took it away, that of the step it stands for."""
    if stop is None or not page.stops:
        return None
    lines = dict(page.stops)
    if stop in lines:
        return lines[stop]
    if stop.kind not in {"context", "tool"} and 0 <= stop.step < len(page.starts):
        return page.starts[stop.step]
    return page.stops[0][1]
